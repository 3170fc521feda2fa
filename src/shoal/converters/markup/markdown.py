"""What does a Markdown file say? CommonMark's blocks, GitHub's tables, and front matter.

Lines are taken block by block; quotations and list items are read as small documents of their own,
down to a bounded depth. HTML in between is read as HTML.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.html import blocks as html_blocks
from shoal.converters.markup.front_matter import split
from shoal.converters.markup.markdown_inline import parse
from shoal.converters.writer import Inline, Writer
from shoal.model.page import Tag

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^`]*)$")
_ITEM = re.compile(r"( {0,3})([-+*]|[0-9]{1,9}[.)])( {1,4}(?! )| (?= {4})|$)(.*)")
_QUOTE = re.compile(r" {0,3}> ?")
_TABLE_RULE = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$")
_REFERENCE = re.compile(r" {0,3}\[([^\[\]]{1,999})\]:[ \t]*<?([^\s>]+)>?(?:[ \t]+[\"'(].*)?$")
_NOTE = re.compile(r" {0,3}\[\^[^\[\]]{1,100}\]:[ \t]*(.*)")
_HTML = re.compile(r" {0,3}<(?:/?[A-Za-z][A-Za-z0-9\-]*(?:[\s/>]|$)|!--|[!?])")
_INLINE_HTML = re.compile(
    r" {0,3}</?(?:a|b|i|em|strong|code|span|img|br|sub|sup|kbd|u|s|small)\b", re.IGNORECASE
)
_TASK = re.compile(r"\[[ xX]\] ")
_CELL = re.compile(r"(?:\\.|`[^`]*`|[^|\\])+|\\|\|")
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Frame:
    """What the lines are part of."""

    depth: int = 0
    quoted: bool = False
    list_depth: int = 0


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    front, text = split(source.text)
    write_blocks(text, writer)
    page = writer.page(front.title or writer.first_heading)
    front.describe(page)
    return decoded(page, source, writer.problem)


def write_blocks(text: str, writer: Writer) -> None:
    """The blocks of Markdown text without front matter: a cell of a notebook, a readme."""
    lines = [line.expandtabs(4).rstrip() for line in text.splitlines()]
    references: dict[str, str] = {}
    for line in lines:
        found = _REFERENCE.match(line)
        if found and not found[1].startswith("^"):
            references.setdefault(" ".join(found[1].lower().split()), found[2])
    _Parser(writer, references).read(lines, Frame())


class _Parser:
    def __init__(self, writer: Writer, references: dict[str, str]) -> None:
        self._writer = writer
        self._references = references
        self._kinds: tuple[Callable[[list[str], int, Frame], int], ...] = (
            self._heading,
            self._fence,
            self._rule,
            self._quote,
            self._list,
            self._code,
            self._reference,
            self._html,
            self._table,
        )

    def read(self, lines: list[str], frame: Frame) -> None:
        at = 0
        while at < len(lines) and not self._writer.full:
            at = self._block(lines, at, frame)

    def _block(self, lines: list[str], at: int, frame: Frame) -> int:
        """Where the next one begins."""
        if not lines[at].strip():
            return at + 1
        for kind in self._kinds:
            following = kind(lines, at, frame)
            if following > at:
                return following
        return self._paragraph(lines, at, frame)

    def _heading(self, lines: list[str], at: int, _: Frame) -> int:
        found = _ATX.match(lines[at])
        if found is None:
            return at
        text = (found[2] or "").strip()
        unmarked = text.rstrip("#")  # a heading may be closed by more of its signs
        text = unmarked if not unmarked or unmarked[-1].isspace() else text
        parsed = parse(text, self._references)
        self._writer.heading(parsed.runs, len(found[1]))
        self._captions(parsed.pictures)
        return at + 1

    def _fence(self, lines: list[str], at: int, _: Frame) -> int:
        fence = _FENCE.match(lines[at])
        if fence is None:
            return at
        indent, mark = len(fence[1]), fence[2]
        end = at + 1
        while end < len(lines):
            line = lines[end].strip()
            if len(line) >= len(mark) and line == mark[0] * len(line):
                break
            end += 1
        self._writer.preformatted("\n".join(_dedent(line, indent) for line in lines[at + 1 : end]))
        return end + 1

    def _rule(self, lines: list[str], at: int, _: Frame) -> int:
        return at + 1 if _RULE.match(lines[at]) else at

    def _quote(self, lines: list[str], at: int, frame: Frame) -> int:
        end, inner = at, []
        while end < len(lines):
            found = _QUOTE.match(lines[end])
            if found:
                inner.append(lines[end][found.end() :])
            elif end == at or not lines[end].strip() or self._starts_block(lines[end]):
                break
            else:
                inner.append(lines[end])  # a lazy line goes on with the paragraph
            end += 1
        if inner:
            self._inside(inner, Frame(frame.depth + 1, True, frame.list_depth))
        return end

    def _inside(self, lines: list[str], frame: Frame) -> None:
        if frame.depth <= _DEEPEST:
            self.read(lines, frame)
        else:
            self._write(" ".join(lines), frame)

    def _starts_block(self, line: str) -> bool:
        return bool(
            _ATX.match(line)
            or _FENCE.match(line)
            or _RULE.match(line)
            or _QUOTE.match(line)
            or _starts_list(line)
        )

    def _list(self, lines: list[str], at: int, frame: Frame) -> int:
        found = _ITEM.match(lines[at])
        if found is None:
            return at
        mark = found[2][-1]
        number = int(found[2][:-1]) if found[2][:-1] else None
        while found is not None and found[2][-1] == mark and not _RULE.match(lines[at]):
            offset = len(found[1]) + len(found[2]) + (len(found[3]) or 1)
            inner = [found[4]]
            at = self._item_lines(lines, at + 1, offset, inner)
            label = "" if number is None else f"{number}{mark}"
            self._item(inner, label, Frame(frame.depth + 1, frame.quoted, frame.list_depth + 1))
            number = None if number is None else number + 1
            following = at
            while following < len(lines) and not lines[following].strip():
                following += 1
            found = _ITEM.match(lines[following]) if following < len(lines) else None
            at = following if found else at
        return at

    def _item_lines(self, lines: list[str], at: int, offset: int, inner: list[str]) -> int:
        after_blank = not inner[0]
        while at < len(lines):
            line = lines[at]
            indent = len(line) - len(line.lstrip())
            if not line:
                if after_blank and len(inner) == 1 and not inner[0]:
                    break
                after_blank = True
                inner.append("")
            elif indent >= offset:
                after_blank = False
                inner.append(line[offset:])
            elif after_blank or self._starts_block(line) or _ITEM.match(line):
                break
            else:
                inner.append(line.lstrip())
            at += 1
        return at

    def _item(self, lines: list[str], marker: str, frame: Frame) -> None:
        """Its first paragraph is the item, what follows stands on its own."""
        end = 0
        first = lines[0] if lines else ""
        if not self._starts_block(first) and not first.startswith("    "):
            while end < len(lines) and lines[end] and not (end and self._starts_block(lines[end])):
                end += 1
        text = "\n".join(lines[:end])
        task = _TASK.match(text)
        parsed = parse(text[task.end() :] if task else text, self._references)
        numbered = bool(marker)
        self._writer.item(parsed.runs, frame.list_depth, numbered=numbered, marker=marker)
        self._captions(parsed.pictures)
        self._inside(lines[end:], frame)

    def _code(self, lines: list[str], at: int, _: Frame) -> int:
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
            end += 1
        if end > at:
            self._writer.preformatted("\n".join(line[4:] for line in lines[at:end]))
        return end

    def _reference(self, lines: list[str], at: int, _: Frame) -> int:
        note = _NOTE.match(lines[at])
        if note is None:
            return at + 1 if _REFERENCE.match(lines[at]) else at
        text, end = [note[1]], at + 1
        while end < len(lines) and lines[end] and not _NOTE.match(lines[end]):
            text.append(lines[end])
            end += 1
        self._writer.other(Tag.ASIDE, parse("\n".join(text), self._references).runs)
        return end

    def _html(self, lines: list[str], at: int, _: Frame) -> int:
        if not _HTML.match(lines[at]) or _INLINE_HTML.match(lines[at]):
            return at
        end = at
        closing = "-->" if lines[at].lstrip().startswith("<!--") else ""
        raw = re.match(r"\s*<(script|style|pre|textarea)\b", lines[at], re.IGNORECASE)
        closing = f"</{raw[1].lower()}>" if raw else closing
        while end < len(lines) and (closing or lines[end].strip()):
            end += 1
            if closing and closing in lines[end - 1].lower():
                break
        html_blocks.write_blocks("\n".join(lines[at:end]), self._writer)
        return end

    def _table(self, lines: list[str], at: int, _: Frame) -> int:
        if (
            "|" not in lines[at]
            or at + 1 >= len(lines)
            or not _TABLE_RULE.match(lines[at + 1].strip())
        ):
            return at
        head = _cells(lines[at])
        if len(head) != len(_cells(lines[at + 1])):
            return at
        rows: list[list[Inline]] = []
        end = at
        while (
            end < len(lines)
            and lines[end].strip()
            and not (end > at + 1 and self._starts_block(lines[end]))
        ):
            if end != at + 1:
                rows.append([parse(cell, self._references).runs for cell in _cells(lines[end])])
            end += 1
        self._writer.table(rows, header_rows=1)
        return end

    def _paragraph(self, lines: list[str], at: int, frame: Frame) -> int:
        end = at + 1
        while end < len(lines) and lines[end].strip():
            setext = _SETEXT.match(lines[end])
            if setext:
                text = "\n".join(lines[at:end])
                self._writer.heading(
                    parse(text, self._references).runs, 1 if setext[1][0] == "=" else 2
                )
                return end + 1
            if self._starts_block(lines[end]) or (
                _HTML.match(lines[end]) and not _INLINE_HTML.match(lines[end])
            ):
                break
            end += 1
        self._write("\n".join(lines[at:end]), frame)
        return end

    def _write(self, text: str, frame: Frame) -> None:
        parsed = parse(text, self._references)
        if frame.quoted:
            self._writer.other(Tag.QUOTE, parsed.runs)
        else:
            self._writer.paragraph(parsed.runs)
        self._captions(parsed.pictures)

    def _captions(self, pictures: list[str]) -> None:
        for words in pictures:
            self._writer.other(Tag.CAPTION, words)


def _starts_list(line: str) -> bool:
    """May it interrupt a paragraph? Only a bullet or a first number with text does."""
    found = _ITEM.match(line)
    return bool(found and found[4] and found[2] in ("-", "+", "*", "1.", "1)"))


def _dedent(line: str, columns: int) -> str:
    blanks = len(line) - len(line.lstrip())
    return line[min(columns, blanks) :]


def _cells(line: str) -> list[str]:
    cells = [""]
    for part in _CELL.findall(line.strip().removeprefix("|")):
        if part == "|":
            cells.append("")
        else:
            cells[-1] += part.replace("\\|", "|")
    if not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]
