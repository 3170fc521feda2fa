"""Which mails are on a server? An account by IMAP, with IDLE.

A folder is as it was when its UIDVALIDITY, its next UID and its number of mails are. Otherwise new
mails are those from the next UID on, and what is gone is told by the server (QRESYNC) or found by
comparing. UIDVALIDITY is part of each place: when it changes, all places are new, and mails are
known by their digests. While nothing happens one folder is open with IDLE; now and then it is ended
and begun again, which shows that the line lives, and the other folders are asked after.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from shoal.errors import UsageError
from shoal.model.record import Struct, pack, unpack
from shoal.sources.mail.address import ImapAddress
from shoal.sources.mail.imap_line import PART_BYTES, FolderStatus, ImapLine
from shoal.sources.mail.places import INBOX, Known, LineLost, Look, Mail, Refused, compared

RENEW_SECONDS = 25.0
"""How long IDLE stands. With the time for an answer a dead line is noticed within a minute."""
_FIRST_DELAY, _LONGEST_DELAY = 1.0, 300.0
_REFUSED_DELAY = 60.0
"""Servers lock out who tries a wrong password again and again."""
_SIZES_AT_ONCE = 200
_TOGETHER_BYTES = 4_000_000
_MOST_BYTES = 101_000_000
_NUMBER_BYTES = 4
_NUMBERS = 1 << 32


class ImapState(Struct, array_like=True, frozen=True):
    uid_validity: int = 0
    uid_next: int = 0
    messages: int = -1
    modseq: int = 0


class ImapMailbox:
    def __init__(
        self, address: ImapAddress, password: Callable[[], str], readers: tuple[str, ...]
    ) -> None:
        """The password is asked for whenever it is needed, and not kept."""
        self._address = address
        self._password = password
        self._whose = readers
        self._line: ImapLine | None = None
        self._open = ""
        self._statuses: dict[str, FolderStatus] = {}
        self._seen: dict[str, FolderStatus] = {}
        """As the folders were when they were last looked at."""
        self._delay = 0.0
        self._try_at = 0.0
        self._renew_at = 0.0
        self.problem: str | None = ""
        """Why the account can't be looked at now, in a sentence."""

    def check(self) -> int:
        """How many mails there are in all; a LineLost says why the account can't be read."""
        return sum(each.messages for each in self._asked().statuses().values())

    # --- a mailbox --------------------------------------------------------------------------

    def folders(self) -> Sequence[str]:
        try:
            self._statuses = self._asked().statuses()
        except LineLost:  # a line that was idle for long may have been cut: once more, with another
            self.close()
            self._statuses = self._asked().statuses()
        self._seen = dict(self._statuses)
        return sorted(self._statuses, key=lambda name: (name.upper() != INBOX, name))

    def look(self, folder: str, before: bytes, known: Known, everything: bool) -> Look | None:
        state = unpack(ImapState, before) if before else ImapState()
        told = self._statuses.get(folder)
        if told is None:
            return None
        seen = (told.uid_validity, told.uid_next, told.messages)
        if not everything and seen == (state.uid_validity, state.uid_next, state.messages):
            return None
        now = self._examine(folder)
        if everything or state.uid_validity != now.uid_validity or not state.uid_next:
            uids = self._asked().uids(now.messages)
            there = {_place(now.uid_validity, uid): None for uid in uids}
            added, gone = compared(there, known(b""))
        else:
            added, gone = self._since(state, now, known)
        after = pack(ImapState(now.uid_validity, now.uid_next, now.messages, now.modseq))
        return Look(iter(added), iter(gone), lambda: after)

    def mails(self, folder: str, places: Iterable[bytes]) -> Iterator[Mail]:
        waiting = iter(places)
        while some := list(islice(waiting, _SIZES_AT_ONCE)):
            if self._open != folder or self._asked().is_idling:
                self._examine(folder)
            validity = self._statuses[folder].uid_validity
            uids = [_uid(place) for place in some if _validity(place) == validity]
            for uid, pieces in self._fetched(uids):
                yield Mail(_place(validity, uid), pieces, self._whose)

    def rights(self, _folder: str) -> bytes:
        return b""

    def readers(self, _folder: str, places: Iterable[bytes]) -> Iterator[tuple[str, ...] | None]:
        return (self._whose for _ in places)

    def wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        try:
            while True:
                if self._line is None and not self._connects(end):
                    return False
                if time.monotonic() >= self._renew_at and self._begins():
                    return True
                if self._stirs(end):
                    return True
                if time.monotonic() >= end:
                    return False
        except LineLost as error:
            self.lost(error)
            return False

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line = None

    # --- what changed -----------------------------------------------------------------------

    def _since(
        self, state: ImapState, now: FolderStatus, known: Known
    ) -> tuple[list[bytes], list[bytes]]:
        line, validity = self._asked(), now.uid_validity
        new = line.uids_since(state.uid_next) if now.uid_next > state.uid_next else []
        there = {_place(validity, uid): None for uid in new}
        if now.messages == state.messages + len(new):
            return compared(there, known(_place(validity, state.uid_next)))[0], []
        if line.has_qresync and state.modseq:
            vanished = {_place(validity, uid) for uid in line.vanished_since(state.modseq)}
            added, _ = compared(there, known(_place(validity, state.uid_next)))
            return added, [place for place in known(b"") if place in vanished]
        there = {_place(validity, uid): None for uid in line.uids(now.messages)}
        return compared(there, known(b""))

    def _fetched(self, uids: list[int]) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Small mails together, large ones in parts."""
        sizes = self._asked().sizes(uids) if uids else {}
        together: list[int] = []
        room = _TOGETHER_BYTES
        for uid in uids:
            size = sizes.get(uid)
            if size is None:  # gone in the meantime
                continue
            if size > PART_BYTES:
                yield uid, self._asked().parts(uid, _MOST_BYTES)
                continue
            if size > room:
                yield from self._together(together)
                together, room = [], _TOGETHER_BYTES
            together.append(uid)
            room -= size
        yield from self._together(together)

    def _together(self, uids: list[int]) -> Iterator[tuple[int, Iterator[bytes]]]:
        bodies = self._asked().bodies(uids) if uids else {}
        for uid in uids:
            if uid in bodies:
                yield uid, iter((bodies.pop(uid),))

    # --- the line ---------------------------------------------------------------------------

    def _asked(self) -> ImapLine:
        """The line, ready for a question."""
        if self._line is None:
            self._line = ImapLine(self._address, self._found_password())
            self._open = ""
            self._renew_at = 0.0
            self._delay, self.problem = 0.0, ""
        if self._line.is_idling:
            self._renew_at = 0.0
            self._line.idle_done()
        return self._line

    def _found_password(self) -> str:
        try:
            return self._password()
        except UsageError as error:  # its file may have been moved or opened to others
            raise Refused(str(error)) from error

    def _examine(self, folder: str) -> FolderStatus:
        now = self._asked().examine(folder)
        self._open = folder
        self._statuses[folder] = now
        self._seen[folder] = now
        return now

    def lost(self, error: LineLost) -> None:
        self.close()
        self.problem = str(error)
        least = _REFUSED_DELAY if isinstance(error, Refused) else _FIRST_DELAY
        self._delay = min(_LONGEST_DELAY, max(least, self._delay * 2))
        self._try_at = time.monotonic() + self._delay * random.uniform(0.75, 1.25)

    def _connects(self, end: float) -> bool:
        """Whether the time for another try has come before the end; then it is made."""
        time.sleep(max(0.0, min(self._try_at, end) - time.monotonic()))
        if time.monotonic() < self._try_at:
            return False
        delay = self._delay
        try:
            self._asked()
        except LineLost:
            self._delay = delay
            raise
        return True

    def _begins(self) -> bool:
        """Ask after all folders, then wait in the first. True when something changed meanwhile."""
        line = self._asked()
        told = line.statuses()
        if told != {name: each._replace(modseq=0) for name, each in self._seen.items()}:
            self._seen = told
            return True
        first = next((name for name in told if name.upper() == INBOX), next(iter(told), ""))
        if first:
            now = self._examine(first)._replace(modseq=0)
            if now != told[first]:
                return True
        if line.has_idle and first:
            line.idle()
        self._renew_at = time.monotonic() + RENEW_SECONDS
        return False

    def _stirs(self, end: float) -> bool:
        """Listen until the end or until it is time to ask after the other folders."""
        line = self._line
        left = max(0.0, min(end, self._renew_at) - time.monotonic())
        if line is None or not line.is_idling:
            time.sleep(left)
            return False
        if line.stirs(left):
            line.idle_done()
            self._renew_at = 0.0
            return True
        return time.monotonic() >= self._renew_at and line.idle_done()


def _place(validity: int, uid: int) -> bytes:
    return (validity % _NUMBERS).to_bytes(_NUMBER_BYTES) + (uid % _NUMBERS).to_bytes(_NUMBER_BYTES)


def _validity(place: bytes) -> int:
    return int.from_bytes(place[:_NUMBER_BYTES])


def _uid(place: bytes) -> int:
    return int.from_bytes(place[_NUMBER_BYTES:])
