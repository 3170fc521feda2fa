"""How do the commands and environments of LaTeX become blocks? One pass with a stack of
environments; arguments that are text are read in place, by pushing them back as text."""

from collections.abc import Callable

from shoal.converters.markup.latex_signs import SIGNS, accented
from shoal.converters.markup.latex_tokens import LatexSource
from shoal.converters.writer import Inline, Run, Writer
from shoal.model.page import Tag

_SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
    "frametitle": 2,
}
_BOLD = frozenset(("textbf", "bm", "strong"))
_BOLD_SWITCHES = frozenset(("bfseries", "bf"))
_MATH = frozenset(
    {"equation", "equation*", "align", "align*", "displaymath", "math", "eqnarray", "eqnarray*"}
    | {"gather", "gather*", "multline", "multline*", "alignat", "alignat*", "flalign"}
)
_TABLES = frozenset(
    ("tabular", "tabular*", "tabularx", "longtable", "array", "tabulary", "supertabular")
)
_QUOTES = frozenset(("quote", "quotation", "verse"))
_LISTS = frozenset(("itemize", "enumerate", "description"))
_SILENT = {
    **dict.fromkeys(
        (
            *("label", "ref", "pageref", "cite", "citep", "citet", "input", "include", "pagestyle"),
            *("usepackage", "documentclass", "bibliographystyle", "bibliography", "vspace"),
            *("index", "includegraphics", "hspace", "thispagestyle", "eqref", "autoref", "nocite"),
            *("cref", "hypersetup", "graphicspath", "pagenumbering", "phantom", "hyphenation"),
            "cline",
            *("date", "author", "title", "institute", "affil", "rule", "color", "cmidrule"),
        ),
        1,
    ),
    **dict.fromkeys(("setlength", "addtolength", "setcounter", "addtocounter", "rule"), 2),
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "newtheorem", "def"), 2),
    **dict.fromkeys(("addcontentsline", "newenvironment", "renewenvironment"), 3),
}
_FIRST_UNSEEN = frozenset(
    ("hypertarget", "textcolor", "colorbox", "parbox", "raisebox", "fontsize")
)


_DEEPEST = 12
"""Arguments within arguments; further in they are shown as they stand."""


