"""How is something that can change answered, with validators that may be honest or not?

A `Resource` is what a page, a post, a sitemap and a feed have in common: its version, since when,
and its bytes. RFC 9110, section 8.8 (validators), 13 (conditions) and 9.3.2 (HEAD).
"""

from __future__ import annotations

import gzip
import itertools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from tests.world.answer import Answer, Asked, http_date, plain_answer, unchanged
from tests.world.behaviour import Behaviour, FrameClock, Head, Header, Validators
from tests.world.clock import WorldClock

_PLACES = {
    "header": (b"<header>", b"<header><p>It is now %s.</p>"),
    "footer": (b"<footer>", b"<footer><p>It is now %s.</p>"),
}


class Resource(NamedTuple):
    """One version of something; `since` is the world's time at which it appeared."""

    name: str
    version: int
    since: float
    media_type: str
    plain: Callable[[], bytes]
    packed: Callable[[], bytes | None] = lambda: None
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Manners:
    """The manners that hold for one request."""

    validators: Validators = Validators()
    head: Head | None = None
    clock: FrameClock | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, behaviours: Iterable[Behaviour]) -> Manners:
        """The last of each kind, and all header fields."""
        manners = cls()
        for behaviour in behaviours:
            match behaviour:
                case Validators():
                    manners = replace(manners, validators=behaviour)
                case Head():
                    manners = replace(manners, head=behaviour)
                case FrameClock():
                    manners = replace(manners, clock=behaviour)
                case Header():
                    field = (behaviour.name, behaviour.value)
                    manners = replace(manners, headers=(*manners.headers, field))
        return manners


PLAIN = Manners()


class Desk:
    """Answers requests for resources."""

    def __init__(self, clock: WorldClock) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self._shown = 0

    def answer(self, asked: Asked, resource: Resource, manners: Manners) -> Answer:
        if asked.method == "HEAD" and manners.head is not None:
            match manners.head.answer:
                case "refused":
                    return plain_answer(405, ("Allow", "GET"))
                case "missing":
                    return plain_answer(404)
                case "stuck":
                    resource = resource._replace(version=0, since=0.0)
        etag, modified = self._validators(resource, manners)
        fields = [("ETag", etag), ("Last-Modified", modified), ("Vary", "Accept-Encoding")]
        headers = (*[field for field in fields if field[1]], *manners.headers)
        if manners.validators.conditions and unchanged(asked, etag, modified):
            return Answer(304, headers)
        headers = (*headers, ("Content-Type", resource.media_type))
        body = self._with_clock(resource, manners.clock)
        if "gzip" in asked.headers.get("accept-encoding", ""):
            packed = gzip.compress(body, 1, mtime=0) if body is not None else resource.packed()
            if packed is not None:
                return Answer(200, (*headers, ("Content-Encoding", "gzip")), packed)
        return Answer(200, headers, resource.plain() if body is None else body)

    def _validators(self, resource: Resource, manners: Manners) -> tuple[str, str]:
        """ETag and Last-Modified; empty: not sent."""
        if manners is PLAIN:  # nearly always, and this has to be quick
            etag = f'"{resource.name}-{resource.version}"'
            modified = http_date(int(self._clock.unix_at(resource.since)))
            return (f"W/{etag}" if resource.weak else etag), modified
        wanted, number = manners.validators, next(self._numbers)
        ticking = manners.clock is not None
        versions = {
            "true": f"{resource.version}" + (f"-{number}" if ticking else ""),
            "new": f"{resource.version}-{number}",
            "stuck": "0",
        }
        now = time.time()
        dates = {
            "true": now if ticking else self._clock.unix_at(resource.since),
            "new": now,
            "stuck": self._clock.unix_at(0.0),
        }
        etag = modified = ""
        if wanted.etag != "none":
            etag = f'{"W/" * resource.weak}"{resource.name}-{versions[wanted.etag]}"'
        if wanted.last_modified != "none":
            modified = http_date(int(dates[wanted.last_modified]))
        return etag, modified

    def _with_clock(self, resource: Resource, clock: FrameClock | None) -> bytes | None:
        """The page with the time of day in its frame: at least a second later than ever before."""
        if clock is None or not resource.media_type.startswith("text/html"):
            return None
        self._shown = max(int(time.time()), self._shown + 1)
        before, after = _PLACES[clock.where]
        shown = time.strftime("%H:%M:%S", time.gmtime(self._shown)).encode()
        return resource.plain().replace(before, after % shown, 1)
