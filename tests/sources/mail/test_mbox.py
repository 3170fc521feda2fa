"""mbox files: each mail once, however the file changes, and in bounded memory."""

import hashlib
import os
import tracemalloc
from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.sources.mail import mbox as mbox_module
from shoal.sources.mail.local import mailbox_at
from tests.sources.mail.account import (
    Account,
    everyone,
    in_mbox,
    listed,
    local,
    mail_data,
    unpacked_mbox,
    written,
)


def sha1_of(body: bytes) -> set[str]:
    """A mailbox may have added the last line break."""
    forms = (body, body.removesuffix(b"\n"), body.removesuffix(b"\n\n"))
    return {hashlib.sha1(form, usedforsecurity=False).hexdigest() for form in forms}


def test_a_real_mailbox_byte_by_byte(shoal_data: Path, tmp_path: Path) -> None:
    account = local(unpacked_mbox(shoal_data, tmp_path / "list"))
    account.follow()
    expected = {each["sha1"] for each in listed(mail_data(shoal_data) / "usrp-users.jsonl.gz")}
    assert len(account.bodies) == len(expected) == 1500
    for body in account.bodies.values():
        expected -= sha1_of(body)
    assert not expected
    assert not account.follow()


def test_only_what_was_appended_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(*(written(number, "x" * 5000) for number in range(500))))
    account = local(path)
    assert account.follow() == {"Taken": 500}
    with path.open("ab") as file:
        file.write(in_mbox(written(500)))
    read: list[int] = []

    def counted(place: Path, where: bytes) -> object:
        read.append(mbox_module.span_of(where)[0])
        return original(place, where)

    original = mbox_module.read_mail
    monkeypatch.setattr("shoal.sources.mail.local.read_mail", counted)
    assert account.follow() == {"Taken": 1}
    assert len(read) == 1


def test_a_mail_that_was_written_only_in_part(tmp_path: Path) -> None:
    path = tmp_path / "box"
    whole = in_mbox(written(1), written(2, "one\ntwo\n"))
    path.write_bytes(whole[:-6])
    account = local(path)
    assert account.follow() == {"Taken": 2}
    path.write_bytes(whole)
    account.follow()
    assert len(account.bodies) == 2
    assert any(body.rstrip().endswith(b"one\ntwo") for body in account.bodies.values())


def test_a_rewritten_mailbox_is_read_and_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "box"
    mails = [written(number) for number in range(100)]
    path.write_bytes(in_mbox(*mails))
    account = local(path)
    account.follow()
    flagged = [mail.replace(b"\n\n", b"\nStatus: RO\nX-Status: A\n\n", 1) for mail in mails]
    path.write_bytes(in_mbox(*reversed(flagged)))
    assert not account.follow()
    path.write_bytes(in_mbox(*flagged[10:]))
    assert account.follow() == {"Gone": 10}
    path.write_bytes(b"")
    assert account.follow() == {"Gone": 90}
    assert not account.bodies


def test_a_rewrite_of_the_same_length(tmp_path: Path) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1, "aaaa\n"), written(2)))
    account = local(path)
    account.follow()
    path.write_bytes(in_mbox(written(1, "bbbb\n"), written(2)))
    os.utime(path, (1, 1))
    assert account.follow() == {"Taken": 1, "Gone": 1}


def test_the_same_mail_twice_in_a_mailbox_is_one(tmp_path: Path) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1), written(1), written(2)))
    account = local(path)
    assert account.follow() == {"Taken": 2}
    path.write_bytes(in_mbox(written(2), written(1)))
    assert not account.follow()


def test_one_message_id_and_two_texts_are_two_mails(tmp_path: Path) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1, "one\n"), written(1, "two\n")))
    assert local(path).follow() == {"Taken": 2}


def test_from_within_a_text(tmp_path: Path) -> None:
    text = "Dear Bob,\n\nFrom here on it rains.\n>From there, too.\n>>From far.\n"
    quoted = text.replace("\n>From", "\n>>From").replace("\n>>>From", "\n>>>>From")
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1, quoted), written(2)))
    account = local(path)
    assert account.follow() == {"Taken": 2}
    assert any(
        b"\n\nFrom here on it rains.\n>From there" in each for each in account.bodies.values()
    )


