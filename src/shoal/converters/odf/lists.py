"""Which number stands before an item or a heading? Counted as the office programs count.

OpenDocument stores how lists are numbered, not the numbers: a list begins again unless it says that
it goes on (`continue-numbering`, `continue-list`), an item may set its number (`start-value`), and
a number may show those above it (`2.1.3`). An item without a paragraph of its own is not counted.
"""

import re

from shoal.converters.odf.styles import Level, Styles
from shoal.converters.writer import letters, roman

_MAX_LEVELS = 10
_PLACE = re.compile(r"%(\d{1,2})%")


class Counter:
    """The numbers of one list, level by level."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def count(self, depth: int, levels: dict[int, Level], start: int | None = None) -> None:
        level = levels.get(depth, Level())
        before = self._numbers.get(depth)
        number = level.start if before is None else before + 1
        self._numbers[depth] = number if start is None else start
        for deeper in range(depth + 1, _MAX_LEVELS + 1):
            self._numbers.pop(deeper, None)

    def marker(self, depth: int, levels: dict[int, Level]) -> str:
        level = levels.get(depth, Level())
        if not level.is_numbered:
            return ""
        if level.pattern:
            return _PLACE.sub(lambda found: self._shown(int(found[1]), levels), level.pattern)
        first = max(1, depth - level.shown_levels + 1)
        shown = (self._shown(each, levels) for each in range(first, depth + 1))
        return f"{level.prefix}{'.'.join(filter(None, shown))}{level.suffix}".strip()

    def _shown(self, depth: int, levels: dict[int, Level]) -> str:
        level = levels.get(depth, Level())
        number = self._numbers.get(depth, level.start)
        return formatted(number, level.num_format) if level.num_format else ""


class Lists:
    """All lists of a text: which of them go on with the numbers of another."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._by_id: dict[str, Counter] = {}
        self._by_style: dict[str, Counter] = {}
        self._headings = Counter()

    def begin(self, style: str, identity: str, continues: str, goes_on: bool) -> Counter:
        """The counter of a list that is not within another."""
        if continues:
            counter = self._by_id.get(continues) or self._by_style.get(style) or Counter()
        else:
            counter = (self._by_style.get(style) if goes_on else None) or Counter()
        if identity:
            self._by_id[identity] = counter
        self._by_style[style] = counter
        return counter

    def levels(self, style: str) -> dict[int, Level]:
        return self._styles.lists.get(style, {})

    def heading(self, level: int, start: int | None) -> str:
        """The number of a heading that is in no list: by the outline of the document."""
        outline = self._styles.outline
        if not outline.get(level, Level()).is_numbered:
            return ""
        self._headings.count(level, outline, start)
        return self._headings.marker(level, outline)


def formatted(number: int, num_format: str) -> str:
    if num_format[:1] in ("a", "A"):
        text = letters(number)
    elif num_format[:1] in ("i", "I"):
        text = roman(number)
    else:
        return str(number)
    return text.upper() if num_format[0].isupper() else text
