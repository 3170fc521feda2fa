"""Which element holds which text of a page's source?

A light tree for the DOM filters: elements in document order in parallel lists, each with its place
in the source, and the runs of text with the element that holds them. Ends are implied as browsers
imply them (HTML Standard, 13.2.6) for what is common on the web: `p`, list items, definitions,
table parts, options. Formatting elements (`a`, `b`, `em` …) are no nodes, because they are closed
in the wrong order so often; whether a text is a link's is a state that is kept while reading.

Linear time and bounded depth on any source: an end tag looks only at a count of what is open in its
own table cell, and pops what it closes; nothing here recurses.
"""

from collections.abc import Iterator

from shoal.cleaners.tokens import HtmlTokenKind, tokens

MAX_DEPTH = 512
"""As in browsers: what is nested deeper counts as text of the deepest element."""
MAX_ELEMENTS = 300_000
ROOT = 0


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FORMATTING = _words(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q rp rt ruby s samp"
    " small strike strong sub sup tt u var"
)
"""Elements that are no nodes of the tree."""
_VOID = _words(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track"
    " wbr"
)
_IN_HEAD = _words("title script style noscript template")
_ENDS_PARAGRAPH = _words(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul"
    " li dd dt"
)
_SCOPES = frozenset({"table", "td", "th", "caption", "template", "object"})
"""No end tag within one of these closes anything outside of it."""
_FOREIGN = frozenset({"svg", "math"})
_ENDS_FOREIGN = _words(
    "blockquote body center dd div dl dt h1 h2 h3 h4 h5 h6 head li menu ol p pre span table ul"
)
"""What cannot stand in a drawing or a formula, and so ends one that was left open."""
_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})
_IMPLIED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "option": (frozenset({"option"}), frozenset({"select", "datalist", "optgroup"})),
    "optgroup": (frozenset({"optgroup"}), frozenset({"select"})),
}
"""A start tag → the open elements it ends, and the elements that it does not look beyond."""
_MAX_IMPLIED_REACH = 32
"""How many open elements an implied end looks through, so that a hostile page costs no more."""


class Tree:
    """The elements of a page in document order; number 0 stands for the page itself."""

    __slots__ = (
        "_foreign", "_html", "_linked", "_open", "_scopes", "_too_deep",
        "afters", "ends", "names", "parents", "starts", "tag_ends", "texts",
    )  # fmt: skip

    def __init__(self, html: str) -> None:
        self.names = ["#page"]
        self.parents = [-1]
        self.starts = [0]
        self.tag_ends = [0]
        """Where an element's start tag ends."""
        self.ends = [len(html)]
        self.afters = [1]
        """The number of the first element after this one that is not within it."""
        self.texts: list[tuple[int, int, int, bool]] = []
        """Runs of text that is not all space: start, end, holding element, is within a link."""
        self._html = html
        self._open = [ROOT]
        self._scopes: list[tuple[str, dict[str, int]]] = [("", {})]
        """The open scopes, each with how many elements of a name are open in it."""
        self._foreign = self._too_deep = 0
        self._linked = False
        self._read()

    def __len__(self) -> int:
        return len(self.names)

    def children(self, element: int) -> Iterator[int]:
        """The elements directly within one."""
        child, after = element + 1, self.afters[element]
        while child < after:
            yield child
            child = self.afters[child]

    def _read(self) -> None:
        html, opened = self._html, self._open
        for kind, name, start, end in tokens(html):
            if kind == HtmlTokenKind.TEXT:
                if not html[start:end].isspace():
                    self._end_head(start)
                    self.texts.append((start, end, opened[-1], self._linked))
            elif name == "a":
                self._linked = kind == HtmlTokenKind.START and "href" in html[start:end].lower()
            elif name == "hr":
                self._end("p", start, start)
            elif kind == HtmlTokenKind.OTHER or name in FORMATTING or name in _VOID:
                pass
            elif kind == HtmlTokenKind.START:
                self._start_tag(name, start, end)
            elif self._too_deep:
                self._too_deep -= 1
            elif self._end(name, start, end) and name in _SCOPES:
                self._linked = False
        while opened:
            self._pop(len(html))

    def _start_tag(self, name: str, start: int, end: int) -> None:
        if self._foreign:
            if name in _ENDS_FOREIGN:
                while self._foreign:
                    self._pop(start)
            elif self._html.startswith("/>", end - 2):
                return
        if not self._foreign:
            self._imply(name, start)
        if len(self._open) >= MAX_DEPTH or len(self.names) >= MAX_ELEMENTS:
            self._too_deep += 1
            return
        if name in _SCOPES:
            self._linked = False
        self._start(name, start, end)

    def _start(self, name: str, start: int, end: int) -> None:
        number = len(self.names)
        self.names.append(name)
        self.parents.append(self._open[-1])
        self.starts.append(start)
        self.tag_ends.append(end)
        self.ends.append(end)
        self.afters.append(number + 1)
        self._open.append(number)
        counts = self._scopes[-1][1]
        counts[name] = counts.get(name, 0) + 1
        self._foreign += name in _FOREIGN
        if name in _SCOPES:
            self._scopes.append((name, {}))

    def _pop(self, end: int) -> None:
        number = self._open.pop()
        self.ends[number] = end
        self.afters[number] = len(self.names)
        if number == ROOT:
            return
        name = self.names[number]
        self._foreign -= name in _FOREIGN
        if name in _SCOPES:
            self._scopes.pop()
        self._scopes[-1][1][name] -= 1

    def _end(self, name: str, start: int, end: int) -> bool:
        """Close the innermost open element of this name, and what is open within it."""
        scope, counts = self._scopes[-1]
        if name in _SCOPES:
            if scope != name:
                if scope not in _CELLS or self._scopes[-2][0] != name:
                    return False  # only a table's end reaches out of a cell
                self._end(scope, start, start)
        elif not counts.get(name):
            if name not in _ROWS or scope not in _CELLS or not self._scopes[-2][1].get(name):
                return False
            self._end(scope, start, start)
        names, opened = self.names, self._open
        while names[opened[-1]] != name:
            self._pop(start)
        self._pop(end)
        return True

    def _end_head(self, at: int) -> None:
        if self.names[self._open[-1]] == "head":
            self._pop(at)

    def _imply(self, name: str, at: int) -> None:
        """End what this start tag ends without saying so."""
        if name not in _IN_HEAD:
            self._end_head(at)
        if name in _ENDS_PARAGRAPH:
            self._end("p", at, at)
        if name in _CELLS or name in _ROWS:
            self._imply_row(name, at)
        rule = _IMPLIED.get(name)
        if rule is None:
            return
        ended, beyond = rule
        names, opened = self.names, self._open
        for number in reversed(opened[-_MAX_IMPLIED_REACH:]):
            open_name = names[number]
            if open_name in ended:
                self._end(open_name, at, at)
                return
            if open_name in beyond or open_name in _SCOPES:
                return

    def _imply_row(self, name: str, at: int) -> None:
        """A cell ends the cell before it, a row its cells, a part of a table its rows."""
        scope = self._scopes[-1][0]
        if scope in _CELLS or scope == "caption":
            self._end(scope, at, at)
        if name in _CELLS:
            return
        self._end("tr", at, at)
        if name != "tr":
            for part in ("thead", "tbody", "tfoot"):
                self._end(part, at, at)
