"""Marks that are computed: kept in one cell, found by what people type, counted as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.words.marks import (
    COMPUTED,
    MOST_VALUES,
    VALUE_CHARS,
    Value,
    asked_marks,
    facet_values,
    joined,
    marks_of,
    shown,
    values,
)


@given(st.lists(st.tuples(st.text(), st.floats(), st.integers(-3, 1 << 40)), max_size=80))
def test_whatever_was_found_is_kept_within_bounds(given_: list[tuple[str, float, int]]) -> None:
    cell = joined(Value(*each) for each in given_)
    cell.encode()
    read = values(cell)
    assert len(read) <= MOST_VALUES
    assert all(0 < len(each.text) <= VALUE_CHARS for each in read)
    assert all(0 <= each.chance <= 1 and each.times >= 0 for each in read)
    assert joined(read) == cell


@given(st.text())
def test_any_cell_is_read(cell: str) -> None:
    assert len(values(cell)) <= MOST_VALUES
    for name in COMPUTED:
        marks_of(name, cell)
        facet_values(name, cell)
        asked_marks(name, cell)


def test_a_cell_of_many_values() -> None:
    cell = joined([Value("Science/Biology", 0.934), Value("Art", 0.5, 3), Value("Art", 0.4)])
    assert cell == "Science/Biology\t0.93\nArt\t0.50\t3"
    assert shown(cell) == {"Science/Biology": 0.93, "Art": 0.5}
    assert values(cell)[1] == Value("Art", 0.5, 3)


def test_what_a_person_wrote_is_one_value() -> None:
    assert values("reef fish") == [Value("reef fish")]
    assert marks_of("mood", "Good/Bad") == ["mood=Good/Bad"]
    assert marks_of("topic", "Reef") == ["topic=Reef", "topic=reef"]


def test_a_class_finds_all_below_it() -> None:
    cell = joined([Value("Science/Biology", 0.9)])
    marks = marks_of("class", cell)
    for asked in ("science", "Science/", "science/biology", "SCIENCE/Biology"):
        assert set(asked_marks("class", asked)) <= set(marks)
    for asked in ("biology", "science/physics", "sci"):
        assert not set(asked_marks("class", asked)) <= set(marks)
    assert facet_values("class", cell) == ["Science", "Science/Biology"]


@pytest.mark.parametrize("asked", ["Zoë Lovelace", "lovelace", "zoe", "ZOË  lovelace"])
def test_a_person_is_found_by_each_word_of_the_name(asked: str) -> None:
    marks = marks_of("person", joined([Value("Zoë Lovelace", 0.8, 4)]))
    assert set(asked_marks("person", asked)) <= set(marks)
    assert facet_values("person", "Zoë Lovelace\t0.80\t4") == ["Zoë Lovelace"]


def test_nothing_asks_for_nothing() -> None:
    assert asked_marks("class", " / ") == []
    assert marks_of("class", "") == []
