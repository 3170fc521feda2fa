"""Which mails does an mbox file hold, and which of them are new?

Which lines `From …` begin one is told by model/from_line.py. The file is read in pieces, so neither
its length nor that of a line matters. What a file said before is known by a digest of some of its
blocks: if they stand as they did and the file is longer, something was appended, and only that is
read. Otherwise all of it is read, and each mail known by its digest.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from shoal.model.from_line import FIELD_BYTES, begins_mail
from shoal.model.from_line import MOST_BYTES as LINE_BYTES
from shoal.model.record import Struct, changed

PIECE_BYTES = 1 << 20
_BEFORE_BYTES = 4
_MARGIN = LINE_BYTES + FIELD_BYTES
"""A longer line begins no mail."""
_FROM = re.compile(rb"From [^\r\n]{0,990}\r?\n")
_QUOTED = re.compile(rb"\n>(>*From )")
_BLOCK_BYTES = 4_096
_BLOCKS = 64
_PLACE_BYTES = 8


class MboxState(Struct, array_like=True, frozen=True):
    """A file as it was looked at."""

    size: int = 0
    modified_ns: int = 0
    inode: int = 0
    """Together what is other when the file may be."""
    read_to: int = 0
    """Where the last mail began: it may have been written only in part."""
    sample: bytes = b""
    """A digest of blocks before that."""
    generation: bytes = b""
    """What places in the file are told by; other after a rewrite."""


class Mbox:
    """A look at the file: which mails stand in it now?"""

    def __init__(self, path: Path, before: MboxState, generation: bytes = b"") -> None:
        """`generation`: told by who made the file, if it is made anew again and again."""
        found = path.stat()
        self._path = path
        self._size = found.st_size
        now = MboxState(found.st_size, found.st_mtime_ns, found.st_ino)
        self.is_appended = False
        if before.generation and found.st_size > before.size:
            with path.open("rb") as file:
                self.is_appended = _sample(file, before.read_to) == before.sample
        self.since = before.read_to if self.is_appended else 0
        """Mails before this place stand as they did."""
        generation = generation or _generation(now, path)
        if self.is_appended:
            generation = before.generation
        self.state = changed(now, read_to=self.since, sample=before.sample, generation=generation)
        """To be remembered when all places were listed."""

    def places(self) -> Iterator[bytes]:
        """Where each mail stands, in order. A place is never another mail's: an end that grew is
        another place."""
        generation = self.state.generation
        line = mail = -1
        with self._path.open("rb") as file:
            for next_line, next_mail in _starts(file, self.since, self._size):
                if mail >= 0:
                    yield place_of(generation, mail, next_line)
                line, mail = next_line, next_mail
            if mail >= 0:
                self.state = changed(self.state, read_to=line, sample=_sample(file, line))
                yield place_of(generation, mail, self._size)


def place_of(generation: bytes, start: int, end: int) -> bytes:
    return generation + start.to_bytes(_PLACE_BYTES) + end.to_bytes(_PLACE_BYTES)


def span_of(place: bytes) -> tuple[int, int]:
    start, end = place[-2 * _PLACE_BYTES : -_PLACE_BYTES], place[-_PLACE_BYTES:]
    return int.from_bytes(start), int.from_bytes(end)


def read_mail(path: Path, place: bytes) -> Iterator[bytes]:
    """A mail in pieces, the quoting of `From ` undone."""
    start, end = span_of(place)
    with path.open("rb") as file:
        file.seek(start)
        rest = b""
        at_line_start = True
        while start < end:
            piece = file.read(min(PIECE_BYTES, end - start))
            if not piece:
                return
            start += len(piece)
            data = rest + piece
            # The last line waits for its end, unless it is longer than any that may be quoted.
            cut = len(data) if start >= end else data.rfind(b"\n") + 1
            if not cut and len(data) > LINE_BYTES:
                cut = len(data)
            whole, rest = data[:cut], data[cut:]
            if whole:
                yield _unquoted(whole, at_line_start)
                at_line_start = whole.endswith(b"\n")


def _unquoted(data: bytes, at_line_start: bool) -> bytes:
    if b">From " not in data:
        return data
    if at_line_start:
        return _QUOTED.sub(rb"\n\1", b"\n" + data)[1:]
    return _QUOTED.sub(rb"\n\1", data)


def _starts(file: BinaryIO, since: int, size: int) -> Iterator[tuple[int, int]]:
    """Where each line that begins a mail stands, and the mail behind it, from the start of a line
    on."""
    base = max(0, since - _BEFORE_BYTES)
    file.seek(base)
    window, at_end = b"", False
    looked_to = since
    while not at_end:
        piece = file.read(min(PIECE_BYTES, size - base - len(window)))
        window += piece
        at_end = not piece or base + len(window) >= size
        limit = len(window) if at_end else len(window) - _MARGIN
        for found in _FROM.finditer(window, max(0, looked_to - base)):
            if found.start() >= limit:
                break
            if _begins_mail(window, found, base):
                yield base + found.start(), base + found.end()
        looked_to = max(looked_to, base + max(0, limit))
        kept = max(0, limit - _BEFORE_BYTES)
        window, base = window[kept:], base + kept


def _begins_mail(window: bytes, found: re.Match[bytes], base: int) -> bool:
    start = found.start()
    before = window[max(0, start - _BEFORE_BYTES) : start]
    if base + start and not before.endswith(b"\n"):
        return False
    is_apart = base + start == 0 or before.endswith((b"\n\n", b"\n\r\n"))
    return begins_mail(window, start, found.end(), is_apart=is_apart)


def _sample(file: BinaryIO, end: int) -> bytes:
    """A digest of blocks before a place: the first, the last, and some between."""
    digest = hashlib.blake2b(end.to_bytes(_PLACE_BYTES), digest_size=16)
    last = max(0, end - _BLOCK_BYTES)
    for number in range(_BLOCKS + 1):
        at = last * number // _BLOCKS
        file.seek(at)
        digest.update(file.read(min(_BLOCK_BYTES, end - at)))
    return digest.digest()


def _generation(now: MboxState, path: Path) -> bytes:
    told = f"{now.inode} {now.size} {now.modified_ns}".encode() + os.fsencode(path)
    return hashlib.blake2b(told, digest_size=8).digest()
