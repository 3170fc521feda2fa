"""What does one commit of the index hold? Looked at by everyone who searches it, counted once.

A view never changes: what was counted in it stays true, so it is remembered. Its stamp names it
among all views there ever were, for those who come back to a document by its address.
"""

import secrets
from collections.abc import Iterator, Sequence
from functools import cached_property

from shoal.index.fields import POSITION_KEY, WORD_FIELDS, Stored
from shoal.index.index_directory import position_in
from shoal.index.native import DocAddress, Index, NativeQuery, Schema, Searcher
from shoal.index.readable import Readable, reader_words
from shoal.model.principal import OWNER, Principal
from shoal.model.record import JSON_ERRORS, Struct, from_json, unpack

_MOST_PRINCIPALS = 32
"""Whose counts are remembered."""
_MOST_COUNTS = 200_000
_TERMS_TRIED = 20
_SCORED = "N, "
_MEAN = "avgdl, "
"""How tantivy's explanations begin with the numbers of an index."""


class View:
    """One commit, and what was found out about it."""

    def __init__(self, index: Index) -> None:
        self.stamp = secrets.token_hex(8)
        self.schema: Schema = index.schema
        self.searcher: Searcher = index.searcher()
        self.position = position_in(index, self.searcher)
        self.all = Readable(self.schema, self.searcher, OWNER)
        self._counts: dict[tuple[str, str], int] = {}
        self._readable: dict[tuple[Principal, tuple[bytes, ...]], Readable] = {}

    def for_(self, principal: Principal, hidden: Sequence[bytes] = ()) -> Readable:
        """What someone may read, without rows that they may no longer."""
        if principal.everything:
            return self.all
        key = principal, tuple(hidden)
        found = self._readable.get(key)
        if found is None:
            found = Readable(self.schema, self.searcher, principal, self.reader_words, hidden)
            if len(self._readable) >= _MOST_PRINCIPALS:
                self._readable = {}
            self._readable[key] = found
        return found

    @cached_property
    def reader_words(self) -> list[str]:
        return reader_words(self.searcher)

    def stored(self, address: DocAddress) -> Stored:
        return unpack(Stored, self.searcher.doc(address).get_first("stored") or b"")

    def count(self, field: str, stem: str) -> int:
        """How many documents have this stem in this field."""
        known = self._counts.get((field, stem))
        if known is None:
            if len(self._counts) >= _MOST_COUNTS:
                self._counts.clear()
            known = self._counts[field, stem] = self.searcher.doc_freq(field, stem)
        return known

    @cached_property
    def languages(self) -> dict[str, int]:
        return self.all.languages

    @cached_property
    def scored(self) -> int:
        """How many documents tantivy's score counts: more than there are, until what was deleted
        is merged away. It says so only where it explains a score."""
        note = NativeQuery.term_query(self.schema, "key", POSITION_KEY)
        return int(self._explained(note, _SCORED)) or self.searcher.num_docs

    @cached_property
    def mean_words(self) -> dict[str, float]:
        """The mean length of each field, as tantivy's score takes it; fields that nobody has are
        left out."""
        means = {field: self._mean_words(field) for field in WORD_FIELDS}
        return {field: mean for field, mean in means.items() if mean > 0}

    def _mean_words(self, field: str) -> float:
        """Of a word that stands in a document: the first ones may stand in deleted ones only."""
        for word, _ in self.searcher.terms_with_prefix(field, "", limit=_TERMS_TRIED):
            query = NativeQuery.term_query(self.schema, field, word)
            if mean := self._explained(query, _MEAN):
                return mean
        return 0.0

    def _explained(self, query: NativeQuery, name: str) -> float:
        """A number of the explanation of some document's score; 0 when it has none."""
        hits = self.searcher.search(query, 1, count=False).hits
        if not hits:
            return 0.0
        said = query.explain(self.searcher, hits[0][1]).to_json()
        try:
            return next(_named(from_json(_Explanation, said.encode()), name), 0.0)
        except JSON_ERRORS:
            return 0.0


class _Explanation(Struct):
    """As tantivy writes it."""

    value: float
    description: str
    details: list["_Explanation"] = []


def _named(part: _Explanation, name: str) -> Iterator[float]:
    if part.description.startswith(name):
        yield part.value
    for each in part.details:
        yield from _named(each, name)
