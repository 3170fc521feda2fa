"""Do the words for readers say what the kernel does?"""

import os
import random
import struct
from pathlib import Path

import pytest

from shoal.model.access import ENTER, LOCAL, READ, check_of, readers_of
from shoal.model.principal import OWNER, PUBLIC, Principal

OWNER_UID, USERS, GROUPS = 61001, (61001, 61002, 61003, 61004), (61101, 61102, 61103)


def someone(uid: int, *gids: int) -> Principal:
    return Principal(frozenset({LOCAL, f"u:{uid}", *(f"g:{gid}" for gid in gids)}))


def acl_of(entries: list[tuple[int, int, int]]) -> bytes:
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)


def test_names_and_nobody() -> None:
    ann = Principal(frozenset({"u:1", "mail:ann"}))
    assert ann.may_read(["mail:ann"])
    assert ann.may_read([])
    assert not ann.may_read(["mail:bob", "u:11"])
    assert not PUBLIC.may_read([LOCAL])
    assert OWNER.may_read(["u:7"])


def test_what_everyone_here_may_read_is_not_public() -> None:
    assert readers_of([check_of(1, 1, 0o644, b"", READ), check_of(0, 0, 0o755, b"", ENTER)]) == [
        LOCAL
    ]


def test_an_entry_refuses_what_a_later_one_would_allow() -> None:
    words = readers_of([check_of(10, 20, 0o004, b"", READ)])
    assert someone(11, 21).may_read(words)
    assert not someone(10, 21).may_read(words)
    assert not someone(11, 20).may_read(words)
    assert someone(0).may_read(words)
    assert not Principal(frozenset({"u:11"})).may_read(words)  # a user of another machine


def test_a_folder_that_can_t_be_entered_closes_what_is_in_it() -> None:
    words = readers_of([check_of(10, 20, 0o644, b"", READ), check_of(12, 20, 0o750, b"", ENTER)])
    assert someone(12).may_read(words)
    assert someone(11, 20).may_read(words)
    assert not someone(10).may_read(words)


@pytest.mark.parametrize(
    "acl",
    [
        b"x",
        b"\1\0\0\0",
        acl_of([(1, 6, 0)]),
        acl_of([(1, 6, 0), (4, 4, 0), (32, 4, 0), (64, 4, 0)]),
    ],
)
def test_what_is_not_understood_is_the_owners_alone(acl: bytes) -> None:
    words = readers_of([check_of(10, 20, 0o644, acl, READ)])
    assert someone(10).may_read(words)
    assert not someone(11, 20).may_read(words)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_it_is_as_the_kernel_decides(tmp_path: Path) -> None:
    """Files and folders with modes and lists drawn by lot, opened by users in groups."""
    chance = random.Random(2026)
    for part in (tmp_path, *tmp_path.parents):
        if part.stat().st_mode & 0o001 == 0:
            part.chmod(part.stat().st_mode | 0o011)  # pytest's own are closed to others
    cases = []
    for number in range(60):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "file"
        file.write_text("x")
        for path in (file, folder):
            group = chance.choice(GROUPS)
            os.chown(path, OWNER_UID, group)
            path.chmod(chance.randrange(512) | (0o110 if path == folder else 0))
            if chance.random() < 0.6:
                _share(path, chance)
        checks = [_check(file, READ), _check(folder, ENTER)]
        cases.append((file, readers_of(checks)))
    for uid in USERS:
        for gids in ((61101,), (61102, 61103), (61999,)):
            opened = _opened_as(uid, gids, [file for file, _ in cases])
            said = "".join(
                "y" if someone(uid, *gids).may_read(words) else "n" for _, words in cases
            )
            assert said == opened, (uid, gids)


def _share(path: Path, chance: random.Random) -> None:
    named = [(2, chance.randrange(8), uid) for uid in sorted(chance.sample(USERS, 2))]
    groups = [(8, chance.randrange(8), gid) for gid in sorted(chance.sample(GROUPS, 1))]
    ends = [(16, chance.randrange(8), 2**32 - 1), (32, chance.randrange(8), 2**32 - 1)]
    first = [(1, chance.randrange(8), 2**32 - 1)]
    entries = [*first, *named, (4, chance.randrange(8), 2**32 - 1), *groups, *ends]
    try:
        os.setxattr(path, "system.posix_acl_access", acl_of(entries))
    except OSError:
        pytest.skip("the file system has no ACLs")


def _check(path: Path, permission: int) -> str:
    found = path.stat()
    try:
        acl = os.getxattr(path, "system.posix_acl_access")
    except OSError:
        acl = b""
    return check_of(found.st_uid, found.st_gid, found.st_mode, acl, permission)


def _opened_as(uid: int, gids: tuple[int, ...], files: list[Path]) -> str:
    """A letter for each file: whether this user can open it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups(gids)
        os.setgid(gids[0])
        os.setuid(uid)
        for file in files:
            try:
                os.close(os.open(file, os.O_RDONLY))
                os.write(write, b"y")
            except OSError:
                os.write(write, b"n")
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told
