"""Mailboxes as a collection takes them in: what is found is what the mailbox has."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from imapclient import IMAPClient

import shoal
from shoal.config import Config
from shoal.control.own_mail import add_mail, mailboxes_of
from shoal.control.own_sources import remove_source_at
from shoal.engine.own_documents import Taking
from shoal.engine.own_looks import look_at
from shoal.engine.own_sources import OwnSources
from shoal.errors import UsageError
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.principal import OWNER
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.sources.mail.account import in_mbox, written
from tests.sources.mail.dovecot import PASSWORD, Dovecot

FAST = {"files.share": 64.0, "crawl.children": 1}
CONFIG = Config().with_(FAST)
PATIENCE_SECONDS = 60.0
WALRUS = "A walrus sleeps on the ice of the north, beside its young, until the tide comes in.\n"
SEAL = "Yesterday we counted forty seals near the harbour; most of them were grey.\n"
DOLPHIN = "Please send the film about dolphins before Friday, since the class wants to see it.\n"
WHALE = "No whale was seen this week. The boat needs new paint and a better engine.\n"
"""Unlike each other: none is taken for a copy."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


@pytest.fixture
def other(server: Dovecot) -> Iterator[IMAPClient]:
    client = IMAPClient("127.0.0.1", server.port, ssl=False, timeout=30)
    client.login("ann", PASSWORD)
    try:
        yield client
    finally:
        client.shutdown()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(PASSWORD)
    path.chmod(0o600)
    return path


def look(place: Path) -> Taking:
    return run(look_at(place, CONFIG)).taking


def found(place: Path, query: str) -> list[str]:
    with shoal.open(place) as collection:
        results = collection.search(query, limit=100, site_limit=100).results
        return sorted(each.title for each in results)


def readers(place: Path) -> set[tuple[str, ...]]:
    with RocksTable(Layout(place).table, reader=True) as table:
        store = PageStore(table, Layout(place).warc)
        pages = [page for page in store.stream(b"", b"\xff", OWNER) if "mail://" in page.url]
        return {tuple(page.document.readers) for page in pages}


def everything_in(place: Path) -> bytes:
    return b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())


