"""What does a feed in XML say, whatever its dialect and however broken? feedparser knows.

Well-formed feeds go through its SAX reader, the others through its loose one. Both are used below
the library's `parse`, which cleans and resolves HTML at twenty times the cost of reading (we do
that elsewhere) and finds charset and document type by patterns that hostile input can stall. The
class here keeps an item's id as it was given, sees what the library does not keep (skipHours), and
bounds the work: items, tags, pieces of text, name spaces, and the two places that were quadratic.
"""

import io
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple
from xml import sax  # entities that could grow were taken out of the text (feed_text.py)
from xml.sax.saxutils import quoteattr
from xml.sax.xmlreader import AttributesNSImpl, InputSource

from shoal.sources.feed_text import Document

MAX_ITEMS = 5_000
MAX_TAGS = 200_000
"""Those that begin and those that end: 5,000 items have about 100,000."""
MAX_LOOSE_TAGS = 100_000
"""Of a feed that is not well-formed: reading it takes three times as long."""
MAX_PIECES = 1_000_000
"""Runs of characters, references and entities."""
_MAX_GROWTH = 4
"""Characters read for each that was sent: entities of sixty characters are written in three."""
_MAX_NAMESPACES = 200
_MAX_BASE = 500
_MAX_ATTRIBUTES = 100
_MAX_AUTHOR = 300
_MAX_SKIPS = 50

Attributes = list[tuple[str, str]]


class Parsed(NamedTuple):
    form: str
    feed: dict[str, Any]
    entries: list[dict[str, Any]]
    problem: str = ""


class _Enough(Exception):
    """A bound was reached."""


def parse_xml(document: Document, url: str) -> Parsed:
    """In feedparser's own names. Never raises."""
    strict, loose = _readers()
    if url.startswith("file:///"):
        url = f"file://localhost{url[7:]}"  # the library takes slashes after :// for a mistake
    reader = strict(url, None, "utf-8")
    problem = _run(reader, lambda: _read_strictly(reader, document), len(document.text))
    if problem and not reader.is_full:
        reader = loose(url, None, "utf-8", dict(document.entities))
        reader.tags_left = MAX_LOOSE_TAGS
        worse = _run(reader, lambda: reader.feed(document.text), len(document.text))
        problem = f"not well-formed: {problem}" + (f"; {worse}" if worse else "")
    form = "rss091n" if document.is_netscape else reader.version
    return Parsed(form, reader.feeddata, reader.entries[:MAX_ITEMS], problem or reader.trouble)


def _run(reader: Any, read: Callable[[], None], length: int) -> str:
    """What stopped the reading; nothing: the end of the feed."""
    reader.resolve_relative_uris = reader.sanitize_html = False
    reader.chars_left = _MAX_GROWTH * length + 100_000
    try:
        read()
    except _Enough as limit:
        reader.is_full = True
        return str(limit)
    except sax.SAXException as error:
        return _sentence(error)
    except Exception as error:  # noqa: BLE001 - the library's fault, brought about by the feed
        return _sentence(error)
    return ""


def _sentence(error: Exception) -> str:
    line = error.getLineNumber() if isinstance(error, sax.SAXParseException) else None
    message = error.getMessage() if isinstance(error, sax.SAXException) else type(error).__name__
    return f"{message} in line {line}" if line else str(message)


def _read_strictly(reader: Any, document: Document) -> None:
    parser = sax.make_parser()  # noqa: S317 - see the import
    parser.setFeature(sax.handler.feature_namespaces, 1)
    parser.setFeature(sax.handler.feature_external_ges, 0)
    parser.setContentHandler(reader)
    parser.setErrorHandler(reader)
    defined = "".join(
        f"<!ENTITY {name} {quoteattr(value, {'&amp;': '&'})}>"
        for name, value in document.entities.items()
    )
    head = f"<!DOCTYPE x [{defined}]>" if defined else ""
    source = InputSource()
    source.setByteStream(io.BytesIO(f"{head}{document.text}".encode("utf-8", "replace")))
    source.setEncoding("utf-8")
    parser.parse(source)


