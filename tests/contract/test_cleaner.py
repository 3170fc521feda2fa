"""The Cleaner port: what every way of telling content from its frame must answer."""

from array import array

import pytest

from shoal.cleaners.cleaners import METHODS, ByModel, Chosen, cleaner_for
from shoal.model.content import KEPT, Content
from shoal.ports import Cleaner
from tests.cleaners.test_cleaners import PAGE, SAID

ODD = ("", "<", "plain words", "<p>\0</p>", "<p>ü\U0001f420", "<noscript><p>" + SAID, "</" * 99)


@pytest.fixture(params=[method for method in METHODS if method != "visual"])
def cleaner(request: pytest.FixtureRequest) -> Cleaner:
    made = cleaner_for(request.param)
    assert isinstance(made, ByModel | Chosen)
    return made


def pieces(found: Content) -> list[tuple[int, int]]:
    places = array("i", found.places).tolist()
    return list(zip(places[::2], places[1::2], strict=True))


@pytest.mark.parametrize("html", [PAGE, *ODD])
def test_pieces_of_the_source_are_in_order_and_apart(cleaner: Cleaner, html: str) -> None:
    found = cleaner.content(html)
    ends = [place for piece in pieces(found) for place in piece]
    assert ends == sorted(ends)
    assert all(start < end for start, end in pieces(found))
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(html))
    assert len(found.line_scores) == len(found.marks) == len(pieces(found))
    assert found.method in METHODS


def test_content_is_kept_and_the_same_page_has_the_same(cleaner: Cleaner) -> None:
    found = cleaner.content(PAGE)
    kept = [
        PAGE[start:end]
        for (start, end), shade in zip(pieces(found), found.line_scores, strict=True)
        if shade >= KEPT
    ]
    assert SAID.strip() in "".join(kept)
    assert "Imprint" not in "".join(kept)
    assert cleaner.content(PAGE) == found
