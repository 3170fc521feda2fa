"""Which URLs does a large crawl know, which does it meet next, and what do they answer?

Those of hosts of Zipf sizes. Nothing is kept of a URL but its host's count, so a hundred million of
them take no more memory than one. What happens in a second of the crawl is the same at every size:
so many visits, so many pages due again, on the same hosts.
"""

import random
from array import array
from itertools import accumulate

from xxhash import xxh3_128_hexdigest

from shoal.model.document import Document, Understood
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.visit import Fetched, Visit, VisitKind

ETAG = '"5f3a-4c1"'
FETCH_SECONDS = 0.1
_SPREAD = 0x9E3779B1  # odd, so that multiplying by it permutes 32-bit numbers
_HOST_SPREAD = 0x85EBCA6B
_KNOWN_SKEW = 3
"""Known links lead mostly to a host's first pages, as links do."""
_BUSY_SHARE = 0.01
_REVISIT_SHARE = 0.3
"""Of all visits, those to pages that are due again."""


class Population:
    """The largest hosts are busy: they found more pages than they may be asked for, and so always
    have work. The others wait for pages to be due again, or to be found."""

    def __init__(self, hosts: int, urls: int, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._weights = list(accumulate(1 / rank for rank in range(1, hosts + 1)))
        ends = [round(urls * weight / self._weights[-1]) for weight in self._weights]
        self.sizes = array("L", (end - start for start, end in zip([0, *ends], ends, strict=False)))
        self.urls = urls
        self.busy = max(1, round(hosts * _BUSY_SHARE))
        self.visits_per_second = float(self.busy)
        """A busy host is asked every three seconds: they are a third of all visits."""
        calm = urls - ends[self.busy - 1]
        self.due_again_seconds = max(1.0, calm / (_REVISIT_SHARE * self.visits_per_second))
        """From one visit of a page to the next."""

    def visited(self, host: int) -> int:
        """How many of a host's pages were asked for, the first ones: half of a busy one's,"""
        return self.sizes[host] // 2 if host < self.busy else self.sizes[host]

    def visits_each(self, host: int) -> int:
        """and how often: so each host has had as many visits as it has pages, and as many queue
        entries were deleted as URLs added."""
        return 2 if host < self.busy else 1

    def new(self, count: int) -> list[Link]:
        links = []
        for host in self._hosts(count):
            links.append(_link(host, self.sizes[host]))
            self.sizes[host] += 1
        return links

    def known(self, count: int) -> list[Link]:
        return [
            _link(host, int(size * self._random.random() ** _KNOWN_SKEW))
            for host in self._hosts(count)
            if (size := self.sizes[host])
        ]

    def _hosts(self, count: int) -> list[int]:
        hosts = range(len(self.sizes))
        return self._random.choices(hosts, cum_weights=self._weights, k=count)


def site_of_host(host: int) -> bytes:
    return b"example,site-%d,www)443:https" % host


def path_of_number(number: int) -> bytes:
    """A host's pages are not found in the order of their names."""
    name = number * _SPREAD & 0xFFFFFFFF
    return b"/articles/%02x/%08x-%d.html" % (name & 0xFF, name, number)


def spread(host: int, number: int) -> float:
    """A number from 0 to 1 for a page, evenly spread over the pages of a host and of all hosts."""
    return (host * _HOST_SPREAD + number * _SPREAD & 0xFFFFFFFF) / (1 << 32)


def address_of(host: int) -> str:
    return f"10.{host >> 16}.{host >> 8 & 255}.{host & 255}:443"


def digest_of(row: bytes) -> str:
    """As long as a page's digest, and as little to be compressed."""
    return f"sha1:{xxh3_128_hexdigest(row)}"


def answer(visit: Visit, now: float) -> Fetched:
    is_robots = visit.kind is VisitKind.ROBOTS
    return Fetched(
        Outcome.MISSING if is_robots else Outcome.OK,
        404 if is_robots else 200,
        started=now - FETCH_SECONDS,
        ended=now,
        address=address_of(int(visit.site.split(b",")[1].removeprefix(b"site-"))),
        headers=[("content-type", "text/html"), ("etag", ETAG)],
    )


def understand(visit: Visit) -> Understood:
    if visit.kind is VisitKind.ROBOTS:
        return Understood()
    return Understood([Document(body_digest=digest_of(visit.row), text_digest="a text of its own")])


def _link(host: int, number: int) -> Link:
    url = url_of(site_of_host(host) + path_of_number(number))
    return Link(url, row_key(url))
