"""How does a cell look in the table? Keys and time stamps, shared by every room that writes rows.

The newest version of a cell stands under `row NUL qualifier`, its value behind an eight-byte time.
Older versions stand under the same key plus NUL and the time, inverted, so that newer sorts first.
Row keys and qualifiers contain no NUL.
"""

import struct

NUL = b"\x00"
LAST_MS = (1 << 64) - 1
NEVER_MS = (1 << 62) - 1
"""When something is due that is not to be done now, such as the URLs of a paused host."""

_TIME = struct.Struct(">Q")
TIME_BYTES = _TIME.size


def to_ms(when: float) -> int:
    return round(when * 1000) if when > 0 else 0


def newest_key(row: bytes, qualifier: bytes) -> bytes:
    return row + NUL + qualifier


def older_key(row: bytes, qualifier: bytes, when_ms: int) -> bytes:
    return row + NUL + qualifier + NUL + _TIME.pack(LAST_MS - when_ms)


def time_in_older_key(key: bytes) -> int:
    return LAST_MS - int(_TIME.unpack_from(key, len(key) - TIME_BYTES)[0])


def stamped(when_ms: int, value: bytes) -> bytes:
    return _TIME.pack(when_ms) + value


def stamp_of(stored: bytes) -> int:
    return int(_TIME.unpack_from(stored)[0])


def value_of(stored: bytes) -> bytes:
    return stored[TIME_BYTES:]
