"""What does a collection say twice? `shoal dups` from Python: groups, sites, and all pairs.

Groups, mirrors and lessons are read as the crawl wrote them. `duplicate_pairs` and
`duplicate_clusters` believe none of that: they compare all stored texts anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.app.collection import Collection
from shoal.app.deduping import Comparison, Method
from shoal.app.layout import directory_of
from shoal.app.named_texts import Admits, Named, NamedPair, NamedTexts, NamedThings
from shoal.app.opening import Opened
from shoal.app.page import Reading
from shoal.app.prints import groups
from shoal.app.regroup import regroup_collection
from shoal.app.whole import Whole
from shoal.config import Dedupe
from shoal.dedupe.discovery import Progress
from shoal.dedupe.lessons import Lessons
from shoal.dedupe.mirrors import Mirror, Mirrors
from shoal.dedupe.near import Group, NearIndex
from shoal.dedupe.sketch import resemblance
from shoal.dedupe.url_rules import in_words
from shoal.errors import UsageError
from shoal.model.rowkey import url_of

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


# --- sites ----------------------------------------------------------------------------------


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


# --- the whole collection -------------------------------------------------------------------


def duplicate_pairs(  # noqa: PLR0913 - the flags of the command, by name
    collection: Opened,
    where: str = "",
    *,
    method: Method = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    address: str = "",
) -> Iterator[NamedPair]:
    """All pairs of near-duplicates among the stored pages, found anew from their texts. Each exact
    copy is named once, beside the first of its copies; of a large group not every pair is. Those of
    a cluster are compared by tasks of the Ray that it runs on, or of the one at `address` (`local`:
    started here for it); else by this process."""
    by = Comparison(method, resemblance, bits, differing)
    return search(collection, by, where, progress, address).pairs()


def duplicate_clusters(  # noqa: PLR0913 - the flags of the command, by name
    collection: Opened,
    where: str = "",
    *,
    method: Method = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    address: str = "",
) -> Iterator[list[str]]:
    """The same as groups of URLs, largest first; each in the order of the rows."""
    by = Comparison(method, resemblance, bits, differing)
    return search(collection, by, where, progress, address).clusters()


def search(
    collection: Opened,
    by: Comparison,
    where: str = "",
    progress: Progress | None = None,
    address: str = "",
) -> NamedThings[Any]:
    """Over all stored texts. Where no resemblance is named pages count as in a crawl: by one cut
    within a site, by another across sites."""
    if isinstance(collection, Whole):
        from shoal.app.dups_all import search_all  # noqa: PLC0415 - it needs this module
        from shoal.app.workplace import workplace  # noqa: PLC0415 - only clusters need it

        working = workplace(collection, address)
        return search_all(collection.tablets, by, where, progress, working)
    if address:
        raise UsageError("--address is for a cluster; a collection is compared where it is")
    by, admits = cuts(by, collection.config.dedupe)
    return NamedTexts(page_texts(collection, where), by, progress, admits)


def cuts(by: Comparison, settings: Dedupe) -> tuple[Comparison, Admits | None]:
    """By what pages are compared, and which of the pairs count."""
    if by.method != "default" or by.resemblance is not None:
        return by, None
    least = min(settings.resemblance, settings.resemblance_across)
    return replace(by, resemblance=least), partial(_as_in_a_crawl, settings)


def _as_in_a_crawl(settings: Dedupe, pair: NamedPair) -> bool:
    same_site = pair.a.split("/", 3)[:3] == pair.b.split("/", 3)[:3]
    cut = settings.resemblance if same_site else settings.resemblance_across
    return pair.resemblance >= cut


def page_texts(collection: Reading, where: str = "") -> Iterator[Named]:
    """The content of every stored page that has any, by its URL."""
    for page in collection.pages(where):
        if page.document.text_chars:
            yield page.url, page.text


def regroup(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    tell: Callable[[str], None] | None = None,
) -> int:
    """Make the groups anew from the stored texts. Returns how many pages are duplicates."""
    return regroup_collection(directory_of(dir), tell or _tell_nobody)


def _tell_nobody(_says: str) -> None:
    """Progress that nobody asked for."""
