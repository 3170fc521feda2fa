"""Small indexes to ask: entries with little in them, and queries in few words."""

from collections.abc import Iterable
from pathlib import Path

from shoal.index.fields import FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.candidate import Candidates
from shoal.model.entry import Entry
from shoal.model.principal import OWNER, Principal
from shoal.model.query import Clause, Occur, Query, QueryPart, Word
from shoal.model.record import changed

SMALL_HEAP_BYTES = 16_000_000


def entry(name: str, content: str = "", language: str = "en", **fields: object) -> Entry:
    made = Entry(
        row=b"org,example)443:https/" + name.encode(),
        url=f"https://example.org/{name}",
        site="example.org",
        content=content,
        language=language,
        media_type="text/html",
        fetched=1_700_000_000.0,
    )
    return changed(made, **fields)


def written(path: Path, entries: Iterable[Entry], position: int = 1) -> IndexReader:
    with IndexWriter(path, SMALL_HEAP_BYTES) as writer:
        for each in entries:
            writer.put(each)
        writer.commit(position)
    return IndexReader(path)


def should(*parts: QueryPart) -> Query:
    return Query(tuple(Clause(Occur.SHOULD, part) for part in parts))


def must(*parts: QueryPart) -> Query:
    return Query(tuple(Clause(Occur.MUST, part) for part in parts))


def mixed(**parts: QueryPart) -> Query:
    """Clauses by the names of how they occur: `must`, `should`, `not_`."""
    return Query(
        tuple(Clause(Occur(name.rstrip("_0123456789")), part) for name, part in parts.items())
    )


def words(text: str) -> Query:
    return should(*map(Word, text.split()))


def search(
    reader: IndexReader, query: Query, principal: Principal = OWNER, limit: int = 100
) -> Candidates:
    return reader.candidates(query, principal, FieldWeights(), limit)


def found(
    reader: IndexReader, query: Query | str, principal: Principal = OWNER, limit: int = 100
) -> list[str]:
    """The names of the pages, the best first."""
    asked = words(query) if isinstance(query, str) else query
    hits = search(reader, asked, principal, limit).found
    return [hit.row.decode().rpartition("/")[2] for hit in hits]
