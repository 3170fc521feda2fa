"""What does an AsciiDoc file say? Titles, lists, tables and delimited blocks, by its syntax."""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.markup.inline import Markup, Span, bold, literal, nothing, plain
from shoal.converters.markup.line_markup import Fence, Found, Language
from shoal.converters.markup.line_markup import convert as convert_lines
from shoal.model.page import Tag

_BEFORE = r"(?<![\w\\])"
_AFTER = r"(?!\w)"


def _url(found: Found) -> Span:
    return Span(found[2] or found[1], href=found[1].removeprefix("link:"), literal=not found[2])


_INLINE = Markup(
    (r"(?:link:)?((?:https?://|mailto:|(?<=link:))[^\s\[\]<>]+)(?:\[([^\[\]]*)\])?", _url),
    (r"<<[^<>,]{1,200}(?:,\s*([^<>]{1,500}))?>>", lambda found: Span(found[1] or "")),
    (r"xref:[^\s\[\]]{1,500}\[([^\[\]]*)\]", plain()),
    (r"footnote:[^\s\[\]]{0,200}\[([^\[\]]*)\]", lambda found: Span(f" {found[1]}")),
    (r"(?:indexterm|anchor|image|icon):[^\s\[\]]{0,200}\[[^\[\]]*\]", nothing),
    (r"\[\[[^\[\]]{1,200}\]\]|\(\(\([^()]{1,200}\)\)\)", nothing),
    (r"(?:kbd|btn|menu|stem|pass):[^\s\[\]]{0,50}\[([^\[\]]*)\]", plain()),
    (r"`\+(.{1,300}?)\+`", literal()),
    (r"\*\*(.{1,300}?)\*\*", bold()),
    (_BEFORE + r"\*(\S(?:.{0,300}?\S)??)\*" + _AFTER, bold()),
    (r"__(.{1,300}?)__", plain()),
    (_BEFORE + r"_(\S(?:.{0,300}?\S)??)_" + _AFTER, plain()),
    (_BEFORE + r"`(\S(?:.{0,300}?\S)??)`" + _AFTER, plain()),
    (r"\[\.?[\w\-]{1,50}\]#([^#]+)#", plain()),
    (r"\{(?:nbsp|sp|empty|zwsp)\}", lambda _: Span(" ", literal=True)),
    (r" \+(?=\n|$)", nothing),
)
_UNDERLINES = "=-~^+"
_UNDERLINED = re.compile(
    r"^([^\n=.\[|/ ][^\n]*)\n(={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})[ \t]*$", re.MULTILINE
)
_HEADER = re.compile(
    r"\A(\s*= [^\n]+)\n([^\n:=/\[|]{2,100}?)(?: <[^<>\n]*>)?\n"
    r"(?:(?:v?[0-9.]+, *)?([0-9]{4}-[0-9]{2}-[0-9]{2})[^\n]*\n)?(?=\n|:)"
)
_TABLE = re.compile(
    r"^(\[[^\n]*\]\n)?((?:\.[^\n]*\n)?)\|===[ \t]*\n(.*?)^\|===", re.DOTALL | re.MULTILINE
)
_CELL = re.compile(r"(?:^|(?<=\s))[0-9.+*<^>]*[aehlmsdv]?(?<!\\)\|", re.MULTILINE)
_COLUMNS = re.compile(r"cols\s*=\s*\"([^\"]{1,500})\"")
_BOUND = "\x01"
"""Before a cell, when a table is one line for each row."""


def _prepare(text: str) -> str:
    """Two-line titles become one-line ones, the author's line an attribute, a row one line."""

    def title(found: Found) -> str:
        if abs(len(found[1]) - len(found[2].rstrip())) > 2:
            return found[0]
        return f"{'=' * (_UNDERLINES.index(found[2][0]) + 1)} {found[1]}"

    def header(found: Found) -> str:
        return f"{found[1]}\n:author: {found[2]}\n:date: {found[3] or ''}\n"

    text = _UNDERLINED.sub(title, text.replace(_BOUND, ""))
    return _TABLE.sub(_rows, _HEADER.sub(header, text, count=1))


def _rows(found: Found) -> str:
    options, content = found[1] or "", found[3].lstrip("\n")
    first = content.partition("\n")[0]
    columns = len(_CELL.findall(first))
    if declared := _COLUMNS.search(options):
        spec = declared[1]
        times = re.match(r"([0-9]{1,3})\*", spec)
        columns = int(times[1]) if times else spec.count(",") + 1
    cells = [" ".join(cell.split()) for cell in _CELL.split(content)[1:]]
    has_header = "header" in options or content[len(first) :].startswith("\n\n")
    lines = [found[2]]
    for start in range(0, len(cells), max(1, columns)):
        mark = "!" if has_header and start == 0 else "|"
        lines.append(f"{_BOUND}{mark}{_BOUND.join(cells[start : start + max(1, columns)])}")
    return "\n".join([*lines, ""])


def _same(found: Found) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(found[1])}\s*$")


_LANGUAGE = Language(
    inline=_INLINE,
    heading=re.compile(r"(={1,6}|#{1,6})\s+(\S.{0,1000}?)(?:\s+=+)?$"),
    item=re.compile(r"\s*(\*{1,5}|-|\.{1,5}|[0-9]{1,9}\.|[a-z]\.)\s+(?:\[[ x*]\] )?(.*)"),
    depth=lambda mark: len(mark) if mark[0] in "*." else 1,
    is_numbered=lambda mark: mark.endswith("."),
    fences=(
        Fence(re.compile(r"(-{4,}|\.{4,}|```|\+{4,})"), _same, Tag.PRE),
        Fence(re.compile(r"(_{4,})\s*$"), _same, Tag.QUOTE),
        Fence(re.compile(r"(/{4,})\s*$"), _same, None),
    ),
    row=re.compile(_BOUND),
    cells=lambda line: (line[2:].split(_BOUND), line[1] == "!"),
    fact=re.compile(r":(author|description|keywords|lang|revdate|date)!?:\s*(.*)"),
    dropped=re.compile(
        r"//|:!?[\w\-]+!?:|\[[^\[\]]*\]$|\[\[.*\]\]$|\|===|={4,}$|\*{4,}$|--$|\+$|<<<|'''"
        r"|(?:include|ifdef|ifndef|endif|ifeval|toc|video|audio)::"
    ),
    others=(
        (re.compile(r"\.([^\s.].*)"), Tag.CAPTION),
        (re.compile(r"image::[^\[\]]{1,500}\[([^,\]]*)"), Tag.CAPTION),
        (re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION): (.*)"), Tag.ASIDE),
    ),
    term=re.compile(r"\s*(\S.{0,200}?):{2,4}(?:\s+(.*)|()$)"),
    indented_is_code=True,
    nests_by_mark=True,
)


def convert(body: bytes, context: Context) -> list[Converted]:
    return convert_lines(body, context, _LANGUAGE, _prepare)
