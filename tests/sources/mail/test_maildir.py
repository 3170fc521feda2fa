"""Maildir and Maildir++: a mail is one document, whatever its flags and its folders are."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from shoal.sources.mail.local import mailbox_at
from tests.sources.mail.account import (
    Account,
    listed,
    local,
    mail_data,
    unpacked_maildir,
    unpacked_mbox,
    written,
)


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    for folder in ("", ".Archive", ".Archive.2019"):
        for name in ("new", "cur", "tmp"):
            (tmp_path / "Maildir" / folder / name).mkdir(parents=True)
    return tmp_path / "Maildir"


def settled(folder: Path) -> None:
    """As if nothing had changed in the last moments."""
    for each in (folder, *folder.rglob("*")):
        if each.is_dir():
            os.utime(each, (1_000_000_000, each.stat().st_mtime - 1_000))


def test_a_real_maildir(shoal_data: Path, tmp_path: Path) -> None:
    path = unpacked_maildir(shoal_data, tmp_path)
    account = local(path)
    account.follow()
    rows = listed(mail_data(shoal_data) / "usrp-users-maildir.jsonl.gz")
    sha1s = {
        hashlib.sha1(body, usedforsecurity=False).hexdigest() for body in account.bodies.values()
    }
    assert sha1s == {row["sha1"] for row in rows}
    in_folders = {
        folder: sum(folder in each for each in account.folders.values())
        for folder in ("INBOX", "Archive", "Archive/2019")
    }
    assert in_folders == {
        "INBOX": sum(row["path"].startswith(("Maildir/new", "Maildir/cur")) for row in rows),
        "Archive": sum(row["path"].startswith("Maildir/.Archive/") for row in rows),
        "Archive/2019": sum(row["path"].startswith("Maildir/.Archive.2019/") for row in rows),
    }
    other = local(unpacked_mbox(shoal_data, tmp_path / "box"))
    other.follow()
    assert len(set(account.bodies) & set(other.bodies)) == 150


def test_flags_are_no_change(maildir: Path) -> None:
    mail = maildir / "new" / "1.a"
    mail.write_bytes(written(1))
    account = local(maildir)
    assert account.follow() == {"Taken": 1}
    mail = mail.rename(maildir / "cur" / "1.a:2,S")
    assert not account.follow()
    mail.rename(maildir / "cur" / "1.a:2,RS")
    assert not account.follow()
    assert mail.parent.joinpath("1.a:2,RS").exists()


@pytest.mark.parametrize("name", ["1.a:2,S", "2.b:2,S"])
def test_a_move_is_told_and_nothing_is_read(maildir: Path, name: str) -> None:
    (maildir / "cur" / "1.a:2,S").write_bytes(written(1))
    account = local(maildir)
    account.follow()
    (maildir / "cur" / "1.a:2,S").rename(maildir / ".Archive" / "cur" / name)
    told = account.follow()
    assert told["Shared"] >= 1
    assert not told["Taken"]
    assert not told["Gone"]
    assert list(account.folders.values()) == [["Archive"]]
    assert not account.follow()


def test_a_folder_that_moves(maildir: Path) -> None:
    for number in range(10):
        (maildir / ".Archive" / "cur" / f"{number}:2,S").write_bytes(written(number))
    account = local(maildir)
    account.follow()
    (maildir / ".Archive").rename(maildir / ".Old")
    told = account.follow()
    assert not told["Taken"]
    assert not told["Gone"]
    assert list(account.folders.values()) == [["Old"]] * 10


def test_two_folders_and_then_one(maildir: Path) -> None:
    (maildir / "cur" / "1:2,").write_bytes(written(1))
    (maildir / ".Archive" / "cur" / "7:2,").write_bytes(written(1))
    account = local(maildir)
    assert account.follow() == {"Taken": 1, "Shared": 1}
    assert list(account.folders.values()) == [["Archive", "INBOX"]]
    (maildir / "cur" / "1:2,").unlink()
    assert account.follow() == {"Shared": 1}
    (maildir / ".Archive" / "cur" / "7:2,").unlink()
    assert account.follow() == {"Gone": 1}


def test_a_folder_that_did_not_stir_is_not_listed(
    maildir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (maildir / "cur" / "1:2,").write_bytes(written(1))
    settled(maildir)
    account = local(maildir)
    account.follow()
    monkeypatch.setattr("shoal.sources.mail.local._names", None)
    assert not account.follow()


def test_names_that_are_no_text(maildir: Path) -> None:
    odd = os.fsencode(maildir / "new") + b"/1.\xff\xfe\n"
    with open(odd, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(written(1))
    os.mkfifo(maildir / "new" / "pipe")
    (maildir / "new" / "loop").symlink_to("loop")
    account = local(maildir)
    assert account.follow() == {"Taken": 1}
    assert not account.follow()


def test_a_delivery_is_noticed(maildir: Path) -> None:
    account = local(maildir)
    account.follow()
    assert not account.source.wait(0.01)
    noticed = threading.Event()

    def listen() -> None:
        if account.source.wait(30):
            noticed.set()

    listener = threading.Thread(target=listen)
    listener.start()
    (maildir / "tmp" / "1").write_bytes(written(1))
    (maildir / "tmp" / "1").rename(maildir / "new" / "1")
    assert noticed.wait(20)
    listener.join()
    assert account.follow() == {"Taken": 1}


def test_other_readers_are_told_without_reading(maildir: Path) -> None:
    for number in range(3):
        (maildir / "cur" / f"{number}:2,").write_bytes(written(number))

    def readers(path: Path) -> tuple[str, ...]:
        return (f"mode:{path.parent.stat().st_mode & 0o777:o}",)

    (maildir / "cur").chmod(0o700)
    account = Account(mailbox_at(maildir, readers))
    account.follow()
    assert set(account.readers.values()) == {("mode:700",)}
    (maildir / "cur").chmod(0o750)
    maildir.chmod(0o711)
    assert account.follow() == {"Shared": 3}
    assert set(account.readers.values()) == {("mode:750",)}
    assert not account.follow()


def test_a_disk_that_is_not_mounted_takes_nothing_with_it(maildir: Path) -> None:
    (maildir / "cur" / "1:2,").write_bytes(written(1))
    account = local(maildir)
    account.follow()
    away = maildir.rename(maildir.parent / "away")
    assert not account.follow()
    maildir.mkdir()
    assert not account.follow()
    maildir.rmdir()
    away.rename(maildir)
    assert not account.follow()
    assert len(account.bodies) == 1


def test_a_folder_of_mail_files(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(written(1))
    (tmp_path / "b.EML").write_bytes(written(2))
    (tmp_path / "c.txt").write_text("no mail")
    account = local(tmp_path)
    assert account.follow() == {"Taken": 2}
    (tmp_path / "a.eml").unlink()
    assert account.follow() == {"Gone": 1}


def test_a_pass_while_mails_come_and_go(maildir: Path) -> None:
    """Whatever happens in between, what is known in the end is what is there."""
    for number in range(200):
        (maildir / "new" / f"{number}").write_bytes(written(number))
    account = local(maildir)
    for at, group in enumerate(account.source.changes(False)):
        for change in group:
            account._take(change)
        (maildir / "new" / f"{at}").rename(maildir / ".Archive" / "cur" / f"{at}:2,")
        (maildir / "new" / f"{at + 100}").unlink()
    for _ in range(3):
        account.follow()
    there = sum(1 for each in maildir.rglob("*") if each.is_file())
    assert len(account.bodies) == there
    archived = sum(1 for each in (maildir / ".Archive" / "cur").iterdir())
    assert sum(each == ["Archive"] for each in account.folders.values()) == archived
