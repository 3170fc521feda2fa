"""Which words stand on a page, where and how do they look? PDFium's text, in the stream's order.

Only the first and last letter of each word are asked for their places, and each text object once
for its looks: a call per letter would cost more than all the rest (measured: 1 µs each, 2,000
letters on a page). A word ends at white space or where the looks change within it.
"""

import ctypes
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shoal.converters.pdf.library import fast, narrow, raw

_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int
_object_at = fast(raw.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, _INT)
_origin_at = fast(raw.FPDFText_GetCharOrigin, _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS)
_loose_at = fast(raw.FPDFText_GetLooseCharBox, _INT, _ADDRESS, _INT, _ADDRESS)
_matrix_at = fast(raw.FPDFText_GetMatrix, _INT, _ADDRESS, _INT, _ADDRESS)
_font_size = fast(raw.FPDFText_GetFontSize, ctypes.c_double, _ADDRESS, _INT)
_is_generated = fast(raw.FPDFText_IsGenerated, _INT, _ADDRESS, _INT)
_font_of = fast(raw.FPDFTextObj_GetFont, _ADDRESS, _ADDRESS)
_mode_of = fast(raw.FPDFTextObj_GetTextRenderMode, _INT, _ADDRESS)
_mcid_of = fast(raw.FPDFPageObj_GetMarkedContentID, _INT, _ADDRESS)
_marks_of = fast(raw.FPDFPageObj_CountMarks, _INT, _ADDRESS)

_WORD = re.compile(r"[^\s\x00]+|[\r\n]+")
_BOLD = re.compile(
    r"bold|black|heavy|demi(?!light)|^cmbx|^[a-z]*cmssbx|-bd\b|,bd|[-,]b$", re.IGNORECASE
)
_NAMELESS = re.compile(r"(?:[A-Z]{1,2}|font|C2)?_?\d*$", re.IGNORECASE)
_MONO = re.compile(r"mono|cour|consol|typewriter|^cmtt|tt\d+$|menlo|lettergothic", re.IGNORECASE)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FORCE_BOLD, _HEAVY, _FILL_AND_STROKE = 1 << 18, 700, 2
_MARKS = 8
_NONE, _SPACE, _SPACES, _BREAK = range(4)
"""What stands before a word."""
_BAND_PT = 12
_STRETCH_CHARS = 2_000
"""A line is shorter; what goes on for longer is taken in parts, or each letter would be copied as
often as letters follow it."""
MOST_WORDS = 1_000_000
"""Of one document: as many as its letters make in any language. A file may draw each letter by
itself, and each costs as much as a word."""
ACCENTS = {
    "¨": "\u0308",
    "´": "\u0301",
    "¸": "\u0327",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "˘": "\u0306",
    "˙": "\u0307",
    "˚": "\u030a",
    "˝": "\u030b",
    "¯": "\u0304",
}
ACCENT = re.compile(f"[{''.join(ACCENTS)}]")
DIVISIONS = "\x02\ufffe"
"""What PDFium writes for hyphens that it takes for those of a divided word."""


class Style(NamedTuple):
    size: float
    """In points, as seen."""
    bold: bool
    mono: bool
    """All letters have the same width, as in code."""
    mcid: int
    """Of the marked content, by which the structure tree names it; -1 for none."""
    artifact: bool
    """Marked as no part of the text: running heads, page numbers."""
    turn: int
    """Quarters by which the text is turned to the left, 0 to 3."""


@dataclass(slots=True)
class Word:
    """Or some words of a line that stand together and look the same."""

    text: str
    x0: float
    x1: float
    """Along the line, also of turned text, and"""
    y: float
    """The height of the baseline, upwards from the lower edge."""
    style: Style
    breaks: bool
    """PDFium sees a new line before it."""
    glued: bool
    """No space before it."""
    tied: bool = False
    """One space was written before it, however wide."""
    href: str = ""


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def turned(self, turn: int) -> "Box":
        """The same in the directions of turned text."""
        left, bottom, right, top = self
        if turn == 0:
            return self
        if turn == 1:
            return Box(bottom, -right, top, -left)
        if turn == 2:
            return Box(-right, -top, -left, -bottom)
        return Box(-top, left, -bottom, right)


class PageText(NamedTuple):
    words: list[Word]
    box: Box
    asked: int = 0
    """Words and parts of words that were asked for, each with its place and looks."""


