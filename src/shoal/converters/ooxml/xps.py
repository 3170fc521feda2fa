"""What does an XPS document say? The glyphs of its fixed pages, as lines, paragraphs, headings.

ECMA-388 (OpenXPS) and Microsoft's XPS, which differ in namespaces only. Headings are the entries of
the outline where there is one, else short paragraphs in letters clearly larger than most; bold is
told by the font.
"""

import posixpath
import re
from collections import Counter

from shoal.converters.context import Context, Converted
from shoal.converters.ooxml.ooxml import Parts, describe
from shoal.converters.ooxml.xps_font import Font
from shoal.converters.ooxml.xps_page import Lines, glyphs_of, paragraphs
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import attribute, named

_DIGITS = re.compile(r"(\d+)")
_LEADING_BULLET = re.compile(r"^[^\w\s]\s*")
_CLEARLY_LARGER = 1.15
_MAX_HEADING_CHARS = 200
_MAX_FONTS = 100


def convert(body: bytes, context: Context) -> list[Converted]:
    parts = Parts.of_zip(body, context.limits)
    writer = Writer(context.limits)
    names = _pages(parts)
    fonts = _Fonts(parts)
    pages: list[list[Lines]] = []
    room = context.limits.text_chars
    for name in names:
        root = parts.root(name)
        folder = posixpath.dirname(name)
        found = paragraphs(glyphs_of(root, fonts.under(folder))) if root is not None else []
        pages.append(found)
        room -= sum(len(glyphs.text) for each in found for glyphs in each.glyphs)
        if room < 0:
            break
    levels = _Levels(parts, pages)
    for number, found in enumerate(pages, 1):
        for paragraph in found:
            _write(paragraph, levels, writer, number)
    page = writer.page()
    describe(page, parts)
    page.title = page.title or writer.first_heading[:1000]
    problem = parts.problem or writer.problem or ("" if names else "damaged: no pages in it")
    return [Converted(page, problem=problem)]


def _write(paragraph: Lines, levels: "_Levels", writer: Writer, number: int) -> None:
    runs = paragraph.runs()
    level = levels.of(paragraph)
    if level:
        runs = [run._replace(bold=False) for run in runs]
        writer.heading(runs, level, font_size=round(paragraph.size, 1), source=number)
    elif paragraph.is_item:
        kept: list[Run] = [runs[0]._replace(text=_LEADING_BULLET.sub("", runs[0].text.lstrip()))]
        writer.item([*kept, *runs[1:]], source=number)
    else:
        writer.paragraph(runs, source=number)


class _Levels:
    """Which paragraphs are headings."""

    def __init__(self, parts: Parts, pages: list[list[Lines]]) -> None:
        self._outline: dict[str, int] = {}
        for name in parts.names:
            root = parts.root(name) if name.lower().endswith(".struct") else None
            for entry in named(root, "OutlineEntry") if root is not None else ():
                level = attribute(entry, "OutlineLevel")
                depth = int(level) if level.isdecimal() and len(level) < 3 else 1
                self._outline.setdefault(_key(attribute(entry, "Description")), depth)
        counts: Counter[float] = Counter()
        for page in pages:
            for paragraph in page:
                counts[_rounded(paragraph.size)] += len(paragraph.text)
        self._usual = counts.most_common(1)[0][0] if counts else 0.0
        larger = (size for size in counts if size >= self._usual * _CLEARLY_LARGER)
        self._sizes = sorted(larger, reverse=True)

    def of(self, paragraph: Lines) -> int:
        """0 for text."""
        text = paragraph.text.strip()
        if self._outline:
            return self._outline.get(_key(text), 0)
        size = _rounded(paragraph.size)
        if size not in self._sizes or len(text) > _MAX_HEADING_CHARS or len(text) < 2:
            return 0
        return min(6, self._sizes.index(size) + 1)


class _Fonts:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, Font] = {}

    def under(self, folder: str) -> "_Folder":
        return _Folder(self, folder)

    def font(self, name: str) -> Font:
        if name not in self._known:
            data = self._parts.data(name) if len(self._known) < _MAX_FONTS else b""
            self._known[name] = Font(data, name)
        return self._known[name]


class _Folder:
    """Fonts as a page names them."""

    def __init__(self, fonts: _Fonts, folder: str) -> None:
        self._fonts = fonts
        self._folder = folder

    def __call__(self, address: str) -> Font:
        return self._fonts.font(_joined(self._folder, address.partition("#")[0]))


def _pages(parts: Parts) -> list[str]:
    """By way of the sequence of documents; by name when it is lost."""
    names: list[str] = []
    sequence = parts.main("FixedDocSeq.fdseq", "FixedDocumentSequence.fdseq")
    root = parts.root(sequence) if sequence else None
    for document in named(root, "DocumentReference") if root is not None else ():
        name = _joined(posixpath.dirname(sequence), attribute(document, "Source"))
        held = parts.root(name)
        for page in named(held, "PageContent") if held is not None else ():
            names.append(_joined(posixpath.dirname(name), attribute(page, "Source")))
    names = [name for name in dict.fromkeys(names) if name in parts]
    if not names:
        found = [name for name in parts.names if name.lower().endswith(".fpage")]
        names = sorted(found, key=lambda name: [part.zfill(9) for part in _DIGITS.split(name)])
    return names


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _key(text: str) -> str:
    return "".join(text.split()).lower()


def _rounded(size: float) -> float:
    return round(size * 2) / 2
