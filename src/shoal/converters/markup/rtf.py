"""What does an RTF file say? Rich Text Format 1.9.1, also as Outlook packs a mail into it.

One pass over the tokens; groups are a list of states, never a recursion. Whatever is not understood
is passed over, as the format's own rules want it, and a file that ends early has said what came
before. HTML that Outlook wrapped in RTF (`\\fromhtml1`) is unwrapped and read as HTML.
"""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.html import blocks as html_blocks
from shoal.converters.markup.rtf_document import Document, Info, Place
from shoal.converters.markup.rtf_flow import PieceWriter
from shoal.converters.markup.rtf_html import html_of
from shoal.converters.markup.rtf_objects import embedded
from shoal.converters.markup.rtf_text import decode, of_unit
from shoal.converters.markup.rtf_words import CHARACTERS, DEEDS, SKIPPED, STARRED
from shoal.converters.writer import Writer
from shoal.model.page import Page

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,40})(-?[0-9]{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z]))"
    rb"|([{}])|([^\\{}\r\n\x00]+)",
    re.DOTALL,
)
_BOUND = re.compile(rb"\\bin([0-9]{1,10}) ?|\\.|([{}])", re.DOTALL)
_SYMBOLS = {"~": "\u00a0", "-": "\u00ad", "_": "\u2011", "{": "{", "}": "}", "\\": "\\"}
_OBJECTS = 100


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    document = _read(body, writer)
    page = writer.page(document.info.texts.get("title", ""))
    _describe(page, document.info)
    found = [Converted(page, problem=writer.problem)]
    for number, digits in enumerate(document.objects[:_OBJECTS], 1):
        name, data = embedded(digits)
        if data:
            found += context.inside(data, name or f"object {number}", "")
    return found


def write_blocks(data: bytes, writer: Writer, context: Context) -> None:
    """The blocks alone, for a mail whose body is RTF (unpacked already)."""
    _read(data, writer)


def _read(data: bytes, writer: Writer) -> Document:
    start = max(0, data[:4096].find(b"{\\rtf"))
    if b"\\fromhtml1" in data[start : start + 1000]:
        html_blocks.write_blocks(html_of(data), writer)
        return Document()
    document = Document()
    pieces = PieceWriter(writer)
    reader = _Reader(data, document)
    position = start
    while 0 <= position < len(data) and not writer.full:
        position = reader.some(position)
        pieces.write(document.body.pieces)
    while document.close():
        pass
    document.body.end(document.look(document.state))
    pieces.write(document.body.pieces)
    pieces.finish()
    return document


def _describe(page: Page, info: Info) -> None:
    texts = info.texts
    page.author = texts.get("author", "")
    page.keywords = texts.get("keywords", "")
    page.description = texts.get("subject", "") or texts.get("doccomm", "")
    page.published = _iso(info.times.get("created", []))
    page.modified = _iso(info.times.get("revised", []))


def _iso(parts: list[int]) -> str:
    if len(parts) != 5 or not (1900 < parts[0] < 3000 and 1 <= parts[1] <= 12):
        return ""
    year, month, day, hour, minute = parts
    return f"{year:04}-{month:02}-{min(31, max(1, day)):02}T{hour % 24:02}:{minute % 60:02}:00"


class _Reader:
    def __init__(self, data: bytes, document: Document) -> None:
        self._data = data
        self._document = document
        self._bytes = bytearray()
        self._skip = 0
        """How many characters of fallback are still to come after a `\\u`."""
        self._starred = False

    def some(self, position: int) -> int:
        """Read a few thousand tokens; where to go on, or -1 at the end."""
        data, search = self._data, _TOKEN.search
        for _ in range(4096):
            token = search(data, position)
            if token is None:
                self._flush()
                return -1
            position = token.end()
            which = token.lastindex or 0
            if which == 6:
                self._plain(token[6])
            elif which == 3:
                if self._skip:
                    self._skip -= 1
                else:
                    self._bytes.append(int(token[3], 16))
            elif which <= 2:
                position = self._word(token[1].decode("ascii"), token[2], position)
            elif which == 5:
                if not self._brace(token[5], position):
                    return -1
            else:
                self._symbol(token[4].decode("latin-1"))
        return position

    def _plain(self, data: bytes) -> None:
        if self._skip:
            skipped = min(self._skip, len(data))
            self._skip -= skipped
            data = data[skipped:]
        self._bytes += data

    def _flush(self) -> None:
        if self._bytes:
            document = self._document
            codec = document.state.codec = document.codec_now()
            document.text(decode(bytes(self._bytes), codec))
            self._bytes.clear()

    def _brace(self, brace: bytes, position: int) -> bool:
        self._flush()
        self._skip, self._starred = 0, False
        if brace == b"{":
            self._document.open()
        else:
            self._document.close()
            if len(self._document.states) == 1:  # a brace too many is no end of the text
                return self._data.find(b"\\par", position) >= 0
        return True

    def _symbol(self, symbol: str) -> None:
        self._flush()
        if symbol == "*":
            self._starred = True
        elif symbol in _SYMBOLS:
            self._character(_SYMBOLS[symbol])
        elif symbol in "\r\n":
            DEEDS["par"](self._document, None)

    def _character(self, text: str) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._document.text(text)

    def _word(self, word: str, digits: bytes | None, position: int) -> int:
        number = None if digits is None else int(digits)
        document = self._document
        self._flush()
        starred, self._starred = self._starred, False
        if word == "u":
            document.text(of_unit(number or 0, document.codec_now()))
            self._skip = document.state.uc
        elif word == "bin":
            return position + max(0, number or 0)
        elif word in CHARACTERS:
            self._character(CHARACTERS[word])
        elif word in SKIPPED or (starred and self._is_unknown(word)):
            return self._past_group(position)
        elif word in DEEDS:
            DEEDS[word](document, number)
        return position

    def _is_unknown(self, word: str) -> bool:
        return word not in STARRED and self._document.state.place is not Place.STYLE

    def _past_group(self, position: int) -> int:
        """Up to the brace that closes the group we are in; it is left for `_brace`."""
        depth = 1
        while bound := _BOUND.search(self._data, position):
            position = bound.end()
            if bound[1]:
                position += int(bound[1])
            elif bound[2]:
                depth += 1 if bound[2] == b"{" else -1
                if not depth:
                    return bound.start()
        return len(self._data)
