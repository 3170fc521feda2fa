"""What does the frontier remember, and under which keys?

A URL's state stands in the cell `page:url` of its row, a site's in the family `site`, and what
waits to be fetched in the family `queue`, whose key order *is* the order of work:

    queue  01 site                                 a site that may be being asked (see sites.py)
           02 level ready site                     front index: one entry per idle site with work
           03 row                                  a page whose depth fell: its links are to be told
           04 site                                 a lesson was revoked: what it refused is wanted
           05 …                                    a command that concerns many rows: see
           bulk_updates.py 06 number                               URLs that a sitemap listed: see
           listings.py 07 number                               a document past the fetch: see
           injections.py 08 …                                    pages to be asked for again: see
           revisit_dates.py site 00 level due order rest-of-row     one entry per waiting URL

Site keys start with a printable character, so the kinds never mix. `order` is arrival, or its
reverse for depth first; by importance the value stands before it (queue_order.py). Levels from
`REVISIT` on are those of revisits.
"""

import struct
from enum import StrEnum
from http import HTTPStatus
from typing import NamedTuple

from shoal.counters import INSIDE
from shoal.frontier.state.worth import Worth
from shoal.model.cell import NUL, newest_key, stamped, to_ms, value_of
from shoal.model.change_history import ChangeHistory
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome, State
from shoal.model.record import Struct, pack, unpack
from shoal.model.robots.robots import RobotsRules
from shoal.model.robots.site_signals import Reservation
from shoal.model.visit import VisitKind

ACTIVE_MARK = b"\x01"
FRONT_MARK = b"\x02"
RELAX_MARK = b"\x03"
REOPEN_MARK = b"\x04"
BULK_UPDATE_MARK = b"\x05"
LISTING_MARK = b"\x06"
INJECT_MARK = b"\x07"
SCHEDULE_MARK = b"\x08"
LAST_MARK = SCHEDULE_MARK
"""Behind it stand the queue entries."""
COUNTS_KEY = b"\x00counts"
CLOCK_KEY = b"\x00clock"
"""When the frontier last wrote, in milliseconds: a clock that was set back is noticed by it."""
MODE_KEY = b"\x00mode"
"""Which visits the last crawl made: when another begins, sites with revisits are placed again."""
EXCLUDED_KEY = b"\x00excluded\x00"
"""Before the label of each host that is excluded by hand."""
ADDRESSES_KEY = b"\x00addresses"
"""The clocks of addresses, while no frontier is open."""

REVISIT = 0x80
"""The first level of revisits: of sitemaps and feeds; pages stand behind it."""

AS_DUPLICATE = ("pattern", "mirror")
"""Why a URL is excluded when its site has taught that it would say nothing new."""
BY_HAND = "by hand"
"""Why a URL is excluded when a person wants nothing more of its host."""
UNWANTED = "feed"
"""Why a feed is excluded that a person has removed."""
NO_SITEMAP = "no sitemap"
"""Why a URL is excluded where a sitemap was looked for and none is: see guessed_sitemaps.py."""
BY_ANSWER = (
    "robots",
    str(Outcome.PRIVATE),
    str(Outcome.NO_SCHEME),
    *AS_DUPLICATE,
    BY_HAND,
    UNWANTED,
    NO_SITEMAP,
)
"""Why a URL is excluded when its turn had come and it may not be had, or may not come: no further
link changes that."""

LISTED_INSIDE = "inside"
"""Beside the states of URLs: the stored documents inside others."""

_NOT_FOUND = (State.GONE, State.REDIRECT)
_URL = b"url"
_SITE_SUFFIX = b"\x00site"
_HOST_SUFFIX = b"\x00host"
_ENTRY = struct.Struct(">BQQ")
_FRONT = struct.Struct(">BQ")


