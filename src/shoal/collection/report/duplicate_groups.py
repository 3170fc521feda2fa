"""What does a collection say twice? Groups, mirrors and lessons, as the crawl wrote them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice, repeat

from shoal.collection.collection import Collection
from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.duplicates.learn.lessons import Lessons
from shoal.duplicates.learn.mirrors import Mirror, Mirrors
from shoal.duplicates.learn.url_rules import in_words
from shoal.duplicates.near.near import NearIndex
from shoal.duplicates.near.sketch import resemblance
from shoal.layout.duplicates import groups
from shoal.model.urls.rowkey import url_of

MOST_MEMBERS = 1000
"""Of a group, that are named."""


_GROUPS_AT_ONCE = 100
_COUNT_BYTES = 4
_MOST_COUNT = (1 << 8 * _COUNT_BYTES) - 1


@dataclass(frozen=True)
class Member:
    url: str
    resemblance: float
    """To the page that stands for the group; it joined by another one, if that is little."""


@dataclass(frozen=True)
class DuplicateGroup:
    """Pages that say nearly the same."""

    page: str
    """The one that stands for all, and is indexed."""
    pages: int
    """How many there are, with that one."""
    members: list[Member]
    """The others, most alike first; of a great group some of them."""


class DuplicateGroups:
    """The groups of near-duplicates that a crawl has made, the largest first. A group is one
    tablet's: its pages of other tablets stand in theirs. What is kept of each group is a dozen
    bytes; its pages are read when it is its turn."""

    def __init__(self, tablets: Tablets, most_members: int = MOST_MEMBERS) -> None:
        self._tablets = tablets
        self._most_members = most_members
        every = tablets.ask_all(group_order)
        self.pages = sum(pages for pages, _ in every)
        """In all groups."""
        self._orders = [order for _, order in every]

    def __len__(self) -> int:
        return sum(map(len, self._orders))

    def __iter__(self) -> Iterator[DuplicateGroup]:
        orders = (zip(order, repeat(tablet)) for tablet, order in enumerate(self._orders))
        largest_first = merge(*orders)
        while some := list(islice(largest_first, _GROUPS_AT_ONCE)):
            wanted: list[list[bytes]] = [[] for _ in self._orders]
            for ranked, tablet in some:
                wanted[tablet].append(ranked[_COUNT_BYTES:])
            given = [(its, self._most_members) for its in wanted]
            answers = [iter(each) for each in self._tablets.ask_each(groups_named, given)]
            for _, tablet in some:
                group = next(answers[tablet])
                if group is not None:  # a crawl may have written since
                    yield group


def duplicate_groups(collection: Collection, most_members: int = MOST_MEMBERS) -> DuplicateGroups:
    """`shoal.duplicate_groups`."""
    return DuplicateGroups(collection.tablets, most_members)


def group_order(view: TabletView) -> tuple[int, list[bytes]]:
    """How many pages all groups have; and the groups that may be named, the largest first."""
    pages, order = 0, []
    for group_id, group in groups(view.table, view.store).all_groups():
        if _may_read(view, group.representative):
            pages += group.members
            rank = _MOST_COUNT - min(group.members, _MOST_COUNT)
            order.append(rank.to_bytes(_COUNT_BYTES) + group_id)
    return pages, sorted(order)


def groups_named(
    view: TabletView, group_ids: Sequence[bytes], most_members: int
) -> list[DuplicateGroup | None]:
    """None for a group that is gone."""
    index, kept = NearIndex(view.table), groups(view.table, view.store)
    found: list[DuplicateGroup | None] = []
    for group_id in group_ids:
        group = index.group(group_id)
        if group is None:
            found.append(None)
            continue
        others = (row for row in kept.members(group_id) if row != group.representative)
        members, representative = [], kept.sketch_of(group.representative)
        for row in islice(others, most_members):
            sketch = kept.sketch_of(row)
            if sketch and _may_read(view, row):
                members.append(
                    Member(url_of(row), resemblance(sketch, representative or group.sketch))
                )
        members.sort(key=lambda each: (-each.resemblance, each.url))
        found.append(DuplicateGroup(url_of(group.representative), group.members, members))
    return found


def _may_read(view: TabletView, row: bytes) -> bool:
    return view.principal.everything or view.store.page(row, view.principal) is not None


@dataclass(frozen=True)
class UrlLesson:
    """A part of a site's URLs that says nothing, as far as was seen."""

    site: str
    says: str
    compared: int
    same: int
    learned: bool
    """Whether URLs are left out by it."""


def mirrors(collection: Collection) -> Iterator[Mirror]:
    """`shoal.mirrors`."""
    return chain.from_iterable(collection.tablets.ask_all(known_mirrors))


def known_mirrors(view: TabletView) -> list[Mirror]:
    view.must_see_all()
    return list(Mirrors(view.table).known())


def url_lessons(collection: Collection) -> Iterator[UrlLesson]:
    """`shoal.url_lessons`."""
    return chain.from_iterable(collection.tablets.ask_all(known_lessons))


def known_lessons(view: TabletView, at_most: int | None = None) -> list[UrlLesson]:
    view.must_see_all()
    return list(islice(_lessons(view), at_most))


def _lessons(view: TabletView) -> Iterator[UrlLesson]:
    lessons = Lessons(view.table)
    for site in view.frontier.sites():
        for lesson in lessons.of(site.site):
            seen = lesson.evidence
            yield UrlLesson(
                url_of(site.site + b"/"), in_words(lesson.rule), seen.seen, seen.same, seen.learned
            )
