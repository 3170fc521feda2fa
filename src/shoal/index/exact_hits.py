"""Which documents are the best for someone who may not read everything? By what nobody else moves.

tantivy's own score weighs words by all documents, deleted ones with them until segments are merged,
and breaks ties by where a document stands. Here a document has points for each word in each field
and each phrase (matching.py): whole numbers, whose sum is the same in any order. To those of the
best comes how often words stand in their content, against the mean length of what may be read; and
what is still alike is in the order of rows.

Only the best by points are looked at one by one. Where more are alike than that, the newest of all
that match are, beside those that are better: when a document is from depends on no other.
"""

from collections.abc import Sequence

from shoal.index.fields import Stored, key_of
from shoal.index.lengths import Scored
from shoal.index.matching import POINTS, Matching
from shoal.index.native import DocAddress, NativeQuery, Occur
from shoal.index.readable import Readable, total_of
from shoal.index.text_stems import hash_of
from shoal.index.vector import count_in
from shoal.index.view import View
from shoal.model.query import Query

LOOKED_AT = 500
_K1 = 1.2
_B = 0.75

Place = tuple[int, int]
"""A segment, and a document of it."""


def exact_hits(  # noqa: PLR0913 - what is asked of an index, and the mean of the whole
    view: View,
    readable: Readable,
    matching: Matching,
    query: Query,
    at_most: int,
    mean_length: float,
) -> tuple[int, list[tuple[float, DocAddress]]]:
    """How many match, and the best; where only filters were given, the newest."""
    wanted = matching.query(query)
    if wanted is None or at_most < 1 or not readable.documents:
        return 0, []
    if not matching.has_words:
        total, newest = _newest(view, readable.of(wanted), at_most)
        return total, [(float(value), at) for value, at in newest]
    looked_at = max(at_most, LOOKED_AT)
    scored = readable.of(matching.with_nearness(wanted))
    result = view.searcher.search(scored, looked_at)
    total = total_of(result)
    points = [(round(value), at) for value, at in result.hits]
    if total > looked_at:
        least = points[-1][0]
        points = [each for each in points if each[0] > least]
        points += _alike(view, readable.of(wanted), scored, looked_at, points)
    weighing = _Weighing(matching, mean_length)
    weighed = []
    for value, at in points:
        stored = view.stored(at)
        weighed.append((value / POINTS + weighing.of(stored), stored.row, at))
    weighed.sort(key=lambda each: (-each[0], each[1]))
    return total, [(score, at) for score, _, at in weighed[:at_most]]


def _alike(
    view: View,
    wanted: NativeQuery,
    scored: NativeQuery,
    at_most: int,
    better: Sequence[tuple[int, DocAddress]],
) -> list[tuple[int, DocAddress]]:
    """The newest of all that match, with their points; without those that are better."""
    known = {_place(at) for _, at in better}
    newest = [at for _, at in _newest(view, wanted, at_most)[1] if _place(at) not in known]
    keys = [key_of(view.stored(at).row) for at in newest]
    if not keys:
        return []
    these = NativeQuery.const_score_query(NativeQuery.term_set_query(view.schema, "key", keys), 0.0)
    both = NativeQuery.boolean_query([(Occur.Must, scored), (Occur.Must, these)])
    found = view.searcher.search(both, len(keys), count=False)
    return [(round(value), at) for value, at in found.hits]


def _newest(
    view: View, wanted: NativeQuery, at_most: int
) -> tuple[int, list[tuple[int, DocAddress]]]:
    """What is of one time as the last that was found may be any of several, and is left out."""
    result = view.searcher.search(wanted, at_most + 1, order_by_field="order")
    hits, total = [(int(value or 0), at) for value, at in result.hits], total_of(result)
    if total > len(hits):
        last = hits[-1][0]
        hits = [each for each in hits if each[0] > last]
    values = [value for value, _ in hits]
    if len(set(values)) < len(values):
        hits.sort(key=lambda each: (-each[0], view.stored(each[1]).row))
    return total, hits[:at_most]


class _Weighing:
    """How often the words of a query stand in the content."""

    def __init__(self, matching: Matching, mean_length: float) -> None:
        self._hashes = [b"".join(map(hash_of, term.stems)) for term in matching.terms()]
        self._content = [each for each in matching.scored() if each.field == "content"]
        self._mean_length = mean_length or 1.0

    def of(self, stored: Stored) -> float:
        room = _K1 * (1 - _B + _B * stored.length / self._mean_length)
        return sum(self._share(each, stored, room) for each in self._content)

    def _share(self, scored: Scored, stored: Stored, room: float) -> float:
        often = count_in(stored.vector, self._hashes[scored.term]).content
        return scored.worth * (_K1 + 1) * often / (often + room) if often else 0.0


def _place(at: DocAddress) -> Place:
    return at.segment_ord, at.doc