class UrlRow(Struct, array_like=True):
    """The state of one URL, in the cell `page:url`."""

    state: State
    reason: str = ""
    """Why it is excluded or failed, or a fetched document's fate; counted by what precedes the
    colon."""
    depth: int = 1
    source: LinkSource = LinkSource.LINK
    found_from: bytes = b""
    found_ms: int = 0
    hops: int = 0
    tries: int = 0
    waiting: bool = False
    """Whether it has a queue entry; the next three name it."""
    level: int = 0
    due_ms: int = 0
    order: int = 0
    etag: str = ""
    last_modified: str = ""
    digest: str = ""
    fetched_ms: int = 0
    status: int = 0
    visits: int = 0
    priority: float = 0.5
    body_ms: int = 0
    """When the body with this digest was first fetched, which the archive refers back to."""
    kind: VisitKind = VisitKind.PAGE
    """What it is asked for as: a sitemap or a feed is no page."""
    history: ChangeHistory | None = None
    """How it changes; None until it was fetched."""
    misses: int = 0
    """Visits in a row that did not find it."""
    missing_ms: int = 0
    """Since when it is missing."""
    lost: bool = False
    """Whether it is given up: the index no longer has it."""
    ask_whole: bool = False
    """A HEAD said that it changed."""
    hinted_ms: int = 0
    """When it last changed by its sitemap or feed."""
    inside: bool = False
    """Whether it is a document inside another, which is never asked for and counted apart. Older
    releases did not say so of what they wrote."""
    requisites: int = 0
    """How many pictures, styles and scripts were named for it, also by its style sheets."""
    restricted: bool = False
    """Whether what is stored is not for everybody: then it is not taken for the page whose URL
    differs from its own by a slash."""
    worth: Worth | None = None
    """What is known of its worth, in a crawl by importance; its value then is `priority`."""

    @property
    def category(self) -> str:
        return self.reason.partition(":")[0]

    @property
    def counted_as(self) -> str:
        category = self.category
        name = f"{self.state}/{category}" if category else str(self.state)
        return INSIDE + name if self.inside else name

    def is_listed_as(self, state: str) -> bool:
        """Under the state that it is counted in, or `inside`; under `unchanged` also what is
        fetched and was so at its last visit."""
        if self.inside or state == LISTED_INSIDE:
            return self.inside and state == LISTED_INSIDE and self.state is State.FETCHED
        if state == State.UNCHANGED and self.state is State.FETCHED:
            return self.status == HTTPStatus.NOT_MODIFIED
        return self.state == state

    @property
    def is_kept(self) -> bool:
        """It was not found of late, which may be an accident (frontier/outcome/missing.py)."""
        return self.state in _NOT_FOUND and self.misses > 0 and not self.lost

    @property
    def given_up_as(self) -> str:
        """What a stored page is that searches no longer find: `gone`, `redirect`, `excluded`; empty
        while it is there."""
        is_there = self.is_kept or self.state not in (*_NOT_FOUND, State.EXCLUDED)
        return "" if is_there else str(self.state)

    @property
    def can_reopen(self) -> bool:
        """Whether another link, one that is wanted, may bring an excluded URL into the queue, or
        make a page of what was only a page's requisite."""
        if self.kind is VisitKind.REQUISITE:
            return True
        return self.state is State.EXCLUDED and self.category not in BY_ANSWER


class Robots(StrEnum):
    UNKNOWN = "unknown"
    RULES = "rules"
    NONE = "none"  # 4xx: everything is allowed
    UNREACHABLE = "unreachable"  # 5xx or no answer: nothing is, for now


class SiteRow(Struct, array_like=True):
    """One site, under `site NUL site`. `entry_level` is -1 without an entry in the front index."""

    entry_level: int = -1
    entry_ready_ms: int = 0
    waiting: int = 0
    """Queue entries."""
    robots: Robots = Robots.UNKNOWN
    robots_until_ms: int = 0
    robots_failures: int = 0
    visits: int = 0
    fetched: int = 0
    failed: int = 0
    bytes: int = 0
    rest_until_ms: int = 0
    """Its host's clock when it was retired: a new URL does not wake it before."""
    private_ok: bool = False
    """Whether it may be at a private address: a person named it, or a page of such a site."""
    deaf: int = 0
    """Conditions that it did not heed: the whole page came though it had not changed."""
    head_lies: int = 0
    """Answers to HEAD that proved worthless."""
    hints_right: int = 0
    """How often a page had changed when its sitemap said so, and how often not."""
    hints_wrong: int = 0
    listed: int = 0
    """URLs that nobody knew before its sitemaps and feeds named them."""
    looks: int = 0
    """In how many of the usual places a sitemap was looked for."""
    tls_failures: int = 0
    """How often in a row its TLS failed, and until when it is left alone for it. That is the site's
    own affair: the host's other site answers all the same."""
    tls_until_ms: int = 0
    tdmrep_until_ms: int = 0
    """When its tdmrep.json is due again; 0: it was not asked for."""


