"""What does an HTML page say? One scan: text in reading order, and all that is not text.

The scanner (scan.py) gives the text line by line, as it would be shown, and the tags that mean
something to us with their places in it; so an anchor's text is a slice. Character references stand
as written until the very end: what is cut out of the page is never decoded.
"""

import re
from collections.abc import Callable, Iterable
from html.entities import html5

from shoal.converters.characters.charset import Text, decode
from shoal.converters.context import Context, Converted
from shoal.converters.html.ai_use import web_urls
from shoal.converters.html.blocks import write_blocks
from shoal.converters.html.emphasis import BOLD, HEADINGS, PIECE_CHARS, Stress, lines
from shoal.converters.html.head import Attributes, Head
from shoal.converters.html.references import unescape
from shoal.converters.html.scan import CONTROLS, Scanner, Tag
from shoal.converters.html.shading import Shading
from shoal.converters.html.text import HiddenRanges, shown
from shoal.converters.limits import Limits
from shoal.converters.writer import Writer
from shoal.model.content import Content
from shoal.model.page import Block, Form, Page
from shoal.model.urls.url import resolve

_SOURCE_CHARS = 8
"""Of the source, for one character of a short text (an anchor's): references are longer."""
_BLOCKS = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl"
    " dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr"
    " legend li listing main menu nav ol p plaintext pre search section select summary table tbody"
    " textarea tfoot thead tr ul xmp"
)
_SPACES = dict.fromkeys(_BLOCKS.split(), "\n") | {"td": " ", "th": " "}
"""What separates an element's text from what stands before and after it."""
_KEEP_LINES = ("pre",)
_HIDDEN = frozenset({"noscript", "select", "datalist", "object", "template"})
"""Elements whose content is no prose. What a form offers is kept with the form."""
_TEMPLATE = frozenset({"template", "/template"})
_ATTRIBUTES = (
    "action alt content href http-equiv lang method name property rel src title type value"
    " xlink:href xml:lang"
)
_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|([0-9A-Za-z]+)([;=]?))")


def convert(body: bytes, context: Context) -> list[Converted]:
    most = context.limits.html_bytes
    source = decode(body[:most], context.charset, "html")
    if b"\0" in body:  # looked for in the bytes: in a text of wide characters it takes long
        source = source._replace(text=source.text.replace("\0", ""))
    found = read(source, context)
    if len(body) > most:
        found.problem = "; ".join(filter(None, (f"cut after {most} bytes", found.problem)))
    return [found]


def read(source: Text, context: Context) -> Converted:
    limits = context.limits
    html = source.text
    content = context.cleaner.content(html) if context.cleaner is not None else None
    at = b"" if content is None else content.places
    scanned, tags, end, places = _SCANNER.scan(html, limits.tags, at)
    problem = f"cut: more than {limits.tags} tags" if end < len(html) else ""
    walk = _Walk(scanned, limits)
    walk.take(tags)
    head = walk.head
    text, line_scores = walk.text(None if content is None else Shading(content, places))
    if len(text) > limits.text_chars:
        text = text[: limits.text_chars]
        line_scores = line_scores[: text.count("\n") + 1]
        problem = problem or f"text cut at {limits.text_chars} characters"
    base = resolve(head.base, context.url) if head.base else None
    if base is None or not base.startswith(("http:", "https:", "ftp:", "file:")):
        base = context.url
    blocks = read_blocks(html, base, limits, content) if context.wants_blocks else []
    page = Page(
        title=head.title,
        text=text,
        blocks=blocks,
        links=context.links.links(context.url, base, head.hrefs),
        forms=[_resolved(form, base, context) for form in head.forms],
        language=head.language,
        description=head.description,
        canonical=context.links.url(head.canonical, base) if head.canonical else "",
        charset=source.charset,
        charset_from=source.evidence,
        refresh_to=context.links.url(head.refresh, base) if head.refresh else "",
        author=head.author,
        published=head.published,
        modified=head.modified,
        line_scores=line_scores,
        cleaned_by="" if content is None else content.method,
        headings=walk.stressed(walk.headings),
        bold=walk.stressed(walk.bold),
        licenses=web_urls(head.licenses, base) if head.licenses else [],
    )
    return Converted(page, meta=head.meta, problem=problem)


