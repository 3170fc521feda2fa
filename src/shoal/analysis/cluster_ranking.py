"""How does the graph of many tablets come together? The links of all of them, in parts.

Tasks over snapshots of the tablets (work.py) read their pages' votes in slices. A link to a page of
another tablet is stored as it was written; its owner may keep that page under another spelling, and
a task over that tablet says so, for many links at once: by the anchor that the link has left there,
else by what it knows of the URL. A page whose owner never heard of it counts as it is linked. So
the graph is the one that a single collection has, and so are the ranks. Graph and ranks are made in
parts, by more tasks (graph/partitioned_graph.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from shoal.collection.slices import Slice, cut
from shoal.collection.view import TabletView
from shoal.engine.limits import pages_of
from shoal.fleet.work import TabletQuestions, Work
from shoal.frontier.state.rows import unpack_url, url_key
from shoal.graph.edges import Progress
from shoal.graph.generations import Fresh, Summary
from shoal.graph.graph_building import Ranker
from shoal.graph.graph_parts import Piece, split
from shoal.graph.partitioned_graph import PartedGraph
from shoal.graph.sorted_runs import gathered
from shoal.graph.votes import votes
from shoal.model.cell import newest_key
from shoal.model.outcome import State
from shoal.model.record import unpack
from shoal.model.urls.partition import Partition, tablet_of_row
from shoal.model.urls.rowkey import site_of_key
from shoal.model.urls.spelling import spellings
from shoal.store.rows import FETCH, FetchRow

_FIRST_ROW = b"\x01"
SLICE_BYTES = 16 << 20
"""Votes of a tablet that a task reads."""
_PAGE_BYTES = 2048
"""About what a page adds to a part of the graph: its row, those of pages that it names, links."""
_ROWS_AT_ONCE = 4096


class Ballot(NamedTuple):
    """The votes of a page, as its tablet knows them."""

    links: int
    targets: list[bytes]
    away: list[bytes]
    """Pages of other tablets, as they are linked."""
    doubtful: bool
    """It may say what another page says, whose links were not taken again: then only those count
    that have left an anchor."""


class Linked(NamedTuple):
    """Links of one page, for the owner of their targets."""

    source: bytes
    rows: list[bytes]
    doubtful: bool


def build(work: Work, fresh: Fresh, summary: Summary, progress: Progress) -> Ranker:
    pages = [
        work.executor.fetch(each) for [each] in work.executor.each(count_pages, _each(work.sources))
    ]
    parts = work.parts(sum(pages) * _PAGE_BYTES)
    found = _pieces(work, summary, parts, progress)
    graph = PartedGraph(work.executor, found, progress)
    del found
    graph.write(fresh.path, progress)
    return lambda chosen: graph.rank(chosen, progress)


def _each(things: Iterable[Any]) -> Iterator[list[Any]]:
    return ([each] for each in things)


def _pieces(work: Work, summary: Summary, parts: int, progress: Progress) -> list[list[Any]]:
    """The pieces of each part: a slice of every tablet after the other, and what the owners of
    other tablets' pages say to the links of that slice."""
    count = len(work.sources)
    most_bytes = min(SLICE_BYTES, work.executor.capacity_bytes // 8)
    found: list[list[Any]] = [[] for _ in range(parts)]
    starts = dict.fromkeys(range(count), _FIRST_ROW)
    while starts:
        given = {
            number: (start, Partition(number, count), most_bytes, summary.seed, parts)
            for number, start in starts.items()
        }
        answers = work.of_tablets(read_votes, given, 1 + count + parts)
        linked = {
            number: (summary.seed, parts, *(each[1 + number] for each in answers.values()))
            for number in range(count)
        }
        for each in work.of_tablets(settle_links, linked, parts).values():
            _add(found, each)
        for number, (read, *others) in answers.items():
            _add(found, others[count:])
            start, links, fetched = work.executor.fetch(read)
            summary.links += links
            summary.fetched += fetched
            starts[number] = start
        starts = {number: start for number, start in starts.items() if start}
        progress("links read", summary.links, 0)
    return found


def _add(found: list[list[Any]], pieces: Sequence[Any]) -> None:
    for its, piece in zip(found, pieces, strict=True):
        its.append(piece)


# --- tasks ----------------------------------------------------------------------------------


def count_pages(source: TabletQuestions) -> list[int]:
    return [source.ask(fetched_pages)]


def read_votes(  # noqa: PLR0913 - a slice, and how it is divided
    source: TabletQuestions, start: bytes, here: Partition, most_bytes: int, seed: int, parts: int
) -> list[Any]:
    """A slice of a tablet: (where to go on, links, pages); for each tablet the links to its pages,
    as they are written; and for each part of the graph a piece."""
    items, rest = source.ask(vote_slice, start, here, most_bytes)
    linked: list[list[Linked]] = [[] for _ in range(here.tablets)]
    rows: list[bytes] = []
    for page, ballot in items:
        rows.append(page)
        rows += ballot.targets
        by_owner: dict[int, list[bytes]] = {}
        for row in ballot.away:
            by_owner.setdefault(tablet_of_row(row, here.tablets), []).append(row)
        for owner, its in by_owner.items():
            linked[owner].append(Linked(page, its, ballot.doubtful))
    counts = [len(ballot.targets) for _, ballot in items]
    links = sum(ballot.links for _, ballot in items)
    return [(rest, links, len(items)), *linked, *split(gathered(rows, counts, seed), parts)]


def settle_links(
    source: TabletQuestions, seed: int, parts: int, *linked: list[Linked]
) -> list[Piece]:
    """Links of other tablets' pages, with the rows that this tablet keeps what is linked under."""
    asked = [each for every in linked for each in every]
    kept = iter(source.ask(kept_under, asked))
    rows: list[bytes] = []
    counts: list[int] = []
    for page, its, _ in asked:
        targets = [row for row in islice(kept, len(its)) if row and row != page]
        rows += (page, *targets)
        counts.append(len(targets))
    return split(gathered(rows, counts, seed), parts)


# --- questions ------------------------------------------------------------------------------


def fetched_pages(collection: TabletView) -> int:
    return pages_of(collection.frontier.counts())


def vote_slice(
    collection: TabletView, start: bytes, here: Partition, most_bytes: int
) -> Slice[Ballot]:
    """The votes of a tablet's pages from a row on; of none where `start` is empty. A page that is
    not for everybody has none: its links would tell of it in everybody's ranks."""
    if not start:
        return Slice([], b"")

    def is_away(row: bytes) -> bool:
        return not here.owns(site_of_key(row))

    def is_dead(row: bytes) -> bool:
        known = collection.frontier.url(row)
        return known is not None and known.state in (State.GONE, State.EXCLUDED)

    def found() -> Iterator[tuple[bytes, Ballot, int]]:
        for cell in collection.store.cells.scan("link", start):
            if not _is_public(collection, cell.row):
                continue
            targets, links, away = votes(cell.row, cell.value, is_away, is_dead)
            # It may have been a copy when it was read, and stand for others since.
            doubtful = bool(away) and not targets
            size_bytes = sum(map(len, targets)) + sum(map(len, away))
            yield cell.row, Ballot(links, targets, away, doubtful), size_bytes

    return cut(found(), most_bytes)


def _is_public(collection: TabletView, row: bytes) -> bool:
    """Also what is no page: a redirect."""
    cell = collection.store.cells.get(row, FETCH)
    return cell is None or not unpack(FetchRow, cell.value).document.readers


def kept_under(collection: TabletView, asked: Sequence[Linked]) -> list[bytes]:
    """The row under which each linked page is kept, in the order of the links; empty for a link
    that does not count."""
    links = [(each, row) for each in asked for row in each.rows]
    found: list[bytes] = []
    for at in range(0, len(links), _ROWS_AT_ONCE):
        found += _kept_under(collection, links[at : at + _ROWS_AT_ONCE])
    return found


def _kept_under(collection: TabletView, links: Sequence[tuple[Linked, bytes]]) -> list[bytes]:
    twins = [spellings(row) for _, row in links]
    keys = [
        newest_key(row, each.source)
        for (each, _), both in zip(links, twins, strict=True)
        for row in both
    ]
    anchors = iter(collection.table.get_many("anchor", keys))
    found = []
    for (each, _), both in zip(links, twins, strict=True):
        said = [row for row in both if next(anchors) is not None]
        if said:
            found.append(said[0])
        else:
            found.append(b"" if each.doubtful else _known_as(collection, both))
    return found


def _known_as(collection: TabletView, both: Sequence[bytes]) -> bytes:
    """As the frontier does it (frontier/state/urls.py): of two spellings the one that has not
    moved."""
    stored = collection.table.get_many("page", [url_key(row) for row in both])
    known = [
        (row, unpack_url(value))
        for row, value in zip(both, stored, strict=True)
        if value is not None
    ]
    there = [row for row, url in known if url.state is not State.REDIRECT]
    return (*there, *(row for row, _ in known), both[0])[0]
