"""A mail for who asks, from Python and from the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.access.opening import open_collection
from tests.cli.command import Shoal
from tests.web.own_documents import STRANGER, Own, own_documents


@pytest.fixture(scope="module")
def own() -> Iterator[Own]:
    with own_documents() as found:
        yield found


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Shoal]:
    found = Shoal(tmp_path)
    yield found
    found.close()


def test_a_mail_has_its_thread_and_attachments_as_far_as_they_may_be_read(own: Own) -> None:
    with shoal.open(own.place) as collection:
        (first,) = collection.search("subject:reefs -subject:re")
        found = collection.mail(first.url)
        assert found is not None
        urls = [each.url for each in found.thread]
        attached = [mail.attachments for each in urls if (mail := collection.mail(each))]
        names = [[each.name for each in some] for some in attached]
        assert names == [[], ["private.txt"], ["chart.txt"]]
        assert collection.mail(own.url("open.txt")) is None
    with open_collection(str(own.place), STRANGER) as collection:
        found = collection.mail(first.url)
        assert found is not None
        assert [each.url for each in found.thread] == [urls[0], urls[2]]
        assert collection.mail(urls[1]) is None
        assert found.folders == ["INBOX"]


def test_the_command_line_shows_the_same(own: Own, command: Shoal) -> None:
    with shoal.open(own.place) as collection:
        (first,) = collection.search("subject:reefs -subject:re")
    given = ["show", first.url, "--dir", str(own.place)]
    found = command.ok(*given, "--mail", "--json").json
    assert (found["subject"], len(found["thread"])) == ("Reefs", 3)
    summary = command.ok(*given).text
    assert "thread      3 mails, the oldest first:" in summary
    assert "cc          Cecil <cecil@mail.example>" in summary
    assert command.ok(*given, "--raw").text.startswith("From: ann")


def test_a_body_that_is_not_there_any_more_is_said_to_be(own: Own, command: Shoal) -> None:
    path = own.folder / "open.txt"
    before = path.read_bytes()
    try:
        path.write_bytes(b"x")
        given = ["show", own.url("open.txt"), "--raw", "--dir", str(own.place)]
        assert "can't be had where it stands as it was read" in command.refuses(*given)
    finally:
        path.write_bytes(before)
