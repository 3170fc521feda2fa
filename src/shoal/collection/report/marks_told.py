"""What was found out about a page, for people and for programs?

A mark of a person's own is one value. Computed ones (words/marks.py) are several, each with how
sure it is and how often it stands in the page.
"""

from collections.abc import Iterator, Mapping

from shoal.model.record import Struct
from shoal.model.words.marks import COMPUTED, Value, values

_MOST_SHOWN = 12


class MarkLine(Struct):
    value: str
    confidence: float
    count: int
    """How often it stands there; 0 where that means nothing."""


Marks = dict[str, str | list[MarkLine]]


def own_marks(marks: Mapping[str, str]) -> dict[str, str]:
    """Those that a person gave."""
    return {name: cell for name, cell in marks.items() if cell and not _is_computed(name, cell)}


def as_json(marks: Mapping[str, str]) -> Marks:
    return {
        name: [MarkLine(each.text, each.chance, each.times) for each in values(cell)]
        if _is_computed(name, cell)
        else cell
        for name, cell in marks.items()
        if cell
    }


def mark_facts(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name and value of each, a line for each value."""
    for name, cell in marks.items():
        if _is_computed(name, cell):
            yield from ((name, _in_words(each)) for each in values(cell))
        elif cell:
            yield name, cell


def computed_lines(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name and values of each computed mark, in one line."""
    for name in COMPUTED:
        told = [_in_words(each) for each in values(marks.get(name, ""))]
        if told and "\t" in marks[name]:
            more = len(told) - _MOST_SHOWN
            rest = f", and {more:,} more" if more > 0 else ""
            yield name, ", ".join(told[:_MOST_SHOWN]) + rest


def _is_computed(name: str, cell: str) -> bool:
    """The same names may be given by hand, without numbers."""
    return name in COMPUTED and "\t" in cell


def _in_words(value: Value) -> str:
    times = f", {value.times:,} times" if value.times > 1 else ""
    return f"{value.text} ({value.chance:.0%}{times})"
