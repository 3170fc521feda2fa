"""Which mails lie in a file of Outlook (.pst, .ost)? Somebody else takes it apart into mbox files.

That is done when the file is other than it was, into a folder that is gone when the mails were
read. A mail is known by its digest, so one that was there before is not read again, wherever it
stands now; what the program makes up with each mail (the lines between its parts) is numbered, so
that it says the same each time.
"""

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp

from shoal.model.record import Struct, pack, unpack
from shoal.sources.mail.local import MOST_FOLDERS, Readers, compared_mbox, rights_of
from shoal.sources.mail.mbox import Mbox, MboxState, read_mail
from shoal.sources.mail.places import Known, LineLost, Look, Mail

ENDINGS = (".pst", ".ost")
TakeApart = Callable[[Path, Path, Callable[[], bool]], str]
"""A mailbox, the folder for its mails, whether to stop; returns what is wrong with it."""
_SIGNATURE = b"!BDN"
_FILE = "mbox"
_SETTLED_SECONDS = 5.0
"""A file that somebody writes to is taken apart when that is over."""
_POLL_SECONDS = 1.0
_REST = 10
"""Times as long as it took is waited before it is taken apart again."""
_MADE_UP = re.compile(rb"(?<=LibPST-iamunique-)\d{1,12}|(?<=name=\"i)\d{1,12}(?=\.ics\")")
_MOST_MADE_UP = 10_000
_GENERATION_BYTES = 8
_DEPTH = 100


class OutlookState(Struct, array_like=True, frozen=True):
    file: tuple[int, ...] = ()
    """Its size, date and inode."""
    folders: int = 0
    """How many it has: as many must be remembered, or some were not read yet."""


def is_outlook(path: Path) -> bool:
    """By its name, or by how it begins."""
    if path.suffix.lower() in ENDINGS:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except OSError:
        return False


class OutlookMailbox:
    problem: str | None = None

    def __init__(
        self,
        path: Path,
        readers: Readers,
        take_apart: TakeApart,
        scratch: Path,
        remembered: Callable[[], Mapping[str, bytes]],
    ) -> None:
        """`scratch` is for this alone, and may hold what a kill has left; `remembered` are the
        folders with their states."""
        self._path = path
        self._readers = readers
        self._take_apart = take_apart
        self._scratch = scratch
        self._remembered = remembered
        self._files: dict[str, Path] = {}
        """Of each folder, while they are there."""
        self._generation = b""
        """Of their places: numbers that the program makes up are never as long as before."""
        self._problem = ""
        self._seen: tuple[int, ...] = ()
        self._rights: tuple[int, ...] = ()
        self._other: tuple[int, ...] = ()
        """As it is since a moment, if it was not looked at so."""
        self._other_since = 0.0
        self._not_before = 0.0
        self._is_over = threading.Event()

    # --- a mailbox --------------------------------------------------------------------------

    def folders(self) -> Sequence[str]:
        self._forget()
        self._seen, self._rights = self._stat(), rights_of(self._path)
        if not self._seen:
            raise LineLost(f"There is no mailbox at {self._path} now.")
        states = {
            name: unpack(OutlookState, state) for name, state in self._remembered().items() if state
        }
        if states and set(states.values()) == {OutlookState(self._seen, len(states))}:
            return sorted(states)
        self._unpack()
        return sorted(self._files)

    def look(self, folder: str, _before: bytes, known: Known, _everything: bool) -> Look | None:
        path = self._files.get(folder)
        if path is None:
            return None
        look = compared_mbox(Mbox(path, MboxState(), self._generation), known)
        if self._problem:
            return look._replace(gone=self._not_told())
        state = pack(OutlookState(self._seen, len(self._files)))
        return look._replace(state=lambda: state)

    def _not_told(self) -> Iterator[bytes]:
        """What is gone can't be told of half a mailbox."""
        raise LineLost(f"Not all of it can be read: it {self._problem}.")
        yield b""

    def mails(self, folder: str, places: Iterable[bytes]) -> Iterator[Mail]:
        path = self._files.get(folder)
        if path is None:
            return
        readers = self._readers(self._path)
        for place in places:
            yield Mail(place, _the_same_again(read_mail(path, place)), readers)

    def rights(self, _folder: str) -> bytes:
        return pack(rights_of(self._path))

    def readers(self, _folder: str, places: Iterable[bytes]) -> Iterator[tuple[str, ...] | None]:
        words = self._readers(self._path)
        return (words for _ in places)

    def wait(self, seconds: float) -> bool:
        self._forget()
        end = time.monotonic() + seconds
        while not self._is_other():
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_POLL_SECONDS, left))
        return True

    def lost(self, _error: LineLost) -> None:
        self._forget()

    def close(self) -> None:
        self._is_over.set()
        self._forget()

    # --- taking it apart --------------------------------------------------------------------

    def _unpack(self) -> None:
        begun = time.monotonic()
        self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(mkdtemp(dir=self._scratch))
        self._problem = self._take_apart(self._path, folder, self._is_over.is_set)
        self._not_before = time.monotonic() + _REST * (time.monotonic() - begun)
        self._files, self._generation = _mbox_files(folder), os.urandom(_GENERATION_BYTES)
        if self._problem and not self._files:
            raise LineLost(f"It {self._problem}.")

    def _forget(self) -> None:
        self._files = {}
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _stat(self) -> tuple[int, ...]:
        """Empty where it is not there."""
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return found.st_size, found.st_mtime_ns, found.st_ino

    def _is_other(self) -> bool:
        now, at = self._stat(), time.monotonic()
        if rights_of(self._path) != self._rights:
            return True
        if now == self._seen:
            return False
        if now != self._other:
            self._other, self._other_since = now, at
        return at >= max(self._other_since + _SETTLED_SECONDS, self._not_before)


def _mbox_files(folder: Path) -> dict[str, Path]:
    """By the names of their folders; what is no plain file is none of them."""
    found: dict[str, Path] = {}
    for directory, below, names in os.walk(folder):
        path = Path(directory)
        shown = path.relative_to(folder)
        if len(shown.parts) >= _DEPTH:
            below.clear()
        is_plain = _FILE in names and (path / _FILE).is_file() and not (path / _FILE).is_symlink()
        if is_plain and shown.parts and len(found) < MOST_FOLDERS:
            found[str(shown)] = path / _FILE
    return found


def _the_same_again(pieces: Iterable[bytes]) -> Iterator[bytes]:
    numbers: dict[bytes, bytes] = {}

    def numbered(found: re.Match[bytes]) -> bytes:
        if len(numbers) < _MOST_MADE_UP:
            numbers.setdefault(found[0], b"%d" % len(numbers))
        return numbers.get(found[0], found[0])

    for piece in pieces:
        yield _MADE_UP.sub(numbered, piece)
