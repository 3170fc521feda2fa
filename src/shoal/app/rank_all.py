"""What are the pages of a cluster worth by their links? PageRank over the links of all tablets.

Every tablet hands out its pages' votes in slices. A link to a page of another tablet is stored as
it was written; its owner may keep that page under another spelling, and says so when it is asked,
for many links at once: by the anchor that the link has left there, else by what it knows of the
URL. A page whose owner never heard of it counts as it is linked. So the graph is the one that a
single collection has, and so are the ranks. They are computed in one place, and their files handed
to every tablet, where searches and the frontier read them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.app.collection import Collection
from shoal.app.link_graph import Progress, Ranking, Wish, checked, rank_votes
from shoal.app.ranks import graph_of
from shoal.app.slices import SLICE_BYTES, Slice, cut
from shoal.app.tablets import Tablets, owner_of
from shoal.app.whole import Whole
from shoal.errors import CollectionError
from shoal.frontier.rows import unpack_url, url_key
from shoal.graph.generations import adopt, arriving, newest
from shoal.graph.scores import RANK_FILES
from shoal.graph.votes import Votes, votes
from shoal.model.cell import newest_key
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.partition import Partition
from shoal.model.principal import OWNER
from shoal.model.rowkey import site_of_key
from shoal.model.spelling import spellings

_FIRST_ROW = b"\x01"
_ROUND_BYTES = 16 << 20
"""Votes of all tablets that are in memory at once."""
_LEAST_SLICE_BYTES = 1 << 16
_PART_BYTES = 4 << 20
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


def rank_all(  # noqa: PLR0913 - the flags of the command, by name
    tablets: Tablets,
    place: Path,
    personal: str | Sequence[str] = (),
    told: Progress | None = None,
    *,
    top: int = 20,
    site: str = "",
) -> Ranking:
    """Rank the pages and sites of all tablets, and let searches and crawls use it: `rank` of a
    collection. The graph stands in `place` as in a collection's directory: `Ranks`, `ranking` and
    `export_graph` read it there."""
    whole = Whole(tablets)
    rows = [whole.row(url) for url in checked(personal, top)]
    key = site_of_key(whole.row(site)) if site else b""
    place.mkdir(parents=True, exist_ok=True)
    found = rank_votes(all_votes(tablets), graph_of(place), Wish(rows, key, top), told)
    hand_out(tablets, place)
    return found


def all_votes(tablets: Tablets) -> Iterator[tuple[bytes, Votes]]:
    """Every page of all tablets whose links are stored, with those it votes for; a slice of each
    tablet after the other."""
    count = tablets.count
    most_bytes = min(SLICE_BYTES, max(_LEAST_SLICE_BYTES, _ROUND_BYTES // count))
    starts = [_FIRST_ROW] * count
    while any(starts):
        given = [(starts[number], Partition(number, count), most_bytes) for number in range(count)]
        answers = tablets.ask_each(vote_slice, given)
        starts = [rest for _, rest in answers]
        yield from _settled(tablets, [page for items, _ in answers for page in items])


def _settled(
    tablets: Tablets, pages: Sequence[tuple[bytes, Ballot]]
) -> Iterator[tuple[bytes, Votes]]:
    """With the rows that other tablets keep what is linked under."""
    asked: list[list[Linked]] = [[] for _ in range(tablets.count)]
    owners = [[owner_of(tablets, row) for row in ballot.away] for _, ballot in pages]
    for (source, ballot), its in zip(pages, owners, strict=True):
        by_owner: dict[int, list[bytes]] = {}
        for row, owner in zip(ballot.away, its, strict=True):
            by_owner.setdefault(owner, []).append(row)
        for owner, rows in by_owner.items():
            asked[owner].append(Linked(source, rows, ballot.doubtful))
    answers = tablets.ask_each(kept_under, [(each,) for each in asked]) if any(asked) else []
    kept = [iter(each) for each in answers]
    for (source, ballot), its in zip(pages, owners, strict=True):
        away = [next(kept[owner]) for owner in its]
        targets = [*ballot.targets, *(row for row in away if row and row != source)]
        yield source, Votes(targets, ballot.links)


# --- questions ------------------------------------------------------------------------------


def vote_slice(
    collection: Collection, start: bytes, here: Partition, most_bytes: int
) -> Slice[Ballot]:
    """The votes of a tablet's pages from a row on; of none where `start` is empty."""
    if not start:
        return Slice([], b"")

    def is_away(row: bytes) -> bool:
        return not here.owns(site_of_key(row))

    def found() -> Iterator[tuple[bytes, Ballot, int]]:
        for cell in collection.store.cells.scan("link", start):
            targets, links, away = votes(cell.row, cell.value, is_away)
            doubtful = bool(away) and not targets and _is_duplicate(collection, cell.row)
            size_bytes = sum(map(len, targets)) + sum(map(len, away))
            yield cell.row, Ballot(links, targets, away, doubtful), size_bytes

    return cut(found(), most_bytes)


def _is_duplicate(collection: Collection, row: bytes) -> bool:
    page = collection.store.page(row, OWNER)
    return page is not None and (
        page.document.fate is Fate.DUPLICATE or bool(page.document.duplicate_of)
    )


def kept_under(collection: Collection, asked: Sequence[Linked]) -> list[bytes]:
    """The row under which each linked page is kept, in the order of the links; empty for a link
    that does not count."""
    links = [(each, row) for each in asked for row in each.rows]
    found: list[bytes] = []
    for at in range(0, len(links), _ROWS_AT_ONCE):
        found += _kept_under(collection, links[at : at + _ROWS_AT_ONCE])
    return found


def _kept_under(collection: Collection, links: Sequence[tuple[Linked, bytes]]) -> list[bytes]:
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


def _known_as(collection: Collection, both: Sequence[bytes]) -> bytes:
    """As the frontier does it (frontier/urls.py): of two spellings the one that has not moved."""
    stored = collection.table.get_many("page", [url_key(row) for row in both])
    known = [
        (row, unpack_url(value))
        for row, value in zip(both, stored, strict=True)
        if value is not None
    ]
    there = [row for row, url in known if url.state is not State.REDIRECT]
    return (*there, *(row for row, _ in known), both[0])[0]


# --- every tablet has the ranks -------------------------------------------------------------


def hand_out(tablets: Tablets, place: Path) -> None:
    """Give every tablet the ranks that hold in a place."""
    graph = newest(graph_of(place))
    if graph is None:
        raise CollectionError(f"No ranks are in {place}; rank the pages first.")
    try:
        for name in RANK_FILES:
            with (graph / name).open("rb") as file:
                offset, data = 0, file.read(_PART_BYTES)
                while data or not offset:
                    tablets.ask_all(take_part, graph.name, name, offset, data)
                    offset += max(1, len(data))
                    data = file.read(_PART_BYTES)
    except FileNotFoundError:
        raise CollectionError("The ranks were replaced while they were read; try again.") from None
    tablets.ask_all(hold, graph.name)


def take_part(collection: Collection, graph: str, name: str, offset: int, data: bytes) -> None:
    """A piece of one of a graph's files, at its place; twice is as good as once."""
    if name not in RANK_FILES:
        raise ValueError(f"{name!r} is no file of ranks")
    path = arriving(collection.layout.graph, graph) / name
    path.touch()
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def hold(collection: Collection, graph: str) -> None:
    """All of it is here: searches and the crawl may use it."""
    adopt(collection.layout.graph, graph)
