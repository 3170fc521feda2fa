"""Which hosts and pages exist, where are they, and what does each host's robots.txt say?

Pages of a host are numbered from 0 (home) and form a tree with eight children each; the top
children are its sections. A page's URL carries its number, so URL ↔ (host, page) needs no table
and a million pages cost no memory. Host i listens on its own 127.x.y.z (never .0 or .255) unless
`addresses` is smaller than `hosts`: then named hosts share addresses, as on a CDN.

Invariant: a section closed by robots.txt, and a host whose robots.txt answers 5xx, hold only pages
that nothing else depends on, so everything allowed stays reachable for an obedient crawler.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from tests.world.chance import Purpose, fraction, mix, stream
from tests.world.robots import PRIVATE, RobotsFile, RobotsMix, robots_text
from tests.world.words import ADJECTIVES, NOUNS, SECTIONS

FAN = 8  # children of a page, and hosts first linked from one host
TRACKING = ("utm_source", "utm_medium", "utm_campaign", "fbclid", "gclid")
_NUMBER = re.compile(r"-(\d{1,9})\.[a-z]+$|[?&]id=(\d{1,9})")
_ADJECTIVE_SLUGS = tuple(quote(word) for word in ADJECTIVES)
_NOUN_SLUGS = tuple(quote(word) for word in NOUNS)
_HOSTS_PER_NET = 62_500  # 250 × 250 addresses below each 127.n


class PlaceName(NamedTuple):
    """How a page is called by other pages."""

    url: str
    target: str
    title: str


@dataclass(frozen=True)
class Layout:
    """The hosts and pages of a web; port 0 until a server has picked one."""

    seed: int = 0
    hosts: int = 2_000
    pages: int = 10_000
    port: int = 0
    names: tuple[str, ...] = ()
    addresses: int = 0
    starts: int = 10
    skew: float = 1.0
    files: float = 0.05
    robots: RobotsMix = field(default_factory=RobotsMix)

    def __post_init__(self) -> None:
        if not 1 <= self.hosts <= self.pages:
            raise ValueError("a web needs at least one host, and one page for each host")
        if self.hosts > 250 * _HOSTS_PER_NET:
            raise ValueError("no more loopback addresses: at most 15,625,000 hosts")
        if len(self.names) > self.hosts or len(set(self.names)) != len(self.names):
            raise ValueError("give each host at most one name, and each name once")
        if 0 < self.addresses < self.hosts and len(self.names) != self.hosts:
            raise ValueError("hosts that share addresses must all have names")

    # --- hosts

    def address(self, host: int) -> str:
        index = host % self.addresses if self.addresses else host
        net, rest = divmod(index, _HOSTS_PER_NET)
        return f"127.{1 + net}.{1 + rest // 250}.{1 + rest % 250}"

    def host_name(self, host: int) -> str:
        """What stands in the URLs of this host: its name, or its address."""
        return self.names[host] if host < len(self.names) else self.address(host)

    def host_index(self, name: str) -> int | None:
        """The host that has this name or address (of several on one address, the first)."""
        return self._index_of_host.get(name.lower())

    def all_addresses(self) -> list[str]:
        return [self.address(host) for host in range(min(self.addresses or self.hosts, self.hosts))]

    def resolve_table(self) -> dict[str, str]:
        """Name → address:port, for every named host."""
        return {name: f"{self.address(host)}:{self.port}" for host, name in enumerate(self.names)}

    def size(self, host: int) -> int:
        """How many pages this host has: Zipf over the hosts, at least one."""
        return self._sizes[host]

    def host_children(self, host: int) -> range:
        """The hosts that are sure to be linked from this one (a tree below the seed hosts)."""
        first = self._start_hosts + host * FAN
        return range(min(first, self.hosts), min(first + FAN, self.hosts))

    def charset(self, host: int) -> str:
        return "iso-8859-1" if fraction(self.seed, Purpose.HOST, host) < 0.1 else "utf-8"

    # --- pages

    def seeds(self) -> list[str]:
        return [self.url(host, 0) for host in range(self._start_hosts)]

    def urls(self) -> Iterator[str]:
        """Every URL there is, host by host."""
        for host in range(self.hosts):
            for page in range(self.size(host)):
                yield self.url(host, page)

    def url(self, host: int, page: int) -> str:
        if not self.port:
            raise ValueError("this web has no port yet: use running.web, or give it a port")
        return self.place_name(host, page).url

    def kind(self, host: int, page: int) -> str:
        """html, or for a few pages without children: txt, pdf, png."""
        if page <= FAN or page * FAN + 1 < self.size(host):
            return "html"
        draw = mix(self.seed, Purpose.PAGE, host, page) >> 30 & 0x3FF
        return "html" if draw >= self.files * 1024 else ("txt", "pdf", "png")[draw % 3]

    def target(self, host: int, page: int) -> str:
        """The path, and query if it has one."""
        return self.place_name(host, page).target

    def title(self, host: int, page: int) -> str:
        return self.place_name(host, page).title

    @cached_property
    def place_name(self) -> Callable[[int, int], PlaceName]:
        """URL, target and title, remembered: popular pages are named on every other page."""
        return lru_cache(maxsize=100_000)(self._place_name)

    def _place_name(self, host: int, page: int) -> PlaceName:
        draw = mix(self.seed, Purpose.PAGE, host, page)
        adjective, noun = draw % len(ADJECTIVES), (draw >> 10) % len(NOUNS)
        other = NOUNS[(draw >> 20) % len(NOUNS)]
        title = f"{ADJECTIVES[adjective].title()} {NOUNS[noun]} & {other}, no. {page}"
        slug = f"{_ADJECTIVE_SLUGS[adjective]}-{_NOUN_SLUGS[noun]}"
        target = self._target(host, page, slug, by_query=draw >> 40 & 0xF == 0)
        port = "" if self.port == 80 else f":{self.port}"
        return PlaceName(f"http://{self.host_name(host)}{port}{target}", target, title)

    def _target(self, host: int, page: int, slug: str, *, by_query: bool) -> str:
        if page == 0:
            return "/"
        top = page
        while top > FAN:
            top = (top - 1) // FAN
        section = self.section(host, top)
        if top == page:
            return f"/{section}/"
        kind = self.kind(host, page)
        if kind == "html" and by_query:
            return f"/{section}/view?id={page}&lang=en"
        return f"/{section}/{slug}-{page}.{kind}"

    def section(self, host: int, top: int) -> str:
        if top == self.robots_file(host).private_section:
            return PRIVATE
        return SECTIONS[(top + mix(self.seed, Purpose.HOST, host)) % len(SECTIONS)]

    def is_private(self, host: int, page: int) -> bool:
        """In the section that this host's robots.txt closes."""
        private = self.robots_file(host).private_section
        while private is not None and page > FAN:
            page = (page - 1) // FAN
        return private is not None and page == private

    def locate(self, url: str) -> tuple[int, int] | None:
        """The host and page of a URL (fragment and tracking parameters ignored), if it exists."""
        parts = urlsplit(url)
        host = self.host_index(parts.hostname or "")
        if host is None or (parts.port or 80) != self.port:
            return None
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        page = self.page_at(host, target)
        return None if page is None else (host, page)

    def page_at(self, host: int, target: str) -> int | None:
        """The page at this path and query, tracking parameters ignored."""
        path, _, query = target.partition("?")
        kept = [part for part in query.split("&") if part and part.split("=")[0] not in TRACKING]
        clean = f"{path}?{'&'.join(kept)}" if kept else path or "/"
        if match := _NUMBER.search(clean):
            candidates = [int(match[1] or match[2])]
        else:
            candidates = list(range(FAN + 1))
        for page in candidates:
            if page < self.size(host) and self.target(host, page) == clean:
                return page
        return None

    # --- robots.txt

    def robots_file(self, host: int) -> RobotsFile:
        known = self._robots_files.get(host)
        if known is None:
            known = self._robots_files[host] = self._make_robots_file(host)
        return known

    def disallowed(self, url: str) -> bool:
        """Whether robots.txt keeps an obedient crawler from this URL (5xx closes the host)."""
        parts = urlsplit(url)
        host = self.host_index(parts.hostname or "")
        if host is None or parts.path == "/robots.txt":
            return False
        robots = self.robots_file(host)
        closed = robots.private_section is not None and parts.path.startswith(f"/{PRIVATE}/")
        return closed or robots.status >= 500

    def _make_robots_file(self, host: int) -> RobotsFile:
        draw = fraction(self.seed, Purpose.ROBOTS, host)
        leaf = host >= self._start_hosts and not self.host_children(host)
        if draw < self.robots.error:
            return RobotsFile(503, "") if leaf else RobotsFile(200, robots_text(host, None, None))
        if draw < self.robots.error + self.robots.missing:
            return RobotsFile(404, "")
        rng = stream(self.seed, Purpose.ROBOTS, host)
        top = min(FAN, self.size(host) - 1)
        closes = rng.random() < self.robots.disallow and top > 0
        private = rng.randrange(1, top + 1) if closes else None
        slow = rng.random() < self.robots.crawl_delay
        delay = self.robots.crawl_delay_seconds if slow else None
        return RobotsFile(200, robots_text(host, private, delay), private, delay)

    # --- computed once

    @property
    def _start_hosts(self) -> int:
        return max(1, min(self.starts, self.hosts))

    @cached_property
    def _robots_files(self) -> dict[int, RobotsFile]:
        return {}

    @cached_property
    def _index_of_host(self) -> dict[str, int]:
        index: dict[str, int] = {}
        for host in range(self.hosts):
            index.setdefault(self.address(host), host)
            index[self.host_name(host).lower()] = host
        return index

    @cached_property
    def _sizes(self) -> list[int]:
        weights = [1 / rank**self.skew for rank in range(1, self.hosts + 1)]
        share = (self.pages - self.hosts) / sum(weights)
        sizes = [1 + int(weight * share) for weight in weights]
        for rank in range(self.pages - sum(sizes)):
            sizes[rank % self.hosts] += 1
        stream(self.seed, Purpose.SIZES).shuffle(sizes)
        return sizes

    @cached_property
    def _first_pages(self) -> list[int]:
        """For each host the number of its home page, counted over all pages of the web."""
        firsts, total = [], 0
        for size in self._sizes:
            firsts.append(total)
            total += size
        return firsts

    @cached_property
    def _permutation(self) -> tuple[int, int]:
        """Where it starts, and a stride that has no factor in common with the number of pages."""
        stride = max(1, int(self.pages * 0.618))
        while math.gcd(stride, self.pages) != 1:
            stride += 1
        return mix(self.seed, Purpose.PERMUTATION) % self.pages, stride

    def by_popularity(self, rank: int) -> tuple[int, int]:
        """The page of this rank (0 is the most linked): a seeded permutation of all pages."""
        start, stride = self._permutation
        number = (start + rank * stride) % self.pages
        host = bisect_right(self._first_pages, number) - 1
        return host, number - self._first_pages[host]
