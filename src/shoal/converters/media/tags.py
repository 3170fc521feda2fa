"""What does a picture, a song or a film say about itself? Its tags: they are the text of the file.

Every reader of this family collects what it finds here, under names for people; the same value
under the same name counts once, since files carry the same tags in two or three ways. Short values
make one table, long ones (lyrics, captions) paragraphs of their own.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterable

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.writer import Writer

TITLE = "Title"
ARTIST = "Artist"
CREATOR = "Creator"
DATE = "Date"
COMMENT = "Comment"
DESCRIPTION = "Description"
KEYWORDS = "Keywords"
COPYRIGHT = "Copyright"
MODIFIED = "Modified"

FAULTS = (struct.error, ValueError, IndexError, KeyError, OverflowError, zlib.error)
"""What reading hostile bytes may raise: a field beyond the end, a number that means nothing."""

_MAX_VALUES = 5_000
_MAX_READ_BYTES = 50_000_000
_SHORT_CHARS = 300
_GUESSED_TEXTS = 100
_GUESSED_BYTES = 5_000
_WORD_CHARS = 40
"""Keywords, genres, names of persons: short values of one name share a row."""
_REMARKS = (COMMENT, DESCRIPTION, "Headline", "Subject")
_SAYINGS = (TITLE, *_REMARKS)
"""What files say once in each way they know: a remark that repeats another one is left out."""
_AUTHORS = (CREATOR, ARTIST, "Author", "Album artist", "Composer", "Designer")
_DATES = (DATE, "Taken", "Year", "Created")
_DATE = re.compile(
    r"\s*(\d{4})(?:[-:./](\d{1,2})(?:[-:./](\d{1,2})"
    r"(?:[ T]+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_COMPACT_DATE = re.compile(r"\s*([12]\d{3})(\d\d)(\d\d)(?!\d)")


class Tags:
    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}
        self._count = 0
        self._texts: list[str] = []
        self.chapters: list[str] = []
        self.problem = ""
        self.charset = ""
        """Of bytes that should be Western and are not, where it could be told."""
        self._room_bytes = _MAX_READ_BYTES

    def add(self, name: str, value: str) -> None:
        value = value.replace("\x00", " ").strip()
        if not value or not re.search(r"\w", value) or self._count >= _MAX_VALUES:
            return
        if name in _REMARKS and any(value in self.every(each) for each in _SAYINGS):
            return
        known = self._values.setdefault(name, [])
        if not any(_same(value, each) for each in known):
            known.append(value)
            self._count += 1

    def text(self, text: str) -> None:
        """Lyrics, a speech, what is written in a picture: a paragraph for each line or verse."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\n").strip()
        if text and text not in self._texts and self._count < _MAX_VALUES:
            self._texts.append(text)
            self._count += 1

    def chapter(self, title: str) -> None:
        if title.strip() and len(self.chapters) < _MAX_VALUES:
            self.chapters.append(title.strip())

    def spend(self, size: int) -> None:
        """Before bytes are unpacked, copied or parsed: a file can name the same ones often."""
        self._room_bytes -= size
        if self._room_bytes < 0:
            raise ValueError("tags that are too large")

    def guess_charset(self, texts: Iterable[bytes]) -> None:
        """All the texts of a file together tell more than each alone."""
        odd = [text for text in texts if not text.isascii()][:_GUESSED_TEXTS]
        if odd:
            self.charset = decode(b"\n".join(odd)[:_GUESSED_BYTES]).charset

    def plain(self, data: bytes) -> str:
        return plain(data, self.charset)

    def first(self, *names: str) -> str:
        return next((self._values[name][0] for name in names if self._values.get(name)), "")

    def every(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def _told(self) -> tuple[list[list[str]], list[str]]:
        """The rows of the table, and what is too long for it. A name stands only once."""
        rows: list[list[str]] = []
        paragraphs: list[str] = []
        for name, values in sorted(self._values.items(), key=lambda item: item[0] != TITLE):
            if name == MODIFIED:
                continue
            shown = name
            joined = name not in _REMARKS and all(len(value) <= _WORD_CHARS for value in values)
            for value in [", ".join(values)] if joined else values:
                if len(value) > _SHORT_CHARS or "\n\n" in value:
                    paragraphs.append(value)
                else:
                    rows.append([shown, value])
                    shown = ""
        return rows, paragraphs

    def converted(self, context: Context) -> Converted:
        writer = Writer(context.limits)
        rows, paragraphs = self._told()
        writer.table(rows)
        for text in (*paragraphs, *self._texts):
            for verse in re.split(r"\n\s*\n", text.replace("\r", "")):
                writer.paragraph(verse)
        for chapter in self.chapters:
            writer.item(chapter)
        page = writer.page(self.first(TITLE))
        page.author = ", ".join(
            next((self.every(each) for each in _AUTHORS if self.every(each)), [])
        )
        page.published = next(
            (found for each in _DATES if (found := iso_date(self.first(each)))), ""
        )
        page.modified = iso_date(self.first(MODIFIED))
        page.description = self.first(DESCRIPTION, COMMENT)[: context.limits.value_chars]
        page.keywords = ", ".join(self.every(KEYWORDS))[: context.limits.value_chars]
        return Converted(page, problem=self.problem or writer.problem)


def _same(one: str, other: str) -> bool:
    """Old tags hold but the first 30 characters of the new ones."""
    return one == other or (len(one) in (28, 29, 30) and other.startswith(one))


Reading = Callable[[bytes, Tags], None]


def tagged(read: Reading, body: bytes, context: Context) -> list[Converted]:
    """One document of the tags that `read` finds before it ends or stumbles."""
    tags = Tags()
    try:
        read(body, tags)
    except FAULTS as fault:
        tags.problem = f"damaged: {fault}"[:200]
    return [tags.converted(context)]


def iso_date(text: str) -> str:
    """As far as it is known: `2008`, `2008-05`, `2008-05-03T10:20:30+02:00`. Empty if none."""
    if compact := _COMPACT_DATE.match(text):
        text = "-".join(compact.groups()) + text[compact.end() :]
    match = _DATE.match(text)
    if match is None or match[1] == "0000":
        return ""
    year, month, day, hour, minute, second, zone = match.groups()
    if month is None or not 1 <= int(month) <= 12:
        return str(year)
    if day is None or not 1 <= int(day) <= 31:
        return f"{year}-{int(month):02}"
    date = f"{year}-{int(month):02}-{int(day):02}"
    if hour is None or int(hour) > 23 or int(minute) > 59:
        return date
    return f"{date}T{int(hour):02}:{minute}:{second or '00'}{zone or ''}"


def plain(data: bytes, charset: str = "") -> str:
    """Bytes without a named charset: UTF-8 where it is, else as guessed, or Western."""
    data = data.partition(b"\x00")[0]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return decode(data, charset).text if charset else data.decode("cp1252", "replace")
