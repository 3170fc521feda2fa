"""Which words does a MIDI file hold? Track names, copyright, markers, and the lyrics for singing.

Standard MIDI files 1.0: tracks of events behind times, both of variable width. Karaoke files write
their lyrics as text events, syllable by syllable, with `/` and `\\` where a line begins.
"""

import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, plain, tagged

_MAX_TRACKS = 1_000
_MAX_EVENTS = 500_000
_TEXT, _COPYRIGHT, _TRACK, _INSTRUMENT, _LYRIC, _MARKER = 1, 2, 3, 4, 5, 6


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    (size,) = struct.unpack_from(">I", body, 4)
    place, lyrics, words = 8 + size, list[str](), list[str]()
    is_first = True
    for _ in range(_MAX_TRACKS):
        if place + 8 > len(body):
            break
        kind, size = struct.unpack_from(">4sI", body, place)
        track = body[place + 8 : place + 8 + size] if kind == b"MTrk" else b""
        place += 8 + size
        for event, text in _texts(track):
            if event == _LYRIC:
                lyrics.append(text)
            elif event == _TEXT:
                _text(text, words, tags)
            elif event == _TRACK:
                tags.add(names.TITLE if is_first else "Track name", text)
            elif event == _COPYRIGHT:
                tags.add(names.COPYRIGHT, text)
            elif event == _MARKER:
                tags.chapter(text)
        is_first = False
    tags.text(_sung(lyrics))
    tags.text(_sung(words))


def _text(text: str, words: list[str], tags: Tags) -> None:
    if text.startswith("@T"):
        tags.add(names.TITLE if not tags.first(names.TITLE) else names.ARTIST, text[2:])
    elif text.startswith(("@I", "@W")):
        tags.add(names.COMMENT, text[2:])
    elif not text.startswith("@"):
        words.append(text)


def _sung(syllables: list[str]) -> str:
    """Karaoke's signs are line breaks; texts without any are a line each."""
    joined = "".join(syllables)
    if not any(sign in joined for sign in "/\\\r\n ") and len(syllables) > 1:
        return "\n".join(syllables)
    if not any(
        each.startswith(("/", "\\", " ", "-")) or each.endswith(("\r", "\n", " ", "-"))
        for each in syllables
    ):
        return "\n\n".join(syllables)
    return joined.replace("\\", "\n\n").replace("/", "\n").replace("\r", "\n")


def _texts(track: bytes) -> Iterator[tuple[int, str]]:
    place, running = 0, 0
    for _ in range(_MAX_EVENTS):
        _, place = _number(track, place)
        if place >= len(track):
            return
        status = track[place]
        if status == 0xFF:
            kind = track[place + 1] if place + 1 < len(track) else 0x2F
            size, place = _number(track, place + 2)
            if _TEXT <= kind <= 15:
                yield kind, plain(track[place : place + size])
            if kind == 0x2F:
                return
            place += size
        elif status in (0xF0, 0xF7):
            size, place = _number(track, place + 1)
            place += size
        else:
            if status & 0x80:
                running, place = status, place + 1
            place += 1 if running & 0xF0 in (0xC0, 0xD0) else 2


def _number(track: bytes, place: int) -> tuple[int, int]:
    value = 0
    for byte in track[place : place + 4]:
        place += 1
        value = value << 7 | byte & 127
        if not byte & 128:
            break
    return value, place
