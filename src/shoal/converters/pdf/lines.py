"""Which words make a line, and which lines a row? The stream's order, checked by the places.

Words of one baseline with no wide gap between them are a line. Those with a gap stand beside each
other: cells of a table, or columns that were written across. Producers draw in odd orders, so bits
of one line that were drawn apart are put together as well.
"""

import re

from shoal.converters.pdf.piece import Line
from shoal.converters.pdf.text import Word

MARKER = re.compile(
    r"(?P<bullet>[•‣◦▪▫●○■□◆◇➢➤►▶✓✔❖⁃∙·\uf000-\uf0ff]|[-–—*](?=$))"
    r"|(?P<number>\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)]|[A-Z]\)|\([a-zA-Z]\)|\(?[ivx]{1,5}\)"
    r"|[ivx]{2,5}\.|(?:\d{1,3}\.){1,4}\d{0,3})$"
)
_GAP_EM, _MARKER_GAP_EM, _BACK_EM = 1.5, 4.0, 0.3
_MARK_CHARS, _MARK_LINES = 3, 4
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def lines_of(words: list[Word]) -> list[Line]:
    lines: list[Line] = []
    line: Line | None = None
    row = 0
    rtl = any(_RTL.search(word.text) for word in words if not word.text.isascii())
    for word in words:
        if line is not None:
            place = "on" if rtl and _reads_back(line, word) else _place(line, word)
            if place == "on":
                _append(line, word)
                continue
            if place == "off" and _was_raised(lines, word):
                line = lines[-1]
                continue
            if place != "beside":
                row += 1
        line = Line([word], word.x0, word.x1, word.y, word.style.size, row=row)
        lines.append(line)
    for each in lines:
        _finish(each)
    return _together(_with_raised(lines))


def _reads_back(line: Line, word: Word) -> bool:
    """Whether a word goes on a line of Arabic or Hebrew. With figures and foreign words in it, it
    goes both ways; PDFium has put its words in order."""
    if word.breaks or abs(word.y - line.y) > 0.3 * line.size:
        return False
    if not any(_RTL.search(each.text) for each in (line.words[0], line.words[-1], word)):
        return False
    return max(word.x0 - line.x1, line.x0 - word.x1) < 2 * _GAP_EM * line.size


def _place(line: Line, word: Word) -> str:
    """`on` the line, `beside` it, or `off` it."""
    size, last = word.style.size, line.words[-1]
    big, small = max(size, line.size), min(size, line.size)
    if abs(word.y - line.y) > big * (0.55 if small < 0.8 * big else 0.3):
        # A part of a word may be raised more, if it is small.
        return "on" if word.glued and small < 0.8 * big else "off"
    gap = word.x0 - last.x1
    if word.tied or (word.glued and abs(gap) < big):
        return "on"
    if gap < -_BACK_EM * big:
        if word.x0 >= line.x0 and word.x1 <= line.x1 and not word.breaks:
            word.glued = True  # drawn over what stands there
            return "on"
        return "off"
    widest = _GAP_EM
    if len(line.words) == 1 and MARKER.match(last.text):
        widest = _MARKER_GAP_EM
    if gap > widest * big:
        return "beside"
    if word.breaks and gap < 0.08 * big:
        word.glued = True
    return "on"


def _was_raised(lines: list[Line], word: Word) -> bool:
    """Whether the last line is but a raised or lowered bit of the one before it, which goes on
    with this word; then all of it is one."""
    if len(lines) < 2 or len(lines[-1].words) > 3:
        return False
    line, bit = lines[-2], lines[-1]
    if not (bit.size < 0.8 * line.size and abs(bit.y - line.y) < line.size):
        return False
    if not -0.3 * line.size <= bit.x0 - line.x1 < 0.5 * line.size or abs(word.y - line.y) > 1:
        return False
    if not -0.3 * line.size <= word.x0 - bit.x1 < _GAP_EM * line.size:
        return False
    for each in (*bit.words, word):
        each.glued = each.glued or each.x0 - line.x1 < 0.15 * line.size
        _append(line, each)
    lines.pop()
    return True


def _append(line: Line, word: Word) -> None:
    line.words.append(word)
    line.x0, line.x1 = min(line.x0, word.x0), max(line.x1, word.x1)
    if word.style.size > line.size:
        if word.style.size > 1.2 * line.size:  # the line began with a raised figure
            line.y = word.y
        line.size = word.style.size


def _finish(line: Line) -> None:
    """The size is that of most of its letters."""
    first = line.words[0].style
    line.bold, line.mono = first.bold, first.mono
    weights: dict[float, int] | None = None
    for word in line.words:
        style = word.style
        if style is first:
            continue
        if not style.bold and word.text not in ".,:;":
            line.bold = False
        line.mono = line.mono and style.mono
        if style.size != first.size and weights is None:
            weights = {}
    if weights is not None:
        for word in line.words:
            size = word.style.size
            weights[size] = weights.get(size, 0) + len(word.text)
        line.size = max(weights, key=weights.__getitem__)


def _with_raised(lines: list[Line]) -> list[Line]:
    """Marks of notes that were written after the line they stand in are put into it."""
    kept: list[Line] = []
    for number, line in enumerate(lines):
        if len(line.words) == 1 and len(line.words[0].text) <= _MARK_CHARS:
            near = (*kept[-_MARK_LINES:], *lines[number + 1 : number + 2])
            home = next((each for each in near if _is_raised(line, each)), None)
            if home is not None:
                after = [n for n, word in enumerate(home.words) if word.x0 < line.x0]
                line.words[0].glued = True
                home.words.insert(after[-1] + 1 if after else 1, line.words[0])
                continue
        kept.append(line)
    return kept


def _is_raised(mark: Line, line: Line) -> bool:
    size = line.size
    return (
        mark.size < 0.85 * size
        and 0.15 * size < mark.y - line.y < 0.7 * size
        and line.x0 < mark.x0 < line.x1 + 0.3 * size
    )


def _together(lines: list[Line]) -> list[Line]:
    """Lines whose bits were drawn apart, joined at the place of the first of them."""
    if len(lines) < 2:
        return lines
    order = {id(line): number for number, line in enumerate(lines)}
    gone: set[int] = set()
    last: Line | None = None
    for line in sorted(lines, key=lambda line: (-round(line.y), line.x0)):
        if last is not None and _same_line(last, line):
            first, second = (last, line) if order[id(last)] < order[id(line)] else (line, last)
            tail = line.words[0]
            tail.glued = tail.glued or line.x0 - last.x1 < 0.12 * line.size
            tail.breaks = False
            first.words = last.words + line.words
            first.x0, first.x1 = last.x0, line.x1
            first.bold, first.mono = last.bold and line.bold, last.mono and line.mono
            first.size = max(first.size, second.size)
            gone.add(id(second))
            line = first  # noqa: PLW2901
        last = line
    return [line for line in lines if id(line) not in gone] if gone else lines


def _same_line(left: Line, right: Line) -> bool:
    size = max(left.size, right.size)
    gap = right.x0 - left.x1
    return (
        abs(left.y - right.y) < 0.1 * size
        and -0.15 * size <= gap <= 0.5 * size
        and min(left.size, right.size) > 0.6 * size
    )
