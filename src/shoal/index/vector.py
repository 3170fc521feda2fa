"""How often do the words of a query stand in this document? Its stems, stored with it.

The index orders by its own score; the best few hundred are ordered again by counts, which tantivy
does not hand out. So each document carries its distinct stems as 32-bit hashes, and beside them
their counts, each capped at 255. Those of the content, of the short fields and of the rest follow
each other: nothing need be merged or sorted, and a stem is looked up by going through them.

A long document keeps its commonest stems; what is beyond is found, but counted as absent here.
_stems.c does `plain_count` where it could be compiled; tests hold the two together.
"""

from collections.abc import Iterable, Mapping, Sequence

from shoal.index.fields import Vector
from shoal.index.text_stems import HASH_BYTES, MOST_COUNT, Stems
from shoal.model.candidate import Count, Where

MOST_CONTENT_STEMS = 4000
MOST_REST_STEMS = 1000
MOST_SHORT_STEMS = 2000
_CONTENT = int(Where.CONTENT)
_REST = int(Where.REST)
"""Flags are slow to combine as such."""


def vector_of(
    content: Stems,
    rest: Stems,
    short: Mapping[Where, Stems],
    anchors: Mapping[bytes, int],
    names: Sequence[tuple[bytes, int]] = (),
) -> Vector:
    """`anchors` has the hashes of stems in anchor texts, `names` those of whole texts, and how
    many sites say so."""
    hashes, counts = content.hashes, content.counts
    if len(counts) > MOST_CONTENT_STEMS:
        hashes, counts = _commonest(content)
    where = dict.fromkeys(anchors, int(Where.ANCHOR))
    for field, stems in short.items():
        flag = int(field)
        for each in hashes_of(stems):
            where[each] = where.get(each, 0) | flag
    if len(where) > MOST_SHORT_STEMS:
        where = dict(list(where.items())[:MOST_SHORT_STEMS])
    return Vector(
        hashes=hashes + b"".join(where) + rest.hashes[: MOST_REST_STEMS * HASH_BYTES],
        content=counts,
        where=bytes(where.values()),
        anchors=bytes([min(MOST_COUNT, anchors.get(each, 0)) for each in where]),
        names=b"".join([name for name, _ in names]),
        name_sites=bytes([min(MOST_COUNT, sites) for _, sites in names]),
    )


def hashes_of(stems: Stems) -> list[bytes]:
    hashes = stems.hashes
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def _commonest(stems: Stems) -> tuple[bytes, bytes]:
    """In the order in which they come first, like all of them."""
    counts = stems.counts
    places = sorted(range(len(counts)), key=lambda at: (-counts[at], at))[:MOST_CONTENT_STEMS]
    places.sort()
    every = hashes_of(stems)
    return b"".join([every[at] for at in places]), bytes([counts[at] for at in places])


def content_hashes(vector: Vector) -> bytes:
    return vector.hashes[: len(vector.content) * HASH_BYTES]


def called(vector: Vector, wanted: Iterable[bytes]) -> tuple[int, bool]:
    """By how many sites it is called one of these names, and whether it does so itself."""
    sites, by_itself = 0, False
    for each in wanted:
        at = vector.names.find(each)
        while at >= 0:
            place, within = divmod(at, HASH_BYTES)
            if not within:
                sites = max(sites, vector.name_sites[place])
                by_itself = by_itself or not vector.name_sites[place]
            at = vector.names.find(each, at + 1)
    return sites, by_itself


def count_in(vector: Vector, wanted: bytes) -> Count:
    """Of a word with stems of these hashes, of which a document usually has one."""
    return Count(*count(vector.hashes, vector.content, vector.where, vector.anchors, wanted))


def plain_count(
    hashes: bytes, content: bytes, where: bytes, anchors: bytes, wanted: bytes
) -> tuple[int, int, int]:
    in_it = in_anchors = fields = 0
    in_content = len(content)
    in_short = in_content + len(where)
    for each in range(0, len(wanted), HASH_BYTES):
        sought = wanted[each : each + HASH_BYTES]
        at = hashes.find(sought)
        while at >= 0:
            place, within = divmod(at, HASH_BYTES)
            if within:  # the end of one hash and the beginning of the next
                at = hashes.find(sought, at + 1)
                continue
            if place < in_content:
                in_it += content[place]
                fields |= _CONTENT
            elif place < in_short:
                in_anchors += anchors[place - in_content]
                fields |= where[place - in_content]
            else:
                fields |= _REST
            at = hashes.find(sought, at + HASH_BYTES)
    return in_it, in_anchors, fields


try:
    from shoal.index._stems import count as count
except ImportError:  # it was not compiled here
    count = plain_count
