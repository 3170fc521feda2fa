"""Whose turn comes before whose, when there is more to fetch than time? A domain's credit.

A program can make up a million pages on one host, or thousands of hosts that are each a registered
domain of their own; what it can't make up is being named by others. So pages are paid for with a
credit that is only ever handed on, like the cash of Abiteboul, Preda and Cobena's OPIC (2003), per
registered domain, whatever its hosts and addresses. The domain of a seed is given a sum. A domain
holds a share of what it receives in its purse; each page that names something new on other domains
hands a part of the purse to them, in equal shares. So all domains of a farm together never have
more than honest sites handed to them, times `1 / (1 - PASSED_ON)`, however many they are.

A page costs one, or half if it has a text of its own. Nobody is refused: while (spent + 1) / credit
is at most 1 a domain stands first (0), and each time it grows fourfold the domain falls behind by
one standing. Sites of a better standing are woken and asked first (front.py, workbench.py), so
what is behind is fetched when nothing better is ready.
"""

from collections.abc import Mapping, Set
from math import inf, log

from shoal.counters import Counts
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import url_of
from shoal.model.urls.url import registered_domain, site_of
from shoal.ports import Batch, Table

SEED_CREDIT = 200.0
FEWEST_SITES = 2
"""With one site there is nobody to stand behind."""
PASSED_ON = 0.85
"""Of what a domain receives, how much goes into its purse."""
_PER_PAGE = 0.25
"""Of the purse, how much one page hands to those it names."""
_PER_READING = 0.02
"""The same by importance, where a page's other links take their part, too."""
_LEAST = 1e-9
_STEP = 4.0
_WORST = 6
_MOST_LEVELS = 255
"""In the front index a level is one byte."""
_OWN_TEXT_COSTS = 0.5
_SUFFIX = b"\x00credit"


class CreditRow(Struct, array_like=True):
    """One registered domain, under `domain NUL credit` in the family `site`."""

    credit: float = 0.0
    """All that it ever received, in pages."""
    purse: float = 0.0
    """What is left of it to be handed on."""
    spent: float = 0.0
    seeded: bool = False

    @property
    def ratio(self) -> float:
        return (self.spent + 1) / self.credit if self.credit > 0 else inf


def credit_key(domain: bytes) -> bytes:
    return domain + _SUFFIX


def domain_of(site: bytes) -> bytes:
    """The registered domain of a site key; for what has none, what stands in its place."""
    return registered_domain(site_of(url_of(site + b"/")).host).encode() or site


def standings(levels: int) -> int:
    """How many standings there are beside so many levels."""
    return max(1, min(_WORST + 1, _MOST_LEVELS // levels))


def standing_of(row: CreditRow, worst: int = _WORST) -> int:
    """0 within its credit; else by how many steps a domain is behind."""
    if row.spent + 1 <= row.credit:
        return 0
    ratio = row.ratio
    return worst if ratio == inf else min(worst, 1 + int(log(ratio, _STEP)))


def behind_in_words(row: CreditRow | None) -> str:
    """Why a site may wait though its host is ready; empty when its domain stands first."""
    if row is None or standing_of(row) == 0:
        return ""
    return (
        f"its domain has used up its credit ({row.spent:.0f} of {row.credit:.3g} pages): "
        "it waits behind others"
    )


class Credit:
    """The credit of all domains, through a bounded cache; changes go into the batch at hand."""

    def __init__(self, table: Table, counts: Counts, cache_size: int, levels: int) -> None:
        self._table = table
        self._counts = counts
        self._cache_size = max(1, cache_size)
        self._worst = standings(levels) - 1
        self._rows: dict[bytes, CreditRow] = {}
        self._dirty: set[bytes] = set()
        self._domains: dict[bytes, bytes] = {}

    def standing(self, site: bytes) -> int:
        if self._is_alone():
            return 0
        return standing_of(self.row(self.domain(site)), self._worst)

    def grant(self, site: bytes, pages: float) -> None:
        """A person named the site: its domain has a sum of its own, once."""
        domain = self.domain(site)
        row = self.row(domain)
        if not row.seeded:
            row.seeded = True
            self._receive(domain, row, pages)

    def hand_on(
        self, site: bytes, named: Set[bytes], away: Set[bytes] = frozenset()
    ) -> dict[bytes, float] | None:
        """A page of a site names something new on other sites, some of them `away` at other
        tablets. Returns what those are owed, by site; None when nothing was handed on."""
        own = self.domain(site)
        others = {self.domain(each) for each in named} - {own}
        elsewhere = {self.domain(each): each for each in away}
        elsewhere.pop(own, None)
        giver = self.row(own)
        receivers = len(others) + len(elsewhere)
        if not receivers or giver.purse < _LEAST:
            return None
        given = giver.purse * _PER_PAGE
        giver.purse -= given
        self._dirty.add(own)
        for domain in others:
            self._receive(domain, self.row(domain), given / receivers)
        return dict.fromkeys(elsewhere.values(), given / receivers)

    def share_out(self, site: bytes, links: Mapping[bytes, int], among: int) -> dict[bytes, float]:
        """A page of a site says so many links of each other site, of so many in all, new or not:
        by importance each link is worth the same, as a vote is. Returns what each site's domain is
        owed; those of this tablet have it when the caller says so (`receive`)."""
        own = self.domain(site)
        giver = self.row(own)
        away = {other: n for other, n in links.items() if self.domain(other) != own}
        if not away or giver.purse < _LEAST:
            return {}
        of_each = giver.purse * _PER_READING / max(among, sum(away.values()))
        giver.purse -= of_each * sum(away.values())
        self._dirty.add(own)
        return {other: of_each * n for other, n in away.items()}

    def receive(self, site: bytes, pages: float) -> None:
        """A page of another tablet names something new on the site."""
        domain = self.domain(site)
        self._receive(domain, self.row(domain), pages)

    def charge(self, site: bytes, *, own_text: bool) -> None:
        """A page of the site was asked for."""
        domain = self.domain(site)
        self.row(domain).spent += _OWN_TEXT_COSTS if own_text else 1.0
        self._dirty.add(domain)

    def flush(self, batch: Batch) -> None:
        for domain in self._dirty:
            batch.put("site", credit_key(domain), pack(self._rows[domain]))
        self._dirty.clear()
        while len(self._rows) > self._cache_size:
            del self._rows[next(iter(self._rows))]

    def domain(self, site: bytes) -> bytes:
        """The suffix list costs more than all else here, so its answers are kept."""
        found = self._domains.get(site)
        if found is None:
            if len(self._domains) >= self._cache_size:
                self._domains.clear()
            found = self._domains[site] = domain_of(site)
        return found

    def row(self, domain: bytes) -> CreditRow:
        row = self._rows.get(domain)
        if row is None:
            row = self._rows[domain] = read_credit(self._table, domain)
        return row

    def _receive(self, domain: bytes, row: CreditRow, pages: float) -> None:
        row.credit += pages
        row.purse += pages * PASSED_ON
        self._dirty.add(domain)

    def _is_alone(self) -> bool:
        """With one site there is nobody to stand behind, and no need for the suffix list."""
        return self._counts["total/sites"] < FEWEST_SITES


def read_credit(table: Table, domain: bytes) -> CreditRow:
    stored = table.get("site", credit_key(domain))
    return CreditRow() if stored is None else unpack(CreditRow, stored)
