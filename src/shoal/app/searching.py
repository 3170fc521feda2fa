"""Which pages are these words about? A search over a collection, from the line to the results.

    parse  →  candidates (index)  →  ordered again  →  spread over sites  →  shown

Nothing is kept of a search, so many may run at once, and the second page is cut from the same order
as the first: the best `CANDIDATES` are ordered again, what lies behind them follows in the index's
own order. What the index still has and the table no longer shows this principal is left out, so a
page that was taken back is not found even while the index is behind.
"""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from shoal.app.index_state import IndexState, read_state
from shoal.app.ranks import Ranks
from shoal.app.results import Part, Result, Results
from shoal.app.showing import Showing
from shoal.errors import DamagedError, UsageError
from shoal.index.fields import FACETS, FieldWeights
from shoal.index.reader import IndexReader
from shoal.model.candidate import Candidates
from shoal.model.content import content_text
from shoal.model.query import Clause, Is, Occur, Phrase, Query, Word
from shoal.model.record import changed
from shoal.search.parse import Like, parse, words_of
from shoal.search.ranking import CANDIDATES, Ranked, Weights, order, reasons
from shoal.sources.seeds import seed_url
from shoal.store.change_log import last_sequence

if TYPE_CHECKING:
    from shoal.app.collection import Collection

MOST_RESULTS = 1000
"""Of one query, over all its pages."""
MOST_PER_PAGE = 100
SITE_LIMIT = 2
"""Results of one site before the others of it come behind those of other sites."""
_MOST_FACET_VALUES = 12
_MOST_LINKING = 10_000
_RELATED_WORDS = 24


class Searcher:
    """Searches one collection, for its principal; from any number of threads."""

    def __init__(self, collection: "Collection", weights: Weights | None = None) -> None:
        self._collection = collection
        self._weights = weights or weights_of(collection)
        self._ranks = Ranks(collection.layout.directory)
        self._showing = Showing(collection)
        self._reader = IndexReader(collection.layout.index)
        self._state = read_state(collection.layout)
        self._refreshing = threading.Lock()

    def search(  # noqa: PLR0913 - the words of the command, by name
        self,
        text: str,
        *,
        limit: int = 10,
        page: int = 1,
        site_limit: int = SITE_LIMIT,
        explain: bool = False,
        facets: bool = False,
    ) -> Results:
        if not 1 <= limit <= MOST_PER_PAGE:
            raise UsageError(f"limit must be from 1 to {MOST_PER_PAGE}, not {limit}")
        if page < 1:
            raise UsageError(f"page must be 1 or more, not {page}")
        began, now = time.perf_counter(), time.time()
        reader = self._newest()
        query = parse(text, now, _Pages(self._collection, reader))
        offset = (page - 1) * limit
        query, found = self._found(reader, query, offset + limit)
        ranked = self._ordered(found, now)
        limit_of_site = 0 if _names_site(query) else site_limit
        kept, held = spread(ranked[:CANDIDATES], limit_of_site)
        ordered = [*kept, *held, *ranked[CANDIDATES:]][:MOST_RESULTS]
        shown = ordered[offset : offset + limit]
        return Results(
            text=query.text,
            notes=[*query.notes, *([] if query.clauses else ["there is nothing to look for"])],
            total=found.total,
            page=page,
            results=self._results(shown, held, found, explain=explain),
            facets=self._facets(reader, query) if facets else {},
            has_more=min(found.total, MOST_RESULTS) > offset + limit,
            behind=self.behind(),
            seconds=time.perf_counter() - began,
        )

    def behind(self) -> int:
        """How many changes the index does not have yet."""
        return max(0, last_sequence(self._collection.table) - self._reader.position())

    def _newest(self) -> IndexReader:
        """Whoever comes while another refreshes reads what there is."""
        state = read_state(self._collection.layout)
        if state != self._state and self._refreshing.acquire(blocking=False):
            try:
                self._refresh(state)
            finally:
                self._refreshing.release()
        return self._reader

    def _refresh(self, state: IndexState | None) -> None:
        try:
            self._reader.refresh()
        except DamagedError:  # it was made anew in place of this one
            self._reader = IndexReader(self._collection.layout.index)
        self._state = state

    def _found(self, reader: IndexReader, query: Query, wanted: int) -> tuple[Query, Candidates]:
        principal = self._collection.principal
        limit = max(CANDIDATES, min(wanted + 1, MOST_RESULTS))
        fields = _field_weights(self._weights)
        found = reader.candidates(query, principal, fields, limit)
        if not found.total and (loose := loosened(query)) is not None:
            query, found = loose, reader.candidates(loose, principal, fields, limit)
        return query, found

    def _ordered(self, found: Candidates, now: float) -> list[Ranked]:
        """Where nothing but filters was given, the index's order: the newest first."""
        best = changed(found, found=found.found[:CANDIDATES])
        ranked = order(best, self._weights, self._ranks.rank_of, now)
        if not found.terms:
            place = {each.row: number for number, each in enumerate(found.found)}
            ranked.sort(key=lambda each: place[each.candidate.row])
        behind = found.found[CANDIDATES:]
        return [*ranked, *(Ranked(each, 0.0, 0.0) for each in behind)]

    def _results(
        self, shown: Sequence[Ranked], held: Sequence[Ranked], found: Candidates, *, explain: bool
    ) -> list[Result]:
        on_page = {each.candidate.row for each in shown}
        waiting = Counter(each.candidate.site for each in held if each.candidate.row not in on_page)
        results: list[Result] = []
        for each in reversed(shown):  # "more from" stands at the last of a site
            result = self._showing.result(each.candidate, found.terms, each.score)
            if result is None:
                continue
            result.more_from_site = waiting.pop(each.candidate.site, 0)
            if explain:
                said = reasons(each, found, self._weights)
                result.explanation = [Part(*reason) for reason in said]
            results.append(result)
        return results[::-1]

    def _facets(self, reader: IndexReader, query: Query) -> dict[str, list[tuple[str, int]]]:
        return reader.facets(query, self._collection.principal, FACETS, _MOST_FACET_VALUES)


