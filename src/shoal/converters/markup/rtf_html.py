"""Which HTML did Outlook wrap in RTF? MS-OXRTFEX: the HTML's tags stand in `\\*\\htmltag` groups.

What lies between `\\htmlrtf` and `\\htmlrtf0` is there for RTF readers only; all other text is the
HTML's own.
"""

import re

from shoal.converters.markup.rtf_text import (
    codec_of_codepage,
    codec_of_font,
    decode,
    of_unit,
    whole,
)

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,40})(-?[0-9]{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z]))"
    rb"|([{}])|([^\\{}\r\n\x00]+)",
    re.DOTALL,
)
_TEXTS = {
    "par": "\r\n",
    "line": "\r\n",
    "tab": "\t",
    "lquote": "&lsquo;",
    "rquote": "&rsquo;",
    "ldblquote": "&ldquo;",
    "rdblquote": "&rdquo;",
    "bullet": "&bull;",
    "endash": "&ndash;",
    "emdash": "&mdash;",
}
_SYMBOLS = {b"~": "&nbsp;", b"_": "&shy;", b"{": "{", b"}": "}", b"\\": "\\"}
_DESTINATIONS = frozenset(
    ("fonttbl", "colortbl", "stylesheet", "info", "pntext", "listtext", "pict")
)
_FONT = re.compile(rb"\\f([0-9]{1,6})[^{};\\]*((?:\\[^{};]*)*)")
_CHARSET = re.compile(rb"\\fcharset([0-9]{1,3})")
_DEEPEST = 20_000


def html_of(data: bytes) -> str:
    reader = _Unwrapper(data)
    return whole("".join(reader.read()))


class _Unwrapper:
    def __init__(self, data: bytes) -> None:
        self._data = data
        page = re.search(rb"\\ansicpg([0-9]{1,5})", data[:1000])
        self._codec = (codec_of_codepage(int(page[1])) if page else "") or "cp1252"
        self._fonts = _fonts(data)
        self._out: list[str] = []
        self._bytes = bytearray()
        self._skip = 0
        self._uc = 1
        self._ignored = False
        """Between `\\htmlrtf` and `\\htmlrtf0`."""
        self._muted = False
        """In a group that is not the HTML's."""
        self._font = ""
        self._starred = False
        self._states: list[tuple[bool, bool, int, str]] = []
        self._too_deep = 0

    def read(self) -> list[str]:
        for token in _TOKEN.finditer(self._data):
            which = token.lastindex or 0
            if which == 6:
                self._plain(token[6])
            elif which == 3:
                self._plain(bytes((int(token[3], 16),)))
            else:
                self._flush()
                if which == 5:
                    self._brace(token[5] == b"{")
                elif which == 4:
                    self._starred = token[4] == b"*"
                    self._put(_SYMBOLS.get(token[4], ""))
                else:
                    self._word(token[1].decode("ascii"), token[2])
        self._flush()
        return self._out

    def _plain(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        if self._bytes:
            self._put(decode(bytes(self._bytes), self._font or self._codec))
            self._bytes.clear()

    def _put(self, text: str) -> None:
        if text and not self._ignored and not self._muted:
            self._out.append(text)

    def _brace(self, opens: bool) -> None:
        self._skip, self._starred = 0, False
        if opens:
            if len(self._states) < _DEEPEST:
                self._states.append((self._ignored, self._muted, self._uc, self._font))
            else:
                self._too_deep += 1
        elif self._too_deep:
            self._too_deep -= 1
        elif self._states:
            self._ignored, self._muted, self._uc, self._font = self._states.pop()

    def _word(self, word: str, digits: bytes | None) -> None:
        number = 1 if digits is None else int(digits)
        starred, self._starred = self._starred, False
        if word == "htmlrtf":
            self._ignored = number != 0
        elif (starred and word != "htmltag") or word in _DESTINATIONS:
            self._muted = True
        elif word == "u":
            self._put(of_unit(number, self._codec))
            self._skip = self._uc
        elif word == "uc":
            self._uc = min(8, max(0, number))
        elif word == "f":
            self._font = self._fonts.get(number, "")
        elif word in _TEXTS:
            self._put(_TEXTS[word])


def _fonts(data: bytes) -> dict[int, str]:
    start = data.find(b"\\fonttbl")
    end = data.find(b"}}", start)
    found: dict[int, str] = {}
    for font in _FONT.finditer(data[start : min(end, start + 20_000)] if start >= 0 else b""):
        charset = _CHARSET.search(font[2])
        if charset:
            found[int(font[1])] = codec_of_font(int(charset[1]), 0, "")
    return found
