"""Which words do the text tracks of an MP4 or QuickTime film hold? Subtitles, and chapter titles.

A text track's samples are found by its tables: sizes (`stsz`), chunks (`stco`, `co64`) and how many
samples a chunk has (`stsc`). A track that another names in `tref/chap` holds the chapters.
"""

import struct
from collections.abc import Iterator

from shoal.converters.media.boxes import Box, find, inner
from shoal.converters.media.tags import Tags

_MAX_SAMPLES = 20_000
_MAX_SAMPLE_BYTES = 2_000
_TEXT_HANDLERS = (b"text", b"sbtl", b"subt", b"clcp")
_TEXT_CODECS = (b"text", b"tx3g", b"wvtt")


def read_text_tracks(body: bytes, movie: Box, tags: Tags) -> None:
    tracks = [box for box in inner(body, movie) if box.kind == b"trak"]
    chapters = set[int]()
    for track in tracks:
        if names := find(body, track, b"tref", b"chap"):
            chapters.update(
                number
                for (number,) in struct.iter_unpack(">I", _whole(body[names.start : names.end]))
            )
    for track in tracks:
        handler = find(body, track, b"mdia", b"hdlr")
        table = find(body, track, b"mdia", b"minf", b"stbl")
        if handler is None or table is None:
            continue
        if body[handler.start + 8 : handler.start + 12] not in _TEXT_HANDLERS:
            continue
        lines = list(_samples(body, table))
        if _number(body, track) in chapters:
            if not tags.chapters:
                for line in lines:
                    tags.chapter(line)
        elif lines:
            tags.text("\n\n".join(line for line in lines if line.strip()))


def _whole(raw: bytes) -> bytes:
    return raw[: len(raw) - len(raw) % 4]


def _number(body: bytes, track: Box) -> int:
    head = find(body, track, b"tkhd")
    if head is None:
        return 0
    return int(struct.unpack_from(">I", body, head.start + (20 if body[head.start] else 12))[0])


def _samples(body: bytes, table: Box) -> Iterator[str]:
    boxes = {box.kind: box for box in inner(body, table)}
    described, sizes, runs = boxes.get(b"stsd"), boxes.get(b"stsz"), boxes.get(b"stsc")
    chunks = boxes.get(b"stco") or boxes.get(b"co64")
    if described is None or sizes is None or runs is None or chunks is None:
        return
    codec = body[described.start + 12 : described.start + 16]
    if codec not in _TEXT_CODECS:
        return
    places = _places(body, chunks)
    fixed, count = struct.unpack_from(">II", body, sizes.start + 4)
    per_chunk = _per_chunk(body, runs)
    sample = 0
    for number, place in enumerate(places, 1):
        while len(per_chunk) > 1 and per_chunk[1][0] <= number:
            del per_chunk[0]
        for _ in range(per_chunk[0][1] if per_chunk else 1):
            if sample >= min(count, _MAX_SAMPLES):
                return
            size = fixed or struct.unpack_from(">I", body, sizes.start + 12 + 4 * sample)[0]
            yield _text(body[place : place + min(size, _MAX_SAMPLE_BYTES)], codec)
            place += size  # noqa: PLW2901  # samples of a chunk stand one behind the other
            sample += 1


def _places(body: bytes, chunks: Box) -> list[int]:
    (count,) = struct.unpack_from(">I", body, chunks.start + 4)
    wide = chunks.kind == b"co64"
    count = min(count, _MAX_SAMPLES, (chunks.end - chunks.start - 8) // (8 if wide else 4))
    return list(struct.unpack_from(f">{count}{'Q' if wide else 'I'}", body, chunks.start + 8))


def _per_chunk(body: bytes, runs: Box) -> list[tuple[int, int]]:
    """From which chunk on, how many samples each."""
    (count,) = struct.unpack_from(">I", body, runs.start + 4)
    raw = body[runs.start + 8 : min(runs.end, runs.start + 8 + 12 * min(count, _MAX_SAMPLES))]
    raw = raw[: len(raw) - len(raw) % 12]
    return [(first, samples) for first, samples, _ in struct.iter_unpack(">III", raw)]


def _text(sample: bytes, codec: bytes) -> str:
    if codec == b"wvtt":
        place = sample.find(b"payl")
        size = int.from_bytes(sample[place - 4 : place], "big") if place >= 4 else 0
        return sample[place + 4 : place - 4 + size].decode("utf-8", "replace") if size > 8 else ""
    size = int.from_bytes(sample[:2], "big")
    raw = sample[2 : 2 + size]
    if raw[:2] in (b"\xfe\xff", b"\xff\xfe"):
        return raw.decode("utf-16", "replace")
    return raw.decode("utf-8", "replace")