def spread(ranked: Sequence[Ranked], site_limit: int) -> tuple[list[Ranked], list[Ranked]]:
    """At most so many of each site, and the others, which come behind them. 0: no limit."""
    kept: list[Ranked] = []
    held: list[Ranked] = []
    seen: Counter[str] = Counter()
    for each in ranked:
        seen[each.candidate.site] += 1
        over = site_limit > 0 and seen[each.candidate.site] > site_limit
        (held if over else kept).append(each)
    return kept, held


def loosened(query: Query) -> Query | None:
    """A query whose phrases need not stand as they are; None when it has none that must."""
    clauses: list[Clause] = []
    notes = list(query.notes)
    for clause in query.clauses:
        part = clause.part
        if clause.occur is Occur.MUST and isinstance(part, Phrase) and not part.field:
            clauses += [Clause(Occur.SHOULD, Word(word)) for word in words_of(part.text)]
            notes.append(f'no page has "{part.text}" as it stands; its words were looked for')
        else:
            clauses.append(clause)
    if len(notes) == len(query.notes):
        return None
    return changed(query, clauses=tuple(clauses), notes=tuple(notes))


def weights_of(collection: "Collection") -> Weights:
    """As the collection's settings have them."""
    section = collection.config.search
    return Weights(**{name: getattr(section, name) for name in Weights.__struct_fields__})


def _field_weights(weights: Weights) -> FieldWeights:
    """What counts for nothing is not looked into; how much the rest counts is settled later."""
    usual = FieldWeights()
    names = ("title", "headings", "bold", "url", "rest", "anchor")
    unused = {name: 0.0 for name in names if getattr(weights, name) <= 0}
    return changed(usual, **unused)


def _names_site(query: Query) -> bool:
    """Whoever names a site wants all of it."""
    required = [each.part for each in query.clauses if each.occur is Occur.MUST]
    parts = [one for part in required for one in getattr(part, "parts", (part,))]
    return any(isinstance(part, Is) and part.field == "site" for part in parts)


class _Pages:
    """What the query language asks of a collection."""

    def __init__(self, collection: "Collection", reader: IndexReader) -> None:
        self._collection = collection
        self._reader = reader

    def linking_to(self, url: str) -> Sequence[bytes]:
        row = self._row(url)
        if row is None:
            return ()
        anchors = self._collection.store.anchors(row, self._collection.principal)
        return [source for source, _, _ in islice(anchors, _MOST_LINKING)]

    def like(self, url: str) -> Like | None:
        row = self._row(url)
        store, principal = self._collection.store, self._collection.principal
        page = None if row is None else store.page(row, principal)
        if page is None:
            return None
        whole = store.text(page.row, principal, page.when)
        text = f"{page.document.title} {content_text(whole, page.document.shades) or whole}"
        words = self._reader.like(text, page.document.language, _RELATED_WORDS)
        return Like(page.row, words)

    def _row(self, url: str) -> bytes | None:
        """Never a file that happens to be named so: who searches need not be who owns them."""
        try:
            meant = seed_url(url)
            return self._collection.row(meant if "://" in url else meant.partition("://")[2])
        except (ValueError, UsageError):
            return None
