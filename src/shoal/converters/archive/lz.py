"""How do LZ4, Snappy and compress unpack? Decoders for the three that the standard library lacks.

Written from the formats' descriptions. All stop at `most` bytes and keep what came out before any
damage: a fault ends the output, it never raises.
"""

import contextlib
from typing import NamedTuple

LZ4_MAGIC = b"\x04\x22\x4d\x18"
LZ4_LEGACY_MAGIC = b"\x02\x21\x4c\x18"
SNAPPY_MAGIC = b"\xff\x06\x00\x00sNaPpY"
COMPRESS_MAGIC = b"\x1f\x9d"

_SHORT = "damaged: the stream ends too early"
_DAMAGED = "damaged: the stream can't be read"
_LZ4_LEGACY_BLOCK_BYTES = 8 << 20
_LZ4_BLOCK_BYTES = 4 << 20


class Unpacked(NamedTuple):
    data: bytes
    problem: str = ""


class _Damaged(Exception):
    pass


def unlz4(body: bytes, most: int) -> Unpacked:
    """Frames one after the other; skippable ones are skipped. Checksums are not verified."""
    output = bytearray()
    position = 0
    try:
        while position + 4 <= len(body) and len(output) < most:
            magic = int.from_bytes(body[position : position + 4], "little")
            position += 4
            if magic == 0x184D2204:
                position = _lz4_frame(body, position, output, most)
            elif magic & 0xFFFFFFF0 == 0x184D2A50:
                position += 4 + int.from_bytes(body[position : position + 4], "little")
            elif magic == 0x184C2102:
                position = _lz4_legacy(body, position, output, most)
            else:
                break
    except (_Damaged, IndexError):
        return Unpacked(bytes(output[:most]), _DAMAGED if position < len(body) else _SHORT)
    return _bounded(output, most)


def _bounded(output: bytearray, most: int) -> Unpacked:
    cut = f"cut: it unpacks to more than {most} bytes" if len(output) >= most else ""
    return Unpacked(bytes(output[:most]), cut)


def _lz4_frame(body: bytes, position: int, output: bytearray, most: int) -> int:
    flags = body[position]
    has_block_sum, has_size, has_sum, has_dictionary = (
        *(flags >> 4 & 1, flags >> 3 & 1),
        *(flags >> 2 & 1, flags & 1),
    )
    is_independent = flags >> 5 & 1
    position += 3 + 8 * has_size + 4 * has_dictionary
    frame_at = len(output)
    while len(output) < most:
        if position + 4 > len(body):
            raise _Damaged
        size = int.from_bytes(body[position : position + 4], "little")
        position += 4
        if size == 0:
            return position + 4 * has_sum
        block = body[position : position + (size & 0x7FFFFFFF)]
        position += (size & 0x7FFFFFFF) + 4 * has_block_sum
        if size >> 31:
            output += block
        else:
            floor = len(output) if is_independent else frame_at
            _lz4_block(block, output, floor, min(most, len(output) + _LZ4_BLOCK_BYTES))
    return position


def _lz4_legacy(body: bytes, position: int, output: bytearray, most: int) -> int:
    while position + 4 <= len(body) and len(output) < most:
        size = int.from_bytes(body[position : position + 4], "little")
        if size > _LZ4_LEGACY_BLOCK_BYTES * 2:  # the next frame's magic
            return position
        block = body[position + 4 : position + 4 + size]
        position += 4 + size
        _lz4_block(block, output, len(output), min(most, len(output) + _LZ4_LEGACY_BLOCK_BYTES))
    return position


def _lz4_block(block: bytes, output: bytearray, floor: int, most: int) -> None:
    position, end = 0, len(block)
    while position < end and len(output) < most:
        token = block[position]
        position += 1
        length = token >> 4
        if length == 15:
            position, length = _lz4_length(block, position, length)
        output += block[position : position + length]
        position += length
        if position >= end:
            return  # the last sequence is literals only
        distance = block[position] | block[position + 1] << 8
        position += 2
        length = token & 15
        if length == 15:
            position, length = _lz4_length(block, position, length)
        _copy(output, distance, min(length + 4, most - len(output)), floor)


def _lz4_length(block: bytes, position: int, length: int) -> tuple[int, int]:
    while True:
        byte = block[position]
        position += 1
        length += byte
        if byte != 255:
            return position, length


