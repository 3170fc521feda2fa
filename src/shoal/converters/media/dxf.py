"""What is written in a DXF drawing? The values of its text entities, in the order of the file.

A DXF file is pairs of a number and a value: of two lines each, or binary. Text is marked up:
`\\P` ends a line, `{\\fArial;…}` names a font, `\\U+00E4` and `%%d` are characters.
"""

import codecs
import re
import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media.tags import FAULTS
from shoal.converters.writer import Writer

_BINARY = b"AutoCAD Binary DXF\r\n\x1a\x00"
_TEXTS = frozenset({"TEXT", "MTEXT", "ATTRIB", "DIMENSION", "MULTILEADER", "MLEADER", "TOLERANCE"})
_CELLS = frozenset({"ACAD_TABLE"})
_TEXT_CODES = {"MULTILEADER": (304,), "MLEADER": (304,), "ACAD_TABLE": (1, 2, 302, 303)}
_MAX_PAIRS = 5_000_000
_ESCAPES = re.compile(
    r"\\[Uu]\+([0-9A-Fa-f]{4})|\\M\+\d[0-9A-Fa-f]{4}|(\\P|\\X|\^J)|(\\~)"
    r"|\\S([^;]{0,50});|\\[ACFHQTWacfhpqtw][^;\\]{0,100};|\\[LlOoKkNn]|\\([\\{}])|[{}]|\^I"
)
_SIGNS = {"%%d": "°", "%%p": "±", "%%c": "⌀", "%%%": "%", "%%u": "", "%%o": "", "%%k": ""}
_SIGN = re.compile(r"%%[dpc%uok]", re.IGNORECASE)
_PAGES = re.compile(r"ANSI_(\d+)|DOS(\d+)", re.IGNORECASE)


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    drawing = _Drawing(writer)
    problem = ""
    try:
        drawing.read(_pairs(body))
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    page = writer.page(drawing.title)
    page.author = drawing.author
    return [Converted(page, problem=problem or writer.problem)]


class _Drawing:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._entity = ""
        self._pieces: list[str] = []
        self._variable = ""
        self.title = ""
        self.author = ""

    def read(self, pairs: Iterator[tuple[int, str]]) -> None:
        section, is_named = "", False
        for code, value in pairs:
            if code == 0:
                self._finish()
                self._entity, is_named = value, value == "SECTION"
                if value == "EOF" or self._writer.full:
                    return
            elif is_named and code == 2:
                section, is_named = value, False
            elif section == "HEADER":
                self._header(code, value)
            elif section in ("ENTITIES", "BLOCKS"):
                wanted = _TEXT_CODES.get(self._entity, (1, 3))
                if (self._entity in _TEXTS or self._entity in _CELLS) and code in wanted:
                    self._pieces.append(value)
        self._finish()

    def _header(self, code: int, value: str) -> None:
        if code == 9:
            self._variable = value
        elif code == 1 and self._variable == "$LASTSAVEDBY":
            self.author = value
        elif code == 1 and self._variable == "$TITLE":
            self.title = value

    def _finish(self) -> None:
        pieces, self._pieces = self._pieces, []
        if self._entity == "DIMENSION":  # its block's name comes later, `<>` is the measure
            pieces = [piece for piece in pieces if piece not in ("", "<>", " ")]
        joint = "\n" if self._entity in _CELLS else ""
        for line in text_of(joint.join(pieces)).split("\n"):
            self._writer.paragraph(line)


def text_of(marked: str) -> str:
    """Without its markup; lines apart by line breaks."""

    def plain(match: re.Match[str]) -> str:
        letter, line, space, stacked, sign = match.groups()
        if letter:
            return chr(int(letter, 16))
        if line:
            return "\n"
        if stacked:
            return re.sub(r"[\^#]", "/", stacked)
        return " " if space or match[0] == "^I" else sign or ""

    return _ESCAPES.sub(plain, _SIGN.sub(lambda match: _SIGNS[match[0].lower()], marked))


def _pairs(body: bytes) -> Iterator[tuple[int, str]]:
    if body.startswith(_BINARY):
        yield from _binary_pairs(body)
        return
    codec = _codec(body[:20_000])
    lines = iter(body.decode(codec, "replace").splitlines())
    for _ in range(_MAX_PAIRS):
        number, value = next(lines, None), next(lines, None)
        if number is None or value is None:
            return
        if not re.fullmatch(r"\s*-?\d{1,4}\s*", number):
            raise ValueError("no number where one must be")
        yield int(number), value.strip("\r\n") if int(number) in (1, 3) else value.strip()


def _codec(head: bytes) -> str:
    version = re.search(rb"\$ACADVER\s+1\s+(AC\d{4})", head)
    if version is None or version[1] >= b"AC1021":
        return "utf-8"
    page = re.search(rb"\$DWGCODEPAGE\s+3\s+(\w+)", head)
    match = _PAGES.match(page[1].decode("ascii", "replace")) if page else None
    name = f"cp{match[1] or match[2]}" if match else "cp1252"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _binary_pairs(body: bytes) -> Iterator[tuple[int, str]]:
    place = len(_BINARY)
    is_narrow = body[place + 1 : place + 2] != b"\x00"  # before R13 codes were single bytes
    for _ in range(_MAX_PAIRS):
        if place + 2 > len(body):
            return
        if is_narrow and body[place] != 255:
            code = body[place]
            place += 1
        else:
            place += is_narrow
            (code,) = struct.unpack_from("<H", body, place)
            place += 2
        size = _value_size(code)
        if size:
            place += size
        elif 310 <= code < 320 or code == 1004:
            place += 1 + body[place]
        else:
            end = body.find(b"\x00", place)
            end = len(body) if end < 0 else end
            yield code, body[place:end].decode("utf-8", "replace")
            place = end + 1


def _value_size(code: int) -> int:
    """Of a number; 0 for text."""
    for first, last, size in (
        (10, 59, 8), (60, 79, 2), (90, 99, 4), (110, 149, 8), (160, 169, 8), (170, 179, 2),
        (210, 239, 8), (270, 289, 2), (290, 299, 1), (370, 389, 2), (400, 409, 2), (420, 429, 4),
        (440, 459, 4), (460, 469, 8), (1010, 1059, 8), (1060, 1070, 2), (1071, 1071, 4),
    ):  # fmt: skip
        if first <= code <= last:
            return size
    return 0
