"""What of one commit may someone read? Counts and statistics over that and nothing else.

A document that a principal may not read is in no list, and no number shows that it is there. Who
may not read everything is always counted for by what they may read, also where that is everything:
so nothing that they are told depends on whether there is more.
"""

from collections.abc import Sequence
from functools import cached_property

from shoal.index.documents import reader_word
from shoal.index.fields import MEMBER, PAGE, PUBLIC, key_of
from shoal.index.native import NativeQuery, Occur, Schema, Searcher, SearchResult
from shoal.model.principal import Principal
from shoal.model.words.marks import MOST_WAYS, PATHS

MOST_VALUES = 1000
"""Of a facet, or languages."""
_COUNTED_VALUES = 15_000
"""Of a facet, that are counted for one who may not read everything: what tantivy leaves out of a
segment is missing in the sum, and segments may be cut by what others wrote."""


class Readable:
    """The documents of a searcher that a principal may read."""

    def __init__(
        self,
        schema: Schema,
        searcher: Searcher,
        principal: Principal,
        words: Sequence[str] = (),
        hidden: Sequence[bytes] = (),
    ) -> None:
        """`words`: of the readers of all documents. `hidden`: rows that may no longer be read."""
        self.schema = schema
        self.searcher = searcher
        self.only: NativeQuery | None = None
        """The filter; None where everything may be read."""
        if principal.everything:
            return
        meant = NativeQuery.term_set_query(schema, "readers", _meant(words, principal))
        if hidden:
            keys = [key_of(row) for row in hidden]
            gone = NativeQuery.term_set_query(schema, "key", keys)
            meant = NativeQuery.boolean_query([(Occur.Must, meant), (Occur.MustNot, gone)])
        self.only = NativeQuery.const_score_query(meant, 0.0)

    def of(self, wanted: NativeQuery) -> NativeQuery:
        """What is wanted and may be read."""
        if self.only is None:
            return wanted
        return NativeQuery.boolean_query([(Occur.Must, wanted), (Occur.Must, self.only)])

    def has(self, field: str, word: str) -> NativeQuery:
        return NativeQuery.term_query(self.schema, field, word, "basic")

    def count(self, one_of: Sequence[NativeQuery]) -> int:
        if not one_of:
            return 0
        wanted = NativeQuery.boolean_query([(Occur.Should, each) for each in one_of])
        return total_of(self.searcher.search(self.of(wanted), 1))

    @cached_property
    def pages(self) -> int:
        return self.count([self.has("kind", PAGE)])

    @cached_property
    def documents(self) -> int:
        return self.pages + self.count([self.has("kind", MEMBER)])

    @cached_property
    def languages(self) -> dict[str, int]:
        """How many documents are in each, the most frequent first."""
        return dict(self.values(NativeQuery.all_query(), ["language"], MOST_VALUES)["language"])

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """Words of content, and in how many documents."""
        asked = {"words": {"stats": {"field": "length"}}}
        found = self.searcher.aggregate(self.of(NativeQuery.all_query()), asked)["words"]
        return int(found["sum"] or 0), int(found["count"] or 0)

    @property
    def mean_length(self) -> float:
        """Words of content of a document."""
        words, documents = self.lengths
        return words / documents if documents else 0.0

    def values(
        self, wanted: NativeQuery, fields: Sequence[str], at_most: int
    ) -> dict[str, list[tuple[str, int]]]:
        """How many of the wanted documents have each value of a field, the most frequent first; of
        a tree more than of others, since all of it is wanted."""
        most = {name: max(at_most, MOST_WAYS) if name in PATHS else at_most for name in fields}
        counted = _COUNTED_VALUES
        asked = {
            name: {"terms": {"field": name, "size": counted, "segment_size": counted}}
            if self.only is not None
            else {"terms": {"field": name, "size": most[name]}}
            for name in fields
        }
        found = self.searcher.aggregate(self.of(wanted), asked)
        values = {
            name: [(str(each["key"]), int(each["doc_count"])) for each in found[name]["buckets"]]
            for name in fields
        }
        if self.only is None:
            return values
        return {
            name: sorted(found_there, key=lambda each: (-each[1], each[0]))[: most[name]]
            for name, found_there in values.items()
        }


def reader_words(searcher: Searcher) -> list[str]:
    """Those of all documents; there is one for each kind of permissions."""
    return [word for word, _ in searcher.terms_with_prefix("readers", "")]


def _meant(words: Sequence[str], principal: Principal) -> list[str]:
    """Those that mean this one. A word that was too long to be kept means whoever has it as a
    name; what else it may say is nobody's."""
    names = {reader_word(name) for name in principal.names}
    return [
        PUBLIC,
        *(
            word
            for word in words
            if word in names or (word.startswith("=") and principal.may_read([word[1:]]))
        ),
    ]


def total_of(result: SearchResult) -> int:
    total: int = result.count  # type: ignore[attr-defined]  # it is missing from tantivy's stubs
    return total
