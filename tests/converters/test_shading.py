"""Shades of stretches of text: over one piece, over several, beside all of them."""

from array import array

import pytest

from shoal.converters.html.shading import ALL, Shade, Shading, is_mixed, mean_shade, score_of
from shoal.model.content import COMMENT, KEPT, NOSCRIPT, Content


def shading(*pieces: tuple[int, int, int, int]) -> Shading:
    """Of pieces (start, end, shade, marks) whose places in the source are those in the text."""
    places = array("i", (place for piece in pieces for place in piece[:2])).tobytes()
    shades, marks = (bytes(piece[at] for piece in pieces) for at in (2, 3))
    return Shading(Content("test", places, shades, marks), places)


PIECES = shading((0, 10, 200, 0), (10, 20, 100, COMMENT), (30, 40, 50, NOSCRIPT))


@pytest.mark.parametrize(
    ("start", "end", "shade"),
    [
        (0, 10, (200, 0)),
        (2, 8, (200, 0)),
        (10, 20, (100, COMMENT)),
        (5, 15, (150, COMMENT)),
        (5, 20, (133, COMMENT)),
        (15, 35, (75, COMMENT | NOSCRIPT)),  # the gap between weighs nothing
        (0, 50, (116, COMMENT | NOSCRIPT)),
        (20, 30, (0, 0)),
        (25, 26, (0, 0)),
        (40, 90, (0, 0)),
        (36, 42, (50, NOSCRIPT)),
        (38, 90, (1, NOSCRIPT)),  # but most of it is nobody's
    ],
)
def test_a_stretch_has_the_mean_of_its_pieces(start: int, end: int, shade: Shade) -> None:
    assert PIECES.of(start, end) == shade


def test_pieces_without_text_weigh_nothing() -> None:
    found = shading((0, 0, 255, COMMENT), (0, 5, 90, 0), (5, 5, 255, COMMENT), (5, 9, 30, 0))
    assert found.of(0, 5) == (90, 0)
    assert found.of(0, 9)[0] == (5 * 90 + 4 * 30) // 9


def test_where_nothing_was_found_nothing_is_content() -> None:
    assert shading().of(0, 5) == (0, 0)
    assert shading().lines([(0, 5), (6, 9)]) == b"\0\0"


def test_a_stretch_of_content_and_frame_falls_into_parts() -> None:
    found = shading((0, 10, 200, 0), (10, 20, 210, 0), (20, 30, 10, 0), (30, 40, 255, COMMENT))
    assert found.parts(0, 40) == [
        (0, 20, (205, 0)),
        (20, 30, (10, 0)),
        (30, 40, (255, COMMENT)),
    ]
    assert found.parts(2, 18) == [(2, 18, (205, 0))]
    assert found.parts(5, 8) == [(5, 8, (200, 0))]
    assert found.parts(45, 50) == [(45, 50, (0, 0))]


def test_cells_of_a_page_are_mixed_and_those_of_a_table_are_not() -> None:
    assert is_mixed([(255, 0), (10, 0)])
    assert not is_mixed([(255, 0), (100, 0)])
    assert not is_mixed([(140, 0), (10, 0)])
    assert not is_mixed([(255, 0)])
    assert not is_mixed([])


def test_lines_each_have_a_shade() -> None:
    assert PIECES.lines([(0, 9), (10, 20), (21, 29), (30, 31)]) == bytes([200, 100, 0, 50])


@pytest.mark.parametrize(
    ("marks", "shade", "lives"),
    [
        (NOSCRIPT, KEPT, True),
        (NOSCRIPT | COMMENT, 255, True),
        (NOSCRIPT, KEPT - 1, False),
        (COMMENT, 255, False),
        (0, 255, False),
    ],
)
def test_a_page_lives_in_noscript_if_content_is_there(marks: int, shade: int, lives: bool) -> None:
    assert shading((0, 5, 255, 0), (5, 9, shade, marks)).lives_in_noscript is lives


def test_the_mean_of_many_shades_by_their_weights() -> None:
    assert mean_shade([(200, 0), (100, COMMENT)], [3, 1]) == (175, COMMENT)
    assert mean_shade([(200, NOSCRIPT), (100, COMMENT)], [1, 1]) == (150, COMMENT | NOSCRIPT)
    assert mean_shade([(10, 0)], [0]) == ALL
    assert mean_shade([], []) == ALL


def test_a_shade_as_blocks_have_it() -> None:
    assert score_of(ALL) == (1.0, False)
    assert score_of((0, COMMENT)) == (0.0, True)
    assert score_of((KEPT, NOSCRIPT))[0] >= 0.5
    assert score_of((KEPT - 1, 0))[0] < 0.5
