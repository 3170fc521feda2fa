"""Every message that there is to test with: once each, as mbox, Maildir and behind a server."""

import re
import shutil
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from imapclient import IMAPClient

from shoal.control.own_mail import add_mail
from shoal.layout.layout import Layout
from shoal.model.principal import OWNER
from shoal.sources.mail.identity import MailDigest, id_of
from shoal.sources.mail.mbox import Mbox, MboxState, read_mail
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.sources.mail.account import mail_data, unpacked_mbox
from tests.sources.mail.dovecot import PASSWORD, Dovecot

pytestmark = pytest.mark.slow

PACKED = ("notmuch-corpora", "mikel-mail", "sisimai-even", "usrp-users-maildir")
FAST = {"files.share": 64.0, "crawl.children": 2}
_FROM = re.compile(rb"(?m)^(>*From )")
Folders = Mapping[str, list[bytes]]


@pytest.fixture
def messages(shoal_data: Path, tmp_path: Path) -> list[bytes]:
    """Also damaged ones, bounces, and some that are there twice."""
    found: list[bytes] = []
    for name in PACKED:
        with tarfile.open(mail_data(shoal_data) / f"{name}.tar.gz") as packed:
            opened = (packed.extractfile(each) for each in packed if each.isfile())
            found += [file.read() for file in opened if file is not None]
    path = unpacked_mbox(shoal_data, tmp_path / "unpacked")
    places = Mbox(path, MboxState()).places()
    found += [b"".join(read_mail(path, place)) for place in places]
    assert len(found) > 2_600
    return found


def name_of(message: bytes) -> str:
    digest = MailDigest()
    digest.feed(message)
    return id_of(digest.digest())


def expected(folders: Folders) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for folder, messages in folders.items():
        for each in messages:
            found.setdefault(name_of(each), set()).add(folder)
    return found


def taken(place: Path) -> dict[str, set[str]]:
    """The folders of each mail of the collection, by its name."""
    found: dict[str, set[str]] = {}
    with RocksTable(Layout(place).table, reader=True) as table:
        for page in PageStore(table, Layout(place).warc).stream(b"", b"\xff", OWNER):
            name = page.url.rpartition("/")[2]
            if re.fullmatch("[a-z2-7]{26}", name):  # no attachment
                assert name not in found
                found[name] = {value for key, value in page.document.fields if key == "folder"}
    return found


def as_mbox(path: Path, messages: list[bytes]) -> None:
    with path.open("wb") as file:
        for each in messages:
            quoted = _FROM.sub(rb">\1", each)
            end = b"\n" if quoted.endswith(b"\n") else b"\n\n"
            file.write(b"From ann@example.org Mon Jan  5 10:00:00 2026\n" + quoted + end)


def as_maildir(path: Path, messages: list[bytes]) -> None:
    for head in ("new", "cur", "tmp"):
        (path / head).mkdir(parents=True)
    for number, each in enumerate(messages):
        (path / "cur" / f"{number}.M1P1.x:2,{'S' if number % 3 else 'F'}").write_bytes(each)


def test_in_mbox_files(messages: list[bytes], tmp_path: Path) -> None:
    half = len(messages) // 2
    folders = {"one": messages[: half + 100], "two": messages[half:]}
    (tmp_path / "boxes").mkdir()
    for name, some in folders.items():
        as_mbox(tmp_path / "boxes" / name, some)
    added = add_mail(str(tmp_path / "corpus"), tmp_path / "boxes", FAST)
    assert taken(tmp_path / "corpus") == expected(folders)
    assert added.sources[0].documents == len(set(map(name_of, messages)))


def test_in_a_maildir(messages: list[bytes], tmp_path: Path) -> None:
    half = len(messages) // 2
    folders = {"INBOX": messages[:half], "Archive": messages[half - 100 :]}
    as_maildir(tmp_path / "Maildir", folders["INBOX"])
    as_maildir(tmp_path / "Maildir" / ".Archive", folders["Archive"])
    place = tmp_path / "corpus"
    add_mail(str(place), tmp_path / "Maildir", FAST)
    assert taken(place) == expected(folders)
    (tmp_path / "Maildir" / ".Archive").rename(tmp_path / "Maildir" / ".Old.2019")
    again = add_mail(str(place), tmp_path / "Maildir", FAST)
    assert (again.read, again.gone) == (0, 0)
    moved = {"INBOX": folders["INBOX"], "Old/2019": folders["Archive"]}
    assert taken(place) == expected(moved)


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


def told(server: Dovecot) -> tuple[Counter[str], dict[str, list[tuple[int, ...]]]]:
    """By the server: how many mails each folder has, and the flags of each."""
    client = IMAPClient("127.0.0.1", server.port, ssl=False, timeout=60)
    client.login("ann", PASSWORD)
    try:
        counts: Counter[str] = Counter()
        flags = {}
        for kinds, _, name in client.list_folders():
            if {b"\\Noselect", b"\\NonExistent"} & set(kinds):
                continue
            client.select_folder(name, readonly=True)
            of_each = client.fetch(client.search(), ["FLAGS"])
            counts[str(name)] = len(of_each)
            own = {uid: set(each[b"FLAGS"]) - {b"\\Recent"} for uid, each in of_each.items()}
            flags[str(name)] = sorted((uid, *sorted(each)) for uid, each in own.items())
        return counts, flags
    finally:
        client.shutdown()


def test_behind_a_server(messages: list[bytes], tmp_path: Path, server: Dovecot) -> None:
    half = len(messages) // 2
    folders = {"INBOX": messages[:half], "Archive": messages[half - 100 :]}
    server.stop()
    shutil.rmtree(server.mail)
    as_maildir(server.mail, folders["INBOX"])
    as_maildir(server.mail / ".Archive", folders["Archive"])
    server.give(server.mail)
    server.start()
    secret, place = tmp_path / "secret", tmp_path / "corpus"
    secret.write_text(PASSWORD)
    secret.chmod(0o600)
    counts, flags = told(server)
    assert counts == {name: len(some) for name, some in folders.items()}

    def follow() -> tuple[int, int]:
        done = add_mail(str(place), server.address, FAST, password_file=secret)
        assert not done.sources[0].problem
        assert done.sources[0].documents == len(set(map(name_of, messages)))
        return done.read, done.gone

    assert follow() == (len(set(map(name_of, messages))), 0)
    assert taken(place) == expected(folders)
    assert told(server) == (counts, flags)

    client = IMAPClient("127.0.0.1", server.port, ssl=False, timeout=60)
    client.login("ann", PASSWORD)
    client.rename_folder("Archive", "Old/Letters")
    client.shutdown()
    assert follow() == (0, 0)
    moved = {"INBOX": folders["INBOX"], "Old/Letters": folders["Archive"]}
    assert taken(place) == expected(moved)

    server.stop()  # all numbers are other than before
    for each in server.mail.rglob("dovecot*"):
        each.unlink()
    time.sleep(1.1)  # UIDVALIDITY is the second of its making
    server.start()
    assert follow() == (0, 0)
    assert taken(place) == expected(moved)
    assert sum(told(server)[0].values()) == sum(map(len, folders.values()))
