"""What does an Org-mode file say? Headlines, lists, tables, blocks, by the Org syntax."""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.markup.inline import Markup, Span, bold, literal, nothing, plain
from shoal.converters.markup.line_markup import Fence, Language
from shoal.converters.markup.line_markup import convert as convert_lines
from shoal.model.page import Tag

_BEFORE = r"(?<![\w*/=~_+])"
_AFTER = r"(?![\w*/=~+])"


def _link(found: re.Match[str]) -> Span:
    href = found[1].removeprefix("file:") if found[1].startswith("file:") else found[1]
    return Span(found[2] or href, href=href if ":" in href or "/" in href else "")


_INLINE = Markup(
    (r"\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,2000})\])?\]", _link),
    (r"\[fn:[\w\-]{0,50}\]", nothing),
    (_BEFORE + r"[=~](\S(?:.{0,500}?\S)??)[=~]" + _AFTER, literal()),
    (_BEFORE + r"\*(\S(?:.{0,500}?\S)??)\*" + _AFTER, bold()),
    (_BEFORE + r"/(\S(?:.{0,500}?\S)??)/" + _AFTER, plain()),
    (_BEFORE + r"_(\S(?:.{0,500}?\S)??)_" + _AFTER, plain()),
    (_BEFORE + r"\+(\S(?:.{0,500}?\S)??)\+" + _AFTER, plain()),
    (r"<(https?://[^\s<>]+)>", lambda found: Span(found[1], href=found[1], literal=True)),
    (r"\bhttps?://[^\s<>\]]+", lambda found: Span(found[0], href=found[0], literal=True)),
)


def _cells(line: str) -> tuple[list[str], bool]:
    words = line.strip().strip("|")
    if not words.strip("-+|: "):
        return [], False
    return [cell.strip() for cell in words.split("|")], False


def _ends(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s*#\+end_{re.escape(name)}\b", re.IGNORECASE)


_LANGUAGE = Language(
    inline=_INLINE,
    heading=re.compile(
        r"(\*{1,20}) +(?:(?:TODO|DONE|NEXT|WAITING) +)?(?:\[#.\] +)?(.{0,1000}?)"
        r"(?:[ \t]+:[\w@#%:]+:)?$"
    ),
    item=re.compile(r"(\s*(?:[-+]|[0-9]{1,9}[.)])|\s+\*)\s+(?:\[[ X\-]\] +)?(.*)"),
    depth=lambda mark: (len(mark) - len(mark.lstrip())) // 2 + 1,
    fences=(
        Fence(
            re.compile(r"\s*#\+begin_(src|example|export|latex|html|verse)\b", re.IGNORECASE),
            lambda found: _ends(found[1]),
            Tag.PRE,
        ),
        Fence(
            re.compile(r"\s*#\+begin_(quote|abstract)\b", re.IGNORECASE),
            lambda found: _ends(found[1]),
            Tag.QUOTE,
        ),
        Fence(
            re.compile(r"\s*#\+begin_(comment)\b", re.IGNORECASE),
            lambda found: _ends(found[1]),
            None,
        ),
        Fence(
            re.compile(r"\s*:(?:PROPERTIES|LOGBOOK|[A-Z_]+):\s*$"),
            lambda _: re.compile(r"\s*:END:|\*+ "),
            None,
        ),
    ),
    row=re.compile(r"\s*\|"),
    cells=_cells,
    fact=re.compile(r"#\+(TITLE|AUTHOR|DATE|LANGUAGE|KEYWORDS|DESCRIPTION):(.*)", re.IGNORECASE),
    dropped=re.compile(
        r"\s*#(?:\+(?!caption)|\s|$)|\s*(?:SCHEDULED|DEADLINE|CLOSED):|-{5,}$", re.IGNORECASE
    ),
    others=(
        (re.compile(r"\s*#\+caption:\s*(.*)", re.IGNORECASE), Tag.CAPTION),
        (re.compile(r"\[fn:[\w\-]{1,50}\]\s*(.*)"), Tag.ASIDE),
        (re.compile(r"\s*: (.*)"), Tag.PRE),
    ),
    term=re.compile(r"\s*[-+] +(\S.{0,200}?) +:: +(.*)"),
)


def convert(body: bytes, context: Context) -> list[Converted]:
    return convert_lines(body, context, _LANGUAGE)
