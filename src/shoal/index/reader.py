"""Which documents match, for whom? Candidates with what is needed to order them again, and counts.

A reader sees one commit until it is refreshed, whatever a writer does meanwhile. Every search is
made for a principal: what they may not read is in no list, no count and no facet.

One index answers by itself (`candidates`). An index that is a part of a whole is asked for its
statistics, then for its best hits by the statistics of the whole, then for what is known of those
that are among the best of all; search_plan.py has the other side.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from shoal.index.analysis import Analysis, Token
from shoal.index.distinctive_words import Frequent, distinctive_words, frequent
from shoal.index.fields import FACETS, FieldWeights, Stored, key_of
from shoal.index.hits import Hit, Hits, Wanted, best_hits, candidates_at, wanted_of
from shoal.index.index_directory import ReadablePlace, library_faults, open_index
from shoal.index.local_statistics import Here
from shoal.index.matching import Matching, asked_languages
from shoal.index.native import DocAddress, FieldType, NativeQuery
from shoal.index.readable import MOST_VALUES
from shoal.index.statistics import Statistics, Whole, main_languages, word_key
from shoal.index.terms import Lexicon
from shoal.index.view import View
from shoal.model.candidate import Candidate, Candidates
from shoal.model.principal import Principal
from shoal.model.query import Query

_PER_LISTING = 20_000


class IndexReader:
    """Reads while a writer, of this process or another, goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = ReadablePlace(path)
        self._index = open_index(self._place.path)
        self._analysis = Analysis()
        with library_faults(path):
            self._index.config_reader("manual")
            self._view = View(self._index)
        self._asked = self._view
        """The view that was last asked for hits; their details are asked for a moment later."""

    def refresh(self) -> None:
        """See the newest commit."""
        with library_faults(self._path):
            self._place.renew()
            self._index.reload()
            self._view = View(self._index)

    def position(self) -> int:
        """Of the change log, up to which everything is here."""
        return self._view.position

    def documents(self) -> int:
        return self._view.all.documents

    def pages(self) -> int:
        """Documents that stand in no other."""
        return self._view.all.pages

    def languages(self) -> list[str]:
        """Of the documents, the most frequent first."""
        return list(self._view.languages)

    def holds(self, row: bytes) -> bool:
        everything = self._view.all
        return everything.count([everything.has("key", key_of(row))]) > 0

    # One index by itself

    def candidates(
        self,
        query: Query,
        principal: Principal,
        weights: FieldWeights,
        limit: int,
        hidden: Sequence[bytes] = (),
    ) -> Candidates:
        """The best by the index's own score; where only filters were given, the newest. `hidden`:
        rows that the principal may no longer read, though the index does not know it yet."""
        view = self._view
        readable = view.for_(principal, hidden)
        with library_faults(self._path):
            here = Here(view, readable)
            matching = self._matching(here, query, weights)
            total, hits = best_hits(here, matching, query, limit)
            found = candidates_at(view, hits, wanted_of(matching))
            documents, mean_length = readable.documents, readable.mean_length
        return Candidates(found, total, matching.terms(), documents, mean_length)

    def facets(  # noqa: PLR0913 - a question, for whom, and of which whole
        self,
        query: Query,
        principal: Principal,
        names: Sequence[str],
        at_most: int,
        whole: Statistics | None = None,
        hidden: Sequence[bytes] = (),
    ) -> dict[str, list[tuple[str, int]]]:
        """How many of the matching documents have each value; the most frequent values first."""
        view = self._view
        readable = view.for_(principal, hidden)
        fields = [name for name in dict.fromkeys(names) if name in FACETS]
        here = Here(view, readable, None if whole is None else Whole(whole))
        wanted = self._matching(here, query, FieldWeights()).query(query)
        if wanted is None or not fields or at_most < 1:
            return {name: [] for name in fields}
        return readable.values(wanted, fields, min(at_most, MOST_VALUES))

    def like(
        self,
        text: str,
        language: str,
        n: int,
        principal: Principal,
        hidden: Sequence[bytes] = (),
    ) -> list[str]:
        """The most telling words of a text: frequent in it, rare elsewhere."""
        found = self.frequent(text, language)
        stems = [each.stem for each in found]
        return distinctive_words(found, *self.having(stems, principal, hidden), n)

    # A part of a whole

    def statistics(
        self,
        words: Sequence[Token],
        languages: Sequence[str],
        principal: Principal,
        hidden: Sequence[bytes] = (),
    ) -> Statistics:
        view = self._view
        here = Here(view, view.for_(principal, hidden))
        lexicon = Lexicon(here, self._analysis, languages)
        counts = {word_key(word): here.word(word, lexicon.stems(word)) for word in words}
        return Statistics(here.shape(), list(languages), counts)

    def hits(  # noqa: PLR0913 - likewise
        self,
        query: Query,
        principal: Principal,
        weights: FieldWeights,
        whole: Statistics,
        limit: int,
        hidden: Sequence[bytes] = (),
    ) -> Hits:
        """The best by the score that they would have in the whole."""
        view = self._asked = self._view
        here = Here(view, view.for_(principal, hidden), Whole(whole))
        matching = self._matching(here, query, weights)
        total, found = best_hits(here, matching, query, limit)
        return Hits(view.stamp, total, [(value, at.segment_ord, at.doc) for value, at in found])

    def details(self, stamp: str, hits: Sequence[Hit], wanted: Wanted) -> list[Candidate] | None:
        """Of these hits; None when their view is gone, and they must be looked for again."""
        view = next((each for each in (self._view, self._asked) if each.stamp == stamp), None)
        if view is None:
            return None
        found = [(score, DocAddress(segment, document)) for score, segment, document in hits]
        return candidates_at(view, found, wanted)

    def frequent(self, text: str, language: str) -> list[Frequent]:
        """The words of a text that may tell it from others."""
        return frequent(text, language, self._analysis)

    def having(
        self, stems: Sequence[str], principal: Principal, hidden: Sequence[bytes] = ()
    ) -> tuple[list[int], int]:
        """How many documents have each of these stems in their content, and of how many."""
        view, readable = self._view, self._view.for_(principal, hidden)
        if readable.only is None:
            return [view.count("content", stem) for stem in stems], readable.documents
        counts = [readable.count([readable.has("content", stem)]) for stem in stems]
        return counts, readable.documents

    def _matching(self, here: Here, query: Query, weights: FieldWeights) -> Matching:
        view, whole = here.view, here.whole
        if whole is not None:
            lexicon = Lexicon(whole, self._analysis, whole.languages)
        else:
            main = main_languages(here.readable.languages, here.documents)
            lexicon = Lexicon(here, self._analysis, asked_languages(query) or main)
        return Matching(view.schema, here, lexicon, weights)

    # What it holds

    def rows(self) -> Iterator[bytes]:
        for stored in self._listing():
            yield stored.row

    def digests(self) -> Iterator[tuple[bytes, str]]:
        """Each row, and the digest (`fields.digest_of`) of the entry that is there."""
        with library_faults(self._path):
            for stored in self._listing():
                yield stored.row, stored.digest

    def _listing(self) -> Iterator[Stored]:
        """In no order, in portions, so that a large index is not held at once."""
        view = self._view
        portions = view.all.documents // _PER_LISTING + 1
        bounds = [(1 << 32) * each // portions for each in range(portions + 1)]
        for low, high in pairwise(bounds):
            portion = NativeQuery.range_query(
                view.schema, "hash", FieldType.Unsigned, low, high, include_upper=False
            )
            held = view.all.count([portion])
            result = view.searcher.search(portion, max(1, held), count=False)
            for _, address in result.hits:
                yield view.stored(address)
