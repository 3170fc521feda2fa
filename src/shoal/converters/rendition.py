"""How is a document shown? Its blocks as clean HTML, as Markdown, or as plain text.

The HTML is what a cached copy of any format is: tags for what the blocks are, and nothing that
could run. Every text is escaped, and of links only those of the web and of mail are kept.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from shoal.model.page import Block, Tag

_SAFE_LINK = re.compile(r"(?:https?|ftp|mailto):|/|#|[^:/?#]*(?:[/?#]|\Z)", re.IGNORECASE)
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>]|&(?=#?\w{1,31};))")
_MARKDOWN_START = re.compile(r"\A(\d{0,9})(#{1,6}\s|[-+>]\s|[.)]\s|[=~-]{3,}|\|)")
_PLAIN_ELEMENTS = {
    Tag.PARAGRAPH: "p",
    Tag.QUOTE: "blockquote",
    Tag.CAPTION: "figcaption",
    Tag.ASIDE: "aside",
}


def as_html(blocks: Iterable[Block], title: str = "", language: str = "") -> str:
    """A whole page."""
    lang = f' lang="{escape(language)}"' if language else ""
    body = "\n".join(_html_lines(blocks))
    return (
        f"<!doctype html>\n<html{lang}>\n<head>\n"
        f'<meta charset="utf-8">\n<title>{escape(title)}</title>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def as_markdown(blocks: Iterable[Block]) -> str:
    pieces: list[str] = []
    before: Block | None = None
    for block in blocks:
        if before is not None:
            both_items = _is_item(before) and _is_item(block)
            pieces.append("\n" if both_items else "\n\n")
        pieces.append(_markdown_block(block))
        before = block
    return "".join(pieces) + "\n" if pieces else ""


def _is_item(block: Block) -> bool:
    return block.kind in (Tag.ITEM, Tag.NUMBERED)


# --- HTML ---------------------------------------------------------------------------------------


def _html_lines(blocks: Iterable[Block]) -> Iterator[str]:
    open_lists: list[str] = []
    in_terms = False
    for block in blocks:
        if not _is_item(block):
            while open_lists:
                yield f"</li></{open_lists.pop()}>"
        is_term = block.kind in (Tag.TERM, Tag.DEFINITION)
        if is_term != in_terms:
            yield "<dl>" if is_term else "</dl>"
            in_terms = is_term
        if _is_item(block):
            yield from _html_item(block, open_lists)
        else:
            yield _html_block(block)
    while open_lists:
        yield f"</li></{open_lists.pop()}>"
    if in_terms:
        yield "</dl>"


def _html_item(block: Block, open_lists: list[str]) -> Iterator[str]:
    name = "ol" if block.kind is Tag.NUMBERED else "ul"
    depth = min(block.level, len(open_lists) + 1)
    while len(open_lists) > depth:
        yield f"</li></{open_lists.pop()}>"
    if len(open_lists) == depth:
        if open_lists[-1] == name:
            yield "</li>"
        else:
            yield f"</li></{open_lists.pop()}>"
    if len(open_lists) < depth:
        open_lists.append(name)
        yield f"<{name}>"
    number = re.fullmatch(r"(\d{1,8})[.)]?", block.marker)
    value = f' value="{number[1]}"' if number else ""
    shown = "" if number or not block.marker else f"{escape(block.marker)} "
    yield f"<li{value}>{shown}{_html_inline(block)}"


def _html_block(block: Block) -> str:
    marker = f"{escape(block.marker)} " if block.marker else ""
    match block.kind:
        case Tag.HEADING:
            return f"<h{block.level}>{marker}{_html_inline(block)}</h{block.level}>"
        case Tag.PRE:
            return f"<pre>{escape(block.text)}</pre>"
        case Tag.TABLE:
            return _html_table(block)
        case Tag.TERM | Tag.DEFINITION:
            return f"<{block.kind}>{_html_inline(block)}</{block.kind}>"
    name = _PLAIN_ELEMENTS.get(block.kind, "p")
    return f"<{name}>{marker}{_html_inline(block)}</{name}>"


def _html_inline(block: Block) -> str:
    return _marked(block, 0, len(block.text), escape, _html_span)


def _html_span(text: str, bold: bool, href: str) -> str:
    text = f"<b>{text}</b>" if bold else text
    return f'<a href="{escape(href)}">{text}</a>' if _is_safe(href) else text


def _html_table(block: Block) -> str:
    lines = ["<table>"]
    for number, cells in enumerate(_cells(block)):
        name = "th" if number < block.level else "td"
        row = (_marked(block, start, end, escape, _html_span) for start, end in cells)
        lines.append("<tr>" + "".join(f"<{name}>{cell}</{name}>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


# --- Markdown -----------------------------------------------------------------------------------


def _markdown_block(block: Block) -> str:
    marker = f"{block.marker} " if block.marker else ""
    text = "" if block.kind in (Tag.TABLE, Tag.PRE) else _markdown_inline(block)
    match block.kind:
        case Tag.HEADING:
            return f"{'#' * block.level} {marker}{text}"
        case Tag.PRE:
            fence = "```"
            while fence in block.text:
                fence += "`"
            return f"{fence}\n{block.text}\n{fence}"
        case Tag.TABLE:
            return _markdown_table(block)
        case Tag.QUOTE:
            return f"> {text}"
        case Tag.ITEM | Tag.NUMBERED:
            return "   " * (block.level - 1) + _markdown_item(block) + text
        case Tag.TERM:
            return f"**{text}**" if not block.bold else text
        case Tag.DEFINITION:
            return f": {text}"
    return marker + text if marker else _MARKDOWN_START.sub(r"\1\\\2", text)


def _markdown_item(block: Block) -> str:
    if block.kind is Tag.ITEM:
        return "- "
    number = re.fullmatch(r"(\d{1,8})[.)]?", block.marker)
    return f"{number[1]}. " if number else f"1. {block.marker} ".replace("  ", " ")


def _markdown_inline(block: Block) -> str:
    return _marked(block, 0, len(block.text), _markdown_escaped, _markdown_span)


def _markdown_escaped(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


def _markdown_span(text: str, bold: bool, href: str) -> str:
    words = text.strip()
    if not words:
        return text
    before, _, after = text.partition(words)
    words = f"**{words}**" if bold else words
    if _is_safe(href):
        target = href.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        words = f"[{words}]({target})"
    return before + words + after


def _markdown_table(block: Block) -> str:
    def shown(start: int, end: int) -> str:
        return _marked(block, start, end, _markdown_escaped, _markdown_span).replace("|", "\\|")

    rows = [[shown(*cell) for cell in cells] for cells in _cells(block)]
    width = max(map(len, rows))
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


# --- spans --------------------------------------------------------------------------------------


def _cells(block: Block) -> Iterator[list[tuple[int, int]]]:
    """Where the cells of each row stand in a table's text."""
    start = 0
    for line in block.text.split("\n"):
        cells = []
        for cell in line.split("\t"):
            cells.append((start, start + len(cell)))
            start += len(cell) + 1
        yield cells


