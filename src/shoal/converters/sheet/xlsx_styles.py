"""What do shared strings and styles say? The texts of cells, and how numbers in them are shown."""

from shoal.converters.sheet.styles import Styles
from shoal.converters.sheet.xlsx_package import pieces
from shoal.converters.writer import Inline, Run
from shoal.converters.xml import Element, attribute, local, named, parse


def read_styles(data: bytes, *, from_1904: bool) -> Styles:
    styles = Styles(from_1904=from_1904)
    root = parse(data) if data else None
    if root is None:
        return styles
    for each in named(root, "numFmt"):
        if local_parent(each) == "numFmts":
            styles.codes[whole(attribute(each, "numFmtId"))] = attribute(each, "formatCode")
    for fonts in root.iterchildren("{*}fonts"):
        styles.bold_fonts = [_is_bold(font) for font in fonts.iterchildren("{*}font")]
    for cells in root.iterchildren("{*}cellXfs"):
        for each in cells.iterchildren("{*}xf"):
            styles.add(whole(attribute(each, "numFmtId")), whole(attribute(each, "fontId")))
    return styles


_STRING_COST = 4
"""Also an empty string takes memory."""


def read_strings(data: bytes, room: int) -> list[Inline]:
    """The shared strings, up to this many characters."""
    found: list[Inline] = []
    for root in pieces(data, "si"):
        for each in root.iter("{*}si"):
            inline = rich_text(each)
            found.append(inline)
            size = len(inline) if isinstance(inline, str) else sum(len(r.text) for r in inline)
            room -= size + _STRING_COST
            if room < 0:
                return found
    return found


def rich_text(element: Element) -> Inline:
    """Of a string item, an inline string, a comment: plain text when all of it looks the same."""
    runs: list[Run] = []
    for child in element:
        name = local(child)
        if name == "t":
            runs.append(Run(unescape(child.text or "")))
        elif name == "r":
            text = "".join(unescape(t.text or "") for t in child.iterchildren("{*}t"))
            bold = any(_is_bold(look) for look in child.iterchildren("{*}rPr"))
            runs.append(Run(text, bold))
    if any(run.bold for run in runs):
        return tuple(runs)
    return "".join(run.text for run in runs)


def unescape(text: str) -> str:
    """`_x000D_` is how a control character is written; only spaces among them mean something."""
    if "_x" not in text:
        return text
    pieces_of = text.split("_x")
    shown = [pieces_of[0]]
    for piece in pieces_of[1:]:
        code = piece[:4]
        if len(piece) > 4 and piece[4] == "_" and all(c in "0123456789abcdefABCDEF" for c in code):
            shown.append(chr(int(code, 16)) + piece[5:])
        else:
            shown.append("_x" + piece)
    return "".join(shown)


def whole(text: str, fallback: int = 0) -> int:
    """A number out of an attribute."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else fallback


def local_parent(element: Element) -> str:
    parent = element.getparent()
    return local(parent) if parent is not None else ""


def _is_bold(font: Element) -> bool:
    for bold in font.iterchildren("{*}b"):
        return attribute(bold, "val") not in {"0", "false"}
    return False
