"""Which documents are of a site, a type, a time? The parts of a query that score nothing.

What is asked for is brought into the form in which documents.py entered it. The note of the
position has none of these fields, so no filter finds it.
"""

from collections.abc import Sequence

from shoal.index.fields import MEMBER, PAGE, key_of, milliseconds
from shoal.index.file_types import asked_type
from shoal.index.native import FieldType, NativeQuery, Occur, Schema
from shoal.model.query import Dated, Is, Rows

MOST_ROWS = 20_000
_FIELDS = {
    "site": "domain",
    "type": "types",
    "language": "languages",
    "source": "source",
    "mark": "marks",
}


class Filters:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def has_value(self, part: Is) -> NativeQuery:
        """A field that there isn't has no value."""
        field = _FIELDS.get(part.field)
        if field is None:
            return NativeQuery.empty_query()
        value = part.value.strip()
        if part.field == "type":
            value = asked_type(value)
        elif part.field in ("site", "language"):
            value = value.lower().strip(".")
        return self._has(field, value)

    def dated(self, part: Dated) -> NativeQuery | None:
        if part.after is None and part.before is None:
            return None
        within = NativeQuery.range_query(
            self._schema,
            "date",
            FieldType.Integer,
            None if part.after is None else milliseconds(part.after),
            None if part.before is None else milliseconds(part.before),
            include_upper=part.before is None,
        )
        return all_of([_unscored(within), self.everything()])

    def rows(self, part: Rows) -> NativeQuery:
        keys = [key_of(row) for row in part.rows[:MOST_ROWS]]
        return _unscored(NativeQuery.term_set_query(self._schema, "key", keys))

    def everything(self) -> NativeQuery:
        return any_of([self._has("kind", PAGE), self._has("kind", MEMBER)])

    def _has(self, field: str, word: str) -> NativeQuery:
        word = word.encode("utf-8", "replace").decode()
        return _unscored(NativeQuery.term_query(self._schema, field, word, "basic"))


def _unscored(query: NativeQuery) -> NativeQuery:
    return NativeQuery.const_score_query(query, 0.0)


def any_of(queries: Sequence[NativeQuery]) -> NativeQuery:
    """Of none: nothing."""
    if len(queries) == 1:
        return queries[0]
    return NativeQuery.boolean_query([(Occur.Should, each) for each in queries])


def all_of(queries: Sequence[NativeQuery]) -> NativeQuery:
    """Of at least one."""
    if len(queries) == 1:
        return queries[0]
    return NativeQuery.boolean_query([(Occur.Must, each) for each in queries])
