"""Which mails lie on this disk? mbox files, a Maildir, folders of `.eml` and `.msg` files.

A Maildir has `new` and `cur`; its folders are other Maildirs within it (`.Archive.2019`, Maildir++)
or below it (dovecot's layout `fs`). The flags of a mail stand behind its file's name and are none
of our business. Nothing is written, moved or locked: a mail in `new` stays there.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from shoal.errors import UsageError
from shoal.model.record import Struct, pack, unpack
from shoal.sources.mail.mbox import PIECE_BYTES, Mbox, MboxState, read_mail
from shoal.sources.mail.places import INBOX, Known, LineLost, Look, Mail, compared

Readers = Callable[[Path], tuple[str, ...]]

MOST_FOLDERS = 10_000
_DEPTH = 20
_HEADS = ("new", "cur")
_MAIL_FILES = (".eml", ".msg", ".emlx")
_POLL_SECONDS = 1.0
_JUST_NOW_NS = 200_000_000
"""A folder that changed so shortly before it was listed may change again without its date
telling."""
_START_BYTES = 64


class _Dated(Struct, array_like=True, frozen=True):
    dates: tuple[int, ...] = ()


class LocalMailbox:
    """A path, whatever lies there. `readers` says who may read a file."""

    problem: str | None = None

    def __init__(self, path: Path, readers: Readers) -> None:
        self._path = path
        self._readers = readers
        self._seen: dict[str, tuple[int, ...]] | None = None
        """The dates when the folders were last looked at."""

    def folders(self) -> Sequence[str]:
        self._seen = self._dates()
        found = list(self._found())
        if not found:  # perhaps a disk that is not mounted: its mails stay
            raise LineLost(f"There is no mailbox at {self._path} now.")
        return found

    def look(self, folder: str, before: bytes, known: Known, everything: bool) -> Look | None:
        path = self._found().get(folder)
        if path is None:
            return Look(iter(()), known(b""), bytes)
        if path.is_file():
            return self._look_at_file(path, before, known)
        return self._look_at_folder(path, before, known, everything)

    def mails(self, folder: str, places: Iterable[bytes]) -> Iterator[Mail]:
        path = self._found().get(folder)
        if path is None:
            return
        if path.is_file():
            readers = self._readers(path)
            for place in places:
                yield Mail(place, read_mail(path, place), readers)
            return
        wanted = list(places)
        files = {_place(name): f"{head}/{name}" for head, name in _names(path)}
        for place in wanted:
            file = path / files[place] if place in files else None
            if file is not None and _is_plain(file):
                yield Mail(place, _pieces(file), self._readers(file))

    def wait(self, seconds: float) -> bool:
        """Looks at the dates every second: it is cheap, and holds on every file system."""
        end = time.monotonic() + seconds
        while self._dates() == self._seen:
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_POLL_SECONDS, left))
        return True

    def lost(self, error: LineLost) -> None:
        """A disk is not lost."""

    def close(self) -> None:
        """Nothing is held open."""

    def _found(self) -> dict[str, Path]:
        return _folders(self._path)

    def _dates(self) -> dict[str, tuple[int, ...]]:
        return {name: _dates(path) + rights_of(path) for name, path in self._found().items()}

    def rights(self, folder: str) -> bytes:
        path = self._found().get(folder)
        return b"" if path is None else pack(_Dated(rights_of(path)))

    def readers(self, folder: str, places: Iterable[bytes]) -> Iterator[tuple[str, ...] | None]:
        path = self._found().get(folder)
        if path is None:
            return
        if path.is_file():
            words = self._readers(path)
            yield from (words for _ in places)
            return
        files = {_place(name): f"{head}/{name}" for head, name in _names(path)}
        for place in places:
            file = path / files[place] if place in files else None
            yield None if file is None or not _is_plain(file) else self._readers(file)

    def _look_at_file(self, path: Path, before: bytes, known: Known) -> Look | None:
        state = unpack(MboxState, before) if before else MboxState()
        try:
            found = path.stat()
            seen = (found.st_size, found.st_mtime_ns, found.st_ino)
            if state.generation and seen == (state.size, state.modified_ns, state.inode):
                return None
            return compared_mbox(Mbox(path, state), known)
        except OSError:
            return None

    def _look_at_folder(
        self, path: Path, before: bytes, known: Known, everything: bool
    ) -> Look | None:
        dates = _dates(path)
        if not everything and before and unpack(_Dated, before).dates == dates:
            return None
        now = {_place(name): None for _, name in _names(path)}
        is_settled = max(dates, default=0) < time.time_ns() - _JUST_NOW_NS
        added, gone = compared(now, known(b""))
        state = pack(_Dated(dates)) if is_settled else b""
        return Look(iter(added), iter(gone), lambda: state)


def mailbox_at(path: Path, readers: Readers) -> LocalMailbox:
    """What lies at a path; a UsageError when that is no mailbox."""
    try:
        found = path.stat()
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from error
    if not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is neither a file nor a folder.")
    mailbox = LocalMailbox(path, readers)
    try:
        if path.is_dir():
            os.scandir(path).close()
        else:
            path.open("rb").close()
        mailbox.folders()
        is_one = _is_maildir(path) or path.is_file() or _has_mails(path)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from error
    except LineLost:
        is_one = False
    if not is_one:
        raise UsageError(f"{path} is no mailbox: neither an mbox file nor a Maildir.")
    return mailbox


def _has_mails(folder: Path) -> bool:
    """Empty files alone, which any folder may have, make no mailbox."""
    return _has_mail_files(folder) or any(
        path.stat().st_size for path in _mbox_files(folder).values()
    )


def compared_mbox(mbox: Mbox, known: Known) -> Look:
    """Places of other generations are gone; of this one those that the file does not have."""
    generation = mbox.state.generation
    passed: list[bytes] = []

    def added() -> Iterator[bytes]:
        before = known(generation + mbox.since.to_bytes(8))
        head = next(before, None)
        for place in mbox.places():  # both are in order
            while head is not None and head < place:
                passed.append(head)
                head = next(before, None)
            if head == place:
                head = next(before, None)
            else:
                yield place
        while head is not None and head.startswith(generation):
            passed.append(head)
            head = next(before, None)

    def gone() -> Iterator[bytes]:
        yield from passed
        yield from (place for place in known(b"") if not place.startswith(generation))

    return Look(added(), gone(), lambda: pack(mbox.state))


def _folders(path: Path) -> dict[str, Path]:
    """By their names for people. A file is one folder, as is a folder of mail files."""
    if path.is_file():
        return {path.name: path} if _looks_like_mbox(path) else {}
    if not _is_maildir(path):
        return {path.name or INBOX: path} if _has_mail_files(path) else _mbox_files(path)
    found = {INBOX: path}
    waiting = [(path, "", 0)]
    while waiting and len(found) < MOST_FOLDERS:
        folder, prefix, depth = waiting.pop()
        for name in _subfolders(folder):
            below = folder / name
            shown = "/".join(filter(None, (prefix, name.lstrip(".").replace(".", "/"))))
            if shown and _is_maildir(below):
                found[shown] = below
            if depth < _DEPTH and shown and not name.startswith("."):
                waiting.append((below, shown, depth + 1))
    return dict(sorted(found.items()))


def _mbox_files(folder: Path) -> dict[str, Path]:
    """Thunderbird and mutt keep an mbox for each folder beside each other."""
    try:
        names = sorted(each.name for each in folder.iterdir())[:MOST_FOLDERS]
    except OSError:
        return {}
    paths = {name: folder / name for name in names if not name.startswith(".")}
    return {n: path for n, path in paths.items() if _is_plain(path) and _looks_like_mbox(path)}


def _looks_like_mbox(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(_START_BYTES)
    except OSError:
        return False
    return start.startswith(b"From ") or not start


def _is_maildir(path: Path) -> bool:
    return all((path / head).is_dir() for head in _HEADS)


def _has_mail_files(path: Path) -> bool:
    return next(_names(path), None) is not None


def _subfolders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in names if name not in (*_HEADS, "tmp", ".", ".."))


def _names(path: Path) -> Iterator[tuple[str, str]]:
    """Where in a folder a mail's file lies, and its name."""
    heads = _HEADS if _is_maildir(path) else (".",)
    for head in heads:
        try:
            with os.scandir(path / head) as entries:
                for each in entries:
                    is_mail = head != "." or each.name.lower().endswith(_MAIL_FILES)
                    if is_mail and not each.name.startswith("."):
                        yield head, each.name
        except OSError:
            continue


def _place(name: str) -> bytes:
    """A file's name without its flags, which others change."""
    return os.fsencode(name.partition(":2,")[0])


def _dates(path: Path) -> tuple[int, ...]:
    dates: list[int] = []
    wanted = (path,) if path.is_file() else (path, *(path / head for head in _HEADS))
    for each in wanted:
        try:
            found = each.stat()
        except OSError:
            continue
        dates += [found.st_mtime_ns, found.st_size if path.is_file() else 0, found.st_ino]
    return tuple(dates)


def rights_of(path: Path) -> tuple[int, ...]:
    """What is other when other people may read what lies there."""
    found: list[int] = []
    for each in (path, *path.parents):
        try:
            status = each.stat()
        except OSError:
            continue
        found += [status.st_mode, status.st_uid, status.st_gid]
    return tuple(found)


def _is_plain(path: Path) -> bool:
    """A regular file: a pipe would never end."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError:
        return
