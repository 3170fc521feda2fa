"""What does a bibliography say? Each entry: authors, title, where and when it appeared, abstract.

BibTeX, RIS, EndNote's and PubMed's tagged forms. An entry is a heading (its title) and paragraphs.
"""

import re
from collections.abc import Iterator

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.limits import DEFAULT_LIMITS
from shoal.converters.markup.latex_writer import LatexWriter
from shoal.converters.writer import Writer

Entry = dict[str, list[str]]

_BIBTEX = re.compile(r"@\s*([A-Za-z]+)\s*[{(]")
_FIELD = re.compile(r"([A-Za-z][\w\-:+]*)\s*=\s*")
_BARE = re.compile(r"[^,{}\"\s]+")
_BRACE = re.compile(r"\\.|[{}\"]", re.DOTALL)
_RIS = re.compile(r"([A-Z][A-Z0-9])  ?- ?(.*)$")
_ENDNOTE = re.compile(r"%([0-9A-Z@!+^$<>&~#*()?]) (.*)$")
_PUBMED = re.compile(r"([A-Z]{2,4}) *- (.*)$")
_LONGEST = 100_000
_NAMES = {
    **dict.fromkeys(("TI", "T1", "T", "BT", "title"), "title"),
    **dict.fromkeys(("AU", "A1", "A2", "A", "FAU", "author", "editor"), "author"),
    **dict.fromkeys(("JO", "JF", "T2", "J", "B", "JT", "journal", "booktitle", "TA"), "source"),
    **dict.fromkeys(("PY", "Y1", "D", "DP", "year", "date"), "year"),
    **dict.fromkeys(("AB", "N2", "X", "abstract"), "abstract"),
    **dict.fromkeys(("KW", "K", "MH", "OT", "keywords"), "keywords"),
    **dict.fromkeys(("PB", "I", "publisher", "school", "institution"), "publisher"),
    **dict.fromkeys(("N1", "Z", "note", "annote"), "note"),
}
_SHOWN = ("author", "source", "publisher", "year", "abstract", "keywords", "note")


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    first = ""
    for entry in _entries(source.text.lstrip("\ufeff").replace("\r\n", "\n")):
        if writer.full:
            break
        title = " ".join(entry.get("title", [])[:1])
        first = first or title
        writer.heading(title, 2)
        for name in _SHOWN:
            values = entry.get(name, [])
            writer.paragraph((" ".join if name == "abstract" else ", ".join)(values))
    if not writer.blocks:
        writer.preformatted(source.text)
    page = writer.page(first if len([b for b in writer.blocks if b.level == 2]) == 1 else "")
    return decoded(page, source, writer.problem)


def _entries(text: str) -> Iterator[Entry]:
    head = text[:5000]
    if re.search(r"^TY  ?- ", head, re.MULTILINE):
        return _tagged(text, _RIS, "TY")
    if re.search(r"^PMID *- ", head, re.MULTILINE):
        return _tagged(text, _PUBMED, "PMID")
    if re.search(r"^%[0A] ", head, re.MULTILINE):
        return _tagged(text, _ENDNOTE, "0")
    return _bibtex(text)


def _tagged(text: str, pattern: re.Pattern[str], start: str) -> Iterator[Entry]:
    entry: Entry = {}
    last: list[str] | None = None
    for line in text.splitlines():
        found = pattern.match(line)
        if found:
            if found[1] in (start, "ER") and entry:
                yield entry
                entry = {}
            name = _NAMES.get(found[1])
            last = entry.setdefault(name, []) if name else None
            if last is not None and found[2].strip() not in last:
                last.append(found[2].strip())
        elif last and line.startswith(" "):
            last[-1] += f" {line.strip()}"
        elif not line.strip() and start == "0" and entry:
            yield entry
            entry, last = {}, None
    if entry:
        yield entry


def _bibtex(text: str) -> Iterator[Entry]:
    strings: dict[str, str] = {}
    position = 0
    while found := _BIBTEX.search(text, position):
        position = found.end()
        kind = found[1].lower()
        if kind in ("comment", "preamble"):
            continue
        end = _BIBTEX.search(text, position)
        fields = dict(_fields(text, position, end.start() if end else len(text), strings))
        if kind == "string":
            strings |= fields
        elif fields:
            yield _shown(fields)


def _fields(text: str, start: int, end: int, strings: dict[str, str]) -> Iterator[tuple[str, str]]:
    position = start
    while found := _FIELD.search(text, position, end):
        value, position = _value(text, found.end(), end, strings)
        yield found[1].lower(), value


def _value(text: str, position: int, end: int, strings: dict[str, str]) -> tuple[str, int]:
    """Pieces in braces, quotes or neither, joined by `#`."""
    pieces: list[str] = []
    for _ in range(20):
        first = text[position : position + 1]
        if first in ("{", '"'):
            closing = _closing(text, position, end)
            pieces.append(text[position + 1 : closing])
            position = closing + 1
        elif bare := _BARE.match(text, position, end):
            pieces.append(strings.get(bare[0].lower(), bare[0]))
            position = bare.end()
        joined = re.compile(r"\s*#\s*").match(text, position, end)
        if joined is None:
            break
        position = joined.end()
    return "".join(pieces), position


def _closing(text: str, position: int, end: int) -> int:
    quoted, depth = text[position] == '"', 0
    for found in _BRACE.finditer(text, position + quoted, min(end, position + _LONGEST)):
        if quoted and depth == 0 and found[0] == '"':
            return found.start()
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not quoted and depth == 0 and found[0] == "}":
            return found.start()
    return min(end, position + _LONGEST)


def _shown(fields: dict[str, str]) -> Entry:
    latex = LatexWriter(Writer(DEFAULT_LIMITS), [])
    entry: Entry = {}
    for key, value in fields.items():
        name = _NAMES.get(key)
        if name:
            plain = (
                latex.plain(value).replace(" and ", ", ")
                if name == "author"
                else latex.plain(value)
            )
            entry.setdefault(name, []).append(plain)
    return entry
