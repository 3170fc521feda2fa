"""How does an entry become a document of the index? Its texts as stems, its facts as words.

Everything here comes from pages: each text has a limit, and nothing in it can make this raise.
"""

import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from shoal.index.analysis import Analysis
from shoal.index.fields import (
    MEMBER,
    PAGE,
    PRIVATE,
    PUBLIC,
    Stored,
    Vector,
    cleaned,
    digest_of,
    key_of,
    milliseconds,
    order_of,
)
from shoal.index.file_types import type_words
from shoal.index.native import Document
from shoal.index.text_stems import Stems, hash_of
from shoal.index.vector import hashes_of, vector_of
from shoal.model.candidate import Where
from shoal.model.entry import Entry
from shoal.model.record import pack
from shoal.model.words.marks import COMPUTED
from shoal.model.words.words import language_of

_MOST_CHARS = {"title": 2_000, "headings": 50_000, "bold": 50_000, "url": 4_000}
_MOST_CONTENT_CHARS = 2_000_000
_MOST_RECENT_BYTES = 48_000_000
_MOST_REST_CHARS = 200_000
_MOST_ANCHORS = 500
_MOST_ANCHOR_CHARS = 300
_MOST_TIMES = 4
_MOST_NAME_WORDS = 12
_BEHIND_TITLE = re.compile(r"\s[-–—|·»:]+\s")
_BETWEEN_ANCHORS = " \u241e "
"""No word: a phrase does not go on from one anchor text into the next."""
_MOST_VALUES = 800
_MOST_VALUE_CHARS = 500
_MOST_READER_BYTES = 32_000
_SHORT = {
    "title": Where.TITLE,
    "headings": Where.HEADINGS,
    "bold": Where.BOLD,
    "url": Where.URL,
}


class Documents:
    """Makes documents; remembers stems from one to the next."""

    def __init__(self) -> None:
        self._analysis = Analysis()
        self._recent: dict[int, tuple[Stems, int]] = {}
        """With its bytes."""
        self._recent_bytes = 0

    def of(self, entry: Entry) -> Document:
        try:
            digest = digest_of(entry)
        except UnicodeEncodeError:
            entry = cleaned(entry)
            digest = digest_of(entry)
        document = Document()
        vector, length = self._add_texts(document, entry)
        _add_facts(document, entry)
        document.add_unsigned("length", length)
        stored = Stored(
            row=entry.row,
            url=entry.url,
            site=entry.site,
            language=language_of(entry.language),
            media_type=entry.media_type,
            fetched=entry.fetched,
            published=entry.published,
            length=length,
            digest=digest,
            vector=vector,
        )
        document.add_bytes("stored", pack(stored))
        return document

    def _add_texts(self, document: Document, entry: Entry) -> tuple[Vector, int]:
        language = language_of(entry.language)
        texts = {
            "title": entry.title,
            "headings": entry.headings,
            "bold": entry.bold,
            "url": url_words(entry.url),
        }
        short: dict[Where, Stems] = {}
        for name, text in texts.items():
            if text and (stems := self._stems(text[: _MOST_CHARS[name]], language)).words:
                document.add_text(name, stems.text)
                short[_SHORT[name]] = stems
        content = self._stems_of_page(entry.content[:_MOST_CONTENT_CHARS], language)
        document.add_text("content", content.text)
        rest = self._stems_of_page(entry.rest[:_MOST_REST_CHARS], language)
        if rest.words:
            document.add_text("rest", rest.text)
        anchors, names = self._add_anchors(document, entry.anchors, language)
        titles = [self._stems(title, language) for title in _titles(entry.title)]
        called = [(hash_of(title.text), 0) for title in titles if title.words]
        vector = vector_of(content, rest, short, anchors, [*called, *names.items()])
        return vector, content.words

    def _stems(self, text: str, language: str) -> Stems:
        return self._analysis.stems(text, language)

    def _stems_of_page(self, text: str, language: str) -> Stems:
        """Remembered for a while: a page is entered again when others link to it."""
        if not text:
            return self._stems(text, language)
        key = hash((text, language))
        known = self._recent.pop(key, None)
        if known is None:
            stems = self._stems(text, language)
            known = stems, _bytes_of(stems)
            self._recent_bytes += known[1]
        self._recent[key] = known  # the last one again
        while self._recent_bytes > _MOST_RECENT_BYTES:
            oldest = next(iter(self._recent))
            self._recent_bytes -= self._recent.pop(oldest)[1]
        return known[0]

    def _add_anchors(
        self, document: Document, anchors: list[tuple[str, int]], language: str
    ) -> tuple[Counter[bytes], dict[bytes, int]]:
        """What many sites say is repeated, though not as often as they say it. Returns the stems
        and the whole texts, by their hashes, and how many sites say them."""
        counted: Counter[bytes] = Counter()
        names: dict[bytes, int] = {}
        texts: list[str] = []
        for text, sites in sorted(anchors, key=lambda each: -each[1])[:_MOST_ANCHORS]:
            stems = self._stems(text[:_MOST_ANCHOR_CHARS], language)
            times = max(1, sites)
            texts += [stems.text] * min(times.bit_length(), _MOST_TIMES)
            if 0 < stems.words <= _MOST_NAME_WORDS:
                name = hash_of(stems.text)
                names[name] = names.get(name, 0) + times
            for each, count in zip(hashes_of(stems), stems.counts, strict=True):
                counted[each] += times * count
        if texts:
            document.add_text("anchor", _BETWEEN_ANCHORS.join(texts))
        return counted, names