class RobotsRow(Struct, array_like=True):
    """The rules of one site, apart from its clock because they are long and seldom change."""

    rules: RobotsRules
    requested_ms: int = 0
    status: int = 0
    url: str = ""
    reservations: list[Reservation] = []
    """What the site's tdmrep.json says, if it was asked for."""


class HostRow(Struct, array_like=True):
    """The clock of one host, shared by its sites (http and https), under `host NUL host`."""

    next_ms: int = 0
    delay_ms: int = 0
    failures: int = 0
    last_ms: int = 0
    address: str = ""
    paused: bool = False
    note: str = ""
    """Why it waits longer than its delay."""
    own_delay_ms: int = 0
    """The least that a person wants between two requests; the configured delay where it is less."""
    was_public: bool | None = None
    """Whether it was at a public address when it first answered; None: it did not yet."""


class Entry(NamedTuple):
    level: int
    due_ms: int
    order: int
    row: bytes


def url_key(row: bytes) -> bytes:
    return newest_key(row, _URL)


def row_of_url_key(key: bytes) -> bytes | None:
    """The row of a key in the family `page`, if it is that of the cell `page:url`."""
    row, _, qualifier = key.partition(NUL)
    return row if qualifier == _URL else None


def pack_url(row: UrlRow, now: float) -> bytes:
    return stamped(to_ms(now), pack(row))


def unpack_url(stored: bytes) -> UrlRow:
    return unpack(UrlRow, value_of(stored))


def site_row_key(site: bytes) -> bytes:
    return site + _SITE_SUFFIX


def site_of_row_key(key: bytes) -> bytes | None:
    """The site of a key in the family `site`, if it is that of a site's row."""
    return key[: -len(_SITE_SUFFIX)] if key.endswith(_SITE_SUFFIX) else None


def robots_row_key(site: bytes) -> bytes:
    return site + b"\x00robots"


def host_row_key(host: bytes) -> bytes:
    return host + _HOST_SUFFIX


def is_host_row_key(key: bytes) -> bool:
    return key.endswith(_HOST_SUFFIX)


def excluded_key(host: bytes) -> bytes:
    return EXCLUDED_KEY + host


def port_of_site(site: bytes) -> str:
    """The port that a site's key names, as `:443`; empty when it names none."""
    port = site.rpartition(b")")[2].partition(b":")[0]
    return f":{port.decode()}" if port.isdigit() else ""


def is_web(site: bytes) -> bool:
    """Whether a site is reached by http or https, and so may have a robots.txt."""
    return site.endswith((b":http", b":https")) or site.startswith((b"http://", b"https://"))


def entry_of(row: bytes, url: UrlRow) -> Entry:
    """The queue entry of a URL that is waiting."""
    return Entry(url.level, url.due_ms, url.order, row)


def entry_key(site: bytes, entry: Entry) -> bytes:
    return site + NUL + _ENTRY.pack(entry.level, entry.due_ms, entry.order) + entry.row[len(site) :]


def read_entry(site: bytes, key: bytes) -> Entry:
    start = len(site) + 1
    level, due_ms, order = _ENTRY.unpack_from(key, start)
    return Entry(level, due_ms, order, site + key[start + _ENTRY.size :])


def level_start(site: bytes, level: int) -> bytes:
    return site + NUL + bytes([level])


def front_key(level: int, ready_ms: int, site: bytes) -> bytes:
    return FRONT_MARK + _FRONT.pack(level, ready_ms) + site


def read_front_key(key: bytes) -> tuple[int, int, bytes]:
    level, ready_ms = _FRONT.unpack_from(key, 1)
    return level, ready_ms, key[1 + _FRONT.size :]


def after_mark(mark: bytes) -> bytes:
    """The first key behind all that begin with a mark."""
    return bytes([mark[0] + 1])
