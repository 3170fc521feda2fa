"""What do translation files say? Each text with its translation: XLIFF, TMX, RESX, Android, PO …

A unit is a row of a table: source, then target. Identifiers are for programs and left out, except
where the file holds nothing but keys and texts: there the text alone is shown.
"""

import re
from collections.abc import Iterator

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.writer import Writer
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Page, Tag

_PO = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr)(?:\[[0-9]+\])?\s+"(.*)"\s*$')
_PO_MORE = re.compile(r'"(.*)"\s*$')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{4})|(.))", re.DOTALL)
_STRINGS = re.compile(
    r'/\*(?P<comment>.*?)(?:\*/|\Z)|"(?P<key>(?:[^"\\]|\\.)*)"\s*=\s*"(?P<text>(?:[^"\\]|\\.)*)"\s*;',
    re.DOTALL,
)


def write_xliff(root: Element, writer: Writer) -> Page:
    """Versions 1.2 and 2.0."""
    for unit in named(root, "trans-unit", "segment"):
        if writer.full:
            break
        _write_pair(unit, writer)
    for note in named(root, "note"):
        writer.other(Tag.ASIDE, all_text(note))
    file = next(named(root, "file"), None)
    page = writer.page("" if file is None else attribute(file, "original"))
    page.language = attribute(root, "srcLang") or (
        "" if file is None else attribute(file, "source-language")
    )
    return page


def _write_pair(unit: Element, writer: Writer) -> None:
    texts = [all_text(child) for child in unit if local(child) in ("source", "target")]
    for text in texts:
        writer.paragraph(text)


def write_tmx(root: Element, writer: Writer) -> Page:
    for unit in named(root, "tu"):
        if writer.full:
            break
        for variant in named(unit, "seg"):
            writer.paragraph(all_text(variant))
    header = next(named(root, "header"), None)
    page = writer.page()
    if header is not None:
        page.language = attribute(header, "srclang")
        page.author = attribute(header, "creationid")
    return page


def write_resx(root: Element, writer: Writer) -> Page:
    for data in named(root, "data"):
        if attribute(data, "mimetype") or writer.full:  # an object, not a text
            continue
        for child in data:
            kind = Tag.ASIDE if local(child) == "comment" else Tag.PARAGRAPH
            writer.other(kind, all_text(child))
    return writer.page()


def write_android(root: Element, writer: Writer) -> Page:
    for element in named(root, "string", "item"):
        if writer.full:
            break
        text = all_text(element).strip().strip('"')
        if not text.startswith(("@", "?")):  # a reference
            writer.paragraph(_unescaped(text))
    return writer.page()


def convert_po(body: bytes, context: Context) -> list[Converted]:
    """Gettext's catalogues, PO and POT."""
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    title = ""
    for name, text in _po_entries(source.text):
        if writer.full:
            break
        if name == "header":
            found = re.search(r"Project-Id-Version: *(.*)", text)
            title = found[1].strip() if found else ""
        else:
            writer.paragraph(text)
    page = writer.page(title)
    return decoded(page, source, writer.problem)


def _po_entries(text: str) -> Iterator[tuple[str, str]]:
    name, pieces, is_header = "", list[str](), False
    for line in [*text.splitlines(), 'msgid ""']:
        found, more = _PO.match(line), _PO_MORE.match(line)
        if more and name:
            pieces.append(more[1])
        if found is None:
            continue
        value = _unescaped("".join(pieces))
        if name == "msgid" and not value:
            is_header = True
        elif name == "msgstr" and is_header:
            is_header = False
            yield "header", value
        elif name in ("msgid", "msgid_plural", "msgstr") and value:
            is_header = False
            yield name, value
        name, pieces = found[1], [found[2]]


def convert_strings(body: bytes, context: Context) -> list[Converted]:
    """Apple's `"key" = "text";`."""
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    for found in _STRINGS.finditer(source.text):
        if writer.full:
            break
        if found["text"] is not None:
            writer.paragraph(_unescaped(found["text"]))
        else:
            writer.other(Tag.ASIDE, found["comment"])
    if not writer.blocks:
        writer.preformatted(source.text)
    page = writer.page()
    return decoded(page, source, writer.problem)


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        digits = found[1] or found[2]
        if digits:
            return chr(int(digits, 16))
        return {"n": "\n", "t": "\t", "r": ""}.get(found[3], found[3])

    return _ESCAPE.sub(character, text)