class LatexWriter:
    def __init__(self, writer: Writer, codes: list[str], depth: int = 0) -> None:
        self._writer = writer
        self._depth = depth
        self._codes = codes
        self._runs: list[Run] = []
        self._bold = [False]
        self._places: list[str] = []
        self._lists: list[int] = []
        """For each list around: how many items there were; -1 for one without numbers."""
        self._item: tuple[int, bool, str] | None = None
        self._rows: list[list[Inline]] | None = None
        self._header_rows = 0
        self._notes: list[str] = []
        self._commands: dict[str, Callable[[LatexSource], None]] = {
            "item": self._start_item,
            "begin": self._begin,
            "end": self._end,
            "footnote": lambda source: self._notes.append(source.group()),
            "caption": self._caption,
            "href": self._link,
            "url": self._url,
            "verb": self._verb,
            "shoalcode": self._code,
            "multicolumn": self._spanning,
            "hline": self._rule,
            "midrule": self._rule,
            "maketitle": lambda _: None,
        }

    def plain(self, text: str) -> str:
        """The text of an argument, without any blocks."""
        inner = self._inner()
        return " ".join("".join(run.text for run in inner.line(text)).split())

    def _inner(self) -> "LatexWriter":
        return LatexWriter(self._writer, [], self._depth + 1)

    def line(self, text: str) -> list[Run]:
        if self._depth > _DEEPEST:
            return [Run(text)]
        self._read(LatexSource(text[:100_000]))
        runs, self._runs = self._runs, []
        return runs

    def write(self, text: str) -> None:
        self._read(LatexSource(text))
        self._flush()

    def _read(self, source: LatexSource) -> None:
        while not self._writer.full and (token := source.token()) is not None:
            kind = token.lastgroup
            if kind == "text":
                self._put(token[0])
            elif kind == "command":
                self._command(token["command"], token[0], source)
            elif kind == "sign":
                self._sign(token["sign"], source)
            elif kind == "brace":
                self._brace(token[0])
            elif kind == "math":
                self._put(source.up_to(token[0]))
            elif kind == "blank":
                self._flush() if self._rows is None else self._put(" ")
            elif kind == "tab" and self._rows is not None:
                self._end_cell()
            elif kind == "ligature":
                self._put(_LIGATURES[token[0]])
            else:
                self._put("\u00a0" if kind == "tie" else "&")

    def _put(self, text: str) -> None:
        if text:
            self._runs.append(Run(text, self._bold[-1]))

    def _brace(self, brace: str) -> None:
        if brace == "{":
            if len(self._bold) < 10_000:
                self._bold.append(self._bold[-1])
        elif len(self._bold) > 1:
            self._bold.pop()

    def _sign(self, sign: str, source: LatexSource) -> None:
        if sign in "([":
            self._put(source.up_to("\\)" if sign == "(" else "\\]"))
        elif sign == "\\":
            source.option()
            if self._rows is not None:
                self._end_row()
            else:
                self._put("\n")
        elif sign in "`'^~=.\"":
            self._put(accented(sign, source.group()))
        elif sign in "{}$&#_%":
            self._put(sign)
        elif sign in " ,;:\n":
            self._put(" ")

    def _command(self, name: str, raw: str, source: LatexSource) -> None:
        if name in _SECTIONS:
            source.option()
            heading = self._inner().line(source.group())
            self._flush()
            self._writer.heading(heading, _SECTIONS[name])
        elif name in self._commands:
            self._commands[name](source)
        elif name in SIGNS:
            self._put(SIGNS[name] + (" " if raw.endswith((" ", "\n")) and name == "par" else ""))
        elif name in _SILENT:
            for _ in range(_SILENT[name]):
                source.option()
                source.option()
                source.group()
        elif len(name) == 1 and (letter := accented(name, source.group())):
            self._put(letter)
        elif name in _BOLD:
            inner = self._inner().line(source.group())
            self._runs += [Run(run.text, True, run.href) for run in inner]
        elif name in _BOLD_SWITCHES:
            self._bold[-1] = True
        else:
            source.option()
            if name in _FIRST_UNSEEN:
                source.group()

    def _begin(self, source: LatexSource) -> None:
        name = source.group()
        if name in _MATH:
            math = source.up_to(f"\\end{{{name}}}")
            self._flush()
            self._writer.paragraph(math.replace("\\nonumber", ""))
            return
        self._flush()
        if len(self._places) < 1000:
            self._places.append(name)
        if name in _LISTS:
            source.option()
            self._lists.append(0 if name == "enumerate" else -1)
        elif name in _TABLES:
            source.option()
            source.group()
            if name in ("tabularx", "tabular*"):
                source.group()
            self._rows = [[]]
        else:
            source.option()
            if name in ("minipage", "thebibliography", "multicols"):
                source.group()
            if name == "abstract":
                self._writer.heading("Abstract", 2)

    def _end(self, source: LatexSource) -> None:
        name = source.group()
        if name in _TABLES and self._rows is not None:
            self._end_row()
            rows, self._rows = self._rows, None
            self._writer.table([row for row in rows if row], header_rows=self._header_rows)
            self._header_rows = 0
        self._flush()
        if name in self._places:
            while self._places.pop() != name:
                pass
        if name in _LISTS and self._lists:
            self._lists.pop()

    def _start_item(self, source: LatexSource) -> None:
        self._flush()
        label = source.option()
        depth = max(1, len(self._lists))
        if self._places and self._places[-1] == "description":
            self._writer.other(Tag.TERM, self._inner().line(label))
            self._item = (0, False, "")
        elif self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            marker = self.plain(label) if label else f"{self._lists[-1]}."
            self._item = (depth, True, marker)
        else:
            self._item = (depth, False, "")

    def _caption(self, source: LatexSource) -> None:
        source.option()
        self._writer.other(Tag.CAPTION, self._inner().line(source.group()))

    def _link(self, source: LatexSource) -> None:
        href = source.group().replace("\\", "")
        inner = self._inner().line(source.group())
        self._runs += [Run(run.text, run.bold, href) for run in inner]

    def _url(self, source: LatexSource) -> None:
        url = source.group()
        self._runs.append(Run(url, href=url))

    def _verb(self, source: LatexSource) -> None:
        bound = source.text[source.position : source.position + 1]
        source.position += 1
        if bound:
            self._put(source.up_to(bound))

    def _code(self, source: LatexSource) -> None:
        number = source.group()
        self._flush()
        if number.isdecimal() and int(number[:9]) < len(self._codes):
            self._writer.preformatted(self._codes[int(number[:9])])

    def _spanning(self, source: LatexSource) -> None:
        source.group()
        source.group()

    def _rule(self, _: LatexSource) -> None:
        """One under the first row makes it a header."""
        if self._rows is not None and sum(map(bool, self._rows)) == 1:
            self._header_rows = 1

    def _end_cell(self) -> None:
        if self._rows is not None:
            self._rows[-1].append(self._runs)
        self._runs = []

    def _end_row(self) -> None:
        if self._runs or (self._rows and self._rows[-1]):
            self._end_cell()
        if self._rows is not None:
            self._rows.append([])

    def _flush(self) -> None:
        if self._rows is not None:
            return
        runs, self._runs = self._runs, []
        item = self._item
        if any(run.text.strip() for run in runs):
            self._item = None
            if item and item[0]:
                self._writer.item(runs, item[0], numbered=item[1], marker=item[2])
            elif item:
                self._writer.other(Tag.DEFINITION, runs)
            elif any(place in _QUOTES for place in self._places[-3:]):
                self._writer.other(Tag.QUOTE, runs)
            else:
                self._writer.paragraph(runs)
        notes, self._notes = self._notes, []
        for note in notes:
            self._writer.other(Tag.ASIDE, self._inner().line(note))


_LIGATURES = {"--": "–", "---": "—", "``": "“", "''": "”", "!`": "¡", "?`": "¿"}
