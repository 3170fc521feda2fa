"""Which tablet has each of the frontier's keys, when a collection is divided or put together?

A site moves as a whole, with its rows, its queue, its place in the front index and its clock; so
nothing has to be counted or placed again, and the order of work stays as it was. What is of no one
site is said here: a command that concerns all sites goes to all tablets, and where two of them had
come to different rows it goes on at the earlier; the credit of a domain is divided by the sites
that each tablet has of it; totals and clocks are the caller's (`Whole`).
"""

from collections import Counter
from collections.abc import Sequence

from shoal.errors import CollectionError
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.schedule.credit import CreditRow, credit_key, domain_of
from shoal.frontier.sources.injections import Injection
from shoal.frontier.sources.listings import Listing
from shoal.frontier.state.rows import (
    ACTIVE_MARK,
    ADDRESSES_KEY,
    BULK_UPDATE_MARK,
    CLOCK_KEY,
    COUNTS_KEY,
    EXCLUDED_KEY,
    FRONT_MARK,
    INJECT_MARK,
    LISTING_MARK,
    MODE_KEY,
    RELAX_MARK,
    REOPEN_MARK,
    SCHEDULE_MARK,
    SiteRow,
    UrlRow,
    is_host_row_key,
    read_front_key,
    robots_row_key,
    site_of_row_key,
)
from shoal.model.cell import NUL
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import tablet_of_host, tablet_of_row, tablet_of_site

NUMBERED = (LISTING_MARK, INJECT_MARK)
"""Kinds of queue entries whose number only says when they came: another will do."""
_OF_ALL = BULK_UPDATE_MARK + b"r" + NUL
_CREDIT = credit_key(b"")
_ROBOTS = robots_row_key(b"")
_HOST = b"\x00host"
_COUNTED_ANEW = ("total/sites", "total/sites with work")


def tablet_of_site_key(key: bytes, tablets: int) -> int | None:
    """For the keys of the family `site` that do not begin with NUL, and excluded hosts. None: the
    credit of a domain, which `Domains` divides."""
    if key.startswith(EXCLUDED_KEY):
        return tablet_of_host(key[len(EXCLUDED_KEY) :], tablets)
    if (site := site_of_row_key(key)) is not None:
        return tablet_of_site(site, tablets)
    if key.endswith(_ROBOTS):
        return tablet_of_site(key[: -len(_ROBOTS)], tablets)
    if is_host_row_key(key):
        return tablet_of_host(key[: -len(_HOST)], tablets)
    if key.endswith(_CREDIT):
        return None
    raise strange("site", key)


def tablets_of_queue_key(key: bytes, value: bytes, tablets: int) -> Sequence[int]:
    """Nearly always one."""
    mark, rest = key[:1], key[1:]
    if mark > SCHEDULE_MARK:  # an entry of a site's queue
        return (tablet_of_site(key.partition(NUL)[0], tablets),)
    if mark == FRONT_MARK:
        return (tablet_of_site(read_front_key(key)[2], tablets),)
    if mark in (ACTIVE_MARK, REOPEN_MARK):
        return (tablet_of_site(rest, tablets),)
    if mark == RELAX_MARK:
        return (tablet_of_row(rest, tablets),)
    if mark == LISTING_MARK:
        return (tablet_of_row(unpack(Listing, value).finder, tablets),)
    if mark == INJECT_MARK:
        return (tablet_of_row(unpack(Injection, value).row, tablets),)
    if mark == SCHEDULE_MARK or key.startswith(_OF_ALL):
        return range(tablets)
    if mark == BULK_UPDATE_MARK:
        return (tablet_of_site(rest[1:].partition(NUL)[0], tablets),)
    raise strange("queue", key)


def strange(family: str, key: bytes) -> CollectionError:
    """Nothing is left behind in silence."""
    return CollectionError(
        f"The family {family} has a key that this release does not know ({key[:40]!r}); "
        "divide it with the release that wrote it."
    )


class Domains:
    """How many sites of each registered domain a tablet has. Memory grows with the sites."""

    def __init__(self, tablets: int) -> None:
        self._tablets = tablets
        self._sites: dict[bytes, Counter[int]] = {}

    def note(self, site: bytes, tablet: int) -> None:
        if self._tablets > 1:
            self._sites.setdefault(domain_of(site), Counter())[tablet] += 1

    def divide(self, key: bytes, stored: bytes) -> dict[int, CreditRow]:
        """What each tablet has of a domain's credit, so that all stand as far behind as it did."""
        domain, row = key[: -len(_CREDIT)], unpack(CreditRow, stored)
        if self._tablets == 1:
            return {0: row}
        having = self._sites.get(domain) or Counter({tablet_of_host(domain, self._tablets): 1})
        shares = {tablet: n / having.total() for tablet, n in sorted(having.items())}
        return {
            tablet: CreditRow(row.credit * n, row.purse * n, row.spent * n, row.seeded)
            for tablet, n in shares.items()
        }


def both_credits(one: CreditRow, other: CreditRow) -> CreditRow:
    return CreditRow(
        one.credit + other.credit,
        one.purse + other.purse,
        one.spent + other.spent,
        one.seeded or other.seeded,
    )


class Tally:
    """The counts of one tablet's rows."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add_url(self, url: UrlRow) -> None:
        self._counts[url.counted_as] += 1

    def add_site(self, site: SiteRow) -> None:
        self._counts["total/sites"] += 1
        self._counts["total/sites with work"] += site.waiting > 0

    @property
    def sites(self) -> int:
        return self._counts["total/sites"]

    def with_totals(self, totals: Counter[str]) -> dict[str, int]:
        return {name: n for name, n in (self._counts + totals).items() if n}


class Whole:
    """What the frontier keeps of no one site, put together from all sources."""

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        """Requests, bytes: which tablet they were of is not known, so the first has them."""
        self._clock_ms = 0
        self._modes: set[bytes] = set()
        self._addresses: dict[str, int] = {}
        self._all_closed = True

    def add(self, stored: dict[bytes, bytes]) -> None:
        """The keys of one source that `holds` names."""
        counts = unpack(dict[str, int], stored[COUNTS_KEY]) if COUNTS_KEY in stored else {}
        for name, n in counts.items():
            if name.startswith("total/") and name not in _COUNTED_ANEW:
                self.totals[name] += n
        if CLOCK_KEY in stored:
            self._clock_ms = max(self._clock_ms, unpack(int, stored[CLOCK_KEY]))
        self._modes.add(stored.get(MODE_KEY, Mode.NEW.encode()))
        addresses = stored.get(ADDRESSES_KEY)
        self._all_closed &= addresses is not None
        for address, ready_ms in unpack(dict[str, int], addresses or pack({})).items():
            self._addresses[address] = max(ready_ms, self._addresses.get(address, 0))

    @staticmethod
    def holds(key: bytes) -> bool:
        return key in (COUNTS_KEY, CLOCK_KEY, MODE_KEY, ADDRESSES_KEY)

    def keys(self, tally: Tally, *, is_first: bool) -> dict[bytes, bytes]:
        """What a tablet's frontier finds when it is opened."""
        counts = tally.with_totals(self.totals if is_first else Counter())
        # A mode that none has makes every crawl look again how long revisits have to wait.
        mode = min(self._modes) if len(self._modes) == 1 else Mode.REFRESH.encode()
        found = {COUNTS_KEY: pack(counts), MODE_KEY: mode}
        if self._clock_ms:
            found[CLOCK_KEY] = pack(self._clock_ms)
        if self._all_closed:  # else any address may have been asked just now
            found[ADDRESSES_KEY] = pack(self._addresses)
        return found
