"""What does a reStructuredText file say? Sections, lists, tables and directives, by its spec.

Levels of sections follow the order in which their adornments appear. What a directive holds is read
as text where a reader would see it; those that only instruct the builder are left out.
"""

import re
from collections.abc import Callable

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.front_matter import iso_date, split
from shoal.converters.markup.rst_inline import MARKUP
from shoal.converters.markup.rst_table import grid_rows, is_grid, is_simple, simple_rows
from shoal.converters.writer import Writer
from shoal.model.page import Page, Tag

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{1,}$")
_BULLET = re.compile(r"[-*+•‣⁃](?:\s+|$)")
_NUMBER = re.compile(r"\(?([0-9]{1,9}|[A-Za-z]|#|[ivxlcdmIVXLCDM]{1,8})[.)]\s+")
_FIELD = re.compile(r":([^:\s](?:[^:]|:(?!\s))*):(?:\s+(.*)|$)")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]*\|\s+)?([\w:.+\-]+?)\s*::\s*(.*)$")
_NOTE = re.compile(r"\.\.\s+\[(?:[0-9]+|#[\w\-]*|\*|[A-Za-z][\w.\-]*)\]\s*(.*)$")
_CODE = frozenset(
    ("code", "code-block", "sourcecode", "highlight", "math", "parsed-literal", "prompt", "doctest")
)
_SILENT = frozenset(
    (
        *("toctree", "include", "raw", "contents", "index", "only", "meta", "default-role", "role"),
        *("highlight", "currentmodule", "module", "literalinclude", "automodule", "autoclass"),
        *("autofunction", "plot", "unicode", "class", "tabularcolumns", "sectnum", "date"),
    )
)
_PICTURES = frozenset(("image", "figure"))
_DEEPEST = 12


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    front, text = split(source.text)
    parser = _Parser(writer)
    parser.read([line.expandtabs(8).rstrip() for line in text.splitlines()], 0)
    page = writer.page(front.title or writer.first_heading)
    front.describe(page)
    parser.describe(page)
    return decoded(page, source, writer.problem)