def test_lines_that_end_as_on_windows(tmp_path: Path) -> None:
    path, other = tmp_path / "box", tmp_path / "other"
    path.write_bytes(in_mbox(written(1), written(2)))
    other.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    one, two = local(path), local(other)
    one.follow()
    two.follow()
    assert set(one.bodies) == set(two.bodies)


def test_what_thunderbird_deleted_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "Inbox"
    path.write_bytes(in_mbox(written(1, X_Mozilla_Status="0001"), written(2)))
    account = local(path)
    assert account.follow() == {"Taken": 2}
    path.write_bytes(in_mbox(written(1, X_Mozilla_Status="0009"), written(2)))
    os.utime(path, (1, 1))
    assert account.follow() == {"Gone": 1}
    assert not account.follow()


@pytest.mark.parametrize("taken", [1, 70, 130])
def test_a_pass_that_was_broken_off_goes_on(tmp_path: Path, taken: int) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(*(written(number) for number in range(150))))
    account = local(path)
    account.follow(most=taken)
    account.source.close()
    after = Account(mailbox_at(path, everyone), account.table)
    after.bodies, after.folders, after.readers = account.bodies, account.folders, account.readers
    assert after.follow() == {"Taken": 150 - taken}
    assert len(after.bodies) == 150


def test_memory_does_not_grow_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "box"
    start = in_mbox(written(1)) + b"From ann@example.org Mon Jan  5 10:00:00 2026\nSubject: x\n\n"
    with path.open("wb") as file:
        file.write(start)
        for _ in range(64):
            file.write(b"QUJD" * (1 << 18))
        file.write(b"\n\n" + in_mbox(written(2)))
    account = local(path, max_bytes=1_000_000)
    tracemalloc.start()
    try:
        assert account.follow() == {"Taken": 3}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert account.largest == 1_000_000
    assert peak < 16_000_000


def test_a_head_without_end(tmp_path: Path) -> None:
    path = tmp_path / "box"
    bomb = b"X-Bomb: " + b"a: b\n" * 1_000_000
    path.write_bytes(in_mbox(written(1), bomb, written(2)))
    assert local(path).follow() == {"Taken": 3}


def refused(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_mailbox_that_may_not_be_read_is_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1)))
    account = local(path)
    account.follow()
    path.write_bytes(in_mbox(written(1), written(2)))

    with monkeypatch.context() as patch:
        patch.setattr("shoal.sources.mail.local.read_mail", refused)
        assert not account.follow()
    assert account.source.row().problem == "It can't be read now: Permission denied."
    assert account.follow() == {"Taken": 1}
    assert not account.source.row().problem


def test_a_folder_of_mailboxes(tmp_path: Path) -> None:
    (tmp_path / "inbox").write_bytes(in_mbox(written(1), written(2)))
    (tmp_path / "archive").write_bytes(in_mbox(written(2), written(3)))
    (tmp_path / "notes.txt").write_text("no mailbox")
    account = local(tmp_path)
    account.follow()
    assert sorted(account.folders.values()) == [["archive"], ["archive", "inbox"], ["inbox"]]
    (tmp_path / "archive").unlink()
    assert account.follow() == {"Shared": 1, "Gone": 1}
    assert sorted(account.folders.values()) == [["inbox"], ["inbox"]]


def test_what_is_no_mailbox_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=r"can't be read: No such file or directory\."):
        mailbox_at(tmp_path / "none", everyone)
    (tmp_path / "text").write_text("Hello")
    with pytest.raises(UsageError, match="is no mailbox: neither an mbox file nor a Maildir"):
        mailbox_at(tmp_path / "text", everyone)
    (tmp_path / "shut").write_bytes(in_mbox(written(1)))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refused)
        with pytest.raises(UsageError, match=r"shut can't be read: Permission denied\."):
            mailbox_at(tmp_path / "shut", everyone)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is neither a file nor a folder"):
        mailbox_at(tmp_path / "pipe", everyone)
