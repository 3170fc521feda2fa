"""What is near this one? The search scenario: one text against all that are stored.

Candidates come from the index of near-duplicates, which knows groups by what they say nearly word
for word. It is asked by 16 marks of the text and knows a group by its cores, so that one page may
find another that does not find it. With `scan` every stored text is read and compared by its words
alone: more is found, also what says the same in another order, and it takes as long as reading
them does.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from shoal.analysis.cluster_duplicates import text_slice
from shoal.collection.collection import Collection
from shoal.collection.page import Page
from shoal.collection.slices import in_order
from shoal.collection.tablets import Tablets, owner_of
from shoal.collection.view import TabletView
from shoal.config import Dedupe
from shoal.duplicates.methods.cosine import cosine, ranked, vector
from shoal.duplicates.near.difference import Difference
from shoal.duplicates.near.difference import Piece as Piece
from shoal.duplicates.near.difference import difference as word_difference
from shoal.duplicates.near.near import LEAST_SHINGLES, NearIndex
from shoal.duplicates.near.sketch import Fingerprint, fingerprint, overlap, size
from shoal.errors import UsageError
from shoal.files.cleaning import clean
from shoal.layout.duplicates import groups
from shoal.layout.ranges import key_range
from shoal.model.urls.rowkey import site_of_key, url_of

MOST_OF_A_GROUP = 100
"""Pages of a group that are looked at."""
DEFAULT_AT_MOST = 20

TextOrPage = str | Path | Page
"""A text, a file of any format, or a stored page."""
Progress = Callable[[int], None]
"""How many texts were read."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_LEAST_SHOWN = 0.005
"""A resemblance that reads 0.00 is none."""


@dataclass(frozen=True)
class NearDuplicate:
    url: str
    resemblance: float
    """The share of both texts' runs of three words that both have."""
    containment: float
    """The share of the text's own runs of three words that this one has."""
    cosine: float
    """How alike their words are, in whatever order."""
    is_near: bool
    """Whether a crawl would take the two for near-duplicates, or they say the very same."""


@dataclass(frozen=True)
class Compared:
    """Two texts side by side."""

    difference: Difference
    resemblance: float
    a_in_b: float
    b_in_a: float
    cosine: float


def text_of(source: TextOrPage) -> str:
    """The content; all of the text where nothing of it is content."""
    if isinstance(source, Page):
        return source.text
    if isinstance(source, str):
        _require_text(source)
        return source
    if source is None:  # what Collection.page() gives
        raise UsageError("None can't be compared: such a page is not stored")
    if not isinstance(source, Path):
        kind = type(source).__name__
        raise UsageError(f"this can't be compared: pass a Path, a Page or a text, not {kind}")
    found = clean(source)
    if not found.whole_text and found.problem:
        raise UsageError(f"{source} can't be compared: {found.problem}")
    return found.text or found.whole_text


def _require_text(source: str) -> None:
    """A name in place of a text would be compared as one, and nobody would notice."""
    is_word = len(source.split(None, 1)) == 1
    is_file = is_word and os.path.isfile(source)  # noqa: PTH113 - whatever it is, it never raises
    if is_file or _URL.fullmatch(source):
        kind = "file" if is_file else "URL"
        raise UsageError(f"{source[:200]} is a {kind}, not a text: pass a Path, a Page or a text")


def compare(a: TextOrPage, b: TextOrPage) -> Compared:
    """`shoal.compare`."""
    ours, theirs = text_of(a), text_of(b)
    difference = word_difference(ours, theirs)
    if _same_words(ours, theirs):
        return Compared(difference, 1.0, 1.0, 1.0, 1.0)
    mine, other = fingerprint(ours).sketch, fingerprint(theirs).sketch
    shared, turned = overlap(mine, other), overlap(other, mine)
    alike = cosine(vector(ours), vector(theirs))
    return Compared(difference, shared.resemblance, shared.containment, turned.containment, alike)


def _same_words(a: str, b: str) -> bool:
    return a == b or a.split() == b.split()


