"""What do the pages about a crawl show beyond its counts? Found by each tablet, and put together.

Each part is a question (tablets.py) that one collection answers alone: what it holds by type and
age, its room on the disk, what it says twice, how far its index is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from shoal.collection.collection import Collection
from shoal.collection.report.repeats import MOST_SHOWN, Repeats, repeats
from shoal.collection.report.sampling import Sample, sample
from shoal.collection.report.sizes import SizePart, Sizes, sizes
from shoal.collection.view import TabletView
from shoal.layout.index_state import lag, read_state
from shoal.model.record import Struct


class Indexed(Struct):
    """How far the index is."""

    pages: int
    behind: int
    """Changes that it has not taken in."""
    committed: float
    """When it was last written; 0: never."""


def sample_of(held: Collection) -> Sample:
    """A small collection or cluster whole, of a large one some URLs of each tablet."""
    tablets = held.tablets
    every = tablets.ask_all(sample, tablets.count)
    counted = [sum(each.ages.values()) for each in every]
    age_days = sum(n * each.mean_age_days for n, each in zip(counted, every, strict=True))
    return Sample(
        looked_at=sum(each.looked_at for each in every),
        discovered=sum(each.discovered for each in every),
        is_whole=all(each.is_whole for each in every),
        statuses=_most_first(each.statuses for each in every),
        media_types=_most_first(each.media_types for each in every),
        ages={name: sum(each.ages[name] for each in every) for name in every[0].ages},
        mean_age_days=age_days / max(1, sum(counted)),
    )


def sizes_of(held: Collection) -> Sizes:
    every = held.tablets.ask_all(sizes)
    parts = [_whole_part(same) for same in zip(*(each.parts for each in every), strict=True)]
    return Sizes(
        parts=parts,
        families=_most_first((each.families for each in every), sort=False),
        total_bytes=sum(each.total_bytes for each in every),
        free_bytes=min(each.free_bytes for each in every),
    )


def repeats_of(held: Collection) -> Repeats:
    every = held.tablets.ask_all(repeats)
    groups = [group for each in every for group in each.groups]
    rules = [rule for each in every for rule in each.rules]
    return Repeats(
        groups=nlargest(MOST_SHOWN, groups, key=lambda group: group.pages),
        groups_looked_at=sum(each.groups_looked_at for each in every),
        are_all_groups=all(each.are_all_groups for each in every),
        rules=sorted(rules, key=lambda rule: (not rule.learned, -rule.same))[:MOST_SHOWN],
        mirrors=[pair for each in every for pair in each.mirrors][:MOST_SHOWN],
    )


def indexed_of(held: Collection) -> Indexed:
    every = held.tablets.ask_all(indexed)
    return Indexed(
        pages=sum(each.pages for each in every),
        behind=sum(each.behind for each in every),
        committed=min(each.committed for each in every),
    )


def indexed(collection: TabletView) -> Indexed:
    collection.must_see_all()
    state = read_state(collection.layout)
    if state is None:
        return Indexed(0, lag(collection.layout, collection.table), 0.0)
    return Indexed(state.pages, lag(collection.layout, collection.table), state.committed)


def counts_of(held: Collection) -> list[dict[str, int]]:
    """Of each tablet, as its table has them."""
    return held.tablets.ask_all(stored_counts)


def stored_counts(collection: TabletView) -> dict[str, int]:
    collection.must_see_all()
    return collection.frontier.counts().as_dict()


def _most_first(every: Iterable[Mapping[str, int]], *, sort: bool = True) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in every:
        counts.update(each)
    return dict(counts.most_common()) if sort else dict(counts)


def _whole_part(same: Sequence[SizePart]) -> SizePart:
    return SizePart(
        name=same[0].name,
        about=same[0].about,
        bytes=sum(each.bytes for each in same),
        files=sum(each.files for each in same),
        is_whole=all(each.is_whole for each in same),
    )
