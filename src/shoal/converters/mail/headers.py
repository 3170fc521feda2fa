"""What do a mail's header fields say? Unfolded, decoded, and never more than a person would read.

RFC 5322 with RFC 2047 (encoded words) and RFC 2231 (parameters), read as mail programs write them:
words cut within a character, charsets that lie, raw 8-bit bytes, parameters without quotes.
"""

import binascii
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from shoal.converters.characters import charset

MAX_FIELDS = 1_000
MAX_VALUE_BYTES = 65_536
_HEAD_BYTES = 1_000_000

_NOT_BASE64 = bytes(set(range(256)) - set(b"+/=0123456789") - {*range(65, 91), *range(97, 123)})
_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*:(.*)", re.DOTALL)
_ENCODED_WORD = re.compile(rb"=\?([\w.:+*-]{1,60})\?([bBqQ])\?([^?]{0,4000})\?=")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_PARAMETER = re.compile(
    r""";\s*([^\s=;*]+)(?:\*(\d{1,3}))?(\*)?\s*=\s*("(?:[^"\\]|\\.)*"?|'[^';]*'(?=\s*(?:;|$))|[^;]*)"""
)
_COMMENT = re.compile(r"\([^()]*\)")
_ESCAPED = re.compile(r"\\(.)")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")


class Head(NamedTuple):
    fields: list[tuple[str, bytes]]
    """Names in lower case, values unfolded but not decoded."""
    body_at: int

    def raw(self, name: str) -> bytes:
        return next((value for field, value in self.fields if field == name), b"")

    def text(self, name: str) -> str:
        """The first field of this name; further ones are somebody's mistake."""
        return decoded(self.raw(name))

    def texts(self, name: str) -> list[str]:
        return [decoded(value) for field, value in self.fields if field == name]


class Typed(NamedTuple):
    """A value with parameters: a Content-Type or a Content-Disposition."""

    value: str
    params: dict[str, str]


def read_head(data: bytes, start: int = 0) -> Head:
    """The fields from here on, up to the empty line or to the first line that is no field."""
    fields: list[tuple[str, list[bytes]]] = []
    position, stop = start, min(len(data), start + _HEAD_BYTES)
    while position < stop:
        line = _LINE.match(data, position, stop)
        if line is None or line.end() == position:
            break
        text = line[0].rstrip(b"\r\n")
        if not text.strip():
            position = line.end()
            break
        if text[:1] in (b" ", b"\t"):
            if fields:
                fields[-1][1].append(text.strip())
        elif not _is_envelope(text):
            field = _FIELD.match(text)
            if field is None:
                break  # no empty line: the body starts here
            if len(fields) < MAX_FIELDS:
                fields.append((field[1].decode("ascii").lower(), [field[2].strip()]))
        position = line.end()
    return Head([(name, b" ".join(lines)[:MAX_VALUE_BYTES]) for name, lines in fields], position)


def _is_envelope(line: bytes) -> bool:
    """What a mailbox puts before a message."""
    return line.startswith((b"From ", b">From "))


def decoded(value: bytes) -> str:
    """The text of a field. Neighbouring words of one charset may share a character."""
    pieces: list[str] = []
    pending, pending_charset, position = b"", "", 0
    for word in _ENCODED_WORD.finditer(value):
        between = value[position : word.start()]
        label = word[1].decode("ascii", "replace").partition("*")[0].lower()
        if between.strip() or label != pending_charset:
            pieces.append(_decode(pending, pending_charset))
            pending = b""
        if between.strip() or position == 0:
            pieces.append(_unencoded(between))
        pending += _word_bytes(word[2], word[3])
        pending_charset, position = label, word.end()
    pieces.append(_decode(pending, pending_charset))
    pieces.append(_unencoded(value[position:]))
    return " ".join("".join(pieces).split())


def _word_bytes(encoding: bytes, text: bytes) -> bytes:
    if encoding in b"qQ":
        return binascii.a2b_qp(text, header=True)
    return from_base64(text)


def from_base64(data: bytes) -> bytes:
    """Of whatever stands in the alphabet: line noise is skipped, missing padding added."""
    pieces: list[bytes] = []
    for run in re.split(rb"=+", data.translate(None, _NOT_BASE64)):
        whole = run[: len(run) - 1] if len(run) % 4 == 1 else run
        pieces.append(binascii.a2b_base64(whole + b"=" * (-len(whole) % 4)))
    return b"".join(pieces)


def _decode(data: bytes, label: str) -> str:
    return decode_text(data, label) if data else ""


def _unencoded(data: bytes) -> str:
    return data.decode("ascii") if data.isascii() else decode_text(data, "")


def decode_text(data: bytes, label: str) -> str:
    """By its declared charset; "us-ascii" with other bytes in it says nothing."""
    known = "" if label.lower() in ("us-ascii", "ascii", "unknown-8bit", "x-unknown") else label
    return charset.decode(data, known).text


def typed(value: bytes) -> Typed:
    """`text/plain; charset=x` as a value and its parameters (RFC 2231 continuations joined)."""
    text = decoded(value) if b"=?" in value or not value.isascii() else value.decode("ascii")
    main = _COMMENT.sub("", text.partition(";")[0]).strip().lower()
    plain: dict[str, str] = {}
    parts: dict[str, list[tuple[int, str, bool]]] = {}
    for match in _PARAMETER.finditer(text[:20_000]):
        name, number, is_extended, given = match[1].lower(), match[2], bool(match[3]), match[4]
        given = _unquoted(given)
        if number is None and not is_extended:
            plain.setdefault(name, given)
        else:
            parts.setdefault(name, []).append((int(number or 0), given, is_extended))
    for name, pieces in parts.items():
        plain[name] = _joined(pieces)
    return Typed(main, plain)


def _unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        return _ESCAPED.sub(r"\1", value[1:].removesuffix('"'))
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1]
    return value


def _joined(pieces: list[tuple[int, str, bool]]) -> str:
    pieces.sort(key=lambda piece: piece[0])
    label, data = "", b""
    for number, (_, value, is_extended) in enumerate(pieces):
        raw = value.encode("utf-8", "replace")
        if number == 0 and is_extended and raw.count(b"'") >= 2:
            label, raw = value.split("'", 2)[0], raw.split(b"'", 2)[2]
        data += unquote_to_bytes(raw) if is_extended else raw
    return decode_text(data, label)


def date(value: str) -> str:
    """As ISO 8601, empty when it is none. A date without a zone is taken for UTC."""
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return _iso_date(value)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


def _iso_date(value: str) -> str:
    match = _ISO_DATE.search(value)
    if not match:
        return ""
    try:
        return datetime(*(int(part or 0) for part in match.groups()), tzinfo=UTC).isoformat()  # type: ignore[arg-type, misc]  # six numbers, then the zone
    except ValueError:
        return ""
