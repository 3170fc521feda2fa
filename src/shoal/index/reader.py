"""Which documents match, for whom? Candidates with what is needed to order them again, and counts.

A reader sees one commit until it is refreshed, whatever a writer does meanwhile. Every search is
made for a principal: what they may not read is in no list, no count and no facet.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from shoal.index.analysis import STEMMERS, Analysis, language_of, words
from shoal.index.fields import FACETS, FieldWeights, Stored, key_of
from shoal.index.matching import Matching, asked_languages
from shoal.index.native import DocAddress, FieldType, Index, NativeQuery, Schema, Searcher
from shoal.index.pieces import hash_of
from shoal.index.place import damaged, open_index, position_in
from shoal.index.readable import Readable, total_of
from shoal.index.terms import Lexicon
from shoal.index.vector import called, content_hashes, count_in
from shoal.model.candidate import Candidate, Candidates
from shoal.model.principal import OWNER, Principal
from shoal.model.query import Query
from shoal.model.record import unpack

_MAIN_LANGUAGES = 4
_LEAST_SHARE = 0.02
_MOST_CANDIDATES = 10_000
_PER_LISTING = 20_000
_MOST_FACET_VALUES = 1000
_MOST_LIKE_CHARS = 100_000


class _View:
    """One commit, and what was found out about it."""

    def __init__(self, index: Index) -> None:
        self.schema: Schema = index.schema
        self.searcher: Searcher = index.searcher()
        self.position = position_in(index, self.searcher)
        self.all = Readable(self.schema, self.searcher, OWNER)

    def for_(self, principal: Principal) -> Readable:
        """What was counted for everyone serves whoever may read everything."""
        readable = Readable(self.schema, self.searcher, principal)
        return self.all if readable.only is None else readable

    def stored(self, address: DocAddress) -> Stored:
        return unpack(Stored, self.searcher.doc(address).get_first("stored") or b"")

    @cached_property
    def languages(self) -> list[tuple[str, int]]:
        everything = NativeQuery.all_query()
        return self.all.values(everything, ["language"], _MOST_FACET_VALUES)["language"]

    def main_languages(self) -> list[str]:
        least = _LEAST_SHARE * self.all.documents
        known = [name for name, count in self.languages if name in STEMMERS and count >= least]
        return known[:_MAIN_LANGUAGES]


class IndexReader:
    """Reads while a writer, of this process or another, goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index = open_index(path)
        self._analysis = Analysis()
        try:
            self._index.config_reader("manual")
            self._view = _View(self._index)
        except ValueError as error:
            raise damaged(path) from error

    def refresh(self) -> None:
        """See the newest commit."""
        try:
            self._index.reload()
            self._view = _View(self._index)
        except ValueError as error:
            raise damaged(self._path) from error

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
        return [name for name, _ in self._view.languages]

    def holds(self, row: bytes) -> bool:
        everything = self._view.all
        return everything.count([everything.has("key", key_of(row))]) > 0

    def candidates(
        self, query: Query, principal: Principal, weights: FieldWeights, limit: int
    ) -> Candidates:
        """The best by the index's own score; where only filters were given, the newest."""
        view = self._view
        readable = view.for_(principal)
        matching = self._matching(view, readable, query, weights)
        wanted = matching.query(query)
        terms = matching.terms()
        documents, mean_length = readable.documents, readable.mean_length
        if wanted is None or limit < 1 or not documents:
            return Candidates([], 0, terms, documents, mean_length)
        at_most = min(limit, _MOST_CANDIDATES)
        if matching.has_words:
            result = view.searcher.search(readable.of(matching.with_nearness(wanted)), at_most)
            hits = result.hits
        else:
            result = view.searcher.search(readable.of(wanted), at_most, order_by_field="date")
            hits = [(0.0, address) for _, address in result.hits]
        hashes = [b"".join(map(hash_of, term.stems)) for term in terms]
        names = matching.names()
        found = [_candidate(view.stored(address), score, hashes, names) for score, address in hits]
        return Candidates(found, total_of(result), terms, documents, mean_length)

    def facets(
        self, query: Query, principal: Principal, names: Sequence[str], at_most: int
    ) -> dict[str, list[tuple[str, int]]]:
        """How many of the matching documents have each value; the most frequent values first."""
        view = self._view
        readable = view.for_(principal)
        fields = [name for name in dict.fromkeys(names) if name in FACETS]
        wanted = self._matching(view, readable, query, FieldWeights()).query(query)
        if wanted is None or not fields or at_most < 1:
            return {name: [] for name in fields}
        return readable.values(wanted, fields, min(at_most, _MOST_FACET_VALUES))

    def rows(self) -> Iterator[bytes]:
        for stored in self._listing():
            yield stored.row

    def digests(self) -> Iterator[tuple[bytes, str]]:
        """Each row, and the digest (`fields.digest_of`) of the entry that is there."""
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

    def like(self, text: str, language: str, n: int) -> list[str]:
        """The most telling words of a text: frequent in it, rare elsewhere."""
        view = self._view
        lexicon = Lexicon(view.all, self._analysis, [language_of(language)])
        return lexicon.telling(words(text[:_MOST_LIKE_CHARS]), n)

    def _matching(
        self, view: _View, readable: Readable, query: Query, weights: FieldWeights
    ) -> Matching:
        languages = asked_languages(query) or view.main_languages()
        return Matching(view.schema, Lexicon(readable, self._analysis, languages), weights)


def _candidate(
    stored: Stored, score: float, hashes: Sequence[bytes], names: Sequence[bytes]
) -> Candidate:
    sites, by_itself = called(stored.vector, names)
    return Candidate(
        row=stored.row,
        score=score,
        counts=[count_in(stored.vector, each) for each in hashes],
        length=stored.length,
        stems=content_hashes(stored.vector),
        stem_counts=stored.vector.content,
        called=sites,
        is_titled=by_itself,
        site=stored.site,
        language=stored.language,
        media_type=stored.media_type,
        fetched=stored.fetched,
        published=stored.published,
    )
