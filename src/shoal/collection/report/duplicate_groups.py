"""What does a collection say twice? Groups, mirrors and lessons, as the crawl wrote them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from shoal.collection.collection import Collection
from shoal.duplicates.learn.lessons import Lessons
from shoal.duplicates.learn.mirrors import Mirror, Mirrors
from shoal.duplicates.learn.url_rules import in_words
from shoal.duplicates.near.near import Group, NearIndex
from shoal.duplicates.near.sketch import resemblance
from shoal.layout.duplicates import groups
from shoal.model.urls.rowkey import url_of

MOST_MEMBERS = 1000
"""Of a group, that are named."""


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
    """The groups of near-duplicates that a crawl has made, the largest first. What is held of each
    is a dozen bytes; its pages are read when it is its turn."""

    def __init__(self, collection: Collection, most_members: int = MOST_MEMBERS) -> None:
        self._collection = collection
        self._index = NearIndex(collection.table)
        self._groups = groups(collection.table, collection.store)
        self._most_members = most_members
        self.pages = 0
        """In all groups."""
        self._order: list[bytes] = []
        for group_id, group in self._groups.all_groups():
            if self._may_read(group.lead):
                self.pages += group.members
                rank = _MOST_COUNT - min(group.members, _MOST_COUNT)
                self._order.append(rank.to_bytes(_COUNT_BYTES) + group_id)
        self._order.sort()

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[DuplicateGroup]:
        for ranked in self._order:
            group_id = ranked[_COUNT_BYTES:]
            group = self._index.group(group_id)
            if group is not None:  # a crawl may have written since
                yield DuplicateGroup(
                    url_of(group.lead), group.members, self._members(group_id, group)
                )

    def _members(self, group_id: bytes, group: Group) -> list[Member]:
        others = (row for row in self._groups.members(group_id) if row != group.lead)
        lead, found = self._groups.sketch_of(group.lead), []
        for row in islice(others, self._most_members):
            sketch = self._groups.sketch_of(row)
            if sketch and self._may_read(row):
                alike = resemblance(sketch, lead or group.sketch)
                found.append(Member(url_of(row), alike))
        return sorted(found, key=lambda each: (-each.resemblance, each.url))

    def _may_read(self, row: bytes) -> bool:
        collection = self._collection
        everything = collection.principal.everything
        return everything or collection.store.page(row, collection.principal) is not None


def duplicate_groups(collection: Collection, most_members: int = MOST_MEMBERS) -> DuplicateGroups:
    """The groups of near-duplicates, as they were stored while crawling."""
    return DuplicateGroups(collection, most_members)


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
    """Sites, or parts of them, that are the same as others: suspected or learned."""
    return Mirrors(collection.table).known()


def url_lessons(collection: Collection) -> Iterator[UrlLesson]:
    """Which URLs of a site lead to what is there already: suspected or learned."""
    lessons = Lessons(collection.table)
    for view in collection.hosts():
        for lesson in lessons.of(view.site):
            seen = lesson.evidence
            yield UrlLesson(
                url_of(view.site + b"/"), in_words(lesson.rule), seen.seen, seen.same, seen.learned
            )