def read_text(html: str, limits: Limits, content: Content) -> tuple[str, str, bytes]:
    """The title and the text of a page, and the shades of its lines: the same as by `read`, for
    those who want no more."""
    scanned, tags, _, places = _TEXT_SCANNER.scan(html, limits.tags, content.places)
    hidden, title, svgs = HiddenRanges(), "", 0
    for name, _, place, inner in tags:
        if hidden.name == "template" and name not in _TEMPLATE:
            continue
        if name in ("svg", "/svg"):
            svgs = max(0, svgs + (1 if name == "svg" else -1))
        elif name == "title":
            if not title and not svgs:
                title = _title(inner, limits)
        elif name[0] == "/":
            hidden.close(name[1:], place)
        else:
            hidden.open(name, place)
    text, line_scores = shown(scanned, hidden.closed, Shading(content, places))
    return title, text, line_scores


def read_blocks(html: str, base: str, limits: Limits, content: Content | None) -> list[Block]:
    """The tagged text of a page."""
    writer = Writer(limits)
    write_blocks(html, writer, content)
    for block in writer.blocks:
        block.links = [(start, end, resolve(to, base) or to) for start, end, to in block.links]
    return writer.blocks


def _resolved(form: Form, base: str, context: Context) -> Form:
    # Without an action a form is sent to the page itself, whatever the base.
    action = context.links.url(form.action, base) if form.action else context.url
    return Form(action, form.method, form.fields)


def _in_attribute(match: re.Match[str]) -> str:
    """In an attribute `&copy=1` is no reference (WHATWG 13.2.5.73), nor is `&copycat`."""
    name, end = match[1], match[2]
    if name is None:
        return unescape(match[0])
    if end == "=" or name + end not in html5:
        return match[0]
    return html5[name + end]


class _Walk:
    """Goes through the tags once; what is not text goes to the head."""

    def __init__(self, scanned: str, limits: Limits) -> None:
        self._scanned = scanned
        self._limits = limits
        self.head = Head(limits)
        self._hidden = HiddenRanges()
        self._select: Attributes = {}
        self._options: list[str] = []
        self._option_start = -1
        self._svgs = 0
        self.headings = Stress()
        self.bold = Stress()

    def take(self, tags: list[Tag]) -> None:
        handlers, hidden = _HANDLERS, self._hidden
        for tag in tags:
            name, attributes, _, _ = tag
            if hidden.name == "template" and name not in _TEMPLATE:
                continue  # what stands in a template is not there until a script says so
            for key, value in attributes.items():
                if "&" in value:
                    attributes[key] = _REFERENCE.sub(_in_attribute, value)
            handlers[name](self, tag)

    def text(self, shading: Shading | None) -> tuple[str, bytes]:
        return shown(self._scanned, self._hidden.closed, shading)

    def stressed(self, stress: Stress) -> str:
        return lines(_short(self._scanned[start:end], PIECE_CHARS) for start, end in stress.places)

    def open_hidden(self, tag: Tag) -> None:
        self._hidden.open(tag[0], tag[2])
        if tag[0] == "select":
            self._select, self._options = tag[1], []

    def close_hidden(self, tag: Tag) -> None:
        name = tag[0][1:]
        if name == "select":
            self.close_option(tag)
            self.head.field(self._select, "select", self._options)
        self._hidden.close(name, tag[2])

    def option(self, tag: Tag) -> None:
        self.close_option(tag)
        value = tag[1].get("value")
        if value is None:
            self._option_start = tag[2]
        elif len(self._options) < self._limits.fields:
            self._options.append(value[: self._limits.value_chars])

    def close_option(self, tag: Tag) -> None:
        start, self._option_start = self._option_start, -1
        if start >= 0 and len(self._options) < self._limits.fields:
            most = self._limits.value_chars
            self._options.append(_short(self._scanned[start : tag[2]], most))

    def anchor(self, tag: Tag) -> None:
        attributes = tag[1]
        text = _short(tag[3], self._limits.anchor_chars)
        if alt := attributes.get("alt"):
            text = f"{text} {' '.join(alt.split())}".strip()
        href = attributes.get("href") or attributes["xlink:href"]
        self.head.anchor(href, text, attributes.get("rel"))

    def area(self, tag: Tag) -> None:
        attributes = tag[1]
        href = attributes.get("href")
        if href:
            text = " ".join(attributes.get("alt", "").split())
            self.head.anchor(href, text, attributes.get("rel"))

    def frame(self, tag: Tag) -> None:
        if self._hidden.name != "noscript":  # there it is a tracker
            self.head.frame(tag[1])

    def meta(self, tag: Tag) -> None:
        if self._hidden.name != "noscript":
            self.head.meta_element(tag[1])

    def title(self, tag: Tag) -> None:
        if not self.head.title and not self._svgs:
            self.head.title = _title(tag[3], self._limits)

    def open_svg(self, _tag: Tag) -> None:
        self._svgs += 1

    def close_svg(self, _tag: Tag) -> None:
        self._svgs = max(0, self._svgs - 1)

    def input(self, tag: Tag) -> None:
        attributes = tag[1]
        self.head.field(attributes, attributes.get("type", "text").strip().lower() or "text")


