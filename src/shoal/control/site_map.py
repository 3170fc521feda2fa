"""Which URLs does a site say it has? From robots.txt, sitemaps and the collection, not from pages.

As polite as a crawl: one request at a time, the host's delay after each, robots.txt obeyed. A
sitemap that robots.txt names may be read, since it is named for that; any other only where
robots.txt allows it. A host that a running crawl is asking is not asked here too. Size, number,
depth and time of sitemaps are bounded: what was left out is said.
"""

import asyncio
from collections.abc import Iterable

from shoal.access.opening import is_there, open_collection
from shoal.clock import Clock, SystemClock, iso
from shoal.collection.collection import Collection
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.control.commands import Place
from shoal.converters import encoding
from shoal.errors import UsageError
from shoal.fetch.http import HttpFetcher
from shoal.frontier.schedule.politeness import Politeness, is_public
from shoal.frontier.state.view import SiteView
from shoal.loop import run
from shoal.model.outcome import TREATMENT, Outcome
from shoal.model.record import Struct
from shoal.model.robots import robots
from shoal.model.robots.robots import Access, RobotsRules, path_of
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import ParamRules, Site, canonical, robots_url, site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.sources.seeds import seed_url
from shoal.sources.sitemap import MAX_BYTES, Form, Sitemap, read_sitemap
from shoal.worker.fetchers import http_fetcher, resolver

MAX_SITEMAPS = 1_000
MAX_URLS = 1_000_000
MAX_DEPTH = 2
"""An index may name an index, but no further."""
_MAX_REDIRECTS = 5
_MAX_RATIO = 2_000
_WEB = ("http", "https")


class SitemapLine(Struct):
    url: str
    urls: int = 0
    problem: str = ""


class MappedUrl(Struct):
    url: str
    sources: list[str]
    """`sitemap`, `feed`, `collection`."""
    last_modified: str = ""
    state: str = ""
    """In the collection."""


class SiteMap(Struct):
    site: str
    robots: str
    sitemaps: list[SitemapLine]
    urls: list[MappedUrl]
    notes: list[str]


def map_site(asked: str, place: Place, config: Config, max_seconds: float) -> SiteMap:
    """Everything that is known of a site without fetching its pages, in row order."""
    try:
        site = site_of(seed_url(asked))
    except ValueError as error:
        raise UsageError(str(error)) from None
    if site.scheme not in _WEB:
        raise UsageError(f"only sites of the web have sitemaps, not {asked!r}")
    found = Findings(site, config)
    reason = ""
    if is_there(place):
        with open_collection(place) as collection:
            found.take_collection(collection)
            reason = left_alone(collection, site)
    if reason:
        found.notes.append(reason)
    else:
        run(_ask(found, config, max_seconds))
    return found.as_map()


def left_alone(collection: Collection, site: Site) -> str:
    """Why the site must not be asked now."""
    view = collection.ask(f"{site.origin}/", site_at)
    if view is None:
        return ""
    if view.clock.paused:
        return f"{site.host_label} is paused, so it was not asked (shoal resume {site.host_label})."
    if view.excluded:
        again = f"shoal include {site.host_label}"
        return f"{site.host_label} is excluded, so it was not asked ({again})."
    if collection.is_running():
        return "A crawl of this site is running, so it was not asked: this is what the crawl knows."
    if view.clock.failures and view.clock.next_ms / 1000 > SystemClock().now():
        until = iso(view.clock.next_ms / 1000)
        return f"{site.host_label} is left alone until {until} ({view.clock.note})."
    return ""


def site_at(view: TabletView, url: str) -> SiteView | None:
    return view.frontier.site(site_key(site_of(url)))


async def _ask(found: "Findings", config: Config, max_seconds: float) -> None:
    clock = SystemClock()
    names = resolver(config, clock)
    fetcher = http_fetcher(config, names, clock)
    try:
        async with asyncio.timeout(max_seconds):
            await Walk(found, config, fetcher, clock).run()
    except TimeoutError:
        found.notes.append(f"Stopped after {max_seconds:g} s (--max-time); there may be more.")
    finally:
        await fetcher.close()
        await names.close()