class _Looks:
    """Styles of text objects and fonts of one page, each asked once."""

    def __init__(self, text: int, marked: bool) -> None:
        self._text, self._marked = text, marked
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[bool, bool]] = {}
        self._matrix = (ctypes.c_float * 6)()
        self._matrix_at = ctypes.addressof(self._matrix)

    def style(self, found: int | None, index: int) -> Style:
        key = found or 0
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._ask(key, index)
        return style

    def _ask(self, found: int, index: int) -> Style:
        size, turn = _font_size(self._text, index), 0
        if _matrix_at(self._text, index, self._matrix_at):
            a, b, c, d = self._matrix[:4]
            size *= (c * c + d * d) ** 0.5 or 1.0
            turn = (0 if a >= 0 else 2) if abs(a) >= abs(b) else (1 if b > 0 else 3)
        if not 0.5 <= size <= 2_000:
            size = 1.0
        if not found:
            return Style(round(size, 1), False, False, -1, False, turn)
        font = _font_of(found)
        known = self._fonts.get(font)
        if known is None:
            known = self._fonts[font] = _weight_and_pitch(font) if font else (False, False)
        bold = known[0] or _mode_of(found) == _FILL_AND_STROKE
        mcid, artifact = -1, False
        if self._marked:
            mcid = _mcid_of(found)
            artifact = mcid < 0 < _marks_of(found) and _is_artifact(found)
        return Style(round(size, 1), bold, known[1], mcid, artifact, turn)


def _weight_and_pitch(font: int) -> tuple[bool, bool]:
    """Whether a font is bold, and whether it is that of a typewriter."""
    handle = ctypes.cast(font, raw.FPDF_FONT)
    name = narrow(raw.FPDFFont_GetBaseFontName, handle).rpartition("+")[2]
    flags = max(0, raw.FPDFFont_GetFlags(handle))
    bold = _BOLD.search(name) is not None or bool(flags & _FORCE_BOLD)
    if not bold and _NAMELESS.match(name):
        # Told from the width of stems, which many fonts state wrongly.
        bold = raw.FPDFFont_GetWeight(handle) >= _HEAVY
    return bold, _MONO.search(name) is not None


def _is_artifact(found: int) -> bool:
    handle = ctypes.cast(found, raw.FPDF_PAGEOBJECT)
    return any(
        _mark_name(raw.FPDFPageObj_GetMark(handle, number)) == "Artifact"
        for number in range(min(_MARKS, max(0, _marks_of(found))))
    )


def _mark_name(mark: Any) -> str:
    buffer = (ctypes.c_ushort * 32)()
    length = ctypes.c_ulong()
    if not raw.FPDFPageObjMark_GetName(mark, buffer, ctypes.sizeof(buffer), length):
        return ""
    return bytes(buffer)[: length.value].decode("utf-16-le", "replace").rstrip("\0")


class Wanted(NamedTuple):
    """How words are read."""

    most_chars: int
    marked: bool = True
    """With what marks them for the structure tree."""
    links: Sequence[Box] = ()
    """One by one, where there are links."""
    most_words: int = MOST_WORDS


def words_of(page: Any, wanted: Wanted) -> PageText:
    """Those that can be seen: what lies beside the page is left out. Words that stand together and
    look the same are one, but for the first of a line, and where links are."""
    box = _box_of(page)
    handle = raw.FPDFText_LoadPage(page)
    if not handle:
        return PageText([], box)
    try:
        count = min(wanted.most_chars, raw.FPDFText_CountChars(handle))
        words, asked = _words(handle, count, wanted) if count > 0 else ([], 0)
    finally:
        raw.FPDFText_ClosePage(handle)
    boxes = [box.turned(turn) for turn in range(4)]
    seen = [
        word
        for word in words
        for left, bottom, right, top in (boxes[word.style.turn],)
        if word.x1 > left and word.x0 < right and bottom - 2 <= word.y <= top
    ]
    return PageText(seen or words, box, asked)


def _box_of(page: Any) -> Box:
    found = raw.FS_RECTF()
    if raw.FPDF_GetPageBoundingBox(page, found) and found.right > found.left:
        return Box(found.left, found.bottom, found.right, found.top)
    return Box(0, 0, raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page))


