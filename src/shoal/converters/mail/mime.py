"""Of which parts is a mail made? A tree of MIME parts (RFC 2045, 2046), of damaged mails too.

Our own splitter, not the standard library's: its depth, its number of parts and its work are
bounded, a part is a slice of the mail, and nothing is decoded before it is wanted. Boundaries that
never close, headers without an end and broken base64 are everyday.
"""

import binascii
import re
from collections.abc import Iterator

from shoal.converters.mail.headers import Head, decode_text, from_base64, read_head, typed

MAX_DEPTH = 20
_MAX_PARTS = 2_000
"""Of one multipart."""
_UU_BEGIN = re.compile(rb"^begin(?:-base64)? ([0-7]{3,4}) ([^\r\n]{1,200})\r?\n", re.MULTILINE)
_UU_END = re.compile(rb"^(?:end|====)[ \t]*\r?$", re.MULTILINE)
_SOME_BOUNDARY = re.compile(rb"^--([^\s][^\r\n]{0,199}?)[ \t]*\r?\n(?i:Content)-", re.MULTILINE)
_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+*-]{1,100}")


class MimePart:
    def __init__(self, data: bytes, default_type: str = "text/plain") -> None:
        self.data = data
        self.head: Head = read_head(data)
        self._content = typed(self.head.raw("content-type"))
        self._disposition = typed(self.head.raw("content-disposition"))
        kind = self._content.value
        self.kind = kind if _TYPE.fullmatch(kind) else default_type

    @property
    def raw_body(self) -> bytes:
        return self.data[self.head.body_at :]

    @property
    def params(self) -> dict[str, str]:
        return self._content.params

    @property
    def filename(self) -> str:
        """As given by whoever sent it: text for people, never a path."""
        name = self._disposition.params.get("filename") or self._content.params.get("name", "")
        return re.split(r"[/\\]", name.strip())[-1]

    @property
    def is_attachment(self) -> bool:
        return self._disposition.value == "attachment"

    @property
    def is_multipart(self) -> bool:
        return self.kind.startswith("multipart/")

    def body(self) -> bytes:
        """With its transfer encoding undone."""
        encoding = self.head.text("content-transfer-encoding").lower().strip(" \"';")
        raw = self.raw_body
        if encoding == "base64":
            return from_base64(raw)
        if encoding == "quoted-printable":
            return binascii.a2b_qp(raw)
        if encoding in ("x-uuencode", "uuencode", "x-uue", "uue"):
            return next((data for _, data, _ in uuencoded(raw)), raw)
        return raw

    def text(self) -> str:
        return decode_text(self.body(), self.params.get("charset", ""))

    def parts(self) -> list["MimePart"]:
        """Of a multipart; empty when its boundary is nowhere."""
        body = self.raw_body
        boundary = self.params.get("boundary", "").encode("latin-1", "replace")
        slices = _split(body, boundary) if boundary else []
        if not slices and (found := _SOME_BOUNDARY.search(body)):
            slices = _split(body, found[1])
        default = "message/rfc822" if self.kind == "multipart/digest" else "text/plain"
        return [MimePart(each, default) for each in slices]


def parse(data: bytes) -> MimePart:
    """A whole message. One with carriage returns only is read as well."""
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if b"\n" not in data[:20_000] and b"\r" in data[:20_000]:
        data = data.replace(b"\r", b"\n")
    return MimePart(data)


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    line = re.compile(rb"^--" + re.escape(boundary) + rb"(--)?[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
    slices: list[bytes] = []
    start = -1
    for match in line.finditer(body):
        if start >= 0:
            slices.append(_without_break(body[start : match.start()]))
        start = -1 if match[1] else match.end()
        if len(slices) > _MAX_PARTS:
            return slices
    if start >= 0 and body[start:].strip():
        slices.append(body[start:])
    return slices


def _without_break(data: bytes) -> bytes:
    """The line break before a boundary belongs to the boundary."""
    return data.removesuffix(b"\n").removesuffix(b"\r")


def uuencoded(data: bytes) -> Iterator[tuple[str, bytes, tuple[int, int]]]:
    """Files written into a text (`begin 644 name` … `end`): name, content, where it stands."""
    position = 0
    while begin := _UU_BEGIN.search(data, position):
        end = _UU_END.search(data, begin.end())
        stop = end.start() if end else len(data)
        lines = data[begin.end() : stop]
        content = from_base64(lines) if begin[0].startswith(b"begin-base64") else _from_uu(lines)
        position = end.end() if end else len(data)
        yield decode_text(begin[2].strip(), ""), content, (begin.start(), position)


def _from_uu(lines: bytes) -> bytes:
    pieces: list[bytes] = []
    for line in lines.splitlines():
        if not line or line in (b"`", b" "):
            continue
        try:
            pieces.append(binascii.a2b_uu(line))
        except binascii.Error:  # too long, as some encoders write it: take what is counted
            wanted = ((line[0] - 32) & 63) * 4 // 3 + 2
            try:
                pieces.append(binascii.a2b_uu(line[: wanted + 1]))
            except binascii.Error:
                continue
    return b"".join(pieces)
