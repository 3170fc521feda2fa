"""What does the world answer to this request, now?

Joins the web (what a page says), the world's clock (which version), pages put there by a test, and
the behaviours (what goes wrong), and leaves the bytes to the wire. Any Host header is accepted: a
known name picks its host, an unknown one the host of the address that was asked.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, replace

from tests.world.answer import (
    Answer,
    Asked,
    plain_answer,
    retry_later,
    unchanged,
    world_date,
)
from tests.world.behaviour import (
    Answering,
    Chain,
    ContentType,
    Fault,
    Gone,
    Latency,
    Loop,
    Redirect,
    Status,
)
from tests.world.chance import mix
from tests.world.pages import Writer
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
        self.time_seconds = 0.0
        self.table = Table(web.seed)
        self._writer = Writer(web)
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
        fired = self.table.fired(names, _HOP.sub("", asked.target))
        if not fired:
            return Plan(self._answer(asked))
        wait, answer, media_type = 0.0, None, None
        fault: Fault | None = None
        for behaviour, chance in fired:
            match behaviour:
                case Latency():
                    wait += behaviour.seconds + behaviour.jitter_seconds * chance
                case ContentType():
                    media_type = behaviour.media_type
                case Status() | Redirect() | Chain() | Loop() | Gone():
                    answer = answer or self._instead(behaviour, asked)
                case _:
                    assert isinstance(behaviour, Fault)
                    fault = behaviour
        answer = answer or self._answer(asked)
        if media_type is not None:
            answer = _retyped(answer, media_type)
        return Plan(answer, wait, fault)

    def _instead(self, behaviour: Answering, asked: Asked) -> Answer | None:
        """The answer this behaviour gives in place of the page, if it does."""
        match behaviour:
            case Status():
                return retry_later(
                    behaviour.code, behaviour.retry_after_seconds, dated=behaviour.dated
                )
            case Redirect():
                location = behaviour.to.replace("{target}", asked.target)
                return plain_answer(behaviour.code, ("Location", location))
            case Gone():
                gone = self.time_seconds >= behaviour.after_seconds
                return plain_answer(behaviour.code) if gone else None
        found = _HOP.search(asked.target)
        hop = int(found[1]) if found else 0
        page = _HOP.sub("", asked.target)
        if isinstance(behaviour, Chain) and hop >= behaviour.hops:
            return self._answer(replace(asked, target=page))
        following = (hop + 1) % behaviour.length if isinstance(behaviour, Loop) else hop + 1
        if following == 0:
            location = page
        else:
            location = f"{page}&hop={following}" if "?" in page else f"?hop={following}"
        return plain_answer(behaviour.code, ("Location", location))

    def _answer(self, asked: Asked) -> Answer:
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
            robots = self.web.robots_file(host)
            if robots.status != 200:
                return plain_answer(robots.status)
            return Answer(200, (("Content-Type", "text/plain"),), robots.text.encode())
        page = self.web.page_at(host, asked.target)
        return plain_answer(404) if page is None else self._page(asked, host, page)

    def _page(self, asked: Asked, host: int, page: int) -> Answer:
        version, since = self.web.history(host, page).current(self.time_seconds)
        etag = f'"{mix(self.web.seed, host, page) & 0xFFFFFFFF:08x}-{version}"'
        if host % 2:
            etag = f"W/{etag}"
        modified = world_date(since)
        headers = [("ETag", etag), ("Last-Modified", modified), ("Vary", "Accept-Encoding")]
        if unchanged(asked, etag, modified):
            return Answer(304, tuple(headers))
        headers.append(("Content-Type", self._writer.media_type(host, page)))
        if "gzip" in asked.headers.get("accept-encoding", ""):
            packed = self._packed(host, page, version)
            if packed is not None:
                headers.append(("Content-Encoding", "gzip"))
                return Answer(200, tuple(headers), packed)
        return Answer(200, tuple(headers), self._writer.body(host, page, version))

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