def _letters(handle: Any, count: int) -> str:
    """One character for each of PDFium's, so that places in both are the same."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(handle, 0, count, buffer) - 1
    if written == count:
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        return text if len(text) == count else "".join(map(chr, buffer[:count]))
    units = (raw.FPDFText_GetUnicode(handle, index) for index in range(count))
    return "".join(chr(unit) if 0 < unit < 0x110000 else "\0" for unit in units)


def _heights(links: Sequence[Box]) -> frozenset[int]:
    """Where links stand, in bands across the page."""
    return frozenset(
        band
        for link in links
        for band in range(
            int(link.bottom // _BAND_PT) - 1,
            min(int(link.top // _BAND_PT), int(link.bottom // _BAND_PT) + 200) + 1,
        )
    )


def _words(handle: Any, count: int, wanted: Wanted) -> tuple[list[Word], int]:
    """And how many were asked for."""
    letters = _letters(handle, count)
    text = ctypes.cast(handle, ctypes.c_void_p).value or 0
    reading = _Reading(text, letters, wanted)
    before, breaks = -2, True
    for match in _WORD.finditer(letters):
        if reading.asked >= wanted.most_words:
            break
        start, end = match.span()
        if letters[start] in "\r\n":
            breaks = True
            continue
        space = _BREAK if breaks else _SPACE if start - before == 1 else _SPACES
        found = _object_at(text, start)
        if end - start == 1 or _object_at(text, end - 1) == found:
            reading.word(start, end, found, space)
        else:
            parts = _stretches(text, start, end, wanted.most_words - reading.asked)
            for first, last, part in parts:
                reading.word(first, last, part, _NONE if first > start else space)
        breaks, before = False, end
    if not letters.isascii() or DIVISIONS[0] in letters:
        _mend_letters(reading.words)
    return reading.words, reading.asked


class _Reading:
    """Words as they are asked for; buffers are made once."""

    def __init__(self, text: int, letters: str, wanted: Wanted) -> None:
        self._text, self._letters, self._linked = text, letters, _heights(wanted.links)
        self._looks = _Looks(text, wanted.marked)
        self._place, self._box = (ctypes.c_double * 2)(), (ctypes.c_float * 4)()
        self._x_at = ctypes.addressof(self._place)
        self._y_at, self._box_at = self._x_at + 8, ctypes.addressof(self._box)
        self._rtl = _RTL.search(letters) is not None
        self._stretch: Word | None = None  # that may be made longer
        self.words: list[Word] = []
        self.asked = 0

    def word(self, start: int, end: int, found: int | None, space: int) -> None:
        text, box = self._text, self._box
        self.asked += 1
        _origin_at(text, start, self._x_at, self._y_at)
        _loose_at(text, end - 1, self._box_at)
        style = self._looks.style(found, start)
        if style.turn:
            x0, x1, y = _along(style.turn, self._place, box)
        else:
            (x0, y), x1 = self._place, box[2]
        if self._rtl and not style.turn:
            left, right = box[0], box[2]
            _loose_at(text, start, self._box_at)
            x0, x1 = min(left, box[0]), max(right, box[2])
        x1 = max(x0, x1)
        letters = self._letters[start:end]
        if not letters.isascii() and ACCENT.search(letters):
            letters = self._accented(start, letters)
        last = self._stretch
        gap = x0 - self.words[-1].x1 if self.words else 0.0
        if last is not None and space < _SPACES and last.y == y and last.style == style:
            widest = style.size if last.style is style else 0.45 * style.size
            fits = -0.2 * style.size < gap < widest and len(last.text) < _STRETCH_CHARS
            if fits and last.text[-1] not in DIVISIONS:
                last.text += letters if space == _NONE else " " + letters
                last.x1 = x1
                return
        word = Word(letters, x0, x1, y, style, space == _BREAK, space == _NONE)
        leads = space == _BREAK or gap > style.size or self._rtl
        if space == _SPACE and gap > style.size and self.words[-1].style is style:
            word.tied = not _is_generated(text, start - 1)
        self._stretch = None if leads or int(y // _BAND_PT) in self._linked else word
        self.words.append(word)

    def _accented(self, start: int, letters: str) -> str:
        """Accents that were drawn over letters (as TeX does) become one with them."""
        spans: list[tuple[float, float]] = []
        for index in range(start, start + len(letters)):
            _loose_at(self._text, index, self._box_at)
            spans.append((self._box[0], self._box[2]))
        marks = {n: ACCENTS[letter] for n, letter in enumerate(letters) if letter in ACCENTS}
        said = {n: letter for n, letter in enumerate(letters) if n not in marks}
        for number, mark in marks.items():
            middle = (spans[number][0] + spans[number][1]) / 2
            under = [n for n in said if spans[n][0] <= middle <= spans[n][1] and said[n].isalpha()]
            if under:
                said[under[0]] = unicodedata.normalize("NFC", said[under[0]] + mark)
            else:
                said[number] = letters[number]
        return "".join(said[n] for n in sorted(said))


def _mend_letters(words: list[Word]) -> None:
    """Letters of two units become one. Where PDFium took a hyphen for a division, it has joined
    the lines; they are two again, as all others are."""
    last = None
    for word in words:
        if not word.text.isascii():
            pairs = word.text.encode("utf-16-le", "surrogatepass")
            word.text = pairs.decode("utf-16-le", "replace")
        if last is not None and word.glued and last.text[-1:] in DIVISIONS:
            word.breaks, word.glued = True, False
        last = word


def _along(turn: int, place: Any, box: Any) -> tuple[float, float, float]:
    """Where a word begins and ends along its line, and the line's height."""
    if turn == 1:
        return place[1], box[1], -place[0]
    if turn == 2:
        return -place[0], -box[0], -place[1]
    return -place[1], -box[3], place[0]


def _stretches(text: int, start: int, end: int, most: int) -> list[tuple[int, int, int | None]]:
    """(start, end, text object) of the parts of a word that are drawn apart, the first of them."""
    parts: list[tuple[int, int, int | None]] = []
    first, found = start, _object_at(text, start)
    for index in range(start + 1, end):
        other = _object_at(text, index)
        if other != found and other:
            parts.append((first, index, found))
            if len(parts) >= most:
                return parts
            first, found = index, other
    parts.append((first, end, found))
    return parts
