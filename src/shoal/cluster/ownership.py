"""Whose tablet is it? Epochs are claimed once and for all; a lease is a look that found no other.

An epoch is claimed by creating `owners/<epoch>`, which only one can. Who holds epoch N looks again
and again whether N + 1 was claimed: a look that began at t and found nothing lets it fetch and
write until t + lease, by its own clock, and no longer. Who claims N + 1 waits for longer than that
before it does anything: every look that found nothing began before the claim. So no clocks
are compared, and a process that was stopped or cut off for a minute finds its lease run out before
it can do harm. Only an owner that says that it has left is not waited for.
"""

import secrets
import time

from shoal.clock import iso
from shoal.cluster.objects import Exists, Objects
from shoal.errors import CollectionError, Fenced
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json

_MARGIN = 1.1
_MARGIN_SECONDS = 0.5
_TRIES = 100
_DIGITS = 8


class Owner(Struct):
    """What stands in `owners/<epoch>`."""

    epoch: int
    who: str
    since: str
    token: str = ""
    """Who claimed it, when the answer to the claim was lost."""
    left: str = ""
    """When it said that it does nothing any more."""


class Ownership:
    """One epoch of one tablet."""

    def __init__(self, objects: Objects, prefix: str, who: str, lease: float) -> None:
        self._objects = objects
        self._token = secrets.token_hex(8)
        self._prefix = f"{prefix}/owners/"
        self._lease = lease
        self._valid_until = 0.0
        self._who = who
        self._since = ""
        self.epoch = 0
        self.predecessor: Owner | None = None

    def claim(self) -> float:
        """Take the next epoch; returns the seconds to wait before anything is done."""
        for _ in range(_TRIES):
            names = self._objects.names(self._prefix)
            last = int(names[-1][0].rpartition("/")[2]) if names else 0
            self.predecessor = self._read(last) if last else None
            started = boot_seconds()
            self._since = iso(time.time())
            owner = Owner(last + 1, self._who, self._since, self._token)
            try:
                self._objects.put(self._key(last + 1), to_json(owner), create=True)
            except Exists:
                if self._read(last + 1).token != self._token:
                    continue
            self.epoch = last + 1
            self._valid_until = started + self._lease
            left = self.predecessor is None or bool(self.predecessor.left)
            return 0.0 if left else _MARGIN * self._lease + _MARGIN_SECONDS
        raise CollectionError(f"Others claim {self._prefix} again and again; look who they are.")

    @property
    def was_left(self) -> bool:
        """Whether nobody can have asked a host without its being written down."""
        return self.predecessor is None or bool(self.predecessor.left)

    def renew(self) -> None:
        started = boot_seconds()
        if self._objects.exists(self._key(self.epoch + 1)):
            self._valid_until = 0.0
            raise Fenced(f"Epoch {self.epoch} of {self._prefix} is over: another owner has it.")
        if self._valid_until:  # once lost it stays lost
            self._valid_until = started + self._lease

    def holds(self) -> bool:
        """Whether this process may fetch and write now."""
        return boot_seconds() < self._valid_until

    def must_hold(self) -> None:
        if not self.holds():
            raise Fenced(f"The lease of epoch {self.epoch} in {self._prefix} has run out.")

    def leave(self) -> None:
        """Nothing more will be fetched or written; the next owner need not wait."""
        self._valid_until = 0.0
        left = iso(time.time())
        owner = Owner(self.epoch, self._who, self._since, self._token, left)
        self._objects.put(self._key(self.epoch), to_json(owner))

    def _read(self, epoch: int) -> Owner:
        try:
            return from_json(Owner, self._objects.get(self._key(epoch)))
        except JSON_ERRORS:
            return Owner(epoch, "?", "")

    def _key(self, epoch: int) -> str:
        return f"{self._prefix}{epoch:0{_DIGITS}}"


def boot_seconds() -> float:
    """Goes on while a process is stopped, and while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
