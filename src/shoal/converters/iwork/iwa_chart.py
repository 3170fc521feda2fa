"""What do charts and pictures of iWork 2013 and later say? A title and values; a description.

(TSCH.ChartArchive, TSD.DrawableArchive: everything drawn has one, more or less deep in it.)
"""

import struct
from collections.abc import Iterator

from shoal.converters.iwork.iwa import Fields, Object, fields, first_message, reference, text

CHART = 5021
_UNITY = 10_000
"""The field of a chart's own part, in what all drawn things share."""
_TITLE = 46
_DRAWABLE_DEPTH = {3005: 1, 3007: 1, 3008: 1, 6000: 1, CHART: 1, 2011: 2, 7: 3}
_MAX_CELLS = 100_000


def description(drawn: Object) -> str:
    """What it shows, in words for those who can't see it."""
    found = fields(drawn.payload)
    for _ in range(_DRAWABLE_DEPTH.get(drawn.type, 0)):
        found = first_message(found, 1)
    return text(found, 8) if drawn.type in _DRAWABLE_DEPTH else ""


def chart_title(chart: Fields, objects: dict[int, Object]) -> str:
    non_style = objects.get(reference(first_message(chart, _UNITY), 10))
    if non_style is None:
        return ""
    return text(first_message(fields(non_style.payload), _UNITY), _TITLE)


def chart_rows(chart: Fields) -> list[list[str]]:
    """Names above and before the values."""
    grid = first_message(first_message(chart, _UNITY), 7)
    names = list(_texts(grid, 1))
    rows = [["", *_texts(grid, 2)]]
    room = _MAX_CELLS
    for number, row in enumerate(grid.get(3, [])):
        name = names[number] if number < len(names) else ""
        values = fields(row).get(1, [])[:room] if isinstance(row, bytes) else []
        rows.append([name, *(_value(fields(v)) for v in values if isinstance(v, bytes))])
        room -= len(values)
    return rows if len(rows) > 1 else []


def _texts(grid: Fields, number: int) -> Iterator[str]:
    for value in grid.get(number, []):
        yield value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _value(found: Fields) -> str:
    value = next(iter(found.get(1, [])), b"")
    if not isinstance(value, bytes) or len(value) != 8:
        return ""
    return f"{struct.unpack('<d', value)[0]:.15g}"
