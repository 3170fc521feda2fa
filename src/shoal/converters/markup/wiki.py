"""What do wiki texts say? MediaWiki's markup, and Textile.

Templates of MediaWiki can't be filled in without their wiki and are left out, as are references to
categories, which become keywords of nothing. HTML tags are dropped, their text stays.
"""

import html
import re
from functools import partial

from shoal.converters.context import Context, Converted
from shoal.converters.markup.inline import Markup, Span, bold, link, literal, nothing, plain
from shoal.converters.markup.line_markup import Fence, Found, Language
from shoal.converters.markup.line_markup import convert as convert_lines
from shoal.model.page import Tag

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOTE = re.compile(
    r"<ref\b[^<>]{0,300}/>|<ref\b[^<>]{0,300}>(.{0,3000}?)</ref>", re.DOTALL | re.IGNORECASE
)
_BRACES = re.compile(r"\{\{|\}\}|\{\||\|\}")
_ATTRIBUTES = re.compile(r"\s*(?:[\w\-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s|]+)\s*)+\|(?!\|)")
_PICTURE = re.compile(
    r"\[\[(?:File|Image|Datei):(?:[^\[\]|]*\|)+((?:[^\[\]|]|\[\[[^\[\]]*\]\])*)\]\]$"
)
_BOUND = re.compile(
    r"(</?(?:pre|blockquote|syntaxhighlight|source|gallery)\b[^<>]*>)", re.IGNORECASE
)
_PIPE = "\x01"
"""Between cells, while a table is one line for each row."""


def _wiki_link(found: Found) -> Span:
    target, label = found[1].strip(), found[2]
    if re.match(r":?(?:File|Image|Category|Kategorie|Datei|Media):", target, re.IGNORECASE):
        return Span("")
    return Span(label or target.lstrip(":"), href=target.replace(" ", "_"))


_WIKI_INLINE = Markup(
    (r"<nowiki>(.{0,2000}?)</nowiki>", literal()),
    (r"\[\[([^\[\]|]{1,500})(?:\|([^\[\]]{0,2000}))?\]\]", _wiki_link),
    (r"\[((?:https?:)?//[^\s\[\]]+)(?:\s+([^\[\]]*))?\]", link(2, 1)),
    (r"'''''(.{1,500}?)'''''", bold()),
    (r"'''(.{1,500}?)'''", bold()),
    (r"''(.{1,500}?)''", plain()),
    (r"<br\s*/?>", lambda _: Span(" ", literal=True)),
    (r"<(?:b|strong)>(.{0,2000}?)</(?:b|strong)>", bold()),
    (r"</?[A-Za-z][^<>]{0,500}>", nothing),
    (r"__[A-Z]{3,30}__|~~~~~?", nothing),
    (r"&[A-Za-z#0-9]{2,32};", lambda found: Span(html.unescape(found[0]), literal=True)),
)


def _without_templates(text: str) -> str:
    """Nested as they are; a brace that never closes hides nothing."""
    pieces: list[str] = []
    depth, position = 0, 0
    for found in _BRACES.finditer(text):
        if found[0] == "{{":
            if depth == 0:
                pieces.append(text[position : found.start()])
                position = found.start()
            depth += 1
        elif found[0] == "}}" and depth:
            depth -= 1
            if depth == 0:
                position = found.end()
    pieces.append(text[position:])
    return "".join(pieces)


def _table_lines(text: str) -> str:
    """Each row of a table on one line, as the row pattern wants it."""
    out: list[str] = []
    row: list[str] = []
    depth = 0
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("{|"):
            depth += 1
        elif depth and words.startswith("|}"):
            depth -= 1
            _end_row(row, out)
            out.append("")
        elif not depth:
            out.append(line)
        elif words.startswith("|-"):
            _end_row(row, out)
        elif words.startswith("|+"):
            out.append(f"{_PIPE}+{words[2:]}")
        elif words.startswith(("|", "!")):
            mark = words[0]
            parts = re.split(r"\|\||!!" if mark == "!" else r"\|\|", words[1:])
            row += [mark + _ATTRIBUTES.sub("", part, count=1).strip() for part in parts]
        elif row:
            row[-1] += f" {words}"
    _end_row(row, out)
    return "\n".join(out)


def _end_row(row: list[str], out: list[str]) -> None:
    if row:
        out.append(_PIPE + _PIPE.join(row))
        row.clear()


def _wiki_cells(line: str) -> tuple[list[str], bool]:
    cells = line.split(_PIPE)[1:]
    return [cell[1:] for cell in cells], all(cell.startswith("!") for cell in cells)


def _prepare_wiki(text: str) -> str:
    text = _COMMENT.sub("", text.replace(_PIPE, ""))
    notes = [found[1] for found in _NOTE.finditer(text) if found[1]]
    text = _table_lines(_without_templates(_NOTE.sub("", text)))
    shown = (" ".join(_without_templates(note).split()) for note in notes)
    text = _BOUND.sub(r"\n\1\n", text)
    return "\n".join([text, "", *(f"{_PIPE}note {note}\n" for note in shown if note)])


