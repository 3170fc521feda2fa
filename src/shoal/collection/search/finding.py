"""Which pages are these words about? A search, from the line to the results, whoever is asked.

    parse  →  candidates (index)  →  ordered again  →  spread over sites  →  shown

Nothing is kept of a search, so many may run at once, and the second page is cut from the same order
as the first: the best `CANDIDATES` are ordered again, what lies behind them follows in the index's
own order. One index and all tablets of a cluster are both a `Searchable`: what is the same for
them stands here, once.
"""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from shoal.collection.search.request import SearchRequest
from shoal.collection.search.results import Result, Results, SnippetPart
from shoal.config import Config
from shoal.index.fields import FieldWeights
from shoal.model.candidate import Candidates
from shoal.model.query import Clause, Is, Occur, Phrase, Query, Word
from shoal.model.record import changed
from shoal.search.parse import Pages, parse, words_of
from shoal.search.ranking import CANDIDATES, Ranked, Weights, order, reasons

_FILE, _MAIL = b"file:", b"):mail/"
"""In the rows of one's own documents."""
MOST_RESULTS = 1000
"""Of one query, over all its pages."""
MOST_FACET_VALUES = 12

Facets = dict[str, list[tuple[str, int]]]


class Searchable(Protocol):
    """Who is asked, in one search, for one principal."""

    @property
    def pages(self) -> Pages: ...

    def candidates(self, query: Query, fields: FieldWeights, limit: int) -> Candidates: ...

    def rank_of(self, rows: Sequence[bytes]) -> Sequence[float]:
        """Of candidates."""
        ...

    def shown(self, chosen: Sequence[Ranked], found: Candidates) -> list[Result | None]:
        """None for a page that is no longer there, or not for this principal."""
        ...

    def facets(self, query: Query) -> Facets: ...

    def behind(self) -> int:
        """How many changes the index does not have yet."""
        ...

    def notes(self) -> list[str]:
        """What a person should know of where was searched."""
        ...


def find(source: Searchable, weights: Weights, wanted: SearchRequest) -> Results:
    began, now = time.perf_counter(), time.time()
    query = parse(wanted.text, now, source.pages)
    offset, limit = (wanted.page - 1) * wanted.limit, wanted.limit
    query, found = _found(source, query, weights, offset + limit)
    ranked = _ordered(source, found, weights, now)
    limit_of_site = 0 if _names_site(query) else wanted.site_limit
    kept, held = spread(ranked[:CANDIDATES], limit_of_site)
    ordered = [*kept, *held, *ranked[CANDIDATES:]][:MOST_RESULTS]
    chosen = ordered[offset : offset + limit]
    results = _results(source.shown(chosen, found), chosen, held)
    if wanted.explain:
        for result, each in results:
            result.explanation = [SnippetPart(*reason) for reason in reasons(each, found, weights)]
    nothing = [] if query.clauses else ["there is nothing to look for"]
    return Results(
        text=query.text,
        notes=[*query.notes, *nothing, *source.notes()],
        total=found.total,
        page=wanted.page,
        results=[result for result, _ in results],
        facets=source.facets(query) if wanted.facets else {},
        has_more=min(found.total, MOST_RESULTS) > offset + limit,
        behind=source.behind(),
        seconds=time.perf_counter() - began,
    )


def _found(
    source: Searchable, query: Query, weights: Weights, wanted: int
) -> tuple[Query, Candidates]:
    limit = max(CANDIDATES, min(wanted + 1, MOST_RESULTS))
    fields = _field_weights(weights)
    found = source.candidates(query, fields, limit)
    if not found.total and (loose := loosened(query)) is not None:
        query, found = loose, source.candidates(loose, fields, limit)
    return query, found


def _ordered(source: Searchable, found: Candidates, weights: Weights, now: float) -> list[Ranked]:
    """Where nothing but filters was given, the index's order: the newest first."""
    best = changed(found, found=found.found[:CANDIDATES])
    ranked = order(best, weights, source.rank_of, now)
    if not found.terms:
        place = {each.row: number for number, each in enumerate(found.found)}
        ranked.sort(key=lambda each: place[each.candidate.row])
    behind = found.found[CANDIDATES:]
    return [*ranked, *(Ranked(each, 0.0, 0.0) for each in behind)]


def _results(
    shown: Sequence[Result | None], chosen: Sequence[Ranked], held: Sequence[Ranked]
) -> list[tuple[Result, Ranked]]:
    """What is left of a page; "more from" stands at the last of a site."""
    on_page = {each.candidate.row for each in chosen}
    waiting = Counter(each.candidate.site for each in held if each.candidate.row not in on_page)
    both = zip(shown, chosen, strict=True)
    results = [(result, each) for result, each in both if result is not None]
    for result, each in reversed(results):
        result.more_from_site = waiting.pop(each.candidate.site, 0)
    return results


def spread(ranked: Sequence[Ranked], site_limit: int) -> tuple[list[Ranked], list[Ranked]]:
    """At most so many of each site, and the others, which come behind them. 0: no limit. Files and
    mails of one's own are of no site."""
    kept: list[Ranked] = []
    held: list[Ranked] = []
    seen: Counter[str] = Counter()
    for each in ranked:
        row = each.candidate.row
        is_own = row.startswith(_FILE) or _MAIL in row
        seen[each.candidate.site] += not is_own
        over = not is_own and 0 < site_limit < seen[each.candidate.site]
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


def weights_of(config: Config) -> Weights:
    """As the settings have them."""
    section = config.search
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
