"""Who is asking? A person's names, looked up when they ask and never remembered.

Of a user of this machine: their number, their groups' and `local`. Of everyone: `mail:NAME`, and
the roles that `access.roles` gives them. A user of `serve` is known by a token: `users.json` in the
collection's directory has its digest, never the token itself.
"""

import grp
import hashlib
import hmac
import os
import pwd
import secrets
from collections.abc import Iterable
from pathlib import Path

from shoal.config import load
from shoal.errors import CollectionError, UsageError
from shoal.layout.layout import place_of
from shoal.model.access import LOCAL
from shoal.model.principal import Principal
from shoal.model.record import JSON_ERRORS, from_json, to_json
from shoal.whole_file import write_whole

USERS = "users.json"
_MOSTUSERS_BYTES = 16_000_000
_TOKEN_BYTES = 24
_MOST_NAME_CHARS = 200


def person(name: str, roles: Iterable[str] = ()) -> Principal:
    """Whoever has this name. `roles` are lines of the setting `access.roles`."""
    names = {f"mail:{name}", *_roles_of(name, roles)}
    try:
        known = pwd.getpwnam(name)
    except (KeyError, ValueError):
        return Principal(frozenset(names))
    return Principal(frozenset(names | _os_names(known.pw_uid, known.pw_name, known.pw_gid)))


def is_user_here(name: str) -> bool:
    """Whether a user of this machine has this name; a role need not be one's."""
    return LOCAL in person(name).names


def person_of_uid(uid: int, roles: Iterable[str] = ()) -> Principal:
    """A user of this machine, who need not have a name."""
    try:
        return person(pwd.getpwuid(uid).pw_name, roles)
    except KeyError:
        return Principal(frozenset({LOCAL, f"u:{uid}"}))


def reader_named(name: str, place: str | Path | None = None) -> Principal:
    """Whoever has this name, or this number, for a collection, with the roles that its settings
    give. A name that means nothing is a mistake: no user of this machine, no role, no token."""
    directory = Path(place_of(place))
    roles = load(directory, {}, os.environ).access.roles
    if name.isascii() and name.isdigit():
        return person_of_uid(int(name), roles)
    found = person(name, roles)
    if found.names == {f"mail:{name}"} and name not in Users(directory).names():
        raise UsageError(
            f"{name} is no user of this machine, has no role in access.roles and no token"
        )
    return found


def _os_names(uid: int, name: str, gid: int) -> set[str]:
    return {LOCAL, f"u:{uid}", *(f"g:{each}" for each in os.getgrouplist(name, gid))}


def _roles_of(name: str, roles: Iterable[str]) -> set[str]:
    """A line is `staff: ann bob @wheel`; a group of the machine stands behind an @."""
    found: set[str] = set()
    for line in roles:
        role, _, members = line.partition(":")
        if any(_is_member(name, each) for each in members.replace(",", " ").split()):
            found.add(f"r:{role.strip()}")
    return found


def _is_member(name: str, member: str) -> bool:
    if not member.startswith("@"):
        return name == member
    try:
        group = grp.getgrnam(member[1:])
        known = pwd.getpwnam(name)
    except (KeyError, ValueError):
        return False
    return group.gr_gid in os.getgrouplist(name, known.pw_gid)


class Users:
    """Those who have a token for a collection that is served."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / USERS
        self._seen: tuple[int, int, int] | None = None
        self._digests: dict[str, str] = {}

    def names(self) -> list[str]:
        return sorted(self._read())

    def add(self, name: str) -> str:
        """A new token for a user, who loses the one they had."""
        if not name or len(name) > _MOST_NAME_CHARS or not name.isprintable():
            raise UsageError("a user's name is a line of printable characters")
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._write({**self._read(), name: digest_of(token)})
        return token

    def remove(self, name: str) -> None:
        known = dict(self._read())
        if known.pop(name, None) is None:
            raise UsageError(f"{name} has no token here; `shoal user` lists who has")
        self._write(known)

    def having(self, digest: str) -> str:
        """The name of whoever's token has this digest; empty: nobody's."""
        found = ""
        for name, known in self._read().items():
            if hmac.compare_digest(known, digest):
                found = name
        return found

    def digests(self) -> list[str]:
        return list(self._read().values())

    def _read(self) -> dict[str, str]:
        """Looked at again when the file has changed: whoever is removed is out at once."""
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return {}
        seen = status.st_ino, status.st_mtime_ns, status.st_size
        if seen != self._seen:
            try:
                body = self._file.read_bytes() if status.st_size <= _MOSTUSERS_BYTES else b""
                self._digests = from_json(dict[str, str], body)
            except (OSError, *JSON_ERRORS) as error:
                raise CollectionError(f"{self._file} can't be read; nobody is let in") from error
            self._seen = seen
        return self._digests

    def _write(self, digests: dict[str, str]) -> None:
        write_whole(self._file, to_json(digests), mode=0o600)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
