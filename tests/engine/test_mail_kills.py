"""Killed in the middle of reading a mailbox: after the next look the collection is the mailbox."""

import random
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from imapclient import IMAPClient

from shoal.layout.layout import Layout
from shoal.model.principal import OWNER
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from shoal.worker.outlook import program
from tests.cli.command import clean_environment
from tests.sources.mail.account import in_mbox, written
from tests.sources.mail.dovecot import PASSWORD, Dovecot
from tests.sources.mail.outlook_file import outlook_file

Folders = dict[str, list[int]]
"""Which mails stand in which folder, by their numbers."""

FIRST: Folders = {"INBOX": [*range(90)], "Archive": [*range(80, 110)], "Old": [*range(200, 205)]}
APPENDED: Folders = {**FIRST, "INBOX": [*range(90), *range(110, 125)]}
MOVED: Folders = {
    "INBOX": [*range(40), *range(110, 125)],
    "Archive": [*range(40, 110)],
    "Older": [*range(200, 205), 3],
}
REWRITTEN: Folders = {
    "INBOX": [130, *range(60, 20, -1)],
    "Archive": [*range(100, 80, -1), 131, 20],
    "Older": [200],
}


def text_of(number: int) -> str:
    """Unlike every other: none is taken for a copy."""
    drawn = random.Random(number)
    return " ".join("".join(drawn.choices("abcdefgh", k=6)) for _ in range(20)) + "\n"


def mail(number: int) -> bytes:
    return written(number, text_of(number))


# --- mailboxes ------------------------------------------------------------------------------------


class Mails(Protocol):
    address: str
    above: str
    """What a folder's name begins with in the collection."""

    def become(self, folders: Folders) -> None: ...


class Boxes:
    """An mbox for each folder."""

    above = ""

    def __init__(self, place: Path) -> None:
        self.address = str(place / "boxes")
        Path(self.address).mkdir()

    def become(self, folders: Folders) -> None:
        place = Path(self.address)
        for path in place.iterdir():
            if path.name not in folders:
                path.unlink()
        for name, numbers in folders.items():
            path, whole = place / name, in_mbox(*map(mail, numbers))
            before = path.read_bytes() if path.exists() else b""
            if before and whole.startswith(before):
                with path.open("ab") as file:
                    file.write(whole[len(before) :])
            else:
                path.write_bytes(whole)


class Maildir:
    above = ""

    def __init__(self, place: Path) -> None:
        self.address = str(place / "Maildir")
        self._count = 0

    def _folder(self, name: str) -> Path:
        path = Path(self.address) / ("" if name == "INBOX" else f".{name}")
        for head in ("new", "cur", "tmp"):
            (path / head).mkdir(parents=True, exist_ok=True)
        return path / "cur"

    def become(self, folders: Folders) -> None:
        spare: dict[int, list[Path]] = defaultdict(list)
        for path in Path(self.address).glob("**/cur/*"):
            spare[int(path.name.partition(".")[0])].append(path)
        for name, numbers in folders.items():
            folder = self._folder(name)
            for number in numbers:
                stays = [path for path in spare[number] if path.parent == folder]
                if stays:
                    spare[number].remove(stays[0])
                    continue
                self._count += 1
                path = folder / f"{number}.M{self._count}.x:2,S"
                if spare[number]:
                    spare[number].pop().rename(path)
                else:
                    path.write_bytes(mail(number))
        for paths in spare.values():
            for path in paths:
                path.unlink()


class Outlook:
    """A file of Outlook, written anew each time."""

    above = "Store/"

    def __init__(self, place: Path) -> None:
        if not program():
            pytest.skip("readpst is not installed")
        self.address = str(place / "archive.pst")

    def become(self, folders: Folders) -> None:
        mails = {name: [mail(number) for number in numbers] for name, numbers in folders.items()}
        Path(self.address).write_bytes(outlook_file(mails))


class Server:
    """The same behind a server: as another program of the same person changes it."""

    above = ""

    def __init__(self, dovecot: Dovecot) -> None:
        self.address = dovecot.address
        self._port = dovecot.port

    def become(self, folders: Folders) -> None:
        client = IMAPClient("127.0.0.1", self._port, ssl=False, timeout=30)
        client.login("ann", PASSWORD)
        try:
            self._become(client, folders)
        finally:
            client.shutdown()

    def _become(self, client: IMAPClient, folders: Folders) -> None:
        there = {str(name) for _, _, name in client.list_folders()}
        for name in folders.keys() - there:
            client.create_folder(name)
        for name in folders:
            client.select_folder(name)
            told = client.fetch(client.search(), ["ENVELOPE"]) if client.search() else {}
            numbers = {uid: int(each[b"ENVELOPE"].subject[7:]) for uid, each in told.items()}
            going = [uid for uid, number in numbers.items() if number not in folders[name]]
            other = next((each for each in folders if each != name), "")
            for uid in going:
                if other and numbers[uid] in folders[other]:
                    client.copy([uid], other)
            if going:
                client.delete_messages(going)
                client.expunge()
            for number in set(folders[name]) - set(numbers.values()):
                client.append(name, mail(number))
        for name in there - folders.keys() - {"INBOX"}:
            client.delete_folder(name)


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