def _marked(
    block: Block,
    start: int,
    end: int,
    escaped: Callable[[str], str],
    span: Callable[[str, bool, str], str],
) -> str:
    """A stretch of a block's text with its bold and its links."""
    bold = _within(block.bold, start, end)
    links = _within(block.links, start, end)
    if not bold and not links:
        return escaped(block.text[start:end])
    edges = {start, end}
    for low, high in [*bold, *((low, high) for low, high, _ in links)]:
        edges.update(place for place in (low, high) if start < place < end)
    pieces = []
    for low, high in pairwise(sorted(edges)):
        is_bold = bool(_within(bold, low, low + 1))
        href = next((to for _, _, to in _within(links, low, low + 1)), "")
        text = escaped(block.text[low:high])
        pieces.append(span(text, is_bold, href) if is_bold or href else text)
    return "".join(pieces)


Span = TypeVar("Span", tuple[int, int], tuple[int, int, str])


def _within(spans: list[Span], start: int, end: int) -> list[Span]:
    """Those that reach into a stretch. They stand in order, and a table may have thousands."""
    first = max(0, bisect_left(spans, start, key=itemgetter(0)) - 1)
    last = bisect_left(spans, end, first, key=itemgetter(0))
    return [each for each in spans[first:last] if each[1] > start]


def _is_safe(href: str) -> bool:
    return bool(href) and _SAFE_LINK.match(href.strip()) is not None