def _title(source: str, limits: Limits) -> str:
    return " ".join(CONTROLS.sub("", unescape(source)).split())[: limits.title_chars]


def _short(source: str, chars: int) -> str:
    """A piece of the text as one line, at most so long."""
    source = source[: _SOURCE_CHARS * chars]
    if "&" in source:
        source = unescape(source)
    return " ".join(source.split())[:chars]


def _ends(names: Iterable[str]) -> list[str]:
    return [f"/{name}" for name in names]


_Handler = Callable[[_Walk, Tag], None]
_HANDLERS: dict[str, _Handler] = {
    "a": _Walk.anchor,
    "area": _Walk.area,
    "base": lambda content, tag: content.head.base_element(tag[1]),
    "button": lambda content, tag: content.head.field(tag[1], "button"),
    "form": lambda content, tag: content.head.open_form(tag[1]),
    "/form": lambda content, _: content.head.close_form(),
    "frame": _Walk.frame,
    "html": lambda content, tag: content.head.html(tag[1]),
    "iframe": _Walk.frame,
    "input": _Walk.input,
    "link": lambda content, tag: content.head.link(tag[1]),
    "meta": _Walk.meta,
    "option": _Walk.option,
    "/option": _Walk.close_option,
    "svg": _Walk.open_svg,
    "/svg": _Walk.close_svg,
    "textarea": lambda content, tag: content.head.field(tag[1], "textarea"),
    "title": _Walk.title,
    **dict.fromkeys(HEADINGS, lambda walk, tag: walk.headings.open(tag[2])),
    **dict.fromkeys(_ends(HEADINGS), lambda walk, tag: walk.headings.close(tag[2])),
    **dict.fromkeys(BOLD, lambda walk, tag: walk.bold.open(tag[2])),
    **dict.fromkeys(_ends(BOLD), lambda walk, tag: walk.bold.close(tag[2])),
    **dict.fromkeys(_HIDDEN, _Walk.open_hidden),
    **dict.fromkeys(_ends(_HIDDEN), _Walk.close_hidden),
}
_SCANNER = Scanner(_SPACES, _KEEP_LINES, _HANDLERS, _ATTRIBUTES.split())
_TEXT_SCANNER = Scanner(
    _SPACES, _KEEP_LINES, [*_HIDDEN, *_ends(_HIDDEN), "svg", "/svg", "title"], ()
)
