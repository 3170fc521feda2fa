"""Where are a page's tags, and what stands between them? The HTML tokenizer (WHATWG 13.2.5), flat.

No tree: text, links, forms and meta elements need none, and without one no nesting is too deep and
a page costs a tenth of parsing it. Beyond the tokenizer's rules only what foreign content changes
in them is kept (a self-closing `title` of an SVG, CDATA).

`Scanner` is _scan.c where it could be compiled, else `PlainScanner`, which defines what it does:
tests hold the two against each other, and against a real parser.
"""

import re
from array import array
from collections.abc import Collection

Tag = tuple[str, dict[str, str], int, str]
"""Name (`/a` for an end tag), attributes as written, where it stands in the text (before what
separates the next word from the last), and the source within, if that is no markup (`title`).

When `a` is wanted but not `/a`, an anchor with a target is told once, at its end, with its text in
place of a source, and with the `alt` of its images as its own. Then a target is not told again by
an anchor that has no more to say of it: half of all links are repeats."""

RAW = ("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp")
"""Elements whose content is no markup: it goes on to their own end tag, whatever it holds."""
SHOWN = "xmp"
"""The one of them whose content is text."""
FOREIGN = ("svg", "math")

CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f]+")
"""Control characters that are no white space: no text has any."""

_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_TAG = re.compile(r"<(/?)([A-Za-z][^\t\n\f\r />]*+)")
_BARE = re.compile(r"[\t\n\f\r ]*+>")
_GAP = re.compile(r"[\t\n\f\r /]*+")
_NAME = re.compile(r"=?[^\t\n\f\r />=]*+")
_EQUALS = re.compile(r"[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_UNQUOTED = re.compile(r"[^\t\n\f\r >]*+")
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in RAW
}
_SCRIPT_MARK = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)
_NO_BREAK_SPACE = "&nbsp;"
"""The one character reference that is decoded here: pages are full of it, and it is no word."""
_CDATA = "<![CDATA["
_PIECE = re.compile(r"\n|[^\S\n]+|\S+")
_FIRST_LINE = re.compile(r"\s*+[^\n]*+")
_MOST_ALTS = 20