def near_duplicates(
    collection: Collection,
    of: TextOrPage,
    *,
    scan: bool = False,
    at_most: int = DEFAULT_AT_MOST,
    progress: Progress | None = None,
) -> list[NearDuplicate]:
    """`shoal.near_duplicates`."""
    asked = _asked(_page_of(collection, of))
    if scan:
        best = ranked(asked.text, _others(collection, asked.row, progress), at_most)
        rows = [row for row, _ in best]
    else:
        every = chain.from_iterable(collection.tablets.ask_all(nearest, asked, at_most))
        rows = [row for _, row in sorted(every)[:at_most]]
    found = list(_compared(collection.tablets, asked, rows))
    if scan:
        return sorted(found, key=lambda each: (-each.cosine, -each.resemblance, each.url))
    near = [each for each in found if each.resemblance >= _LEAST_SHOWN]
    return sorted(near, key=lambda each: (-each.resemblance, -each.cosine, each.url))


def _page_of(collection: Collection, of: TextOrPage) -> TextOrPage:
    """What is meant by a URL is the stored page."""
    if not isinstance(of, str) or not _URL.fullmatch(of):
        return of
    page = collection.page(of)
    if page is None:
        raise UsageError(f"{of[:200]} is not stored; pass a stored page's URL, a Path or a text")
    return page


class _Asked(NamedTuple):
    """The text that others are compared with."""

    text: str
    row: bytes
    """Of the page that says it; empty when it is none."""


def _asked(of: TextOrPage) -> _Asked:
    text = text_of(of)
    if not text.strip():
        name = of.url if isinstance(of, Page) else "this" if isinstance(of, str) else of
        raise UsageError(f"{name} has no text that others could be near to")
    return _Asked(text, of.stored.row if isinstance(of, Page) else b"")


def _others(
    collection: Collection, row: bytes, progress: Progress | None
) -> Iterator[tuple[bytes, str]]:
    texts = in_order(collection.tablets, text_slice, *key_range(""))
    for number, (other, text) in enumerate(texts, 1):
        if other != row:
            yield other, text
        if progress is not None:
            progress(number)


def _compared(tablets: Tablets, asked: _Asked, rows: Sequence[bytes]) -> Iterator[NearDuplicate]:
    """Without pages that are no longer there, or not for this principal."""
    by_owner: list[list[bytes]] = [[] for _ in range(tablets.count)]
    for row in rows:
        by_owner[owner_of(tablets, row)].append(row)
    given = [(asked, its) for its in by_owner]
    return chain.from_iterable(tablets.ask_each(compared_with, given))


# --- questions ------------------------------------------------------------------------------


def nearest(view: TabletView, asked: _Asked, at_most: int) -> list[tuple[float, bytes]]:
    """Pages of the groups that share marks with a text, and of its own group, the nearest first:
    each with its resemblance below zero."""
    found, mine = groups(view.table, view.store), fingerprint(asked.text)
    index = NearIndex(view.table)
    own = found.group_of(asked.row) if asked.row else None
    group = None if own is None else index.group(own)
    named = [each.group_id for each in index.neighbours(mine)]
    if group is not None and group.readers:
        named += [each.group_id for each in index.neighbours(mine, readers=group.readers)]
    if own is not None and own not in named:
        named.append(own)  # its marks may have become common since
    rows = {row for each in named for row in islice(found.members(each), MOST_OF_A_GROUP)}
    rows = {row for row in rows if view.may_name(row)} - {asked.row}
    alike = ((-_resemblance(mine, found.sketch_of(row)), row) for row in rows)
    return sorted(alike)[:at_most]


def compared_with(view: TabletView, asked: _Asked, rows: Sequence[bytes]) -> list[NearDuplicate]:
    """Pages of this tablet, beside a text."""
    mine, words, settings = fingerprint(asked.text).sketch, vector(asked.text), view.config.dedupe
    found = []
    for row in rows:
        stored = view.store.page(row, view.principal)
        if stored is None:
            continue
        text = Page(view, stored).text
        theirs = fingerprint(text).sketch
        shared = overlap(mine, theirs)
        says_enough = min(size(mine), size(theirs)) >= LEAST_SHINGLES
        is_near = says_enough and shared.resemblance >= _cut(settings, asked.row, row)
        found.append(
            NearDuplicate(
                url_of(row),
                shared.resemblance,
                shared.containment,
                cosine(words, vector(text)),
                is_near or _same_words(asked.text, text),
            )
        )
    return found


def _resemblance(mine: Fingerprint, sketch: bytes) -> float:
    return overlap(mine.sketch, sketch).resemblance if sketch else 0.0


def _cut(settings: Dedupe, one: bytes, other: bytes) -> float:
    """What is no page is of no site."""
    same = one != b"" and site_of_key(one) == site_of_key(other)
    return settings.resemblance if same else settings.resemblance_across
