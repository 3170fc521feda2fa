"""What does one tablet say of its own pages? The questions that reading a cluster is made of.

Each is a function of a collection with plain values in and out (tablets.py), bounded in size
(slices.py). What a page's owner can't know, whether a page of another tablet may be seen by who
asks, is left to that one's owner: `seen`.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from shoal.collection import own_mail
from shoal.collection.slices import Slice, cut
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import SiteView
from shoal.layout.duplicates import groups
from shoal.layout.layout import is_given_way
from shoal.layout.runs import Run, runs_of
from shoal.layout.sources import rows
from shoal.model.cell import NUL, newest_key
from shoal.model.document import Fate
from shoal.model.mail_words import FOLDER
from shoal.model.principal import Principal
from shoal.model.record import pack, unpack
from shoal.model.source import FOLDER as FOLDER_KIND
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import Filter, StoredPage
from shoal.store.rows import FETCH, FetchRow, stored_inside

_URL_BYTES = 300
"""What a URL's row takes, about."""
_SITE_BYTES = 500
SEEN_AT_ONCE = 10_000
"""Rows of one question."""


class Carried(NamedTuple):
    """A stored page on its way; its text and its body stay where they are."""

    row: bytes
    when: float
    fetch: bytes
    """Packed."""

    @property
    def stored(self) -> StoredPage:
        return StoredPage(self.row, self.when, unpack(FetchRow, self.fetch))


def carried(page: StoredPage) -> Carried:
    return Carried(page.row, page.when, pack(page.fetch))


def settings(collection: TabletView) -> Config:
    return collection.config


def one_page(collection: TabletView, url: str, at: float | None) -> Carried | None:
    found = collection.page(url, at)
    return None if found is None else carried(found.stored)


def page_slice(
    collection: TabletView, start: bytes, end: bytes, wanted: Filter
) -> Slice[tuple[float, bytes]]:
    """Stored pages: when each was fetched, and its packed row."""

    def found() -> Iterator[tuple[bytes, tuple[float, bytes], int]]:
        for page in collection.store.stream(start, end, collection.principal, wanted):
            fetch = pack(page.fetch)
            yield page.row, (page.when, fetch), len(fetch)

    return cut(found())


def url_slice(collection: TabletView, start: bytes, end: bytes, state: str | None) -> Slice[UrlRow]:
    known = collection.known(start, end, state)
    return cut((row, url, _URL_BYTES) for row, url in known)


def site_slice(collection: TabletView, start: bytes) -> Slice[SiteView]:
    return cut((view.site, view, _SITE_BYTES) for view in collection.hosts(start))


# --- who links to a page --------------------------------------------------------------------


class Said(NamedTuple):
    """What a page of some tablet calls one of this tablet."""

    source: bytes
    texts: tuple[str, ...]


def anchor_slice(collection: TabletView, start: bytes, url: str) -> Slice[Said]:
    """Who links to a page, or to one that it stands for. Goes on at `target NUL source`."""
    row = collection.row(url)
    targets = [row, *collection.followers(row)]
    target, _, source = start.partition(NUL)
    if target in targets:
        targets = targets[targets.index(target) :]

    def found() -> Iterator[tuple[bytes, Said, int]]:
        for each in targets:
            first = source if each == target else b""
            for by, _, anchor in collection.store.anchors(each, collection.principal, first):
                size = len(by) + sum(map(len, anchor.texts))
                yield newest_key(each, by), Said(by, anchor.texts), size

    return cut(found())


def principal_of(view: TabletView) -> Principal:
    """For whom it is read."""
    return view.principal


def runs(view: TabletView) -> list[Run]:
    """The crawls that were made of a tablet, the newest first."""
    view.must_see_all()
    is_running = view.is_running() and not is_given_way(view.layout)
    return runs_of(view.table, is_running=is_running)


def sees_all(collection: TabletView) -> bool:
    """Whether who asks may read everything."""
    return collection.principal.everything


def seen(collection: TabletView, rows: Sequence[bytes]) -> list[bool]:
    """Whether each page may be named to who asks: one that is not stored keeps nobody out."""
    store, principal = collection.store, collection.principal
    return [
        principal.everything
        or store.page(row, principal) is not None
        or store.cells.get(row, FETCH) is None
        for row in rows
    ]


# --- documents inside others ----------------------------------------------------------------


def inside(collection: TabletView, url: str, at_most: int) -> list[Carried]:
    """The documents that are stored as inside one, as far as they may be read."""
    rows = stored_inside(collection.store.cells, collection.row(url))
    pages = (collection.store.page(row, collection.principal) for row in rows)
    return [carried(page) for page in islice(filter(None, pages), at_most)]


def mail_folders(collection: TabletView, url: str) -> list[str]:
    """The folders in which a mail may be read."""
    row = collection.row(url)
    page = collection.store.page(row, collection.principal)
    if page is None:
        return []
    named = [value for name, value in page.document.fields if name == FOLDER]
    if not named:
        return []
    found = own_mail.folders_of(collection.table, page.url, collection.principal)
    return named if collection.principal.everything and not found else found


# --- near-duplicates ------------------------------------------------------------------------


def lead_of(collection: TabletView, url: str, tablets: int) -> tuple[str, str]:
    """The page of this tablet that stands for a page; and the one of another tablet that stands for
    that one, empty where there is none."""
    representative = collection.lead(url)
    page = collection.page(representative) if representative else None
    if page is None or page.document.fate is not Fate.DUPLICATE:
        return representative, ""
    other = page.document.duplicate_of
    here = tablet_of_row(page.stored.row, tablets)
    is_elsewhere = bool(other) and tablet_of_row(row_key(other), tablets) != here
    return representative, other if is_elsewhere else ""


def is_below_a_source(view: TabletView, path: bytes) -> bool:
    """Whether a file stood in a folder that is read; what is read is the owner's to know."""
    if not view.principal.everything:
        return False
    above = (each.name for each in rows(view.table) if each.kind == FOLDER_KIND)
    return any((path + b"/").startswith(name.rstrip(b"/") + b"/") for name in above)


def sketch_of(view: TabletView, url: str) -> bytes:
    """What a page of a group was compared by; empty when it is in none."""
    row = view.row(url)
    return groups(view.table, view.store).sketch_of(row) if view.may_name(row) else b""
