"""What does the world answer to this request, now?

Joins the web (what a page says), the world's clock (which version), pages put there by a test, and
the behaviours (what goes wrong), and leaves the bytes to the wire. Any Host header is accepted: a
known name picks its host, an unknown one the host of the address that was asked. What a test put
there, robots.txt and errors know no manners.
"""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass, replace

from tests.world.answer import (
    Answer,
    Asked,
    plain_answer,
    retry_later,
)
from tests.world.behaviour import (
    Answering,
    Chain,
    ContentType,
    Fault,
    FrameClock,
    Gone,
    Head,
    Header,
    Latency,
    Loop,
    Redirect,
    Status,
    Validators,
)
from tests.world.chance import mix
from tests.world.clock import WorldClock
from tests.world.pages import Writer
from tests.world.resource import PLAIN, Desk, Manners, Resource
from tests.world.source_files import feed, sitemap
from tests.world.sources import (
    feed_media_type,
    feed_target,
    has_feed,
    has_sitemap,
    post_at,
    posts,
    sitemap_entries,
    sitemap_url,
)
from tests.world.table import Table
from tests.world.web import Web

_HOP = re.compile(r"[?&]hop=(\d{1,6})$")


@dataclass(frozen=True, slots=True)
class Plan:
    """An answer, how long to wait before it, and what goes wrong on the way."""

    answer: Answer
    wait_seconds: float = 0.0
    fault: Fault | None = None