def _bytes_of(stems: Stems) -> int:
    """At most: what is not ASCII keeps its UTF-8 beside itself once the index has taken it in."""
    copies = 1 if stems.text.isascii() else 3
    return sys.getsizeof(stems.text) * copies + len(stems.hashes) + len(stems.counts)


def _titles(title: str) -> dict[str, None]:
    """A title, and without what stands behind it: the site's name."""
    title = title[: _MOST_CHARS["title"]]
    return dict.fromkeys((title, _BEHIND_TITLE.split(title, maxsplit=1)[0]))


def _add_facts(document: Document, entry: Entry) -> None:
    document.add_text("key", key_of(entry.row))
    document.add_unsigned("hash", zlib.crc32(entry.row))
    document.add_text("kind", MEMBER if entry.is_member else PAGE)
    date = entry.published or entry.fetched
    document.add_integer("date", milliseconds(date))
    document.add_unsigned("order", order_of(entry.row, date))
    media_type = entry.media_type.lower().partition(";")[0].strip()
    facets = {
        "site": entry.site,
        "type": media_type,
        "language": language_of(entry.language),
        "year": year_of(date),
    }
    for name, value in facets.items():
        if value:
            document.add_text(name, value[:_MOST_VALUE_CHARS])
    _add_all(document, "domain", domains_of(entry.site))
    _add_all(document, "types", type_words(media_type, entry.url))
    _add_all(document, "languages", {entry.language.lower(), language_of(entry.language)} - {""})
    _add_all(document, "source", [entry.source] if entry.source else [])
    _add_all(document, "marks", [word for mark in entry.marks for word in mark_words(mark)])
    for name in COMPUTED:
        _add_all(document, name, [value for facet, value in entry.facets if facet == name])
    if entry.readers:
        document.add_text("private", PRIVATE)
        _add_readers(document, entry.readers)
    else:
        document.add_text("readers", PUBLIC)


def _add_all(document: Document, field: str, values: Iterable[str]) -> None:
    for value in list(dict.fromkeys(values))[:_MOST_VALUES]:
        document.add_text(field, value[:_MOST_VALUE_CHARS])


def _add_readers(document: Document, readers: Iterable[str]) -> None:
    """All of them, and whole: a name that was cut might be another's."""
    for reader in dict.fromkeys(readers):
        document.add_text("readers", reader_word(reader))


def reader_word(name: str) -> str:
    """As it stands in the index, whole, so that it can be told whom it means (readable.py).
    Nobody's name is the word for everyone. One that is too long goes by its digest."""
    word = "=" + name.encode("utf-8", "replace").decode()
    return word if len(word.encode()) <= _MOST_READER_BYTES else key_of(word.encode())


def mark_words(mark: str) -> tuple[str, ...]:
    """`name=value`, and `name` for any value of it."""
    name, equals, _ = mark.partition("=")
    return (mark, name) if equals and name else (mark,)


def domains_of(site: str) -> list[str]:
    """The host with its port, the host, and every domain that it is in: `en.example.org:81`,
    `en.example.org`, `example.org`, `org`. An address is in no domain."""
    site = site.lower().rstrip(".")
    host = site
    if site.rpartition(":")[2].isdigit() and not site.endswith("]"):
        host = site.rpartition(":")[0] or site
    found = [site, host]
    labels = host.split(".")
    if not host.startswith("[") and not labels[-1].isdigit():
        found += [".".join(labels[at:]) for at in range(1, min(len(labels), 128))]
    return [each for each in dict.fromkeys(found) if each]


def url_words(url: str) -> str:
    """Host and path as text; the scheme and `www` say nothing."""
    rest = url.partition("://")[2] or url
    return unquote(rest[:4_000], errors="replace").removeprefix("www.")


def year_of(seconds: float) -> str:
    try:
        return str(time.gmtime(seconds).tm_year) if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""
