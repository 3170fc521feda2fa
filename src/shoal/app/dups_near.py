"""What is near this one? The search scenario (U4): one text against all that are stored.

Candidates come from the index of near-duplicates, which knows groups by what they say nearly word
for word. With `scan` every stored text is read and compared by its words alone: more is found, also
what says the same in another order, and it takes as long as reading them does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from shoal.app.cleaning import clean
from shoal.app.collection import Collection, Page
from shoal.app.prints import groups
from shoal.config import Dedupe
from shoal.dedupe.cosine import cosine, ranked, vector
from shoal.dedupe.difference import Difference
from shoal.dedupe.difference import Piece as Piece
from shoal.dedupe.difference import difference as word_difference
from shoal.dedupe.near import LEAST_SHINGLES, NearIndex
from shoal.dedupe.sketch import Prints, overlap, prints, size
from shoal.errors import UsageError
from shoal.model.rowkey import site_of_key, url_of

MOST_OF_A_GROUP = 100
"""Pages of a group that are looked at."""
DEFAULT_AT_MOST = 20

Source = str | Path | Page
"""A text, a file of any format, or a stored page."""
Tell = Callable[[int], None]
"""How many texts were read."""


@dataclass(frozen=True)
class NearDuplicate:
    url: str
    resemblance: float
    """The share of both texts' runs of three words that both have,"""
    containment: float
    """and of the text's own that this one has."""
    cosine: float
    """How alike their words are, in whatever order."""
    is_near: bool
    """Whether a crawl would take the two for near-duplicates."""


@dataclass(frozen=True)
class Compared:
    """Two texts side by side."""

    difference: Difference
    resemblance: float
    a_in_b: float
    b_in_a: float
    cosine: float


def text_of(source: Source) -> str:
    """The content; all of the text where nothing of it is content."""
    if isinstance(source, Page):
        return source.text
    if isinstance(source, str):
        return source
    found = clean(source)
    if not found.whole_text and found.problem:
        raise UsageError(f"{source} can't be compared: {found.problem}")
    return found.text or found.whole_text


def compare(a: Source, b: Source) -> Compared:
    """How alike two texts are, and where they differ."""
    ours, theirs = text_of(a), text_of(b)
    mine, other = prints(ours).sketch, prints(theirs).sketch
    shared, turned = overlap(mine, other), overlap(other, mine)
    return Compared(
        word_difference(ours, theirs),
        shared.resemblance,
        shared.containment,
        turned.containment,
        cosine(vector(ours), vector(theirs)),
    )


def near_duplicates(
    collection: Collection,
    of: Source,
    *,
    scan: bool = False,
    at_most: int = DEFAULT_AT_MOST,
    progress: Tell | None = None,
) -> list[NearDuplicate]:
    """The stored pages that are nearest to a page, a file or a text, best first."""
    asked = _Asked(collection, of)
    rows = asked.by_words(at_most, progress) if scan else asked.by_index(at_most)
    found = [each for row in rows if (each := asked.compared(row)) is not None]
    if scan:
        return sorted(found, key=lambda each: (-each.cosine, -each.resemblance, each.url))
    return sorted(found, key=lambda each: (-each.resemblance, -each.cosine, each.url))


class _Asked:
    """The text that others are compared with."""

    def __init__(self, collection: Collection, of: Source) -> None:
        self._collection = collection
        self._text = text_of(of)
        self._prints = prints(self._text)
        self._vector = vector(self._text)
        self._row = of.stored.row if isinstance(of, Page) else None
        self._settings = collection.config.dedupe

    def by_index(self, at_most: int) -> list[bytes]:
        """Pages of the groups that share marks with it, and of its own group."""
        found = groups(self._collection.table, self._collection.store)
        index = NearIndex(self._collection.table)
        named = [each.group_id for each in index.neighbours(self._prints)]
        own = None if self._row is None else found.group_of(self._row)
        if own is not None and own not in named:
            named.append(own)  # its marks may have become common since
        rows = {row for each in named for row in islice(found.members(each), MOST_OF_A_GROUP)}
        rows.discard(self._row or b"")
        alike = {row: _resemblance(self._prints, found.sketch_of(row)) for row in rows}
        return sorted(alike, key=lambda row: (-alike[row], row))[:at_most]

    def by_words(self, at_most: int, progress: Tell | None) -> list[bytes]:
        best = ranked(self._text, self._others(progress), at_most)
        return [row for row, _ in best]

    def compared(self, row: bytes) -> NearDuplicate | None:
        """None for a page that is not there any more, or not for this principal."""
        stored = self._collection.store.page(row, self._collection.principal)
        if stored is None:
            return None
        text = Page(self._collection, stored).text
        theirs = prints(text).sketch
        shared = overlap(self._prints.sketch, theirs)
        says_enough = min(size(self._prints.sketch), size(theirs)) >= LEAST_SHINGLES
        return NearDuplicate(
            url_of(row),
            shared.resemblance,
            shared.containment,
            cosine(self._vector, vector(text)),
            says_enough and shared.resemblance >= _cut(self._settings, self._row, row),
        )

    def _others(self, progress: Tell | None) -> Iterator[tuple[bytes, str]]:
        for number, page in enumerate(self._collection.pages(), 1):
            if page.stored.row != self._row and page.document.text_chars:
                yield page.stored.row, page.text
            if progress is not None:
                progress(number)


def _resemblance(mine: Prints, sketch: bytes) -> float:
    return overlap(mine.sketch, sketch).resemblance if sketch else 0.0


def _cut(settings: Dedupe, one: bytes | None, other: bytes) -> float:
    """What is no page is of no site."""
    same = one is not None and site_of_key(one) == site_of_key(other)
    return settings.resemblance if same else settings.resemblance_across