class Findings:
    """The URLs of one site, each with where it was named."""

    def __init__(self, site: Site, config: Config) -> None:
        self.site = site
        self.robots = "not asked"
        self.sitemaps: list[SitemapLine] = []
        self.notes: list[str] = []
        self._params = ParamRules.from_names(config.url.strip, config.url.keep)
        self._urls: dict[str, MappedUrl] = {}
        self._elsewhere = 0

    def take_collection(self, collection: Collection) -> None:
        for scheme in _WEB:
            for url, row in collection.urls(f"{scheme}://{self.site.host_label}/"):
                self._add(url, "collection").state = row.state

    def take_sitemap(self, line: SitemapLine, sitemap: Sitemap) -> list[str]:
        """Count its entries in; returns those that are sitemaps themselves."""
        below = []
        source = "feed" if sitemap.form is Form.FEED else "sitemap"
        for entry in sitemap.entries:
            url = canonical(entry.url, line.url, self._params)
            if url is None or not url.startswith(("http://", "https://")):
                continue
            if sitemap.form is Form.INDEX:
                below.append(url)
            elif self._is_of_site(url):
                if len(self._urls) >= MAX_URLS:
                    line.problem = f"only the first {MAX_URLS:,} URLs were taken"
                    break
                mapped = self._add(url, source)
                mapped.last_modified = mapped.last_modified or entry.last_modified
            else:
                self._elsewhere += 1
        line.urls = len(sitemap.entries)
        line.problem = line.problem or sitemap.problem
        return below

    def as_map(self) -> SiteMap:
        if self._elsewhere:
            are = "entry is a URL" if self._elsewhere == 1 else "entries are URLs"
            self.notes.append(f"{self._elsewhere:,} {are} of other hosts; left out.")
        urls = sorted(self._urls.values(), key=lambda each: row_key(each.url))
        return SiteMap(self.site.origin, self.robots, self.sitemaps, urls, self.notes)

    def _add(self, url: str, source: str) -> MappedUrl:
        mapped = self._urls.setdefault(url, MappedUrl(url, []))
        if source not in mapped.sources:
            mapped.sources.append(source)
        return mapped

    def _is_of_site(self, url: str) -> bool:
        return _without_www(site_of(url)) == _without_www(self.site)