class _Bounded:
    """Goes before feedparser's readers in the order of classes."""

    is_full = False
    mentions_atom = False
    trouble = ""
    tags_left = MAX_TAGS
    pieces_left = MAX_PIECES
    chars_left = 0

    def startElementNS(self, name: object, qname: object, attrs: AttributesNSImpl) -> None:  # noqa: N802
        """SAX's own look-up of an attribute goes through all of them."""
        if len(attrs) > _MAX_ATTRIBUTES:
            attrs = AttributesNSImpl({}, {})
        super().startElementNS(name, qname, attrs)  # type: ignore[misc]  # feedparser's

    def unknown_starttag(self: Any, tag: str, attrs: Attributes) -> None:
        self._count_tag()
        if len(self.baseuri) > _MAX_BASE or any(len(value) > _MAX_BASE for _, value in attrs):
            attrs = [(n, v) for n, v in attrs if n.lower() not in ("xml:base", "base")]
        if self.basestack and self.baseuri == self.basestack[-1]:
            self.baseuri = self.basestack[-1]  # the library makes a copy of it for each tag
        self._survive(super().unknown_starttag, tag, attrs)  # type: ignore[misc]

    def unknown_endtag(self: Any, tag: str) -> None:
        self._count_tag()
        self._survive(super().unknown_endtag, tag)  # type: ignore[misc]

    def _count_tag(self) -> None:
        self.tags_left -= 1
        if self.tags_left < 0:
            raise _Enough("too many tags; the rest is left out")

    def _survive(self, step: Callable[..., None], *arguments: object) -> None:
        """One element that the library stumbles over is left out, not all that come after it."""
        try:
            step(*arguments)
        except _Enough:
            raise
        except Exception as error:  # noqa: BLE001 - as in _run
            self.trouble = self.trouble or f"an element can't be read ({type(error).__name__})"

    def handle_data(self, text: str, escape: int = 1) -> None:
        self._count_piece(len(text))
        super().handle_data(text, escape)  # type: ignore[misc]  # feedparser's

    def handle_entityref(self: Any, ref: str) -> None:
        self._count_piece(len(self.entities.get(ref, ref)))
        super().handle_entityref(ref)  # type: ignore[misc]  # feedparser's

    def handle_charref(self: Any, ref: str) -> None:
        self._count_piece(1)
        try:
            super().handle_charref(ref)  # type: ignore[misc]
        except (ValueError, OverflowError):  # no such character, or a number without end
            self.elementstack[-1][2].append("\ufffd")

    def _count_piece(self, chars: int) -> None:
        self.pieces_left -= 1
        self.chars_left -= chars
        if self.pieces_left < 0 or self.chars_left < 0:
            raise _Enough("its text is in too many pieces, or grows; the rest is left out")

    def track_namespace(self: Any, prefix: str | None, uri: str) -> None:
        """The library takes any feed that mentions Atom for one."""
        before = self.version
        if len(self.namespaces_in_use) < _MAX_NAMESPACES:
            super().track_namespace(prefix, uri)  # type: ignore[misc]
        if prefix and not before and self.version == "atom10":
            self.version, self.mentions_atom = "", True

    def _start_feed(self: Any, attrs_d: dict[str, str]) -> None:
        if not self.version and self.mentions_atom:
            self.version = "atom10"
        super()._start_feed(attrs_d)  # type: ignore[misc]

    def _start_item(self: Any, attrs_d: dict[str, str]) -> None:
        if len(self.entries) >= MAX_ITEMS:
            raise _Enough(f"more than {MAX_ITEMS:,} items; the rest is left out")
        super()._start_item(attrs_d)  # type: ignore[misc]
        self.entries[-1].update(
            xml_base=self.baseuri,
            xml_lang=self.lang or "",
            has_root_lang=any(self.langstack[:1]),  # an item without one has said xml:lang=""
        )

    _start_entry = _start_item

    def _end_guid(self: Any) -> None:
        """As given: a guid that is a permanent link is resolved only for the link."""
        is_link, self.guidislink = self.guidislink, 0
        value = self.pop("id")
        self.guidislink = is_link
        if is_link and value:
            self._save("guid_link", self.resolve_uri(value))

    _end_id = _end_guid

    def _start_enclosure(self: Any, attrs_d: dict[str, str]) -> None:
        super()._start_enclosure(attrs_d)  # type: ignore[misc]
        link = self._get_context()["links"][-1]
        if link.get("href"):
            link["href"] = self.resolve_uri(link["href"])

    def _start_hour(self: Any, attrs_d: dict[str, str]) -> None:
        del attrs_d
        self.push("hour", 0)

    def _end_hour(self: Any) -> None:
        self._keep_skip("skip_hours", self.pop("hour"))

    def _start_day(self: Any, attrs_d: dict[str, str]) -> None:
        del attrs_d
        self.push("day", 0)

    def _end_day(self: Any) -> None:
        self._keep_skip("skip_days", self.pop("day"))

    def _keep_skip(self: Any, name: str, value: str | None) -> None:
        kept = self.feeddata.setdefault(name, [])
        if not self.inentry and value and len(kept) < _MAX_SKIPS:
            kept.append(value)

    def _add_tag(self, term: object, scheme: object, label: object) -> None:
        """We keep no tags, and the library looks at all of them for each."""

    def _end_category(self: Any) -> None:
        self.pop("category")

    _end_keywords = _end_category

    def _sync_author_detail(self: Any, key: str = "author") -> None:
        """The library's pattern for mail addresses takes quadratic time."""
        author = self._get_context().get(key)
        if not isinstance(author, str) or len(author) <= _MAX_AUTHOR:
            super()._sync_author_detail(key)  # type: ignore[misc]


@cache
def _readers() -> tuple[type[Any], type[Any]]:
    from feedparser.api import (  # type: ignore[import-untyped]  # noqa: PLC0415 - 0.1 s
        LooseFeedParser,
        StrictFeedParser,
    )

    return (
        type("Strict", (_Bounded, StrictFeedParser), {}),
        type("Loose", (_Bounded, LooseFeedParser), {}),
    )
