"""The files of iWork 2013 and later: Snappy, protocol buffers, and lies in both."""

import random
from pathlib import Path

from shoal.converters.iwork.iwa import fields, first_int, objects, reference, text, unpack, varint
from shoal.converters.limits import Limits
from shoal.converters.zip import Package

_SAMPLE = Path(__file__).parents[1] / "samples" / "iwork-2013.numbers"


def _chunk(snappy: bytes) -> bytes:
    return b"\0" + len(snappy).to_bytes(3, "little") + snappy


def test_literals_and_copies() -> None:
    literal = bytes([3 << 2]) + b"reef"
    near = bytes([(4 - 4) << 2 | 1, 4])
    far = bytes([(5 - 1) << 2 | 2, 8, 0])
    farther = bytes([(2 - 1) << 2 | 3, 1, 0, 0, 0])
    assert unpack(_chunk(b"\x0f" + literal + near + far + farther), 100) == b"reefreefreefrrr"


def test_long_literals_and_repeats() -> None:
    long = bytes([60 << 2, 99]) + b"a" * 100
    repeat = bytes([(64 - 1) << 2 | 2, 1, 0])
    assert unpack(_chunk(b"\xff\x7f" + long + repeat), 1_000) == b"a" * 164


def test_what_comes_out_is_bounded() -> None:
    bomb = b"\xff\xff\x7f" + bytes([0]) + b"a" + bytes([(64 - 1) << 2 | 2, 1, 0]) * 10_000
    assert 1_000 <= len(unpack(_chunk(bomb) * 100, 1_000)) < 1_100


def test_copies_from_before_the_beginning_end_it() -> None:
    assert unpack(_chunk(bytes([4, 0]) + b"a" + bytes([(4 - 4) << 2 | 1, 9])), 100) == b"a"
    assert unpack(b"\0\xff\xff\xff", 100) == b""


def test_messages() -> None:
    message = b"\x08\x96\x01" + b"\x12\x04reef" + b"\x1a\x02\x08\x07" + b"\x21" + b"\0" * 8
    found = fields(message)
    assert (first_int(found, 1), text(found, 2), reference(found, 3)) == (150, "reef", 7)
    assert fields(message + b"\x12\xff\xff\xff\x7f") == found
    assert fields(b"\x0b") == {}
    assert varint(b"\xff" * 20, 0) == (0, -1)


def test_damage_never_raises() -> None:
    package = Package(_SAMPLE.read_bytes(), Limits())
    raw = unpack(package.read("Index/CalculationEngine.iwa"), 1_000_000)
    chance = random.Random(4)
    for _ in range(300):
        damaged = bytearray(raw)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        found: dict[int, object] = {}
        objects(bytes(damaged), found)  # type: ignore[arg-type]
        unpack(bytes(damaged), 100_000)
