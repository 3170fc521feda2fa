"""How are calendars and cards written? Content lines, `NAME;PARAMETER=value:value`.

RFC 5545 and 6350. Long lines are folded; the older forms (vCard 2.1, vCalendar 1.0) also use
quoted-printable with a charset of its own.
"""

import quopri
import re
from collections.abc import Iterator
from typing import NamedTuple

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(
    r"(?:[\w\-]+\.)?([A-Za-z][\w\-]*)((?:;(?:\"[^\"]*\"|[^:;\"])*)*):(.*)$", re.DOTALL
)
_PARAMETER = re.compile(r";\s*([\w\-]+)(?:=(\"[^\"]*\"|[^;]*))?")
_ESCAPE = re.compile(r"\\([nN,;:\\])")
_MOST_LINE_CHARS = 200_000


class ContentLine(NamedTuple):
    name: str
    """In upper case, without its group."""
    parameters: dict[str, str]
    """Names in upper case. A bare word (vCard 2.1) stands under itself."""
    value: str

    @property
    def parts(self) -> list[str]:
        """Of a structured value: an address, a name."""
        return [unescape(part) for part in re.split(r"(?<!\\);", self.value)]

    @property
    def text(self) -> str:
        return unescape(self.value)


def unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], text).strip()


def read(text: str) -> Iterator[ContentLine]:
    lines = iter(_FOLD.sub("", text.replace("\r\r\n", "\r\n")).splitlines())
    for line in lines:
        found = _LINE.match(line[:_MOST_LINE_CHARS])
        if found is None:
            continue
        parameters = {
            each[1].upper(): (each[2] or "").strip('"') for each in _PARAMETER.finditer(found[2])
        }
        value = found[3]
        if (
            "QUOTED-PRINTABLE" in parameters
            or "PRINTABLE" in parameters.get("ENCODING", "").upper()
        ):
            while value.endswith("=") and len(value) < _MOST_LINE_CHARS:
                value = value[:-1] + next(lines, "")
            value = _unquoted(value, parameters.get("CHARSET", "utf-8"))
        yield ContentLine(found[1].upper(), parameters, value)


def _unquoted(value: str, charset: str) -> str:
    data = quopri.decodestring(value.encode("utf-8", "replace"))
    try:
        return data.decode(charset, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
