"""Which words say who may read a document, and do they mean someone?

A document lists its readers (`Document.readers`); an empty list is public. A word is one of:

    u:1000  g:100  r:staff  mail:ann    whoever has this name
    local                               every user of the machine that the document stands on
    posix:o=-,u1000=r;g50=r,o=-,u0=r    whoever passes every one of these checks

A check is one file's or folder's permission, as POSIX has it: an entry for the user decides; if
there is none, one of the groups must allow it; without any entry the others' does. So an entry may
refuse what a later one would allow, and a folder that may not be entered closes what is in it.
Who someone is, is found out when they ask; who may read, when the document is taken in.
"""

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

LOCAL = "local"
ROOT = "u:0"
POSIX = "posix:"

READ, ENTER = 4, 1
"""The permission that is asked for: of a file, and of each folder above it."""

_ALLOWED, _REFUSED = "r", "-"
_ACL_VERSION = 2
_USER_OBJ, _USER, _GROUP_OBJ, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
_ENTRY = struct.Struct("<HHI")
_GROUP_BITS = 0o070
"""The mask of a list. Where it allows nothing, Linux does not look at the list at all."""
_REMEMBERED = 65_536


def check_of(uid: int, gid: int, mode: int, acl: bytes, permission: int) -> str:
    """The check of one file or folder. `acl` is `system.posix_acl_access`, empty where there is
    none; one that can't be understood leaves the owner alone."""
    if not acl or not mode & _GROUP_BITS:
        named = {f"g{gid}": bool(mode >> 3 & permission)}
        return _check(uid, bool(mode >> 6 & permission), named, bool(mode & permission))
    entries = _entries(acl)
    if entries is None:
        return _check(uid, bool(mode >> 6 & permission), {}, False)
    mask = next((perm for tag, perm, _ in entries if tag == _MASK), 7)
    owner = other = False
    named = {}
    for tag, perm, who in entries:
        if tag == _USER_OBJ:
            owner = bool(perm & permission)
        elif tag == _OTHER:
            other = bool(perm & permission)
        elif tag == _USER and who != uid:
            named[f"u{who}"] = bool(perm & mask & permission)
        elif tag in (_GROUP_OBJ, _GROUP):
            name = f"g{gid if tag == _GROUP_OBJ else who}"
            named[name] = named.get(name, False) or bool(perm & mask & permission)
    return _check(uid, owner, named, other)


def readers_of(checks: Iterable[str]) -> list[str]:
    """The words of a document behind these checks, the simplest that say the same."""
    told = sorted({each for each in checks if not _is_open(each)})
    return [POSIX + ";".join(told)] if told else [LOCAL]


def is_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Whether all who may read the one may read the other, as far as the words alone tell."""
    if not outer or list(inner) == list(outer):
        return True
    if not inner or not all(word == LOCAL or word.startswith(POSIX) for word in inner):
        return bool(inner) and {*inner} <= {*outer}
    if LOCAL in outer:
        return True
    return all(any(_checks(word) >= _checks(each) for each in outer) for word in inner)


def _checks(word: str) -> frozenset[str]:
    """What somebody has to pass; a word of another kind is passed by nobody else."""
    return frozenset(word[len(POSIX) :].split(";") if word.startswith(POSIX) else [word])


def is_meant(word: str, names: frozenset[str]) -> bool:
    """Whether a word means someone of these names."""
    if not word.startswith(POSIX):
        return word in names
    return ROOT in names or _passes(word, names)


@lru_cache(maxsize=_REMEMBERED)
def _passes(word: str, names: frozenset[str]) -> bool:
    return all(_allows(check, names) for check in word[len(POSIX) :].split(";"))


def _allows(check: str, names: frozenset[str]) -> bool:
    by_group: bool | None = None
    others = False
    for entry in check.split(","):
        who, _, said = entry.partition("=")
        allowed = said == _ALLOWED
        if who == "o":
            others = allowed and LOCAL in names
        elif f"{who[:1]}:{who[1:]}" in names:
            if who.startswith("u"):
                return allowed
            by_group = allowed or bool(by_group)
    return others if by_group is None else by_group


def _check(uid: int, owner: bool, named: dict[str, bool], other: bool) -> str:
    entries = {"o": other, f"u{uid}": owner, **named}
    return ",".join(f"{who}={_ALLOWED if entries[who] else _REFUSED}" for who in sorted(entries))


def _is_open(check: str) -> bool:
    """Whether nobody on the machine is refused."""
    return all(entry.endswith(f"={_ALLOWED}") for entry in check.split(","))


def _entries(acl: bytes) -> Sequence[tuple[int, int, int]] | None:
    """(tag, permissions, id) of each entry; None for what is no list of this kind."""
    if len(acl) % _ENTRY.size != 4 or int.from_bytes(acl[:4], "little") != _ACL_VERSION:
        return None
    entries = list(_ENTRY.iter_unpack(acl[4:]))
    tags = [tag for tag, _, _ in entries]
    known = _USER_OBJ | _USER | _GROUP_OBJ | _GROUP | _MASK | _OTHER
    single = all(tags.count(tag) == 1 for tag in (_USER_OBJ, _GROUP_OBJ, _OTHER))
    return entries if single and all(tag & known == tag for tag in tags) else None
