"""Files of Outlook: what is taken in is what they hold, whatever the program makes of them."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.sources.mail import outlook as outlook_module
from shoal.sources.mail.outlook import OutlookMailbox, is_outlook
from shoal.worker import outlook as program
from tests.cluster.memory import MemoryTable
from tests.sources.mail.account import Account, everyone, written
from tests.sources.mail.outlook_file import outlook_file

pytestmark = pytest.mark.skipif(not program.program(), reason="readpst is not installed")


class Outlook(Account):
    """An account of such a file; `unpacked` counts how often it was taken apart."""

    def __init__(self, path: Path, scratch: Path, table: MemoryTable | None = None) -> None:
        self.unpacked = 0

        def take_apart(mailbox: Path, folder: Path, is_over: Callable[[], bool]) -> str:
            self.unpacked += 1
            return program.take_apart(mailbox, folder, is_over)

        self.outlook = OutlookMailbox(
            path,
            everyone,
            take_apart,
            scratch,
            lambda: self.source._inventory.states(),  # noqa: PLW0108 - it comes later
        )
        super().__init__(self.outlook, table)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.pst"


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """Nothing is left in it."""
    found = tmp_path / "scratch" / "a"
    yield found
    assert not found.exists()


def settled(path: Path, folders: dict[str, list[bytes]]) -> None:
    path.write_bytes(outlook_file(folders))
    os.utime(path, ns=(0, time.time_ns()))


def test_a_file_from_look_to_look(path: Path, scratch: Path) -> None:
    mails = [written(number, f"From here to {number}\n") for number in range(60)]
    settled(path, {"Inbox": mails, "Für Ann": [mails[3], written(99)]})
    account = Outlook(path, scratch)
    assert account.follow() == {"Taken": 61, "Shared": 1}
    assert ["Store/Für Ann", "Store/Inbox"] in account.folders.values()
    assert set(account.readers.values()) == {("u:1000",)}
    assert any(b"\nFrom here to 7\n" in body for body in account.bodies.values())
    assert not account.follow()
    assert not account.follow(everything=True)
    assert account.unpacked == 1
    time.sleep(1.1)  # the program seeds what it makes up with the second
    settled(
        path, {"Für Ann": [written(99), mails[3], mails[5]], "Inbox": [*mails[10:], written(7)]}
    )
    assert account.follow() == {"Taken": 1, "Shared": 3, "Gone": 8}
    assert account.unpacked == 2
    settled(path, {"Inbox": []})
    account.follow()
    assert not account.bodies
    account.source.close()


def test_a_pass_that_was_broken_off_goes_on(path: Path, scratch: Path) -> None:
    names = ("One", "Two", "Three")
    folders = {
        name: [written(100 * at + number) for number in range(70)] for at, name in enumerate(names)
    }
    settled(path, folders)
    account = Outlook(path, scratch)
    account.follow(most=100)
    (scratch / "left").mkdir()  # by a kill
    after = Outlook(path, scratch, account.table)
    after.bodies, after.folders, after.readers = account.bodies, account.folders, account.readers
    assert after.follow() == {"Taken": 110}
    assert not after.follow()
    assert after.unpacked == 1
    after.source.close()


@pytest.mark.parametrize("left", [5, 512, 0x4400, -2_000])
def test_what_is_damaged_takes_nothing_with_it(path: Path, scratch: Path, left: int) -> None:
    settled(path, {"Inbox": [written(number) for number in range(40)]})
    account = Outlook(path, scratch)
    account.follow()
    path.write_bytes(path.read_bytes()[:left])
    assert not account.follow()
    assert len(account.bodies) == 40
    says = account.source.row().problem
    assert says == "It is damaged, or no mailbox of Outlook."
    path.unlink()
    assert not account.follow()
    assert account.source.row().problem == f"There is no mailbox at {path} now."
    settled(path, {"Inbox": [written(1)]})
    assert account.follow() == {"Gone": 39}
    assert not account.source.row().problem
    account.source.close()


def test_of_half_a_file_nothing_is_taken_to_be_gone(path: Path, scratch: Path) -> None:
    settled(path, {"Inbox": [written(number) for number in range(40)]})
    account = Outlook(path, scratch)
    account.follow()
    take_apart, is_half = account.outlook._take_apart, True

    def half(mailbox: Path, folder: Path, is_over: Callable[[], bool]) -> str:
        problem = take_apart(mailbox, folder, is_over)
        return "takes longer than it should" if is_half else problem

    account.outlook._take_apart = half
    settled(path, {"Inbox": [written(number) for number in range(30, 50)]})
    assert account.follow() == {"Taken": 10}
    says = "Not all of it can be read: it takes longer than it should."
    assert account.source.row().problem == says
    is_half = False
    assert account.follow() == {"Gone": 30}
    account.source.close()


def test_it_is_taken_apart_when_nobody_writes_to_it(
    path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlook_module, "_POLL_SECONDS", 0.01)
    monkeypatch.setattr(outlook_module, "_REST", 0)
    settled(path, {"Inbox": [written(1)]})
    account = Outlook(path, scratch)
    account.follow()
    assert not account.source.wait(0.05)
    settled(path, {"Inbox": [written(1), written(2)]})
    assert not account.source.wait(0.05)  # perhaps there comes more
    monkeypatch.setattr(outlook_module, "_SETTLED_SECONDS", 0.1)
    assert account.source.wait(60)
    assert account.follow() == {"Taken": 1}
    assert not account.source.wait(0.15)
    path.chmod(0o600 if path.stat().st_mode & 0o077 else 0o640)
    assert account.source.wait(60)
    account.follow()
    assert account.unpacked == 2
    account.source.close()


@pytest.mark.parametrize(("name", "begins", "is_one"), [
    ("a.PST", b"", True), ("b.ost", b"x", True), ("c", b"!BDN\0", True), ("d.mbox", b"From ", False)
])  # fmt: skip
def test_which_files_are_of_outlook(tmp_path: Path, name: str, begins: bytes, is_one: bool) -> None:
    (tmp_path / name).write_bytes(begins)
    assert is_outlook(tmp_path / name) is is_one


def test_links_that_the_program_leaves_are_no_mailboxes(path: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"From a\nSubject: private\n\n")
    (tmp_path / "made" / "Inbox").mkdir(parents=True)
    (tmp_path / "made" / "Inbox" / "mbox").symlink_to(tmp_path / "secret")
    (tmp_path / "made" / "Other").symlink_to(tmp_path)
    shutil.copy(tmp_path / "secret", tmp_path / "mbox")
    assert not outlook_module._mbox_files(tmp_path / "made")


# --- the program ----------------------------------------------------------------------------------


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Another program in the place of readpst, in the same cage."""

    def written_so(lines: str) -> Path:
        script = tmp_path / "program" / "readpst"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(0o755)
        monkeypatch.setattr(program, "program", lambda: str(script))
        return script

    return written_so