# --- kills ----------------------------------------------------------------------------------------


def look(place: Path, address: str, fault: str = "") -> int:
    command = [sys.executable, "-P", "-m", "shoal", "mail", "add", address, "--dir", str(place)]
    command += ["--set", "files.share=64", "--set", "crawl.children=1", "--quiet", "--traceback"]
    variables = {"SHOAL_MAIL_PASSWORD": PASSWORD, "SHOAL_FAULT": fault}
    done = subprocess.run(
        command, env=clean_environment() | variables, capture_output=True, check=False, timeout=240
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


def in_collection(place: Path) -> dict[int, set[str]]:
    """The folders of each mail that is found, by its number."""
    found: dict[int, set[str]] = {}
    with RocksTable(Layout(place).table, reader=True) as table:
        store = PageStore(table, Layout(place).warc)
        for page in store.stream(b"", b"\xff", OWNER):
            number = int(page.document.title.removeprefix("Number "))
            assert number not in found, "twice"
            assert store.text(page.row, OWNER).split()[-20:] == text_of(number).split()
            found[number] = {value for name, value in page.document.fields if name == "folder"}
    return found


def in_mailbox(mailbox: Mails, folders: Folders) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for name, numbers in folders.items():
        for number in numbers:
            found[number].add(mailbox.above + name)
    return dict(found)


def check_a_kill(place: Path, mailbox: Mails, states: list[Folders], fault: str) -> None:
    """The last state but one is met by the kill, the last by the look after it."""
    *before, killed, after = states
    for state in before:
        mailbox.become(state)
        assert look(place, mailbox.address) == 0
    mailbox.become(killed)
    assert look(place, mailbox.address, fault) == -signal.SIGKILL
    mailbox.become(after)
    assert look(place, mailbox.address) == 0
    assert in_collection(place) == in_mailbox(mailbox, after)
    command = [sys.executable, "-P", "-m", "shoal", "verify", "--dir", str(place), "--quiet"]
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, check=False, timeout=240
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


FIRST_PASS = [FIRST, FIRST]
KILLS: list[tuple[Callable[..., Mails], list[Folders], str]] = [
    (Boxes, FIRST_PASS, "commit.before:40"),
    (Boxes, FIRST_PASS, "mail.folder:2"),
    (Boxes, [FIRST, APPENDED, APPENDED], "commit.after:7"),
    (Boxes, [FIRST, APPENDED, MOVED], "mail.held:3"),
    (Boxes, [FIRST, REWRITTEN, MOVED], "source.removed:12"),
    (Boxes, [FIRST, REWRITTEN, REWRITTEN], "mail.placed:2"),
    (Maildir, FIRST_PASS, "source.read:70"),
    (Maildir, [FIRST, MOVED, MOVED], "source.shared:9"),
    (Maildir, [FIRST, MOVED, REWRITTEN], "commit.after:12"),
    (Maildir, [FIRST, REWRITTEN, FIRST], "mail.folder"),
    (Outlook, FIRST_PASS, "mail.held:70"),
    (Outlook, [FIRST, MOVED, REWRITTEN], "mail.placed:2"),
    (Server, FIRST_PASS, "mail.held:100"),
    (Server, FIRST_PASS, "source.read:65"),
    (Server, [FIRST, MOVED, MOVED], "source.shared:30"),
    (Server, [FIRST, MOVED, REWRITTEN], "mail.placed:2"),
    (Server, [FIRST, REWRITTEN, REWRITTEN], "source.removed:40"),
]
IN_SHORT = ("Maildir", "source.shared:9")
"""The one that also runs where there is little time."""


@pytest.mark.parametrize(
    ("kind", "states", "fault"),
    [
        pytest.param(
            *each,
            id=f"{each[0].__name__}-{each[2]}",
            marks=() if (each[0].__name__, each[2]) == IN_SHORT else pytest.mark.slow,
        )
        for each in KILLS
    ],
)
def test_after_a_kill_the_collection_is_the_mailbox(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    kind: Callable[..., Mails],
    states: list[Folders],
    fault: str,
) -> None:
    given = request.getfixturevalue("server") if kind is Server else tmp_path
    check_a_kill(tmp_path / "corpus", kind(given), states, fault)
