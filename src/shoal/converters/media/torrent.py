"""What does a torrent name? Its title, comment and the files it stands for (BEP 3, bencoding)."""

from shoal.converters.context import Context, Converted
from shoal.converters.media.tags import FAULTS, plain
from shoal.converters.writer import Writer

_MAX_DEPTH = 20
_MAX_VALUES = 500_000

Value = bytes | int | list["Value"] | dict[bytes, "Value"]


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    problem = ""
    reader = _Bencoded(body)
    try:
        reader.value(0)
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    top = reader.top
    info = top.get(b"info")
    title = _text(info, b"name.utf-8") or _text(info, b"name")
    rows = [
        ["Title", title],
        ["Comment", _text(top, b"comment")],
        ["Creator", _text(top, b"created by")],
        ["Publisher", _text(info, b"publisher")],
    ]
    writer.table([row for row in rows if row[1]])
    for name in _files(info):
        writer.item(name)
    page = writer.page(title)
    page.description = _text(top, b"comment")[: context.limits.value_chars]
    return [Converted(page, problem=problem or writer.problem)]


def _text(value: Value | None, key: bytes) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return plain(found) if isinstance(found, bytes) else ""


def _files(info: Value | None) -> list[str]:
    files = info.get(b"files") if isinstance(info, dict) else None
    found: list[str] = []
    for each in files if isinstance(files, list) else ():
        if isinstance(each, dict):
            path = each.get(b"path.utf-8") or each.get(b"path")
            parts = (
                [plain(part) for part in path if isinstance(part, bytes)]
                if isinstance(path, list)
                else []
            )
            found.append("/".join(parts))
    return found


class _Bencoded:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._place = 0
        self._left = _MAX_VALUES
        self.top: dict[bytes, Value] = {}
        """The outermost dictionary, as far as it was read."""

    def value(self, depth: int) -> Value:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            raise ValueError("too deep or too long")
        mark = self._body[self._place : self._place + 1]
        if mark == b"d":
            return self._dictionary(depth)
        if mark == b"l":
            self._place += 1
            items: list[Value] = []
            while self._body[self._place] != 0x65:
                items.append(self.value(depth + 1))
            self._place += 1
            return items
        if mark == b"i":
            end = self._body.index(b"e", self._place, self._place + 30)
            number = int(self._body[self._place + 1 : end])
            self._place = end + 1
            return number
        return self._string()

    def _dictionary(self, depth: int) -> Value:
        self._place += 1
        found: dict[bytes, Value] = self.top if depth == 0 else {}
        while self._body[self._place] != 0x65:
            key = self._string()
            if depth == 0 and key == b"info":
                found[key] = {}
            found[key] = self.value(depth + 1)
        self._place += 1
        return found

    def _string(self) -> bytes:
        colon = self._body.index(b":", self._place, self._place + 12)
        size = int(self._body[self._place : colon])
        if size < 0 or colon + 1 + size > len(self._body):
            raise ValueError("text beyond the end")
        self._place = colon + 1 + size
        return self._body[colon + 1 : self._place]
