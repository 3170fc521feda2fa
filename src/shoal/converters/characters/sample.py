"""What of a body is looked at? What is not ASCII, with its neighbours, and the words around.

Runs of ASCII (markup, scripts) are left out: what remains says more in three kilobytes than a page
does in fifty. Bytes that stand one by one among ASCII are accents and quotes of a Latin text; then
the plain words around them are kept too, since they show the language.
"""

import re
from itertools import islice
from typing import NamedTuple

SAMPLE_BYTES = 3072
_READ_BYTES = 1_000_000
_RUNS = re.compile(rb"[\x80-\xff][\x80-\xff]*(?:[\x00-\x7f]{1,4}[\x80-\xff]+)*")
_RUN = re.compile(rb"[\x80-\xff]+")
_SOFT_HYPHEN = re.compile(rb"(?<=[A-Za-z])\xad(?=[A-Za-z])")
_LANGUAGE = re.compile(rb"""<html[^>]*?\slang\s*=\s*["']?([a-zA-Z]{2,3})""", re.IGNORECASE)
_HEAD_BYTES = 4096
_ASCII = bytes(range(0x80))
_LONE_SHARE = 1.6
_CONTEXTS, _CONTEXT_BYTES = 60, 48
_PIECES = 24


class Sample(NamedTuple):
    text: bytes
    unseen: bytes
    """Pieces from further on, around bytes that the text lacks."""
    lone: int
    """How many runs beyond ASCII, when most are one byte; else none."""
    context: bytes
    """The plain words around them, then."""
    language: str
    """What the page claims to be in, or whoever sent it; two letters, or nothing."""


def sample_of(data: bytes, language: str) -> Sample:
    pieces: list[bytes] = []
    around: list[bytes] = []
    size = 0
    for match in _RUNS.finditer(data, 0, _READ_BYTES):
        start, end = match.span()
        pieces.append(data[max(0, start - 2) : min(end, start + SAMPLE_BYTES) + 2])
        size += len(pieces[-1])
        if len(around) < _CONTEXTS:
            around.append(data[max(0, start - _CONTEXT_BYTES) : start].rpartition(b">")[2])
            around.append(data[end : end + _CONTEXT_BYTES].partition(b"<")[0])
        if size >= SAMPLE_BYTES:
            break
    text = b" ".join(pieces)[:SAMPLE_BYTES]
    runs = len(_RUN.findall(text))
    lone = runs if len(text.translate(None, _ASCII)) < _LONE_SHARE * runs else 0
    unseen = _unseen(data[:_READ_BYTES], text) if size >= SAMPLE_BYTES else b""
    hint = language.lower()[:2] or _claimed(data)
    if lone:
        # Soft hyphens are no letters and say nothing, but many would shout the rest down.
        text = _SOFT_HYPHEN.sub(b"", text)
    return Sample(text, unseen, lone, b" ".join(around) if lone else b"", hint)


def _unseen(data: bytes, text: bytes) -> bytes:
    """A few quotes at the end of a long text tell Windows' charsets from ISO's."""
    unseen = bytes(sorted(set(data.translate(None, _ASCII + text))))
    if not unseen:
        return b""
    places = re.finditer(b"[%s]" % re.escape(unseen), data)
    starts = [match.start() for match in islice(places, _PIECES)]
    return b" " + b" ".join(data[max(0, start - 2) : start + 3] for start in starts)


def _claimed(data: bytes) -> str:
    match = _LANGUAGE.search(data, 0, _HEAD_BYTES)
    code = match[1].decode("ascii").lower()[:2] if match else ""
    return "" if code == "en" else code  # templates say "en" whatever the page is in
