"""Which tags does an HTML page's text carry? Its blocks: headings, paragraphs, lists, tables.

The same scan as for the plain text (scan.py), with more tags told. There is no tree: a block ends
where one begins or ends, as in a browser without styles. A table is one block when its cells hold
no more than text; a table that lays out a page is read cell by cell.
"""

import re
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from shoal.converters.html.references import unescape
from shoal.converters.html.scan import Scanner
from shoal.converters.html.scan import Tag as Told
from shoal.converters.html.shading import ALL, NOTHING, Shading
from shoal.converters.html.table_blocks import Cell, Table
from shoal.converters.writer import Run, Writer, letters, roman
from shoal.model.content import Content
from shoal.model.page import Tag

_MAX_TAGS = 500_000
_MAX_DEPTH = 100
"""Of lists and tables in each other: what is deeper is read as if it were not."""
_BLOCKS = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li"
    " listing main menu nav ol p plaintext pre search section summary table tbody td textarea tfoot"
    " th thead tr ul xmp"
)
_BOUNDARIES = _BLOCKS.split()
_SPACES = {**dict.fromkeys(_BOUNDARIES, "\n"), "br": "\n", "select": "\n", "option": "\n"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_HIDDEN = frozenset({"noscript", "select", "datalist", "object", "template", "svg", "math"})
_KINDS = {
    "dt": Tag.TERM,
    "dd": Tag.DEFINITION,
    "blockquote": Tag.QUOTE,
    "figcaption": Tag.CAPTION,
    "caption": Tag.CAPTION,
    "pre": Tag.PRE,
    "listing": Tag.PRE,
    "xmp": Tag.PRE,
}
_BOLD = frozenset({"b", "strong"})
_STARTS = [*_BOUNDARIES, *_BOLD, *_HIDDEN, "a", "img", "title"]
_TOLD = [*_STARTS, *(f"/{name}" for name in _STARTS if name not in ("img", "title", "hr"))]
_ATTRIBUTES = ("href", "alt", "hidden", "style", "start", "value", "type")
_SCANNER = Scanner(_SPACES, ("pre", "listing"), _TOLD, _ATTRIBUTES)
_CELLS = frozenset({"td", "th", "tr", "tbody", "tfoot", "table"})
_ENDED_BY = {
    "p": frozenset(_BOUNDARIES),
    "li": frozenset({"li", "ul", "ol", "menu", "dir"}),
    "dt": frozenset({"dt", "dd", "dl"}),
    "dd": frozenset({"dt", "dd", "dl"}),
    "td": _CELLS,
    "th": _CELLS,
    "tr": frozenset({"tr", "tbody", "tfoot", "table"}),
}
"""Elements whose end tag may be left out, and the tags that end them."""
_PARENTS = frozenset({"div", "section", "article", "main", "body", "ul", "ol", "dl", "table"})
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def write_blocks(html: str, writer: Writer, content: Content | None = None) -> str:
    """Writes the blocks of a page; returns its title. `content`: of the page without NULs."""
    at = b"" if content is None else content.places
    scanned, tags, _, places = _SCANNER.scan(html.replace("\0", ""), _MAX_TAGS, at)
    shading = None if content is None else Shading(content, places)
    counts = Counter(name for name, _, _, _ in tags)
    unclosed = {name for name, count in counts.items() if count > counts[f"/{name}"]}
    walk = _Walk(scanned, writer, unclosed - _ENDED_BY.keys(), shading)
    for tag in tags:
        walk.take(tag)
        if writer.full:
            break
    walk.end()
    return walk.title


@dataclass(slots=True)
class _List:
    numbered: bool
    next: int = 1
    style: str = "1"


@dataclass(slots=True)
class _Hidden:
    name: str = ""
    """Of the element that hides what is in it, and how many of its name are open."""
    depth: int = 0


@dataclass(slots=True)
class _State:
    """What is open around the place where we are."""

    kinds: list[str] = field(default_factory=list)
    """Elements that say what their text is, the innermost last."""
    lists: list[_List] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    around: list[tuple[int, int]] = field(default_factory=list)
    """For each table: how many kinds and lists were open where it began."""
    item: str | None = None
    """The marker of the item whose first text comes next; None: no item has begun."""
    hidden: _Hidden = field(default_factory=_Hidden)


class _Walk:
    def __init__(
        self, scanned: str, writer: Writer, unclosed: Set[str], shading: Shading | None
    ) -> None:
        """`unclosed`: elements that do not all end. They hide nothing, or they might hide all."""
        self._scanned = scanned
        self._shading = shading
        self._hiding = _HIDDEN
        if shading is not None and shading.lives_in_noscript:
            self._hiding = _HIDDEN - {"noscript"}
        self._unclosed = unclosed
        self._writer = writer
        self._state = _State()
        self._start = 0
        """Where the block begins that is being read, and what is in it:"""
        self._marks: list[tuple[int, bool, str]] = []
        """From which place on the text is bold, and is a link to where."""
        self._captions: list[str] = []
        """What the pictures of the text show."""
        self._bold = 0
        self._href = ""
        self._shade = ALL if shading is None else NOTHING
        self.title = ""

    def take(self, tag: Told) -> None:
        name, attributes, place, inner = tag
        is_end = name[0] == "/"
        name = name[1:] if is_end else name
        if self._state.hidden.name and self._in_hidden(name, is_end, place):
            return
        if name == "title":
            self.title = self.title or " ".join(unescape(inner).split())
        elif name in self._hiding or (self._shading is None and _is_hidden(attributes)):
            self._flush(place)
            if not is_end and name not in self._unclosed:
                self._state.hidden = _Hidden(name, 1)
        elif name in _BOLD:
            self._bold = max(0, self._bold - 1) if is_end else self._bold + 1
            self._mark(place)
        elif name == "a":
            self._href = "" if is_end else unescape(attributes.get("href", ""))
            self._mark(place)
        elif name == "img":
            if alt := " ".join(unescape(attributes.get("alt", "")).split()):
                self._captions.append(alt)
        else:
            self._flush(place)
            (self._close if is_end else self._open)(name, attributes)

    def end(self) -> None:
        self._flush(len(self._scanned))
        while self._state.tables:
            self._end_table()

    def _in_hidden(self, name: str, is_end: bool, place: int) -> bool:
        """Whether a tag is hidden with what is around it. An element whose end tag may be left out
        ends with the next of its kind, and with whatever ends its parent."""
        hidden = self._state.hidden
        ended_by = _ENDED_BY.get(hidden.name)
        if ended_by is not None and (name in ended_by or (is_end and name in _PARENTS)):
            hidden.name = ""
            self._begin(place)
            return False
        if name == hidden.name:
            hidden.depth += -1 if is_end else 1
            if hidden.depth <= 0:
                hidden.name = ""
                self._begin(place)
        return True

    def _mark(self, place: int) -> None:
        self._marks.append((place, self._bold > 0, self._href))

    def _begin(self, place: int) -> None:
        self._start = place
        self._marks = [(place, self._bold > 0, self._href)] if self._bold or self._href else []
        self._captions = []

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        state = self._state
        if name in _LISTS:
            if len(state.lists) < _MAX_DEPTH:
                start = _number(attributes.get("start", ""), 1)
                state.lists.append(_List(name == "ol", start, attributes.get("type", "1")[:1]))
        elif name == "li":
            state.item = self._marker(attributes)
        elif name == "table":
            if len(state.tables) < _MAX_DEPTH:
                state.tables.append(Table())
                state.around.append((len(state.kinds), len(state.lists)))
        elif name in _KINDS or name in _HEADINGS:
            if name in ("dt", "dd"):
                self._end_definition()
            if len(state.kinds) < _MAX_DEPTH:
                state.kinds.append(name)
        elif state.tables:
            state.tables[-1].open(name)

    def _close(self, name: str, _attributes: dict[str, str]) -> None:
        state = self._state
        if name in _LISTS:
            if state.lists:
                state.lists.pop()
            state.item = None
        elif name == "li":
            state.item = None
        elif name == "table":
            if state.tables:
                self._end_table()
        elif name == "dl":
            self._end_definition()
        elif name in _HEADINGS:  # whatever its level: `<h2>…</h3>` is one heading
            state.kinds = [kind for kind in state.kinds if kind not in _HEADINGS]
        elif name in state.kinds:
            last = len(state.kinds) - 1 - state.kinds[::-1].index(name)
            del state.kinds[last:]
        elif state.tables:
            state.tables[-1].close(name)

    def _end_definition(self) -> None:
        """The end tags of terms and definitions may be left out."""
        if self._state.kinds and self._state.kinds[-1] in ("dt", "dd"):
            self._state.kinds.pop()

    def _marker(self, attributes: dict[str, str]) -> str:
        if not self._state.lists or not self._state.lists[-1].numbered:
            return ""
        last = self._state.lists[-1]
        number = _number(attributes.get("value", ""), last.next)
        last.next = number + 1
        return f"{_STYLES.get(last.style, str)(number)}."

    def _flush(self, place: int) -> None:
        """The text since the last boundary is a block, if it is not empty."""
        start, marks, captions = self._start, self._marks, self._captions
        if start == place and not marks and not captions:
            return  # two boundaries in a row, as most are
        self._begin(place)
        text = self._scanned[start:place]
        if text and not text.isspace():
            parts = [(start, place, ALL)]
            if self._shading is not None:
                parts = self._shading.parts(start, place)
            for low, high, self._shade in parts:
                runs = self._runs(low, high, marks)
                write = self._written(runs, self._scanned[low:high])
                self._put(Cell(runs, write, self._is_text, self._shade))
        for caption in captions:  # a picture is content where the text before it is
            self._put(Cell([Run(caption)], _caption(caption), True, self._shade))

    def _put(self, cell: Cell) -> None:
        if self._state.tables:
            self._state.tables[-1].put(cell)
        else:
            self._writer.shade = cell.shade
            cell.write(self._writer)

    def _runs(self, start: int, end: int, marks: list[tuple[int, bool, str]]) -> list[Run]:
        runs, bold, href = [], False, ""
        for mark, is_bold, to in [*marks, (end, False, "")]:
            place = min(mark, end)
            if place > start:
                runs.append(Run(unescape(self._scanned[start:place]), bold, href))
                start = place
            bold, href = is_bold, to
        return runs

    @property
    def _is_text(self) -> bool:
        """Whether what is read now could stand in a cell of a table: a list or a heading that
        began within the table could not."""
        state = self._state
        around = state.around[-1] if state.around else (0, 0)
        return (len(state.kinds), len(state.lists)) == around

    def _written(self, runs: list[Run], text: str) -> Callable[[Writer], None]:
        state = self._state
        kind = state.kinds[-1] if state.kinds else ""
        item, depth = state.item, len(state.lists)
        numbered = bool(state.lists and state.lists[-1].numbered)
        state.item = None

        def write(writer: Writer) -> None:
            if kind in _HEADINGS:
                writer.heading(runs, _HEADINGS[kind])
            elif _KINDS.get(kind) is Tag.PRE:
                writer.preformatted(unescape(text))
            elif item is not None:
                writer.item(runs, depth, numbered=numbered, marker=item)
            elif kind:
                writer.other(_KINDS[kind], runs)
            else:
                writer.paragraph(runs)

        return write

    def _end_table(self) -> None:
        table = self._state.tables.pop()
        self._state.around.pop()
        if self._state.tables:
            outer = self._state.tables[-1]
            outer.put(Cell([], table.write, False, self._shade))
        else:
            table.write(self._writer)


def _caption(text: str) -> Callable[[Writer], None]:
    return lambda writer: writer.other(Tag.CAPTION, text)


def _is_hidden(attributes: dict[str, str]) -> bool:
    if not attributes:
        return False
    return "hidden" in attributes or _INVISIBLE.search(attributes.get("style", "")) is not None


def _number(text: str, otherwise: int) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else otherwise


_STYLES: dict[str, Callable[[int], str]] = {
    "a": letters,
    "A": lambda number: letters(number).upper(),
    "i": roman,
    "I": lambda number: roman(number).upper(),
}