class Walk:
    """From robots.txt through the sitemaps, one polite request after the other."""

    def __init__(self, found: Findings, config: Config, fetcher: HttpFetcher, clock: Clock) -> None:
        self._found = found
        self._token = config.agent.product_token
        self._fetcher = fetcher
        self._clock = clock
        polite = config.politeness
        self._politeness = Politeness(
            delay=polite.delay,
            delay_factor=polite.delay_factor,
            slow_site_cap=polite.slow_site_cap,
            crawl_delay_cap=polite.crawl_delay_cap,
        )
        self._last: dict[str, Fetched] = {}
        """The last answer of each host: its wait counts from there."""
        self._rules: dict[Site, RobotsRules] = {}
        self._silent: dict[Site, str] = {}
        """Sites whose robots.txt can't be had, and why."""

    async def run(self) -> None:
        found = self._found
        rules = await self._robots(found.site, is_asked_site=True)
        origin = robots_url(found.site)
        named = [url for each in rules.sitemaps if (url := canonical(each, origin)) is not None]
        guess = f"{found.site.origin}/sitemap.xml"
        await self._read_all(named or [guess], are_named=bool(named))

    async def _read_all(self, urls: Iterable[str], *, are_named: bool) -> None:
        level, seen = list(dict.fromkeys(urls)), set[str]()
        for depth in range(MAX_DEPTH + 1):
            below: list[str] = []
            for url in level:
                if url in seen:
                    continue
                if len(seen) >= MAX_SITEMAPS:
                    self._found.notes.append(f"Only the first {MAX_SITEMAPS:,} sitemaps were read.")
                    return
                seen.add(url)
                below += await self._read(url, is_named=are_named and depth == 0)
            level = below
        if level:
            self._found.notes.append(
                f"{len(level):,} sitemaps stand deeper than {MAX_DEPTH} indexes."
            )

    async def _read(self, url: str, *, is_named: bool) -> list[str]:
        line = SitemapLine(url)
        self._found.sitemaps.append(line)
        body, line.problem = await self.body(url, is_named=is_named)
        return [] if line.problem else self._found.take_sitemap(line, read_sitemap(body))

    async def body(self, url: str, *, is_named: bool) -> tuple[bytes, str]:
        """A sitemap, its content encoding undone; or why it can't be had. Redirects are followed.
        `is_named`: robots.txt names it."""
        target = url
        for _ in range(_MAX_REDIRECTS + 1):
            if not (is_named and target == url) and not await self._permits(target):
                return b"", self._refusal(target)
            fetched = await self._fetch(target, VisitKind.SITEMAP)
            if fetched.outcome is Outcome.OK:
                return _body(fetched), ""
            moved = canonical(fetched.header("location"), target)
            if fetched.outcome is not Outcome.REDIRECT or moved is None:
                status = f"status {fetched.status}" if fetched.status else fetched.note
                return b"", f"{fetched.outcome}: {status}"
            target = moved
        return b"", "too many redirects"

    async def names(self, url: str) -> bool:
        """Whether robots.txt of the asked site names it as a sitemap."""
        rules = await self._robots(self._found.site, is_asked_site=True)
        origin = robots_url(self._found.site)
        return url in (canonical(each, origin) for each in rules.sitemaps)

    async def _permits(self, url: str) -> bool:
        site = site_of(url)
        if site.scheme not in _WEB:
            return False
        return (await self._robots(site)).verdict(path_of(url)).allowed

    def _refusal(self, url: str) -> str:
        site = site_of(url)
        if site in self._silent:
            says = self._silent[site]
            return f"{robots_url(site)} {says}, and without it nothing else is asked there"
        if site.scheme not in _WEB:
            return f"it leads to {site.scheme}, which is not asked"
        return "robots.txt forbids it"

    async def _robots(self, site: Site, *, is_asked_site: bool = False) -> RobotsRules:
        if site in self._rules:
            return self._rules[site]
        url, fetched = robots_url(site), Fetched(Outcome.CANCELLED)
        for _ in range(robots.MAX_REDIRECTS + 1):
            fetched = await self._fetch(url, VisitKind.ROBOTS)
            moved = canonical(fetched.header("location"), url)
            if robots.meaning(fetched.status) is not Access.REDIRECT or moved is None:
                break
            url = moved
        access = robots.meaning(fetched.status)
        if access is Access.UNREACHABLE or (
            access is Access.PARSE and fetched.outcome is not Outcome.OK
        ):
            why = fetched.note.rstrip(".") or f"status {fetched.status}"
            rules, says = robots.DISALLOW_ALL, f"can't be had ({why})"
            self._silent[site] = says
        elif access is Access.PARSE:
            rules, says = robots.parse(_body(fetched), self._token), "read"
        else:
            rules, says = robots.ALLOW_ALL, f"none (status {fetched.status})"
        self._rules[site] = rules
        if is_asked_site:
            self._found.robots = says
        return rules

    async def _fetch(self, url: str, kind: VisitKind) -> Fetched:
        """One request, when the host's wait is over. A host in trouble is not asked again."""
        site = site_of(url)
        if site.scheme not in _WEB:
            return Fetched(Outcome.NO_SCHEME, note=f"{site.scheme} is not asked for sitemaps.")
        last = self._last.get(site.host_label)
        if last is not None:
            if TREATMENT[last.outcome].blames_site:
                return Fetched(Outcome.REFUSED, note="not asked, since its host is in trouble")
            rules = self._rules.get(site, robots.ALLOW_ALL)
            pause = self._politeness.pause(last.seconds, rules.crawl_delay, last.address)
            await asyncio.sleep(max(0.0, last.ended + pause - self._clock.now()))
        visit = Visit(url, row_key(url), site_key(site), kind, private_ok=self._private_ok(site))
        fetched = await self._fetcher.fetch(visit)
        self._last[site.host_label] = fetched
        if fetched.outcome is Outcome.DROPPED:  # the next is on a new connection, and is none
            return await self._fetch(url, kind)
        return fetched

    def _private_ok(self, site: Site) -> bool:
        """A person named the site, so it may be anywhere, but not inside when it was public before;
        others may only if that one is private."""
        before = self._last.get(site.host_label)
        if before is not None and before.address and is_public(before.address):
            return False
        asked = self._last.get(self._found.site.host_label)
        address = asked.address if asked is not None else ""
        return site.host == self._found.site.host or bool(address and not is_public(address))


def _body(fetched: Fetched) -> bytes:
    sent_as = fetched.header("content-encoding")
    return encoding.undo(fetched.body, sent_as, MAX_BYTES, _MAX_RATIO).data


def _without_www(site: Site) -> str:
    return site.host_label.removeprefix("www.")
