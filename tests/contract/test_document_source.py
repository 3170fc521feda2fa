"""The DocumentSource port: what every source of one's own documents must do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.clock import SystemClock
from shoal.model.outcome import Outcome
from shoal.model.source import MAIL, SourceRow
from shoal.model.source_change import Gone, Taken
from shoal.ports import DocumentSource
from shoal.sources.disk.folder import FolderSource
from shoal.sources.mail.local import mailbox_at
from shoal.sources.mail.source import MailSource
from shoal.store.table import RocksTable
from tests.sources.disk.parts import a_table, folder_source, take_in

SECONDS = 10.0


class MailPlace:
    """The same, of mails in a Maildir."""

    def __init__(self, path: Path, table: RocksTable) -> None:
        self._folder = path / "Maildir"
        for name in ("new", "cur"):
            (self._folder / name).mkdir(parents=True)
        self.table = table

    def source(self) -> DocumentSource:
        mailbox = mailbox_at(self._folder, lambda _: ())
        return MailSource(SourceRow(MAIL), "ann", mailbox, self.table, SystemClock())

    def put(self, name: str, text: str) -> None:
        (self._folder / "new" / name).write_text(text)

    def take_away(self, name: str) -> None:
        (self._folder / "new" / name).unlink()


class Place:
    """Where documents come and go, and the source that looks at them."""

    def __init__(self, kind: type[FolderSource], path: Path, table: RocksTable) -> None:
        assert kind is FolderSource
        self._folder = path / "documents"
        self._folder.mkdir()
        self.table = table

    def source(self) -> DocumentSource:
        return folder_source(self.table, self._folder)

    def put(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text)

    def take_away(self, name: str) -> None:
        (self._folder / name).unlink()


@pytest.fixture(params=[FolderSource, MailSource])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place | MailPlace]:
    with a_table(tmp_path) as table:
        is_mail = request.param is MailSource
        yield MailPlace(tmp_path, table) if is_mail else Place(request.param, tmp_path, table)


def test_what_is_new_is_told_once(place: Place | MailPlace) -> None:
    place.put("one", "Clownfish")
    source = place.source()
    (told,) = take_in(source, place.table)
    assert isinstance(told, Taken)
    assert take_in(source, place.table) == []
    assert take_in(place.source(), place.table) == []


def test_what_was_told_and_not_noted_is_told_again(place: Place | MailPlace) -> None:
    place.put("one", "Clownfish")
    first = [change for some in place.source().changes(True) for change in some]
    again = [change for some in place.source().changes(True) for change in some]
    assert first == again != []


def test_the_bytes_are_had_as_if_fetched(place: Place | MailPlace) -> None:
    place.put("one", "Clownfish")
    source = place.source()
    taken = next(change for some in source.changes(True) for change in some)
    assert isinstance(taken, Taken)
    fetched = source.open(taken)
    assert fetched is not None
    assert (fetched.outcome, fetched.body) == (Outcome.OK, b"Clownfish")


def test_what_has_gone_before_it_was_read_is_none(place: Place | MailPlace) -> None:
    place.put("one", "Clownfish")
    source = place.source()
    taken = next(change for some in source.changes(True) for change in some)
    place.take_away("one")
    assert isinstance(taken, Taken)
    assert isinstance(place, MailPlace) or source.open(taken) is None  # mails are held until then


def test_what_goes_is_told(place: Place | MailPlace) -> None:
    place.put("one", "Clownfish")
    source = place.source()
    (taken,) = take_in(source, place.table)
    place.take_away("one")
    assert take_in(source, place.table) == [Gone(taken.url)]
    assert take_in(source, place.table) == []


def test_it_is_told_when_something_stirs(place: Place | MailPlace) -> None:
    source = place.source()
    source.watch()
    try:
        take_in(source, place.table)
        place.put("one", "Clownfish")
        assert source.wait(SECONDS)
        (told,) = take_in(source, place.table, everything=False)
        assert isinstance(told, Taken)
    finally:
        source.close()


def test_it_says_how_it_stands(place: Place | MailPlace) -> None:
    source = place.source()
    assert not source.row().whole
    take_in(source, place.table)
    assert source.row().whole
