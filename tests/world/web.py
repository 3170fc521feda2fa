"""Who links to whom, and what can be reached?

Every page links to its home, the sections, its children in the site's tree and the hosts assigned
to it, which makes all pages reachable from the seeds; then come random links, inside the site and
across sites, both Zipf over the targets' ranks, so a few pages have very many in-links. Links are
computed from (seed, host, page) alone. The truth (`reachable`, `crawlable`) uses no HTTP.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from tests.world.chance import Purpose, mix, stream
from tests.world.change import History, history
from tests.world.layout import FAN, TRACKING, Layout, PlaceName
from tests.world.robots import RobotsMix

Place = tuple[int, int]  # host, page
_NOFOLLOW_SHARE = 0.03
_BASE_SHARE = 0.1
_TWICE_SHARE = 0.05


class Link(NamedTuple):
    """A link as it stands in the page; `url` is where it leads, clean."""

    host: int
    page: int
    url: str
    href: str
    text: str
    nofollow: bool


@dataclass(frozen=True)
class Web(Layout):
    """A synthetic web; `mean_bytes` is the mean size of an HTML page.

    The share `changing` of its pages change, every so many seconds on average (between the two of
    `change_seconds`); a share of the hosts have a sitemap or a feed (see sources.py).
    """

    mean_bytes: int = 8_000
    links_per_page: float = 10.0
    cross_site: float = 0.25
    changing: float = 0.5
    change_seconds: tuple[float, float] = (3_600.0, 200 * 86_400.0)
    sitemaps: float = 0.0
    feeds: float = 0.0
    post_seconds: float = 86_400.0

    # --- links

    def targets(self, host: int, page: int) -> list[tuple[int, int, bool]]:
        """(host, page, nofollow) for each link, in the order of the page."""
        if self.kind(host, page) != "html":
            return []
        size = self.size(host)
        found = [(host, other, False) for other in range(min(FAN + 1, size))]
        if page:
            children = range(page * FAN + 1, min(page * FAN + FAN + 1, size))
            found += [(host, child, False) for child in children]
            found.append((host, (page - 1) // FAN, False))
        found += [(other, 0, False) for other in self._doors(host).get(page, ())]
        rng = stream(self.seed, Purpose.LINKS, host, page)
        count = min(int(rng.expovariate(1 / self.links_per_page)), int(self.links_per_page * 4))
        for _ in range(count):
            nofollow = rng.random() < _NOFOLLOW_SHARE
            if rng.random() < self.cross_site:
                found.append((*self.by_popularity(_zipf(rng, self.pages)), nofollow))
            else:
                found.append((host, _zipf(rng, size), nofollow))
        return found

    def links(self, host: int, page: int) -> list[Link]:
        """The links with their href as written: relative, absolute, decorated, some twice."""
        nav = self.nav(host)
        base = self.base(host, page) or self.target(host, page)
        here = base.partition("?")[0].split("/")[:-1]
        rng = stream(self.seed, Purpose.HREFS, host, page)
        links = list(nav) if self.kind(host, page) == "html" else []
        for other_host, other_page, nofollow in self.targets(host, page)[len(nav) :]:
            name = self.place_name(other_host, other_page)
            draw = rng.getrandbits(48)
            href = _href(name, here if other_host == host else None, draw)
            links.append(Link(other_host, other_page, name.url, href, name.title, nofollow))
            if draw >> 40 < _TWICE_SHARE * 256:
                text = f"more on {name.title}"
                links.append(Link(other_host, other_page, name.url, name.url, text, nofollow))
        return links

    @cached_property
    def nav(self) -> Callable[[int], tuple[Link, ...]]:
        """For a host: the links of its navigation bar, which begin every page of the host."""
        return lru_cache(maxsize=20_000)(self._nav)

    def _nav(self, host: int) -> tuple[Link, ...]:
        names = [self.place_name(host, page) for page in range(min(FAN + 1, self.size(host)))]
        absolute = mix(self.seed, Purpose.HREFS, host) % 3 == 0
        return tuple(
            Link(host, page, name.url, name.url if absolute else name.target, name.title, False)
            for page, name in enumerate(names)
        )

    def base(self, host: int, page: int) -> str | None:
        """The path in the page's <base href>, for the tenth of pages that have one.

        It is a page itself, because `#top` then leads there.
        """
        draw = mix(self.seed, Purpose.HREFS, host, page) & 0xFFFF
        if draw >= _BASE_SHARE * 0x10000:
            return None
        return self.target(host, draw % min(3, self.size(host)))

    @cached_property
    def _doors(self) -> Callable[[int], dict[int, list[int]]]:
        """For a host: page → the child hosts that this page is sure to link to."""
        return lru_cache(maxsize=20_000)(self._find_doors)

    def _find_doors(self, host: int) -> dict[int, list[int]]:
        doors: dict[int, list[int]] = {}
        for child in self.host_children(host):
            doors.setdefault(self._linking_page(host, child), []).append(child)
        return doors

    def _linking_page(self, parent: int, child: int) -> int:
        """A page of the parent host that is open to robots, and HTML."""
        for attempt in range(8):
            page = mix(self.seed, Purpose.LINKING_PAGE, child, attempt) % self.size(parent)
            if self.kind(parent, page) == "html" and not self.is_private(parent, page):
                return page
        return 0

    # --- the truth

    def reachable(
        self, seeds: Iterable[str] | None = None, max_depth: int | None = None
    ) -> set[str]:
        """All URLs that links lead to from the seeds (depth 0), whatever robots.txt says."""
        return {self.url(*place) for place in self._walk(seeds, max_depth, obedient=False)}

    def crawlable(
        self, seeds: Iterable[str] | None = None, max_depth: int | None = None
    ) -> set[str]:
        """What an obedient crawler fetches: never through robots.txt, nor over rel=nofollow."""
        return set(self.depths(seeds, max_depth))

    def depths(
        self, seeds: Iterable[str] | None = None, max_depth: int | None = None
    ) -> dict[str, int]:
        """The least depth of every crawlable URL."""
        walked = self._walk(seeds, max_depth, obedient=True)
        return {self.url(*place): depth for place, depth in walked.items()}

    def _walk(
        self, seeds: Iterable[str] | None, max_depth: int | None, *, obedient: bool
    ) -> dict[Place, int]:
        starts = [self.locate(url) for url in (self.seeds() if seeds is None else seeds)]
        wave = [
            place
            for place in dict.fromkeys(starts)
            if place is not None and not (obedient and self._closed(*place))
        ]
        depths: dict[Place, int] = dict.fromkeys(wave, 0)
        depth = 0
        while wave and (max_depth is None or depth < max_depth):
            depth += 1
            following: list[Place] = []
            for place in wave:
                for host, page, nofollow in self.targets(*place):
                    target = (host, page)
                    if target in depths or (obedient and (nofollow or self._closed(host, page))):
                        continue
                    depths[target] = depth
                    following.append(target)
            wave = following
        return depths

    def _closed(self, host: int, page: int) -> bool:
        return self.robots_file(host).status >= 500 or self.is_private(host, page)

    # --- change

    def version(self, url: str, time_seconds: float) -> int:
        """The version of the page at this time of the world; 0 is the original."""
        return self.history(*self._existing(url)).current(time_seconds)[0]

    def changes(self, url: str, after_seconds: float, until_seconds: float) -> list[float]:
        """When the page changed in (after, until]."""
        return self.history(*self._existing(url)).between(after_seconds, until_seconds)

    def first_change(self, url: str, after_seconds: float, until_seconds: float) -> float | None:
        """When the page first changed in (after, until], if it did."""
        changes = self.history(*self._existing(url)).walk(after_seconds, until_seconds)
        return next(changes, None)

    def history(self, host: int, page: int) -> History:
        return history(self.seed, host, page, self.changing, self.change_seconds)

    def _existing(self, url: str) -> Place:
        place = self.locate(url)
        if place is None:
            raise ValueError(f"{url} is not a page of this web")
        return place

    # --- for the server process

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Web:
        robots = RobotsMix(**fields["robots"])
        tuples = {name: tuple(fields[name]) for name in ("names", "change_seconds")}
        return cls(**{**fields, **tuples, "robots": robots})


def _zipf(rng: random.Random, count: int) -> int:
    """A rank in [0, count) with probability about 1/rank (the inverse of the log-shaped sum)."""
    return min(int(count ** rng.random()) - 1, count - 1)


def _href(name: PlaceName, here: list[str] | None, draw: int) -> str:
    """One of the ways to write a link; `here` is the directory, for links inside the site.

    Now and then it carries a tracking parameter or a fragment, which leave the page the same.
    """
    way = draw & 0xFF
    if here is None:
        href = name.url.removeprefix("http:") if way < 26 else name.url
    elif way < 140:
        href = name.url if way < 40 else name.target
    else:
        href = _relative(name.target, here)
    if draw >> 8 & 0xFF < 20:
        parameter = TRACKING[(draw >> 16) % len(TRACKING)]
        href += f"{'&' if '?' in href else '?'}{parameter}=x{draw >> 24 & 0xFF}"
    if draw >> 32 & 0xFF < 26:
        href += f"#part-{draw % 10}"
    return href


def _relative(target: str, here: list[str]) -> str:
    """The path-relative reference (RFC 3986, section 4.2) from a directory to the target."""
    path, mark, query = target.partition("?")
    there = path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    steps = "../" * (len(here) - shared)
    return (steps + "/".join(there[shared:]) or "./") + mark + query
