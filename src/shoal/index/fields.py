"""What is kept of a document? The schema, and the names of its fields.

    title headings bold content anchor url   stems with positions (phrases need them)
    rest                                     stems with counts: menus and footers have no phrases
    site type language year                  one word each, to count by
    class tree topic person place org        likewise, several each
    domain types languages marks source      words to filter by, several each
    readers private                          who may find it
    date hash                                numbers: when it was published, where a listing goes on
    order                                    the date and a bit of the hash: hardly two are alike
    kind                                     page or member; the note of the position has none
    key                                      one document for each; what is put again replaces it
    stored                                   a `Stored` as bytes

Texts come here as stems with spaces between them (see analysis.py), so tantivy only parts them.
A change of any of this raises `VERSION`, and the index is rebuilt.
"""

import hashlib
import math
import zlib

from shoal.index.native import Schema, SchemaBuilder
from shoal.model.digest import text_digest
from shoal.model.entry import Entry
from shoal.model.record import Struct, changed, pack
from shoal.model.words.marks import COMPUTED

VERSION = 4
POSITION_KEY = "\u2022position"
"""The key of no row: those are in Latin-1."""
PUBLIC = "*"
PAGE = "page"
MEMBER = "member"
PRIVATE = "yes"

WORD_FIELDS = ("title", "headings", "bold", "content", "rest", "anchor", "url")
PHRASE_FIELDS = ("title", "headings", "bold", "content", "anchor", "url")
FACETS = ("site", "type", "language", "year", *COMPUTED)
_FILTERS = ("domain", "types", "languages", "marks", "source", "readers", "private", "kind", "key")
_MOST_KEY_BYTES = 1024
_MOST_SECONDS = 1e12
_HASH_BITS = 20
_LATEST_MS = (1 << 43) - 1


class FieldWeights(Struct, frozen=True):
    """How much a word counts in each field."""

    title: float = 3.0
    headings: float = 1.2
    bold: float = 0.6
    content: float = 1.0
    rest: float = 0.15
    anchor: float = 1.5
    url: float = 0.8

    def of(self, field: str) -> float:
        weight: float = getattr(self, field)
        return max(0.0, weight) if math.isfinite(weight) else 0.0


class Vector(Struct, array_like=True):
    """Which stems stand in a document, by 32-bit hashes; see vector.py."""

    hashes: bytes = b""
    """Of the content's stems, then of those in short fields, then of those in the rest."""
    content: bytes = b""
    """How often each stands in the content."""
    where: bytes = b""
    """The short fields that each stem of the second kind stands in."""
    anchors: bytes = b""
    """How often each stem of the second kind stands in anchor texts."""
    names: bytes = b""
    """What it is called as a whole: hashes of its titles, then of anchor texts."""
    name_sites: bytes = b""
    """How many sites call it by each of its names; 0: it does so itself."""


class Stored(Struct, array_like=True):
    """What is read back of a document that was found."""

    row: bytes
    url: str
    site: str
    language: str
    media_type: str
    fetched: float
    published: float
    length: int
    digest: str
    vector: Vector


def make_schema() -> Schema:
    builder = SchemaBuilder()
    for name in WORD_FIELDS:
        kept = "position" if name in PHRASE_FIELDS else "freq"
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=kept)
    for name in FACETS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in _FILTERS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("date", fast=True)
    builder.add_unsigned_field("hash", fast=True)
    builder.add_unsigned_field("order", fast=True)
    builder.add_unsigned_field("length", fast=True)
    builder.add_unsigned_field("position", stored=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def key_of(row: bytes) -> str:
    """A row as one word. A very long one goes by its digest; tantivy drops words over 64 KB."""
    if len(row) > _MOST_KEY_BYTES:
        return "\u2022" + hashlib.sha256(row).hexdigest()
    return row.decode("latin-1")


def order_of(row: bytes, date: float) -> int:
    """The later the more; what is of one time is in the order of its hash."""
    return min(max(0, milliseconds(date)), _LATEST_MS) << _HASH_BITS | (
        zlib.crc32(row) & (1 << _HASH_BITS) - 1
    )


def digest_of(entry: Entry) -> str:
    """By which an entry of the index is compared with the table."""
    return text_digest(pack(entry))


def milliseconds(seconds: float) -> int:
    """Any float, as a number that fits."""
    if math.isnan(seconds):
        return 0
    return int(max(-_MOST_SECONDS, min(_MOST_SECONDS, seconds)) * 1000)


def cleaned(entry: Entry) -> Entry:
    """Without halves of surrogate pairs, which are no text and can't be written."""
    texts = {
        name: _clean(value)
        for name in entry.__struct_fields__
        if isinstance(value := getattr(entry, name), str)
    }
    return changed(
        entry,
        **texts,
        anchors=[(_clean(text), sites) for text, sites in entry.anchors],
        marks=[_clean(mark) for mark in entry.marks],
        readers=[_clean(reader) for reader in entry.readers],
        facets=[(name, _clean(value)) for name, value in entry.facets],
    )


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