class Origin:
    """All hosts of the web, seen from the server's side."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.clock = WorldClock()
        self.table = Table(web.seed)
        self._writer = Writer(web)
        self._desk = Desk(self.clock)
        self._placed: dict[tuple[str, str], Answer] = {}
        self._rendered: dict[tuple[int, int], bytes] = {}

    def place(self, host: str, target: str, answer: Answer) -> None:
        """Put a literal answer at a URL, in front of whatever the web has there."""
        self._placed[host.lower(), target] = answer

    def render(self, limit_bytes: int) -> int:
        """Keep the gzipped original of as many pages as fit, so that a benchmark need not wait."""
        size = 0
        for host in range(self.web.hosts):
            for page in range(self.web.size(host)):
                if size > limit_bytes:
                    return len(self._rendered)
                if self.web.kind(host, page) == "html":
                    packed = self._writer.html(host, page, 0).gzipped()
                    self._rendered[host, page] = packed
                    size += len(packed)
        return len(self._rendered)

    def plan(self, asked: Asked) -> Plan:
        names = (asked.name,) if asked.name == asked.address else (asked.name, asked.address)
        fired = self.table.fired(names, _HOP.sub("", asked.target), self.clock.now())
        if not fired:
            return Plan(self._answer(asked, PLAIN))
        manners = Manners.of(behaviour for behaviour, _ in fired)
        wait, answer, media_type = 0.0, None, None
        fault: Fault | None = None
        for behaviour, chance in fired:
            match behaviour:
                case Latency():
                    wait += behaviour.seconds + behaviour.jitter_seconds * chance
                case ContentType():
                    media_type = behaviour.media_type
                case Status() | Redirect() | Chain() | Loop() | Gone():
                    answer = answer or self._instead(behaviour, asked, manners)
                case Validators() | Head() | FrameClock() | Header():
                    pass  # in the manners
                case _:
                    assert isinstance(behaviour, Fault)
                    fault = behaviour
        answer = answer or self._answer(asked, manners)
        if media_type is not None:
            answer = _retyped(answer, media_type)
        return Plan(answer, wait, fault)

    def _instead(self, behaviour: Answering, asked: Asked, manners: Manners) -> Answer:
        """The answer this behaviour gives in place of the page."""
        match behaviour:
            case Status():
                return retry_later(
                    behaviour.code, behaviour.retry_after_seconds, dated=behaviour.dated
                )
            case Redirect():
                location = behaviour.to.replace("{target}", asked.target)
                return plain_answer(behaviour.code, ("Location", location))
            case Gone():
                return plain_answer(behaviour.code)
        found = _HOP.search(asked.target)
        hop = int(found[1]) if found else 0
        page = _HOP.sub("", asked.target)
        if isinstance(behaviour, Chain) and hop >= behaviour.hops:
            return self._answer(replace(asked, target=page), manners)
        following = (hop + 1) % behaviour.length if isinstance(behaviour, Loop) else hop + 1
        if following == 0:
            location = page
        else:
            location = f"{page}&hop={following}" if "?" in page else f"?hop={following}"
        return plain_answer(behaviour.code, ("Location", location))

    def _answer(self, asked: Asked, manners: Manners) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return plain_answer(405, ("Allow", "GET, HEAD"))
        for name in (asked.name, asked.address):
            placed = self._placed.get((name, asked.target))
            if placed is not None:
                return placed
        host = self.web.host_index(asked.name)
        if host is None:
            host = self.web.host_index(asked.address)
        if host is None:
            return plain_answer(421)
        if asked.target == "/robots.txt":
            return self._robots(host)
        resource = self._resource(host, asked.target)
        return (
            plain_answer(404) if resource is None else self._desk.answer(asked, resource, manners)
        )

    def _robots(self, host: int) -> Answer:
        robots = self.web.robots_file(host)
        if robots.status != 200:
            return plain_answer(robots.status)
        named = f"Sitemap: {sitemap_url(self.web, host)}\n" if has_sitemap(self.web, host) else ""
        return Answer(200, (("Content-Type", "text/plain"),), (robots.text + named).encode())

    def _resource(self, host: int, target: str) -> Resource | None:
        page = self.web.page_at(host, target)
        if page is not None:
            return self._page(host, page)
        if target.startswith("/posts/"):
            return self._post(host, target)
        if has_feed(self.web, host) and target == feed_target(host):
            return self._feed(host)
        if has_sitemap(self.web, host) and target.startswith("/sitemap"):
            return self._sitemap(host, target)
        return None

    def _page(self, host: int, page: int) -> Resource:
        version, since = self.web.history(host, page).current(self.clock.now())
        return Resource(
            name=f"{mix(self.web.seed, host, page) & 0xFFFFFFFF:08x}",
            version=version,
            since=since,
            media_type=self._writer.media_type(host, page),
            plain=lambda: self._writer.body(host, page, version),
            packed=lambda: self._packed(host, page, version),
            weak=host % 2 == 1,
        )

    def _post(self, host: int, target: str) -> Resource | None:
        post = post_at(self.web, host, target, self.clock.now())
        if post is None:
            return None
        kind = f"text/html; charset={self.web.charset(host)}"
        name = f"post-{post.number}"
        return Resource(name, 0, post.published, kind, lambda: self._writer.post(post))

    def _feed(self, host: int) -> Resource:
        now = self.clock.now()
        body = feed(self.web, host, now, self.clock.unix_at)
        last = next(iter(posts(self.web, host, now)), None)
        version, since = (0, 0.0) if last is None else (last.number, last.published)
        return Resource("feed", version, since, feed_media_type(host), lambda: body)

    def _sitemap(self, host: int, target: str) -> Resource | None:
        now = self.clock.now()
        body = sitemap(self.web, host, target, now, self.clock.unix_at)
        if body is None:
            return None
        kind = "application/gzip" if target.endswith(".gz") else "application/xml"
        since = max(entry.modified for entry in sitemap_entries(self.web, host, now))
        return Resource("sitemap", zlib.crc32(body), since, kind, lambda: body)

    def _packed(self, host: int, page: int, version: int) -> bytes | None:
        """The gzipped body, for what is worth packing."""
        match self.web.kind(host, page):
            case "html":
                kept = self._rendered.get((host, page)) if version == 0 else None
                return kept or self._writer.html(host, page, version).gzipped()
            case "txt":
                return gzip.compress(self._writer.body(host, page, version), 1, mtime=0)
            case _:
                return None


def _retyped(answer: Answer, media_type: str) -> Answer:
    kept = [(name, value) for name, value in answer.headers if name != "Content-Type"]
    if media_type:
        kept.append(("Content-Type", media_type))
    return replace(answer, headers=tuple(kept))