def taken_apart(tmp_path: Path, seconds: float = 0.0) -> tuple[str, Path]:
    (tmp_path / "box.pst").write_bytes(outlook_file({"Inbox": [written(1)]}))
    folder = tmp_path / "out"
    folder.mkdir()
    return program.take_apart(tmp_path / "box.pst", folder, lambda: False, seconds), folder


def test_it_reads_the_one_file_and_writes_in_the_one_folder(
    odd: Callable[[str], Path], tmp_path: Path
) -> None:
    secret, box = tmp_path / "secret", tmp_path / "box.pst"
    secret.write_text("a secret")
    odd(f"cat {box} > box; cat {secret} > stolen; echo harm >> {box}; echo harm > {tmp_path}/harm")
    _, folder = taken_apart(tmp_path)
    if not (folder / "box").exists() or (folder / "stolen").read_bytes():
        pytest.skip("this machine guards no files (no Landlock)")
    assert (folder / "box").read_bytes() == box.read_bytes()
    assert b"harm" not in box.read_bytes()
    assert not (tmp_path / "harm").exists()


def test_it_is_stopped_when_its_time_is_up(odd: Callable[[str], Path], tmp_path: Path) -> None:
    odd("echo 'From a' > mbox; sleep 1000")
    problem, folder = taken_apart(tmp_path, 2.0)
    assert problem == "takes longer than it should: it may be damaged"
    assert (folder / "mbox").exists()


def test_it_is_stopped_when_it_fills_the_disk(
    odd: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_ROOM_BYTES", 3_000_000)
    odd("while :; do head -c 1000000 /dev/zero > $$.$(date +%N); sleep 0.05; done")
    problem, folder = taken_apart(tmp_path)
    assert problem == "holds more than there is room for, or is damaged"
    assert program._bytes_below(folder) < 200_000_000


def test_one_file_that_grows_without_end(
    odd: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_ROOM_BYTES", 3_000_000)
    odd("exec cat /dev/zero > mbox")
    problem, folder = taken_apart(tmp_path)
    assert problem == "holds more than there is room for, or is damaged"
    assert (folder / "mbox").stat().st_size <= 4_000_000


@pytest.mark.slow
def test_real_files_of_outlook(tmp_path: Path) -> None:
    """Those that OUTLOOK_SAMPLES names; none is part of this project, for whose they are."""
    named = os.environ.get("OUTLOOK_SAMPLES", "")
    if not named:
        pytest.skip("OUTLOOK_SAMPLES names no folder with files of Outlook")
    for number, path in enumerate(sorted(Path(named).glob("*.[po]st"))):
        account = Outlook(path, tmp_path / str(number))
        account.follow()
        assert not account.source.row().problem
        copy = tmp_path / path.name
        shutil.copy(path, copy)
        again = Outlook(copy, tmp_path / "again", account.table)
        time.sleep(1.1)
        again.bodies, again.folders = account.bodies, account.folders
        again.readers = account.readers
        assert not again.follow()
        account.source.close()
        again.source.close()
