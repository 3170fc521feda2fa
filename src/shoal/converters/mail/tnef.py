"""What is in a winmail.dat? The letter and the files that Outlook wrapped into one (MS-OXTNEF).

A TNEF stream is a row of attributes, of the message first and then of each attachment; two of them
hold MAPI properties, where the names in Unicode, the HTML and the compressed RTF stand. Every
length is a claim: a slice is taken, and the row ends where the bytes do.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.html.blocks import write_blocks
from shoal.converters.mail.headers import decode_text
from shoal.converters.mail.text import write_plain
from shoal.converters.writer import Run, Writer

MAGIC = b"\x78\x9f\x3e\x22"
TNEF_TYPES = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})

_SUBJECT, _BODY, _MAPI, _CODEPAGE = 0x8004, 0x800C, 0x9003, 0x9007
_ATTACHMENT_BEGINS, _ATTACH_DATA, _ATTACH_TITLE, _ATTACH_MAPI = 0x9002, 0x800F, 0x8010, 0x9005
_FROM, _DATE_SENT = 0x8000, 0x8005
_PR_SUBJECT, _PR_SENDER, _PR_BODY, _PR_RTF, _PR_HTML = 0x0037, 0x0C1A, 0x1000, 0x1009, 0x1013
_PR_FILE, _PR_LONG_FILE, _PR_DISPLAY, _PR_DATA = 0x3704, 0x3707, 0x3001, 0x3701
_MAX_ATTRIBUTES = 10_000
_MAX_PROPERTIES = 5_000
_FIXED_BYTES = {2: 4, 3: 4, 4: 4, 10: 4, 11: 4, 5: 8, 6: 8, 7: 8, 20: 8, 64: 8, 72: 16}
_VARIABLE = frozenset({0x0D, 0x1E, 0x1F, 0x102})
_RTF_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_RTF_RATIO = 12
"""Two bytes and an eighth give at most 17: what claims more is cut."""


class File(NamedTuple):
    name: str
    data: bytes


@dataclass(slots=True)
class Letter:
    subject: str = ""
    sender: str = ""
    published: str = ""
    text: str = ""
    html: str = ""
    rtf: bytes = b""
    attachments: list[File] = field(default_factory=list)
    problem: str = ""


class _Property(NamedTuple):
    number: int
    kind: int
    data: bytes


def convert(body: bytes, context: Context) -> list[Converted]:
    letter = read_tnef(body)
    writer = Writer(context.limits)
    if letter.sender:
        writer.paragraph([Run("From:", bold=True), Run(f" {letter.sender}")])
    if letter.html:
        write_blocks(letter.html, writer)
    elif letter.text:
        write_plain(letter.text, writer)
    elif letter.rtf:
        for inner in context.inside(letter.rtf, "body.rtf", "application/rtf")[:1]:
            writer.blocks.extend(inner.page.blocks)
    result: list[Converted] = []
    for attachment in letter.attachments[: context.limits.members]:
        writer.item(attachment.name)
        result.extend(context.inside(attachment.data, attachment.name))
    page = writer.page(letter.subject)
    page.author, page.published = letter.sender, letter.published
    return [Converted(page, problem=letter.problem or writer.problem), *result]


def read_tnef(data: bytes) -> Letter:
    letter = Letter()
    if not data.startswith(MAGIC):
        letter.problem = "damaged: no TNEF stream"
        return letter
    charset = "windows-1252"
    current: dict[str, bytes | str] | None = None
    for number, value in _attributes(data):
        if number == _CODEPAGE and len(value) >= 4:
            charset = f"windows-{struct.unpack_from('<I', value)[0]}"
        elif number == _ATTACHMENT_BEGINS:
            _finish(current, letter)
            current = {}
        elif current is not None and number in (_ATTACH_DATA, _ATTACH_TITLE, _ATTACH_MAPI):
            _of_attachment(current, number, value, charset)
        else:
            _of_message(letter, number, value, charset)
    _finish(current, letter)
    return letter


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 6
    for _ in range(_MAX_ATTRIBUTES):
        if position + 9 > len(data):
            return
        _level, number, length = struct.unpack_from("<BII", data, position)
        position += 9
        yield number & 0xFFFF, data[position : position + length]
        position += length + 2


def _of_message(letter: Letter, number: int, value: bytes, charset: str) -> None:
    if number == _SUBJECT:
        letter.subject = letter.subject or _string(value, charset)
    elif number == _BODY:
        letter.text = letter.text or _string(value, charset)
    elif number == _DATE_SENT and len(value) >= 12:
        year, month, day, hour, minute, second = struct.unpack_from("<6H", value)
        if 1980 <= year < 2100 and 1 <= month <= 12 and 1 <= day <= 31:
            clock = f"{hour % 24:02}:{minute % 60:02}:{second % 60:02}"
            letter.published = f"{year}-{month:02}-{day:02}T{clock}"
    elif number == _MAPI:
        for each in _properties(value):
            if each.number == _PR_SUBJECT:
                letter.subject = _text(each, charset) or letter.subject
            elif each.number == _PR_SENDER:
                letter.sender = _text(each, charset) or letter.sender
            elif each.number == _PR_BODY:
                letter.text = _text(each, charset) or letter.text
            elif each.number == _PR_HTML:
                letter.html = _text(each, charset) or letter.html
            elif each.number == _PR_RTF:
                letter.rtf = unpack_rtf(each.data)


def _of_attachment(
    current: dict[str, bytes | str], number: int, value: bytes, charset: str
) -> None:
    if number == _ATTACH_DATA:
        current["data"] = value
    elif number == _ATTACH_TITLE:
        current.setdefault("name", _string(value, charset))
    else:
        for each in _properties(value):
            if each.number == _PR_LONG_FILE or (each.number == _PR_FILE and "name" not in current):
                current["name"] = _text(each, charset) or current.get("name", "")
            elif each.number == _PR_DISPLAY:
                current["shown"] = _text(each, charset)
            elif each.number == _PR_DATA:
                current.setdefault("data", each.data[16:] if each.kind == 0x0D else each.data)


def _finish(current: dict[str, bytes | str] | None, letter: Letter) -> None:
    data = current.get("data", b"") if current else b""
    if current and isinstance(data, bytes) and data:
        name = current.get("name") or current.get("shown") or "attachment"
        letter.attachments.append(File(str(name), data))


def _properties(data: bytes) -> list[_Property]:
    found: list[_Property] = []
    try:
        count = min(struct.unpack_from("<I", data)[0], _MAX_PROPERTIES)
        position = 4
        for _ in range(count):
            kind, number = struct.unpack_from("<HH", data, position)
            position += 4
            if number >= 0x8000:
                position = _past_name(data, position)
            is_many, kind = kind & 0x1000, kind & ~0x1000
            values = 1
            if is_many or kind in _VARIABLE:
                values = struct.unpack_from("<I", data, position)[0]
                position += 4
            for _ in range(min(values, _MAX_PROPERTIES)):
                value, position = _value(data, position, kind)
                found.append(_Property(number, kind, value))
            if len(found) > _MAX_PROPERTIES:
                break
    except (struct.error, KeyError):  # the rest can't be told apart
        return found
    return found


def _value(data: bytes, position: int, kind: int) -> tuple[bytes, int]:
    if kind in _VARIABLE:
        length = struct.unpack_from("<I", data, position)[0]
        position += 4
        return data[position : position + length], position + length + (-length % 4)
    length = _FIXED_BYTES[kind]
    return data[position : position + length], position + length


def _past_name(data: bytes, position: int) -> int:
    position += 16
    kind, length = struct.unpack_from("<II", data, position)
    return int(position + 8 + (length + (-length % 4) if kind else 0))


def _text(each: _Property, charset: str) -> str:
    if each.kind == 0x1F:
        return each.data.decode("utf-16-le", "replace").rstrip("\0")
    return _string(each.data, "" if each.kind == 0x102 else charset)


def _string(data: bytes, charset: str) -> str:
    return decode_text(data.rstrip(b"\0"), charset)


def unpack_rtf(data: bytes) -> bytes:
    """Compressed RTF (MS-OXRTFCP): a window of 4096 bytes that starts with a known text."""
    if len(data) < 16:
        return b""
    _size, raw_size, kind = struct.unpack_from("<I I 4s", data)
    if kind == b"MELA":
        return data[16 : 16 + raw_size]
    if kind != b"LZFu":
        return b""
    output = bytearray(_RTF_START)
    most = len(_RTF_START) + min(raw_size, _RTF_RATIO * len(data))
    position = 16
    while position < len(data) and len(output) < most:
        flags = data[position]
        position += 1
        for bit in range(8):
            if position >= len(data):
                break
            if not flags >> bit & 1:
                output.append(data[position])
                position += 1
                continue
            pair = int.from_bytes(data[position : position + 2])
            position += 2
            here = len(output)
            back = (here - (pair >> 4)) % 4096
            if back == 0:  # points at the place to be written: the end
                return bytes(output[len(_RTF_START) :])
            start = here - back
            for place in range(start, start + (pair & 15) + 2):
                output.append(output[place] if place >= 0 else 0)
    return bytes(output[len(_RTF_START) :][: most - len(_RTF_START)])
