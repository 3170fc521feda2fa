"""What does a Texinfo file say? Chapters, lists, tables and examples, by the @-commands."""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.inline import Markup, Span, bold, link, literal, nothing, plain
from shoal.converters.writer import Inline, Writer
from shoal.model.page import Tag

_LEVELS = {
    **dict.fromkeys(("top", "chapter", "unnumbered", "appendix", "majorheading", "chapheading"), 1),
    **dict.fromkeys(("section", "unnumberedsec", "appendixsec", "heading"), 2),
    **dict.fromkeys(("subsection", "unnumberedsubsec", "appendixsubsec", "subheading"), 3),
    **dict.fromkeys(("subsubsection", "unnumberedsubsubsec", "subsubheading"), 4),
}
_CODE = ("example", "smallexample", "lisp", "smalllisp", "verbatim", "display", "format")
_UNSEEN = (
    *("ignore", "menu", "direntry", "tex", "html", "iftex", "ifhtml", "macro", "copying", "xml"),
    *("docbook", "multitable", "titlepage", "ifxml", "ifdocbook", "rmacro", "detailmenu"),
)
_LINE = re.compile(r"@([a-z]+)(?:\s+(.*)|(?=\{).*|)$")
_ROW = re.compile(r"^@(item|headitem)\b", re.MULTILINE)
_INLINE = Markup(
    (r"@@|@\{|@\}", lambda found: Span(found[0][1], literal=True)),
    (r"@(?:dots|enddots)\{\}", lambda _: Span("…", literal=True)),
    (r"@(?:copyright)\{\}", lambda _: Span("©", literal=True)),
    (r"@(?:bullet)\{\}", lambda _: Span("•", literal=True)),
    (r"@(?:uref|url|href)\{([^{},]+)(?:,\s*([^{},]+))?[^{}]*\}", link(2, 1)),
    (r"@(?:anchor|cindex|image|indent|value|set)\{[^{}]*\}", nothing),
    (r"@(?:p?xref|ref|inforef)\{([^{},]*)[^{}]*\}", plain()),
    (r"@footnote\{([^{}]*)\}", lambda found: Span(f" {found[1]}")),
    (r"@(?:strong|b)\{((?:[^{}]|\{[^{}]*\})*)\}", bold()),
    (r"@(?:code|samp|verb|kbd)\{([^{}@]*)\}", literal()),
    (r"@[a-zA-Z]+\{((?:[^{}]|\{[^{}]*\})*)\}", plain()),
    (r"@[*:.!?/\-]|@ ", nothing),
    (r"---?", lambda found: Span("—" if len(found[0]) == 3 else "–", literal=True)),
    (r"``|''", lambda found: Span("“" if found[0] == "``" else "”", literal=True)),
)


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    reader = _Reader(writer)
    reader.read(source.text.replace("\r\n", "\n").splitlines())
    page = writer.page(reader.title or writer.first_heading)
    page.author = reader.author
    return decoded(page, source, writer.problem)


class _Reader:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._lines: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._kind: Tag = Tag.PARAGRAPH
        self.title = ""
        self.author = ""

    def read(self, lines: list[str]) -> None:
        at = 0
        while at < len(lines) and not self._writer.full:
            line = lines[at].rstrip()
            at += 1
            found = _LINE.match(line)
            if not line or line.startswith("\\input"):
                self._flush()
            elif found is None or (found[2] is None and line != f"@{found[1]}"):
                self._lines.append(line)
            elif found[1] in _CODE or found[1] in _UNSEEN:
                end = at
                while end < len(lines) and not lines[end].startswith(f"@end {found[1]}"):
                    end += 1
                self._block(found[1], lines[at:end])
                at = end + 1
            else:
                self._command(found[1], found[2] or "")
        self._flush()

    def _block(self, name: str, lines: list[str]) -> None:
        self._flush()
        if name in _CODE:
            text = "".join(run.text for run in _INLINE.runs("\n".join(lines)))
            self._writer.preformatted("\n".join(lines) if name == "verbatim" else text)
        elif name == "multitable":
            self._table("\n".join(lines))
        elif name == "titlepage":
            for line in lines:
                found = _LINE.match(line)
                if found and found[1] == "title":
                    self.title = self.title or (found[2] or "")
                elif found and found[1] == "author":
                    self.author = self.author or (found[2] or "")

    def _command(self, name: str, rest: str) -> None:
        if name in _LEVELS:
            self._flush()
            self._writer.heading(_INLINE.runs(rest), _LEVELS[name])
        elif name == "settitle":
            self.title = "".join(run.text for run in _INLINE.runs(rest))
        elif name in ("itemize", "enumerate", "table", "ftable", "vtable"):
            self._flush()
            if len(self._lists) < 100:
                self._lists.append((name, 0))
        elif name in ("item", "itemx"):
            self._item(rest)
        elif name in ("quotation", "smallquotation"):
            self._flush()
            self._kind = Tag.QUOTE
        elif name == "end":
            self._end(rest.strip())
        elif name == "caption":
            self._writer.other(Tag.CAPTION, _INLINE.runs(rest))

    def _item(self, rest: str) -> None:
        self._flush()
        kind, count = self._lists[-1] if self._lists else ("itemize", 0)
        if kind in ("itemize", "enumerate"):
            if self._lists:
                self._lists[-1] = (kind, count + 1)
            self._kind = Tag.ITEM if kind == "itemize" else Tag.NUMBERED
            self._lines = [rest] if rest else []
        else:
            self._writer.other(Tag.TERM, _INLINE.runs(rest))
            self._kind = Tag.DEFINITION

    def _table(self, text: str) -> None:
        rows: list[list[Inline]] = []
        pieces = _ROW.split(text)
        for cells in pieces[2::2]:
            rows.append([_INLINE.runs(cell) for cell in re.split(r"@tab\b", cells)])
        header_rows = 1 if pieces[1:2] == ["headitem"] else 0
        self._writer.table(rows, header_rows=header_rows)

    def _end(self, name: str) -> None:
        self._flush()
        if name in ("quotation", "smallquotation"):
            self._kind = Tag.PARAGRAPH
        if self._lists and name == self._lists[-1][0]:
            self._lists.pop()

    def _flush(self) -> None:
        text, self._lines = "\n".join(self._lines), []
        if not text.strip():
            return
        kind, self._kind = self._kind, self._kind if self._kind is Tag.QUOTE else Tag.PARAGRAPH
        runs = _INLINE.runs(text)
        if kind in (Tag.ITEM, Tag.NUMBERED):
            numbered = kind is Tag.NUMBERED
            marker = f"{self._lists[-1][1]}." if numbered and self._lists else ""
            self._writer.item(runs, max(1, len(self._lists)), numbered=numbered, marker=marker)
        else:
            self._writer.other(kind, runs)
