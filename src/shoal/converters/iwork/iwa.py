"""Which objects lie in the `.iwa` files of iWork 2013 and later? Types, numbers, raw messages.

A file is a row of chunks (a zero byte, three bytes of length), each compressed with Snappy but
without the checksums of its framing. Unpacked it is a row of archives: a protocol buffer that tells
number, type and length of the messages, then the messages. Written from the public descriptions of
Snappy and of protocol buffers' wire format; the types of iWork are known from what others found.
"""

from typing import NamedTuple, TypeAlias

from shoal.converters.archive.lz import unsnappy_block

_MAX_OBJECTS = 500_000
_MAX_FIELDS = 1_000_000

Value: TypeAlias = int | bytes
Fields: TypeAlias = dict[int, list[Value]]


class Object(NamedTuple):
    type: int
    payload: bytes


def unpack(data: bytes, most: int) -> bytes:
    """All chunks of a file, as far as they are sound; ends at `most` bytes."""
    pieces: list[bytes] = []
    position = 0
    while position + 4 <= len(data) and most > 0:
        length = int.from_bytes(data[position + 1 : position + 4], "little")
        piece = unsnappy_block(data[position + 4 : position + 4 + length], most)
        pieces.append(piece)
        most -= len(piece)
        position += 4 + length
    return b"".join(pieces)


def objects(data: bytes, into: dict[int, Object]) -> None:
    """The objects of an unpacked file, by their numbers."""
    position = 0
    while position < len(data) and len(into) < _MAX_OBJECTS:
        length, begin = varint(data, position)
        if begin < 0 or length <= 0 or begin + length > len(data):
            return
        info = fields(data[begin : begin + length])
        position = begin + length
        identity = first_int(info, 1)
        for number, message in enumerate(info.get(2, [])):
            if not isinstance(message, bytes):
                continue
            about = fields(message)
            size = first_int(about, 3)
            if number == 0:
                payload = data[position : position + size]
                into.setdefault(identity, Object(first_int(about, 1), payload))
            position += size


def varint(data: bytes, position: int) -> tuple[int, int]:
    """The number, and where what follows begins: -1 when it is cut off."""
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    return 0, -1


def fields(message: bytes) -> Fields:
    """By number, each with its values in order; what is cut off or broken ends it."""
    found: Fields = {}
    position, end = 0, len(message)
    for _ in range(_MAX_FIELDS):
        if position >= end:
            break
        key, position = varint(message, position)
        if position < 0:
            break
        kind = key & 7
        value: Value
        if kind == 0:
            value, position = varint(message, position)
            if position < 0:
                break
        elif kind in (1, 5):
            width = 8 if kind == 1 else 4
            value = message[position : position + width]
            position += width
        elif kind == 2:
            length, position = varint(message, position)
            if position < 0 or position + length > end:
                break
            value = message[position : position + length]
            position += length
        else:
            break
        found.setdefault(key >> 3, []).append(value)
    return found


def first_int(found: Fields, number: int, otherwise: int = 0) -> int:
    values = found.get(number)
    return values[0] if values and isinstance(values[0], int) else otherwise


def first_message(found: Fields, number: int) -> Fields:
    values = found.get(number)
    return fields(values[0]) if values and isinstance(values[0], bytes) else {}


def text(found: Fields, number: int) -> str:
    """Strings that are repeated are one text."""
    values = found.get(number, [])
    return "".join(v.decode("utf-8", "replace") for v in values if isinstance(v, bytes))


def references(found: Fields, number: int) -> list[int]:
    """Numbers of the objects that a field refers to."""
    values = found.get(number, [])
    return [first_int(fields(value), 1) for value in values if isinstance(value, bytes)]


def reference(found: Fields, number: int) -> int:
    return next(iter(references(found, number)), 0)
