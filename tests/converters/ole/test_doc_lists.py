"""Numbers of lists are counted as Word counts them."""

import struct

import pytest

from shoal.converters.ole.doc_lists import Lists, Marker, written


def _level(text: str, kind: int = 0, start: int = 1, *, legal: bool = False) -> bytes:
    head = struct.pack("<iBB9xB8xBBBB", start, kind, 4 if legal else 0, 0, 0, 0, 0, 0)
    return head + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def _lists(*levels: bytes) -> bytes:
    """One list of nine levels; those not given are plain."""
    rest = [_level(chr(each)) for each in range(len(levels), 9)]
    return struct.pack("<Hii18xBB", 1, 77, 0, 0, 0) + b"".join([*levels, *rest])


def _overrides(*starts: tuple[int, int] | None) -> bytes:
    """Overrides of that list; some start a level anew."""
    table = struct.pack("<I", len(starts))
    for start in starts:
        table += struct.pack("<iIIBBBB", 77, 0, 0, 1 if start else 0, 0, 0, 0)
    for start in starts:
        table += struct.pack("<I", 0)
        if start:
            table += struct.pack("<iI", start[1], start[0] | 0x10)
    return table


def _markers(lists: Lists, *paragraphs: tuple[int, int]) -> list[str]:
    found = [lists.marker(number, level) for number, level in paragraphs]
    return [each.text for each in found if each]


def test_lower_levels_start_again_after_a_higher_one() -> None:
    table = _lists(_level("\0."), _level("\0.\1.", 4), _level("\0.\1.\2", 2))
    lists = Lists(table, _overrides(None))
    shown = _markers(lists, (1, 0), (1, 1), (1, 1), (1, 2), (1, 0), (1, 1))
    assert shown == ["1.", "1.a.", "1.b.", "1.b.i", "2.", "2.a."]


def test_a_level_that_was_left_out_counts_as_begun() -> None:
    lists = Lists(_lists(_level("\0"), _level("\0.\1", 4), _level("\0.\1.\2", 1)), _overrides(None))
    assert _markers(lists, (1, 0), (1, 2), (1, 1)) == ["1", "1.a.I", "1.b"]


def test_overrides_count_on_unless_they_start_anew() -> None:
    lists = Lists(_lists(_level("(\0)")), _overrides(None, None, (0, 6)))
    assert _markers(lists, (1, 0), (2, 0), (3, 0), (3, 0)) == ["(1)", "(2)", "(6)", "(7)"]


def test_legal_numbering_is_in_digits() -> None:
    lists = Lists(_lists(_level("\0", 1), _level("\0.\1", 4, legal=True)), _overrides(None))
    assert _markers(lists, (1, 0), (1, 1)) == ["I", "1.1"]


def test_bullets_have_no_number_and_unknown_lists_no_marker() -> None:
    lists = Lists(_lists(_level("\uf0b7", 23)), _overrides(None))
    assert lists.marker(1, 0) == Marker("", 1)
    assert lists.marker(0, 0) is None
    assert lists.marker(9, 0) is None
    assert Lists(b"\xff\xff\x00", b"\xff\xff\xff\xff\x00").marker(1, 0) is None


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [
        (1994, 1, "MCMXCIV"),
        (4, 2, "iv"),
        (27, 3, "AA"),
        (53, 4, "aaa"),
        (1, 5, "1st"),
        (12, 5, "12th"),
        (23, 5, "23rd"),
        (7, 22, "07"),
        (3, 57, "- 3 -"),
        (5, 99, "5"),
        (9, 255, ""),
        (-1, 0, "-1"),
    ],
)
def test_formats_of_numbers(number: int, kind: int, shown: str) -> None:
    assert written(number, kind) == shown
