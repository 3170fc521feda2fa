"""What does a collection say twice? `shoal dups` from Python: groups, sites, and all pairs.

Groups, mirrors and lessons are read as the crawl wrote them. `duplicate_pairs` and
`duplicate_clusters` believe none of that: they compare all stored texts again.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shoal.analysis.cluster_duplicates import PagesCompared, text_slice
from shoal.analysis.regroup import regroup_collection
from shoal.collection.collection import Collection
from shoal.collection.slices import in_order
from shoal.config import Dedupe
from shoal.duplicates.pairs.discovery import Progress
from shoal.errors import UsageError
from shoal.files.deduping import Comparison, Method
from shoal.files.named_texts import Admits, Named, NamedPair, NamedTexts, NamedThings
from shoal.fleet.at_rest import tablets_at_rest
from shoal.fleet.workplace import workplace
from shoal.layout.layout import place_of
from shoal.layout.ranges import key_range
from shoal.model.urls.rowkey import url_of


def duplicate_pairs(  # noqa: PLR0913 - the flags of the command, by name
    collection: Collection,
    where: str = "",
    *,
    method: Method = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    address: str = "",
) -> Iterator[NamedPair]:
    """All pairs of near-duplicates among the stored pages, found again from their texts. Each exact
    copy is named once, beside the first of its copies; of a large group not every pair is. Those of
    a cluster are compared by tasks of the Ray that it runs on, or of the one at `address` (`local`:
    started here for it); else by this process."""
    by = Comparison(method, resemblance, bits, differing)
    return search(collection, by, where, progress, address).pairs()


def duplicate_clusters(  # noqa: PLR0913 - the flags of the command, by name
    collection: Collection,
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
    collection: Collection,
    by: Comparison,
    where: str = "",
    progress: Progress | None = None,
    address: str = "",
) -> NamedThings[Any]:
    """Over all stored texts. Where no resemblance is named pages count as in a crawl: by one cut
    within a site, by another across sites."""
    by, admits = cuts(by, collection.config.dedupe)
    if collection.tablets.count > 1 and by.method == "default":
        working = workplace(collection, address)
        return PagesCompared(working, by, key_range(where), progress, admits)
    if address:
        raise UsageError("--address is for a cluster, and for the default method")
    return NamedTexts(page_texts(collection, where), by, progress, admits)


def page_texts(collection: Collection, where: str = "") -> Iterator[Named]:
    """The content of every stored page that has any, by its URL."""
    start, end = key_range(where)
    for row, text in in_order(collection.tablets, text_slice, start, end):
        yield url_of(row), text


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


def regroup(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    tell: Callable[[str], None] | None = None,
) -> int:
    """Rebuild the groups from the stored texts. Returns how many pages are duplicates."""
    tablets = tablets_at_rest(place_of(dir))
    return sum(regroup_collection(each, tell or _tell_nobody) for each in tablets)


def _tell_nobody(_says: str) -> None:
    """Progress that nobody asked for."""
