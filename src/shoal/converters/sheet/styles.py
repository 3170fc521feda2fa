"""How does a cell's style show its value? By a number format and a font, both shared by many cells.

The same for all formats of Excel: styles are a numbered list, cells name one of them.
"""

from typing import NamedTuple

from shoal.converters.sheet.builtin import BUILTIN
from shoal.converters.sheet.date import serial_of
from shoal.converters.sheet.format import NumberFormat, general
from shoal.converters.sheet.sheet import embolden
from shoal.converters.writer import Inline

_MAX_STYLES = 70_000
_MAX_FORMATS = 5_000


class Style(NamedTuple):
    format: NumberFormat
    bold: bool


class Styles:
    """Of the cells, by their number; shared by all formats of Excel."""

    def __init__(self, *, from_1904: bool = False) -> None:
        self.from_1904 = from_1904
        self._made: dict[str, NumberFormat] = {}
        self.codes: dict[int, str] = {}
        """Number formats by id, beside the builtin ones."""
        self.bold_fonts: list[bool] = []
        self.cells: list[Style] = []

    def add(self, format_id: int, font: int) -> None:
        if len(self.cells) < _MAX_STYLES:
            bold = 0 <= font < len(self.bold_fonts) and self.bold_fonts[font]
            self.cells.append(Style(self.format(format_id), bold))

    def format(self, format_id: int) -> NumberFormat:
        code = self.codes.get(format_id) or BUILTIN.get(format_id, "General")
        if code not in self._made:
            if len(self._made) >= _MAX_FORMATS:
                code = "General"
            self._made[code] = NumberFormat(code)
        return self._made[code]

    def number(self, value: float, style: int) -> Inline:
        if not 0 <= style < len(self.cells):
            return general(value)
        found = self.cells[style]
        shown = found.format.show(value, from_1904=self.from_1904)
        return embolden(shown) if found.bold else shown

    def moment(self, iso: str, style: int) -> Inline:
        """A date that is written out, as its format shows it; without one, as it is written."""
        serial = serial_of(iso)
        if serial is not None and 0 <= style < len(self.cells):
            found = self.cells[style]
            if found.format.is_date:
                shown = found.format.show(serial)
                return embolden(shown) if found.bold else shown
        iso = iso.strip().removesuffix("Z").removesuffix(".000")
        return self.text(iso.removesuffix("T00:00:00").replace("T", " "), style)

    def text(self, inline: Inline, style: int) -> Inline:
        if not 0 <= style < len(self.cells):
            return inline
        found = self.cells[style]
        if isinstance(inline, str):
            inline = found.format.show_text(inline)
        return embolden(inline) if found.bold else inline