def _copy(output: bytearray, distance: int, length: int, floor: int) -> None:
    """What stands so far back, again; it may overlap what is being written."""
    start = len(output) - distance
    if distance == 0 or start < floor:
        raise _Damaged
    if length <= distance:
        output += output[start : start + length]
    elif length > 0:
        pattern = bytes(output[start:])
        output += (pattern * (length // distance + 1))[:length]


def unsnappy(body: bytes, most: int) -> Unpacked:
    """The framing format: chunks with their kind and length."""
    output = bytearray()
    position = 0
    try:
        while position + 4 <= len(body) and len(output) < most:
            kind = body[position]
            size = int.from_bytes(body[position + 1 : position + 4], "little")
            chunk = body[position + 8 : position + 4 + size]  # behind its checksum
            position += 4 + size
            if kind == 0:
                _snappy_block(chunk, output, most)
            elif kind == 1:
                output += chunk
            elif kind < 0x80:
                raise _Damaged
    except (_Damaged, IndexError):
        return Unpacked(bytes(output[:most]), _DAMAGED)
    return _bounded(output, most)


def unsnappy_block(block: bytes, most: int) -> bytes:
    """A block without framing; of a damaged one what stands before the damage."""
    output = bytearray()
    with contextlib.suppress(_Damaged, IndexError):
        _snappy_block(block, output, most)
    return bytes(output[:most])


def _snappy_block(block: bytes, output: bytearray, most: int) -> None:
    position = 0
    while block[position] & 0x80:  # its length, which is not needed
        position += 1
    position += 1
    floor = len(output)
    while position < len(block) and len(output) < most:
        tag = block[position]
        position += 1
        kind = tag & 3
        if kind == 0:
            length = (tag >> 2) + 1
            if length > 60:
                size = length - 60
                length = int.from_bytes(block[position : position + size], "little") + 1
                position += size
            output += block[position : position + length]
            position += length
        elif kind == 1:
            distance = (tag >> 5) << 8 | block[position]
            position += 1
            _copy(output, distance, (tag >> 2 & 7) + 4, floor)
        else:
            size = 2 if kind == 2 else 4
            distance = int.from_bytes(block[position : position + size], "little")
            position += size
            _copy(output, distance, (tag >> 2) + 1, floor)


def uncompress(body: bytes, most: int) -> Unpacked:
    """LZW as the Unix program `compress` writes it (`.Z`): codes of 9 to 16 bits, low bits first.

    Codes of one width stand in groups of eight; a change of width skips the rest of its group.
    """
    most_bits = body[2] & 31 if len(body) > 2 else 0
    if not 9 <= most_bits <= 16:
        return Unpacked(b"", _DAMAGED)
    table = _Words(most_bits, has_clear=bool(body[2] & 0x80))
    output = bytearray()
    position = 3
    try:
        while position < len(body) and len(output) < most:
            group = body[position : position + table.width]
            position += table.width
            table.read(group, output)
    except _Damaged:
        return Unpacked(bytes(output[:most]), _DAMAGED)
    return _bounded(output, most)


class _Words:
    """The dictionary that grows as it is read."""

    def __init__(self, most_bits: int, *, has_clear: bool) -> None:
        self._most_bits = most_bits
        self._clear = 256 if has_clear else -1
        self._fresh = [bytes((byte,)) for byte in range(256)] + [b""] * has_clear
        self._words = list(self._fresh)
        self._previous = b""
        self.width = 9

    def read(self, group: bytes, output: bytearray) -> None:
        """Up to eight codes, or to where the width changes."""
        width, words, previous = self.width, self._words, self._previous
        bits, mask = int.from_bytes(group, "little"), (1 << width) - 1
        room = 1 << self._most_bits
        for _ in range(len(group) * 8 // width):
            code = bits & mask
            bits >>= width
            if code == self._clear:
                self._words, self._previous, self.width = list(self._fresh), b"", 9
                return
            if code < len(words):
                word = words[code]
            elif code == len(words) and previous:
                word = previous + previous[:1]
            else:
                raise _Damaged
            output += word
            if previous and len(words) < room:
                words.append(previous + word[:1])
            previous = word
            if len(words) > mask and width < self._most_bits:
                self.width += 1
                break
        self._previous = previous