class _Parser:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._adornments: list[str] = []
        self._fields: dict[str, str] = {}
        self._list_depth = 0
        self._kinds: tuple[Callable[[list[str], int, int], int], ...] = (
            self._section,
            self._explicit,
            self._field,
            self._item,
            self._table,
            self._line_block,
        )

    def describe(self, page: Page) -> None:
        page.author = page.author or self._fields.get("author", "")
        page.published = page.published or iso_date(self._fields.get("date", ""))
        page.description = page.description or self._fields.get("description", "")
        page.keywords = page.keywords or self._fields.get("keywords", "")

    def read(self, lines: list[str], depth: int) -> None:
        at = 0
        while at < len(lines) and not self._writer.full:
            if not lines[at]:
                at += 1
                continue
            at = max(at + 1, self._block(lines, at, depth))

    def _block(self, lines: list[str], at: int, depth: int) -> int:
        for kind in self._kinds:
            following = kind(lines, at, depth)
            if following > at:
                return following
        if lines[at].startswith(" "):
            return self._quote(lines, at, depth)
        return self._paragraph(lines, at, depth)

    def _inside(self, lines: list[str], depth: int) -> None:
        if depth < _DEEPEST:
            self.read(lines, depth + 1)
        else:
            self._writer.paragraph(" ".join(lines))

    def _section(self, lines: list[str], at: int, _: int) -> int:
        line = lines[at]
        if _ADORNMENT.match(line):
            if at + 2 < len(lines) and lines[at + 2] == line and lines[at + 1]:
                return self._title(lines[at + 1], line[0] * 2, at + 3)
            return at + 1 if len(line) >= 4 and not is_simple(lines, at) else at
        if at + 1 < len(lines) and not line.startswith(" "):
            under = lines[at + 1]
            if _ADORNMENT.match(under) and (len(under) >= len(line) or len(under) >= 4):
                return self._title(line, under[0], at + 2)
        return at

    def _title(self, text: str, adornment: str, following: int) -> int:
        if adornment not in self._adornments:
            self._adornments.append(adornment)
        self._writer.heading(MARKUP.runs(text.strip()), self._adornments.index(adornment) + 1)
        return following

    def _explicit(self, lines: list[str], at: int, depth: int) -> int:
        line = lines[at]
        if line != ".." and not line.startswith(".. "):
            return at
        if line == ".." and at + 1 < len(lines) and not lines[at + 1]:
            return at + 1  # an empty comment, only there to end what came before
        end = _indented_end(lines, at + 1)
        inner = _dedented(lines[at + 1 : end])
        directive, note = _DIRECTIVE.match(line), _NOTE.match(line)
        if directive:
            self._directive(directive[1].lower(), directive[2], inner, depth)
        elif note:
            self._writer.other(Tag.ASIDE, MARKUP.runs(" ".join((note[1], *inner))))
        return end

    def _directive(self, name: str, argument: str, inner: list[str], depth: int) -> None:
        options: dict[str, str] = {}
        while inner and (option := _FIELD.match(inner[0])):
            options[option[1].lower()] = option[2] or ""
            inner = inner[1:]
        if name in _SILENT or name == "replace":
            return
        if name in _PICTURES:
            self._writer.other(Tag.CAPTION, options.get("alt", ""))
            argument = ""
        if name in _CODE:
            # What follows `code` is its language, what follows `math` is mathematics.
            head = [argument] if name in ("math", "parsed-literal") else []
            self._writer.preformatted("\n".join(head + inner))
        elif name in ("csv-table", "list-table", "table") and inner:
            self._writer.other(Tag.CAPTION, MARKUP.runs(argument))
            self._directive_table(name, inner, options, depth)
        else:
            self._writer.paragraph(MARKUP.runs(argument))
            self._inside(inner, depth)

    def _directive_table(
        self, name: str, inner: list[str], options: dict[str, str], depth: int
    ) -> None:
        if name == "table":
            self._inside(inner, depth)
            return
        if name == "csv-table":
            lines = [options.get("header", ""), *inner]
            rows = [[cell.strip(' "') for cell in line.split(",")] for line in lines if line]
        else:
            rows = []
            for line in inner:
                cell = line.lstrip(" *-").strip()
                if line.startswith("*"):
                    rows.append([cell])
                elif line.lstrip().startswith("-") and rows:
                    rows[-1].append(cell)
                elif rows and cell:
                    rows[-1][-1] += f" {cell}"
        headers = options.get("header-rows", "1" if "header" in options else "0")
        header_rows = int(headers) if headers.isdecimal() and len(headers) < 4 else 0
        self._writer.table(
            ([MARKUP.runs(cell) for cell in row] for row in rows), header_rows=header_rows
        )

    def _field(self, lines: list[str], at: int, depth: int) -> int:
        found = _FIELD.match(lines[at])
        if found is None:
            return at
        end = _indented_end(lines, at + 1)
        inner = _dedented(lines[at + 1 : end])
        name, text = found[1], " ".join((found[2] or "", *inner)).strip()
        if depth == 0 and len(self._writer.blocks) <= 1:
            self._fields.setdefault(name.lower(), text)
        elif text:
            self._writer.other(Tag.TERM, name)
            self._writer.other(Tag.DEFINITION, MARKUP.runs(text))
        return end

    def _item(self, lines: list[str], at: int, depth: int) -> int:
        line = lines[at]
        bullet, number = _BULLET.match(line), _NUMBER.match(line)
        found = bullet or number
        if found is None:
            return at
        end = _indented_end(lines, at + 1)
        first, rest = [line[found.end() :]], _dedented(lines[at + 1 : end])
        next_line = lines[at + 1] if at + 1 < len(lines) else ""
        if number and not rest and next_line and not _NUMBER.match(next_line):
            return at  # "A. Fish wrote it" is a paragraph that begins with an initial
        while rest and rest[0] and not _BULLET.match(rest[0]) and not _NUMBER.match(rest[0]):
            first.append(rest.pop(0))
        self._list_depth += 1
        text = "\n".join(first)
        marker = number[0].strip() if number else ""
        self._writer.item(
            MARKUP.runs(text.removesuffix("::")), self._list_depth, numbered=bool(number),
            marker="" if "#" in marker else marker,
        )  # fmt: skip
        if text.endswith("::"):
            self._writer.preformatted("\n".join(_dedented(rest)))
        else:
            self._inside(rest, depth)
        self._list_depth -= 1
        return end

    def _table(self, lines: list[str], at: int, _: int) -> int:
        if not is_grid(lines[at]) and not is_simple(lines, at):
            return at
        read = grid_rows if is_grid(lines[at]) else simple_rows
        rows, header_rows, end = read(lines, at)
        self._writer.table(
            ([MARKUP.runs(cell) for cell in row] for row in rows), header_rows=header_rows
        )
        return end

    def _line_block(self, lines: list[str], at: int, _: int) -> int:
        end = at
        while end < len(lines) and (lines[end] == "|" or lines[end].startswith("| ")):
            end += 1
        if end > at:
            self._writer.preformatted("\n".join(line[2:] for line in lines[at:end]))
        return end

    def _quote(self, lines: list[str], at: int, depth: int) -> int:
        end = _indented_end(lines, at)
        inner = _dedented(lines[at:end])
        if any(self._is_block(line) for line in inner):
            self._inside(inner, depth)
        else:
            for text in re.split(r"\n{2,}", "\n".join(inner)):
                self._writer.other(Tag.QUOTE, MARKUP.runs(text))
        return end

    def _is_block(self, line: str) -> bool:
        return bool(_BULLET.match(line) or _NUMBER.match(line) or line.startswith((".. ", "+--")))

    def _paragraph(self, lines: list[str], at: int, depth: int) -> int:
        end = at + 1
        while end < len(lines) and lines[end] and not lines[end].startswith(" "):
            end += 1
        if end < len(lines) and lines[end] and end == at + 1 and not lines[at].endswith("::"):
            return self._definition(lines, at, depth)
        text = "\n".join(lines[at:end])
        if text.startswith(">>>"):
            self._writer.preformatted(text)
        elif not text.endswith("::"):
            self._writer.paragraph(MARKUP.runs(text))
        else:
            self._writer.paragraph(MARKUP.runs("" if text == "::" else text[:-1]))
            following = _indented_end(lines, end)
            self._writer.preformatted("\n".join(_dedented(lines[end:following])))
            return following
        return end

    def _definition(self, lines: list[str], at: int, depth: int) -> int:
        end = _indented_end(lines, at + 1)
        inner = _dedented(lines[at + 1 : end])
        self._writer.other(Tag.TERM, MARKUP.runs(lines[at]))
        if any(self._is_block(line) or not line or line.endswith("::") for line in inner):
            self._inside(inner, depth)
        else:
            self._writer.other(Tag.DEFINITION, MARKUP.runs("\n".join(inner)))
        return end


def _indented_end(lines: list[str], at: int) -> int:
    """Where the indented lines end; blank ones between them belong to them."""
    end = at
    while at < len(lines) and (not lines[at] or lines[at].startswith(" ")):
        at += 1
        if lines[at - 1]:
            end = at
    return end


def _dedented(lines: list[str]) -> list[str]:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    dedented = [line[indent:] for line in lines]
    while dedented and not dedented[0]:
        dedented.pop(0)
    return dedented
