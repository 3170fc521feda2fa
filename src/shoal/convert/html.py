"""What does an HTML page say? One parse, one walk: text in reading order, and all that is not text.

The parser is lexbor's (the WHATWG algorithm in C). The walk is ours because one pass with the
elements' ends gives block breaks, anchor texts and forms together; asking the library for each
apart costs more. It keeps its own stack, so no depth of nesting can overflow anything.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from shoal.convert.charset import Text, decode
from shoal.convert.context import Context, Converted, Limits
from shoal.convert.html_head import Head
from shoal.convert.html_limits import bounded
from shoal.model.page import Form, Page
from shoal.model.url import resolve

_BREAK = "\x1e"
"""Between blocks, while the text is gathered: white space to `split`, and in no page."""
_NO_EVENTS = int(LexborDocumentOptions.WO_EVENTS)
_FALLBACK_CHARS = 500
"""Shorter texts for browsers without scripts only ask to switch them on."""
_ANCHOR_PIECES = 100
"""Text nodes looked at for one anchor's text; nested anchors would make it quadratic."""


def _tag_id(name: str) -> int:
    return LexborHTMLParser("").create_node(name).tag_id


def _tag_ids(names: str) -> frozenset[int]:
    return frozenset(map(_tag_id, names.split()))


_TEXT = 2  # lexbor's LXB_TAG__TEXT
_A, _FORM, _NOSCRIPT = map(_tag_id, ("a", "form", "noscript"))
_OPTION, _PRE, _SVG = map(_tag_id, ("option", "pre", "svg"))
_BLOCKS = _tag_ids(
    "address article aside blockquote body br button caption center dd details dialog dir div dl"
    " dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr"
    " legend li listing main menu nav ol p plaintext pre search section select summary table tbody"
    " textarea tfoot thead tr ul xmp"
)
_SPACES = dict.fromkeys(_BLOCKS, _BREAK) | dict.fromkeys(_tag_ids("td th"), " ")
"""What separates an element's text from what stands before and after it."""
_CLOSED = frozenset({_A, _FORM, _NOSCRIPT, _PRE})
"""What is told when it ends."""
_WITHOUT_TEXT = _tag_ids(
    "script style template title iframe frame noframes noembed object select datalist textarea"
)
"""Elements whose content is no prose. What a form offers is kept with the form."""


def convert(body: bytes, context: Context) -> list[Converted]:
    most = context.limits.html_bytes
    found = read(decode(body[:most], context.charset), context)
    if len(body) > most:
        found.problem = "; ".join(filter(None, (f"cut after {most} bytes", found.problem)))
    return [found]


def read(source: Text, context: Context) -> Converted:
    limits = context.limits
    html, problem = bounded(source.text, limits)
    walk = _Walk(limits)
    root = LexborHTMLParser(html, options=_NO_EVENTS).root
    if root is not None:
        walk.run(root)
    head = walk.head
    text = walk.text()
    if len(text) > limits.text_chars:
        text = text[: limits.text_chars]
        problem = problem or f"text cut at {limits.text_chars} characters"
    base = resolve(head.base, context.url) if head.base else None
    if base is None or not base.startswith(("http:", "https:", "ftp:", "file:")):
        base = context.url
    page = Page(
        title=head.title,
        text=text,
        links=context.links.links(context.url, base, head.hrefs),
        forms=[_resolved(form, base, context) for form in head.forms],
        language=head.language,
        description=head.description,
        canonical=context.links.url(head.canonical, base) if head.canonical else "",
        charset=source.charset,
        charset_from=source.evidence,
        refresh_to=context.links.url(head.refresh, base) if head.refresh else "",
    )
    return Converted(page, meta=head.meta, problem=problem)


def _resolved(form: Form, base: str, context: Context) -> Form:
    # Without an action a form is sent to the page itself, whatever the base.
    action = context.links.url(form.action, base) if form.action else context.url
    return Form(action, form.method, form.fields)


