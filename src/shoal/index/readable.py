"""What of one commit may someone read? Counts and statistics over that and nothing else.

A document that a principal may not read is in no list, and no number shows that it is there: not
the totals, not how many documents have a word. (In a score, words are weighed by all documents.)
"""

from collections.abc import Sequence
from functools import cached_property

from shoal.index.documents import reader_word
from shoal.index.fields import MEMBER, PAGE, PRIVATE, PUBLIC
from shoal.index.native import NativeQuery, Occur, Schema, Searcher, SearchResult
from shoal.model.principal import Principal


class Readable:
    """The documents of a searcher that a principal may read."""

    def __init__(self, schema: Schema, searcher: Searcher, principal: Principal) -> None:
        self.schema = schema
        self.searcher = searcher
        self.only: NativeQuery | None = None
        """The filter; None where everything may be read."""
        if not principal.everything and searcher.doc_freq("private", PRIVATE):
            words = [PUBLIC, *map(reader_word, sorted(principal.names))]
            self.only = NativeQuery.const_score_query(
                NativeQuery.term_set_query(schema, "readers", words), 0.0
            )

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
        """How many of the wanted documents have each value of a field, the most frequent first."""
        asked = {name: {"terms": {"field": name, "size": at_most}} for name in fields}
        found = self.searcher.aggregate(self.of(wanted), asked)
        return {
            name: [(str(each["key"]), int(each["doc_count"])) for each in found[name]["buckets"]]
            for name in fields
        }


def total_of(result: SearchResult) -> int:
    total: int = result.count  # type: ignore[attr-defined]  # it is missing from tantivy's stubs
    return total