class _Lines:
    """Text as it is shown: white space is one space, and there are no empty lines."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._space = ""
        """What separates the next word from the last one."""
        self._indent = 0
        """Spaces that are kept before the next word."""
        self.length = 0

    def put(self, text: str, keeps_lines: bool) -> None:
        """Adds text; its lines and their indents are kept, or are white space like any other."""
        shown = CONTROLS.sub("", text.replace(_NO_BREAK_SPACE, " "))
        for piece in _PIECE.findall(shown) if keeps_lines else [shown]:
            if not keeps_lines:
                self._words(piece)
            elif piece == "\n":
                self.separate("\n")
            elif piece.isspace():
                self.separate(" ")
                self._indent += len(piece)
            else:
                self._words(piece)

    def _words(self, text: str) -> None:
        if text[:1].isspace():
            self.separate(" ")
        if words := text.split():
            self._add((self._separator() if self.length else "") + " ".join(words))
            self._space = " " if text[-1].isspace() else ""
            self._indent = 0

    def _separator(self) -> str:
        if not self._space:
            return ""
        indent = " " * self._indent
        return self._space + indent if self._space == "\n" else indent or " "

    def separate(self, space: str) -> None:
        self._space = "\n" if "\n" in (space, self._space) else space
        if space == "\n":
            self._indent = 0

    def since(self, start: int) -> str:
        return str(self)[start:]

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self.length += len(piece)

    def __str__(self) -> str:
        return "".join(self._pieces)


class _Told:
    """The tags so far, and the anchor that is open."""

    def __init__(self, lines: _Lines, max_tags: int) -> None:
        self._lines = lines
        self._max_tags = max_tags
        self.tags: list[Tag] = []
        self.is_full = False
        self.anchor: dict[str, str] | None = None
        self.alts: list[str] = []
        self.templates = 0
        self._start = 0
        self._settled: set[str] = set()
        """Targets that were told with a text and no rel: nothing is left to say."""

    @property
    def place(self) -> int:
        return self._lines.length

    def tell(self, tag: Tag) -> None:
        if len(self.tags) >= self._max_tags:
            self.is_full = True
        else:
            self.tags.append(tag)

    def begin_anchor(self, attributes: dict[str, str]) -> None:
        href = attributes.get("href") or attributes.get("xlink:href")
        if not href or href[0] == "#":
            return
        if "rel" not in attributes and _target(href) in self._settled:
            return
        self.anchor, self._start = attributes, self.place

    def end_anchor(self, is_closed: bool) -> None:
        """One that was not closed ends with its first line."""
        if self.anchor is None:
            return
        attributes, text = self.anchor, self._lines.since(self._start)
        if not is_closed and (first_line := _FIRST_LINE.match(text)):
            text = first_line[0]
        if self.alts:
            attributes["alt"] = " ".join(self.alts[:_MOST_ALTS])
        target = _target(attributes.get("href", ""))
        is_plain = is_closed and text and "&" not in text and "rel" not in attributes
        if target is not None and is_plain and not self.templates and attributes.get("href"):
            self._settled.add(target)
        self.anchor, self.alts = None, []
        self.tell(("a", attributes, self._start, text))


def _target(href: str) -> str | None:
    """What a reference is known by: itself without its fragment. None: it has to be looked at."""
    if "&" in href or any(character <= " " for character in href):
        return None
    return href.partition("#")[0]


class _Places:
    """Places of the page, as they are passed by."""

    def __init__(self, wanted: bytes) -> None:
        self._wanted = memoryview(wanted).cast("i")
        self._found = array("i")

    def pass_by(self, end: int, length: int) -> None:
        while len(self._found) < len(self._wanted) and self._wanted[len(self._found)] < end:
            self._found.append(length)

    def rest(self, length: int) -> bytes:
        self._found.extend([length] * (len(self._wanted) - len(self._found)))
        return self._found.tobytes()


class PlainScanner:
    def __init__(
        self,
        spaces: dict[str, str],
        keeps_lines: Collection[str],
        tags: Collection[str],
        attributes: Collection[str],
    ) -> None:
        """`spaces` says what stands for a tag, and for its end, in the text: a space or the end of
        a line; `keeps_lines` names the elements whose lines are lines; `tags` says which tags are
        told (`/a` for an end tag), and with which `attributes`."""
        self._spaces = spaces
        self._keeps_lines = frozenset(keeps_lines)
        self._tags = frozenset(tags)
        self._attributes = frozenset(attributes)
        self._whole_anchors = "a" in self._tags and "/a" not in self._tags

    def scan(
        self, html: str, max_tags: int, places: bytes = b""
    ) -> tuple[str, list[Tag], int, bytes]:
        """The text, the tags, and how far it got: beyond `max_tags` of them it reads nothing.
        `places` of the page (int32, ascending) come back as places in the text; one within a
        stretch of text as the beginning of that stretch."""
        lines = _Lines()
        told = _Told(lines, max_tags)
        found = _Places(places)
        position = foreign = kept = 0
        while (start := html.find("<", position)) >= 0:
            found.pass_by(start, lines.length)
            lines.put(html[position:start], kept > 0)
            opened = _TAG.match(html, start)
            if opened is None:
                text, position = _no_tag(html, start, foreign)
                lines.put(text, kept > 0 and text != "<")
                continue
            name = opened[2].translate(_LOWER)
            attributes, position, closes_itself = self._read_attributes(html, opened.end())
            if position > len(html):
                break  # a tag without an end is none
            inner = ""
            if not opened[1] and name in _RAW_END and not (foreign and closes_itself):
                inner = html[position : _end_of_raw(html, name, position)]
            self._tell(told, opened[1] + name, {} if opened[1] else attributes, inner)
            if told.is_full:
                return str(lines), told.tags, start, found.rest(lines.length)
            position += len(inner)
            if name in self._spaces:
                lines.separate(self._spaces[name])
            if name == SHOWN:
                lines.put(inner, keeps_lines=True)
            if name in FOREIGN:
                foreign = max(0, foreign - 1) if opened[1] else foreign + (not closes_itself)
            if name in self._keeps_lines:
                kept = max(0, kept - 1) if opened[1] else kept + 1
        else:
            found.pass_by(len(html), lines.length)
            lines.put(html[position:], kept > 0)
        told.end_anchor(is_closed=False)
        return str(lines), told.tags, len(html), found.rest(lines.length)

    def _tell(self, told: "_Told", name: str, attributes: dict[str, str], inner: str) -> None:
        if self._whole_anchors and name in ("a", "/a"):
            told.end_anchor(is_closed=name == "/a")
            if name == "a" and not told.is_full:
                told.begin_anchor(attributes)
        elif name in self._tags:
            told.tell((name, attributes, told.place, inner))
        if name == "img" and told.anchor is not None and attributes.get("alt"):
            told.alts.append(attributes["alt"])
        if name in ("template", "/template"):
            told.templates = max(0, told.templates + (1 if name == "template" else -1))

    def _read_attributes(self, html: str, position: int) -> tuple[dict[str, str], int, bool]:
        """The attributes, where the tag ends (beyond the page: nowhere), and whether by `/>`."""
        found: dict[str, str] = {}
        if bare := _BARE.match(html, position):
            return found, bare.end(), False
        while True:
            gap = _GAP.match(html, position)
            slashed = gap is not None and gap[0].endswith("/")
            position = gap.end() if gap else position
            if position >= len(html):
                return found, len(html) + 1, False
            if html[position] == ">":
                return found, position + 1, slashed
            named = _NAME.match(html, position)
            name = named[0].translate(_LOWER) if named else ""
            position += len(name)
            value = ""
            if equals := _EQUALS.match(html, position):
                position = equals.end()
                quote = html[position : position + 1]
                if quote in ('"', "'"):
                    end = html.find(quote, position + 1)
                    if end < 0:
                        return found, len(html) + 1, False
                    value = html[position + 1 : end]
                    position = end + 1
                elif unquoted := _UNQUOTED.match(html, position):
                    value = unquoted[0]
                    position = unquoted.end()
            if name in self._attributes:
                found.setdefault(name, value)


def _end_of_raw(html: str, name: str, position: int) -> int:
    """Where its own end tag stands, or the page's end."""
    if name != "script":
        end = _RAW_END[name].search(html, position)
        return end.start() if end else len(html)
    is_comment = is_nested = False  # a script in a comment in a script ends only itself
    while mark := _SCRIPT_MARK.search(html, position):
        if mark[0] == "<!--":
            is_comment = True
            position = mark.end() - 2  # `<!-->` is a whole comment
            continue
        position = mark.end()
        if mark[0] == "-->":
            is_comment = is_nested = False
        elif not mark[1]:
            is_nested = is_comment
        elif is_nested:
            is_nested = False
        else:
            return mark.start()
    return len(html)


def _no_tag(html: str, start: int, foreign: int) -> tuple[str, int]:
    """What a `<` means that begins no tag: its text, and where the page goes on."""
    following = html[start + 1 : start + 2]
    if comment := _COMMENT.match(html, start):
        return "", comment.end()
    if foreign and html.startswith(_CDATA, start):
        end = html.find("]]>", start + len(_CDATA))
        text = html[start + len(_CDATA) : end if end >= 0 else len(html)]
        return text, end + 3 if end >= 0 else len(html)
    if following and following in "!?/":  # a doctype, or what the standard calls a bogus comment
        end = html.find(">", start)
        return "", end + 1 if end >= 0 else len(html)
    return "<", start + 1


try:
    from shoal.converters.html._scan import Scanner as Scanner
except ImportError:
    Scanner = PlainScanner  # type: ignore[misc, assignment]  # the same, in Python
