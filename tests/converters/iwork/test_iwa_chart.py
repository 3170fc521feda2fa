"""Charts of iWork 2013 and later: names, values and a title; descriptions of what is drawn."""

import struct

from shoal.converters.iwork.iwa import Object, fields
from shoal.converters.iwork.iwa_chart import CHART, chart_rows, chart_title, description


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _field(number: int, value: bytes | str | float) -> bytes:
    if isinstance(value, float):
        return _varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def test_names_stand_before_and_above_the_values() -> None:
    row = _field(3, _field(1, _field(1, 12.0)) + _field(1, _field(1, 7.5)))
    grid = _field(1, "Tern") + _field(2, "May") + _field(2, "June") + row
    title = Object(5023, _field(10_000, _field(46, "Birds by month")))
    chart = fields(_field(10_000, _field(7, grid) + _field(10, b"\x08\x09")))
    assert chart_rows(chart) == [["", "May", "June"], ["Tern", "12", "7.5"]]
    assert chart_title(chart, {9: title}) == "Birds by month"
    assert chart_title(chart, {}) == ""
    assert chart_rows({}) == []


def test_descriptions_stand_where_the_kind_has_them() -> None:
    drawable = _field(8, "A tern dives")
    assert description(Object(3005, _field(1, drawable))) == "A tern dives"
    assert description(Object(2011, _field(1, _field(1, drawable)))) == "A tern dives"
    assert description(Object(CHART, drawable)) == ""
    assert description(Object(2001, drawable)) == ""