class _Walk:
    """Goes through the tree once and gathers the text; what is not text goes to the head."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.head = Head(limits)
        self._pieces: list[str] = []
        self._open: list[int] = []
        # Of each open anchor: href, rel, and where its text begins in the pieces.
        self._anchors: list[tuple[str | None, str | None, int]] = []
        self._alts: list[str] = []
        self._pres: list[int] = []
        """Where the text of each open element begins; likewise below."""
        self._noscripts: list[int] = []
        self._fallback: list[str] = []

    def run(self, root: LexborNode) -> None:
        pieces, open_, handlers = self._pieces, self._open, _HANDLERS
        node = root
        while True:
            tag = node.tag_id
            if tag == _TEXT:
                pieces.append(node.text_content or "")
            else:
                if tag in _SPACES:
                    pieces.append(_SPACES[tag])
                if tag in handlers:
                    handlers[tag](self, node)
                if tag not in _WITHOUT_TEXT:
                    child = node.first_child
                    if child is not None:
                        open_.append(tag)
                        node = child
                        continue
                    if tag in _CLOSED:
                        self._close(tag)
            following = node.next
            while following is None:
                if not open_ or (parent := node.parent) is None:
                    return
                node, tag = parent, open_.pop()
                if tag in _SPACES:
                    pieces.append(_SPACES[tag])
                if tag in _CLOSED:
                    self._close(tag)
                following = node.next if open_ else None
            node = following

    def text(self) -> str:
        """What stands in noscript is no text, unless it is most of the page, as in some forums."""
        text, fallback = _lines(self._pieces), _lines(self._fallback)
        if len(fallback) < _FALLBACK_CHARS or len(fallback) < len(text):
            return text
        return f"{text}\n{fallback}".strip()

    def _close(self, tag: int) -> None:
        if tag == _A:
            href, rel, start = self._anchors.pop()
            if href is not None:
                text = " ".join("".join(self._pieces[start : start + _ANCHOR_PIECES]).split())
                if self._alts:
                    text = " ".join([text, *self._alts]).strip()
                self.head.anchor(href, text, rel)
            self._alts = []
        elif tag == _FORM:
            self.head.close_form()
        elif tag == _NOSCRIPT:
            start = self._noscripts.pop()
            self._fallback += [*self._pieces[start:], _BREAK]
            del self._pieces[start:]
        elif tag == _PRE:
            start = self._pres.pop()
            if not self._pres:  # the outermost: line ends are breaks within it
                lines = [piece.replace("\n", _BREAK) for piece in self._pieces[start:]]
                self._pieces[start:] = lines

    def open_anchor(self, node: LexborNode) -> None:
        attributes = node.attributes
        href = attributes.get("href") or attributes.get("xlink:href")
        self._anchors.append((href, attributes.get("rel"), len(self._pieces)))

    def open_noscript(self, _node: LexborNode) -> None:
        self._noscripts.append(len(self._pieces))

    def frame(self, node: LexborNode) -> None:
        if not self._noscripts:  # there it is a tracker
            self.head.frame(node.attributes)

    def meta(self, node: LexborNode) -> None:
        if not self._noscripts:
            self.head.meta_element(node.attributes)

    def open_pre(self, _node: LexborNode) -> None:
        self._pres.append(len(self._pieces))

    def area(self, node: LexborNode) -> None:
        attributes = node.attributes
        href = attributes.get("href")
        if href:
            text = " ".join((attributes.get("alt") or "").split())
            self.head.anchor(href, text, attributes.get("rel"))

    def image(self, node: LexborNode) -> None:
        if self._anchors and len(self._alts) < _ANCHOR_PIECES:
            alt = " ".join((node.attributes.get("alt") or "").split())
            if alt:
                self._alts.append(alt[: self._limits.anchor_chars])

    def title(self, node: LexborNode) -> None:
        if not self.head.title and _SVG not in self._open:
            self.head.title = " ".join(node.text().split())[: self._limits.title_chars]

    def input(self, node: LexborNode) -> None:
        attributes = node.attributes
        self.head.field(attributes, (attributes.get("type") or "text").strip().lower())

    def select(self, node: LexborNode) -> None:
        options = islice(_options(node), self._limits.fields)
        limit = self._limits.value_chars
        self.head.field(node.attributes, "select", (option[:limit] for option in options))


def _lines(pieces: list[str]) -> str:
    lines = [" ".join(line.split()) for line in "".join(pieces).split(_BREAK)]
    return "\n".join(filter(None, lines))


def _options(select: LexborNode) -> Iterator[str]:
    for node in select.traverse():
        if node.tag_id == _OPTION:
            value = node.attributes.get("value")
            yield " ".join(node.text().split()) if value is None else value


_Handler = Callable[[_Walk, LexborNode], None]
_BY_NAME: dict[str, _Handler] = {
    "a": _Walk.open_anchor,
    "area": _Walk.area,
    "base": lambda walk, node: walk.head.base_element(node.attributes),
    "button": lambda walk, node: walk.head.field(node.attributes, "button"),
    "form": lambda walk, node: walk.head.open_form(node.attributes),
    "frame": _Walk.frame,
    "html": lambda walk, node: walk.head.html(node.attributes),
    "iframe": _Walk.frame,
    "img": _Walk.image,
    "input": _Walk.input,
    "link": lambda walk, node: walk.head.link(node.attributes),
    "meta": _Walk.meta,
    "noscript": _Walk.open_noscript,
    "pre": _Walk.open_pre,
    "select": _Walk.select,
    "textarea": lambda walk, node: walk.head.field(node.attributes, "textarea"),
    "title": _Walk.title,
}
_HANDLERS = {_tag_id(name): handler for name, handler in _BY_NAME.items()}