def test_a_mailbox_on_disk_from_look_to_look(place: Path, tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.write_bytes(in_mbox(written(1, WALRUS), written(2, SEAL)))
    box.chmod(0o600)
    added = add_mail(str(place), box, FAST)
    assert (added.read, added.sources[0].documents, added.sources[0].whole) == (2, 2, True)
    assert found(place, "from:ann walrus") == ["Number 1"]
    assert found(place, "folder:box") == ["Number 1", "Number 2"]
    assert look(place) == Taking()
    with box.open("ab") as file:
        file.write(in_mbox(written(3, DOLPHIN)))
    assert look(place) == Taking(read=1)
    box.write_bytes(in_mbox(written(3, DOLPHIN), written(2, SEAL)))
    assert look(place) == Taking(gone=1)
    assert found(place, "from:ann") == ["Number 2", "Number 3"]
    assert all(word.startswith("posix:") for (word,) in readers(place))
    before = readers(place)
    box.chmod(0o640)
    assert look(place) == Taking(shared=2)
    assert readers(place) != before
    assert remove_source_at(str(place), box).documents == 2
    assert found(place, "from:ann") == []
    assert mailboxes_of(str(place)) == []


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """Unlike a directory of a test."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_that_not_all_its_readers_may_enter_is_named_to_nobody(
    place: Path, open_to_all: Path
) -> None:
    """Whoever finds the mail in the open folder learns nothing of the closed one."""
    box = open_to_all / "mail"
    for folder in ("open", "closed"):
        (box / f".{folder}" / "new").mkdir(parents=True)
        for name in ("cur", "tmp"):
            (box / f".{folder}" / name).mkdir()
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir()
    (box / ".open" / "new" / "1").write_bytes(written(1, body=WALRUS))
    (box / ".closed" / "new" / "1").write_bytes(written(1, body=WALRUS))
    (box / ".closed" / "new" / "2").write_bytes(written(2, body=SEAL))
    (box / ".closed").chmod(0o700)
    add_mail(str(place), box, FAST)
    with shoal.open(place) as collection:
        assert len(collection.search("folder:open walrus")) == 1
        assert not collection.search("folder:closed walrus")
        assert len(collection.search("folder:closed seals")) == 1
        (mail,) = collection.search("walrus")
        found = collection.mail(mail.url)
        assert found is not None
        assert found.folders == ["closed", "open"]  # the owner's own look


def test_an_account_from_look_to_look(
    place: Path, server: Dovecot, other: IMAPClient, secret: Path
) -> None:
    other.create_folder("Archive")
    other.append("INBOX", written(1, WALRUS))
    other.append("INBOX", written(2, SEAL))
    other.append("Archive", written(2, SEAL))
    added = add_mail(str(place), server.address, FAST, password_file=secret)
    assert (added.read, added.sources[0].documents) == (2, 2)
    assert readers(place) == {(f"u:{os.getuid()}",)}
    assert found(place, "folder:inbox") == ["Number 1", "Number 2"]
    assert found(place, "folder:archive") == ["Number 2"]
    other.select_folder("INBOX")
    other.move([1], "Archive")
    assert look(place).read == 0
    assert found(place, "folder:inbox") == ["Number 2"]
    assert found(place, "folder:archive walrus") == ["Number 1"]
    other.delete_messages([2])
    other.expunge()
    assert look(place) == Taking(shared=1)
    assert found(place, "folder:inbox") == []
    other.select_folder("Archive")
    other.delete_messages(other.search())
    other.expunge()
    assert look(place) == Taking(gone=2)
    assert found(place, "from:ann") == []
    assert PASSWORD.encode() not in everything_in(place)
    add_mail(str(place), server.address, FAST, password_file=secret, owner="bob")
    other.append("INBOX", written(7, WHALE))
    look(place)
    assert readers(place) == {("mail:bob",)}
    assert remove_source_at(str(place), server.address).documents == 1


def test_a_delivery_is_found_while_it_is_watched(
    place: Path, server: Dovecot, other: IMAPClient, secret: Path
) -> None:
    add_mail(str(place), server.address, FAST, password_file=secret)

    async def watch() -> bool:
        def deliver() -> None:
            other.append("INBOX", written(1, WALRUS))

        async def wait_for(title: str) -> bool:
            deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
            while asyncio.get_running_loop().time() < deadline:
                if await asyncio.to_thread(found, place, "walrus") == [title]:
                    return True
                await asyncio.sleep(0.1)
            return False

        begun: list[OwnSources] = []
        watching = asyncio.create_task(look_at(place, CONFIG, forever=True, started=begun.append))
        await asyncio.sleep(1)
        threading.Thread(target=deliver).start()
        try:
            return await wait_for("Number 1")
        finally:
            begun[0].stop()
            await watching

    assert run(watch())


def test_what_cannot_be_added_is_said_in_a_sentence(
    place: Path, tmp_path: Path, server: Dovecot, secret: Path
) -> None:
    secret.write_text("wrong")
    for mailbox, given, says in (
        (server.address, {"password_file": secret}, "refuses the name or the password of ann."),
        (server.address, {}, "There is no password for ann-at-127.0.0.1-"),
        ("imaps://ann@127.0.0.1:9", {"password_file": secret}, "can't be reached: Connection"),
        (str(tmp_path / "none"), {}, "can't be read: No such file or directory."),
        (str(secret), {}, "is no mailbox: neither an mbox file nor a Maildir."),
        (str(secret), {"owner": "bob"}, "Only an account on a server has a password"),
    ):
        with pytest.raises(UsageError) as caught:
            add_mail(str(place), mailbox, FAST, **given)
        assert says in str(caught.value)
    assert not place.exists()


def test_a_server_that_is_down_is_no_end(
    place: Path, server: Dovecot, other: IMAPClient, secret: Path
) -> None:
    other.append("INBOX", written(1))
    add_mail(str(place), server.address, FAST, password_file=secret)
    server.stop()
    assert look(place) == Taking()
    (line,) = mailboxes_of(str(place))
    assert line.problem.endswith("can't be reached: Connection refused.")
    assert (line.documents, line.whole) == (1, True)
    server.start()
    secret.chmod(0o644)
    assert look(place) == Taking()
    (line,) = mailboxes_of(str(place))
    assert line.problem.startswith("Others may read the password in ")
    secret.chmod(0o600)
    assert look(place) == Taking()
    (line,) = mailboxes_of(str(place))
    assert not line.problem