def _closing(found: Found) -> re.Pattern[str]:
    return re.compile(rf".*</{re.escape(found[1])}>", re.IGNORECASE)


_WIKI = Language(
    inline=_WIKI_INLINE,
    heading=re.compile(r"(={1,6})\s*(\S.{0,1000}?)\s*=+\s*$"),
    item=re.compile(r"([*#:;]*[*#])\s*(.*)"),
    fences=(
        Fence(
            re.compile(r"\s*<(pre|syntaxhighlight|source|math)\b[^<>]*>\s*$", re.IGNORECASE),
            _closing,
            Tag.PRE,
        ),
        Fence(re.compile(r"\s*<(blockquote)\b[^<>]*>\s*$", re.IGNORECASE), _closing, Tag.QUOTE),
        Fence(re.compile(r"\s*<(gallery)\b[^<>]*>\s*$", re.IGNORECASE), _closing, None),
    ),
    row=re.compile(rf"{_PIPE}[|!]"),
    cells=_wiki_cells,
    dropped=re.compile(r"-{4,}|#REDIRECT|\[\[(?:Category|Kategorie):[^\[\]]*\]\]$", re.IGNORECASE),
    others=(
        (re.compile(rf"{_PIPE}\+(.*)"), Tag.CAPTION),
        (re.compile(rf"{_PIPE}note (.*)"), Tag.ASIDE),
        (_PICTURE, Tag.CAPTION),
        (re.compile(r":+\s*(.*)"), Tag.DEFINITION),
        (re.compile(r";\s*(.*)"), Tag.TERM),
    ),
    term=re.compile(r";\s*([^:\n]+?)\s*:\s*(.*)"),
    indented_is_code=True,
)
_TEXTILE_INLINE = Markup(
    (r"\"([^\"\n]{1,500})\":((?:https?://|mailto:|[/.#])[^\s,;]*[\w/])", link(1, 2)),
    (r"@([^@\n]+)@", literal()),
    (r"<notextile>(.{0,2000}?)</notextile>", literal()),
    (r"(?<!\w)\*\*?(\S(?:.{0,500}?\S)??)\*\*?(?!\w)", bold()),
    (r"(?<!\w)__?(\S(?:.{0,500}?\S)??)__?(?!\w)", plain()),
    (r"(?<!\w)[-+^~%](\S(?:[^\n]{0,500}?\S)??)[-+^~%](?!\w)", plain()),
    (r"!(?:[^\s!()]{1,500})(?:\(([^()]*)\))?!(?::\S+)?", nothing),
    (r"\[[0-9]{1,4}\]", nothing),
    (r"</?[A-Za-z][^<>]{0,500}>", nothing),
)


_TEXTILE_CODE = re.compile(r"^(?:bc|pre)\. (.{1,500}?)(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


def _textile_cells(line: str) -> tuple[list[str], bool]:
    cells = line.strip().strip("|").split("|")
    is_header = all(cell.startswith("_") for cell in cells)
    return [re.sub(r"^[_\\/0-9<>=~^]*\. ", "", cell).strip() for cell in cells], is_header


_TEXTILE = Language(
    inline=_TEXTILE_INLINE,
    heading=re.compile(r"h([1-6])(?:\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]|[<>=])*\.\s+(.*)"),
    level=int,
    item=re.compile(r"([*#]{1,9})\s+(.*)"),
    fences=(
        Fence(re.compile(r"<(pre)\b"), _closing, Tag.PRE),
        Fence(re.compile(r"(?:bc|pre)\.\.\s"), lambda _: re.compile(r"(?:p|h[1-6]|bq)\."), Tag.PRE),
    ),
    row=re.compile(r"\|.*\|\s*$"),
    cells=_textile_cells,
    dropped=re.compile(r"###\.|table[^.]{0,100}\.\s*$|-{3,}$"),
    others=(
        (re.compile(r"bq(?:\.|\([^()]*\)\.)\.?(?::\S+)?\s+(.*)"), Tag.QUOTE),
        (re.compile(r"fn[0-9]{1,4}\.\s+(.*)"), Tag.ASIDE),
        (re.compile(r"p(?:\([^()]*\)|\{[^{}]*\}|[<>=])*\.\s+(.*)"), Tag.PARAGRAPH),
    ),
    term=re.compile(r"- (\S.{0,200}?) := (.*)"),
)


def convert(body: bytes, context: Context) -> list[Converted]:
    """MediaWiki."""
    return convert_lines(body, context, _WIKI, _prepare_wiki)


def convert_textile(body: bytes, context: Context) -> list[Converted]:
    return convert_lines(body, context, _TEXTILE, partial(_TEXTILE_CODE.sub, r"<pre>\n\1\n</pre>"))
