"""What does a manual page say? Sections, terms and text of man(7) and mdoc(7) macros.

troff is a language of its own; this reads the macros that pages are written in, takes conditions as
a terminal would, and passes over definitions. Anything unknown is no text.
"""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.man_mdoc import mdoc_runs
from shoal.converters.markup.man_roff import arguments, plain, runs_of
from shoal.converters.writer import Inline, Run, Writer
from shoal.model.page import Tag

_REQUEST = re.compile(r"[.'][ \t]*([A-Za-z\\][A-Za-z\"]*)[ \t]*(.*)$")
_FONTS = frozenset(("B", "I", "SM", "SB", "BR", "RB", "BI", "IB", "RI", "IR"))
_PARAGRAPHS = frozenset(("PP", "P", "LP", "Pp", "HP", "sp", "br", "Lp"))
_CODE_BEGINS = frozenset(("nf", "EX", "Vb"))
_CODE_ENDS = frozenset(("fi", "EE", "Ve"))
_CELL = re.compile(r"T\{\n(.{0,2000}?)\nT\}", re.DOTALL)
_MOST_BLOCK_LINES = 10_000


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    reader = _Reader(writer, re.sub(r"\\\n", "", source.text.replace("\r\n", "\n")).splitlines())
    reader.read()
    page = writer.page(reader.title)
    page.description = reader.about
    return decoded(page, source, writer.problem)


class _Reader:
    def __init__(self, writer: Writer, lines: list[str]) -> None:
        self._writer = writer
        self._lines = lines
        self._at = 0
        self._runs: list[Run] = []
        self._kind: Tag = Tag.PARAGRAPH
        self._marker = ""
        self._term_next = False
        self._code: list[str] | None = None
        self._lists: list[str] = []
        self._indent = 1
        self._name = ""
        self.title = ""
        self.about = ""
        self._section = ""

    def read(self) -> None:
        while self._at < len(self._lines) and not self._writer.full:
            line = self._lines[self._at]
            self._at += 1
            found = _REQUEST.match(line)
            if found:
                self._request(found[1], found[2])
            elif not line.startswith((".", "'")):
                self._text(line)
        self._flush()

    def _text(self, line: str) -> None:
        if self._code is not None:
            self._code.append(plain(line))
        elif not line.strip():
            self._flush()
        else:
            self._put(runs_of(line))

    def _put(self, runs: list[Run]) -> None:
        if self._code is not None:
            self._code.append("".join(run.text for run in runs))
            return
        if self._term_next:
            self._term_next = False
            self._writer.other(Tag.TERM, runs)
            self._kind = Tag.DEFINITION
            return
        self._runs += [*runs, Run(" ")]

    def _flush(self) -> None:
        code, self._code = self._code, None
        if code:
            self._writer.preformatted("\n".join(code))
        runs, self._runs = self._runs, []
        if any(run.text.strip() for run in runs):
            if self._section == "NAME" and not self.about:
                words = " ".join("".join(run.text for run in runs).split())
                self.about = re.split(r" [-–—]+ ", words, maxsplit=1)[-1]
            depth = max(1, len(self._lists) or self._indent)
            if self._kind in (Tag.ITEM, Tag.NUMBERED):
                numbered = self._kind is Tag.NUMBERED
                self._writer.item(
                    runs, depth, numbered=numbered, marker=self._marker if numbered else ""
                )
            else:
                self._writer.other(self._kind, runs)
            self._kind = Tag.PARAGRAPH

    def _request(self, name: str, rest: str) -> None:
        words = rest.split('\\"', 1)[0]
        if name in ("TH", "Dt"):
            parts = [plain(part) for part in arguments(words)]
            self.title = (
                f"{parts[0]}({parts[1]})" if len(parts) > 1 and parts[1] else "".join(parts[:1])
            )
        elif name in ("SH", "SS", "Sh", "Ss"):
            self._heading(name, words)
        elif name in ("RS", "RE"):
            self._flush()
            self._indent = max(1, self._indent + (1 if name == "RS" else -1))
        elif name in _PARAGRAPHS:
            self._flush() if name not in ("br", "sp") or self._code is None else self._code.append(
                ""
            )
        elif name in _FONTS:
            self._put(_in_fonts(name, arguments(words) or [self._next_line()]))
        elif name in ("TP", "TQ"):
            self._flush()
            self._term_next = True
        elif name == "IP":
            self._indented(arguments(words))
        elif name in _CODE_BEGINS or (name == "Bd" and "-filled" not in words):
            self._flush()
            self._code = []
        elif name in _CODE_ENDS or name == "Ed":
            self._flush()
        else:
            self._special(name, words)

    def _special(self, name: str, words: str) -> None:
        if name in ("de", "de1", "ig", "am", "TS", "EQ", "PS"):
            self._block(name)
        elif name in ("if", "ie"):
            self._condition(words)
        elif name == "UR":
            self._put([Run(plain(words), href=plain(words))])
        else:
            self._mdoc(name, words)

    def _heading(self, name: str, words: str) -> None:
        self._flush()
        text = " ".join(plain(word) for word in arguments(words)) or plain(self._next_line())
        self._section = text.upper() if name in ("SH", "Sh") else self._section
        self._writer.heading(text, 1 if name in ("SH", "Sh") else 2)
        self._kind, self._term_next, self._indent = Tag.PARAGRAPH, False, 1

    def _next_line(self) -> str:
        self._at += 1
        return self._lines[self._at - 1] if self._at <= len(self._lines) else ""

    def _indented(self, parts: list[str]) -> None:
        self._flush()
        mark = plain(parts[0]).strip() if parts else ""
        if not mark:
            return
        if not any(map(str.isalnum, mark)) and len(mark) == 1:
            self._kind = Tag.ITEM
        elif re.fullmatch(r"\(?[0-9]{1,4}[.)]?|\[[0-9]{1,4}\]", mark):
            self._kind, self._marker = Tag.NUMBERED, mark
        else:
            self._writer.other(Tag.TERM, runs_of(parts[0]))
            self._kind = Tag.DEFINITION

    def _block(self, name: str) -> None:
        """Definitions and drawings are passed over, tables are tables."""
        ends = {"TS": (".TE",), "EQ": (".EN",), "PS": (".PE",)}.get(name, ("..",))
        start = self._at
        while self._at < len(self._lines) and self._at - start < _MOST_BLOCK_LINES:
            self._at += 1
            if self._lines[self._at - 1].startswith(ends):
                break
        if name == "TS":
            self._flush()
            self._table(self._lines[start : self._at - 1])

    def _table(self, lines: list[str]) -> None:
        """tbl: options, then formats up to a full stop, then rows apart by tabs."""
        begin = next((at for at, line in enumerate(lines) if line.rstrip().endswith(".")), -1)
        separator = re.search(r"tab *\((.)\)", lines[0]) if lines else None
        sign = separator[1] if separator else "\t"
        # A cell of several lines stands between T{ and T}.
        text = _CELL.sub(lambda cell: cell[1].replace("\n", " "), "\n".join(lines[begin + 1 :]))
        rows: list[list[Inline]] = [
            [runs_of(cell) for cell in line.split(sign)]
            for line in text.splitlines()
            if not line.startswith(".") and line.strip("_= ")
        ]
        self._writer.table(rows)

    def _condition(self, words: str) -> None:
        condition, _, rest = words.partition(" ")
        found = _REQUEST.match(rest.lstrip().removeprefix("\\{"))
        if condition == "n" and found:
            self._request(found[1], found[2])

    def _mdoc(self, name: str, words: str) -> None:
        if name == "Bl":
            self._flush()
            if len(self._lists) < 20:
                self._lists.append(words)
        elif name == "El":
            self._flush()
            if self._lists:
                self._lists.pop()
        elif name == "It":
            self._mdoc_item(words)
        elif name == "Nd":
            self._put([Run("– "), *runs_of(words)])
        else:
            if name == "Nm" and words and not self._name:
                self._name = arguments(words)[0] if arguments(words) else ""
            runs = mdoc_runs(name, words or (self._name if name == "Nm" else ""))
            if runs:
                self._put(runs)

    def _mdoc_item(self, words: str) -> None:
        self._flush()
        form = self._lists[-1] if self._lists else ""
        if "-bullet" in form or "-dash" in form or "-item" in form or "-hyphen" in form:
            self._kind = Tag.ITEM
        elif "-enum" in form:
            self._kind, self._marker = Tag.NUMBERED, ""
        else:
            first, _, rest = words.partition(" ")
            self._writer.other(Tag.TERM, mdoc_runs(first, rest) or runs_of(words))
            self._kind = Tag.DEFINITION


def _in_fonts(name: str, words: list[str]) -> list[Run]:
    """`.BR` sets its arguments in bold and roman by turns, without spaces; `.B` all in bold."""
    if len(name) == 1 or name in ("SM", "SB"):
        return runs_of(" ".join(words), bold="B" in name)
    runs: list[Run] = []
    for at, word in enumerate(words):
        runs += runs_of(word, bold=name[at % 2] == "B")
    return runs
