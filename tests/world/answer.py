"""What does an ordinary, correct answer look like?

An `Answer` is a status, headers and a whole body; how its bytes travel is the wire's affair. Its
head is written by hand because the server has to be quicker than the crawler it tests. RFC 9110
for the fields, section 13 for conditional requests (If-None-Match before If-Modified-Since).
"""

from __future__ import annotations

import email.utils
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus

_REASONS = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Asked:
    """The head of a request, as far as the world cares."""

    address: str
    host: str
    method: str
    target: str
    headers: dict[str, str]
    keep_alive: bool

    @property
    def name(self) -> str:
        """The host's name without port."""
        return self.host.rpartition("]")[2].partition(":")[0].lower() or self.address


@dataclass(frozen=True, slots=True)
class Answer:
    """A response before it goes on the wire."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def head(self, *, keep_alive: bool, length: int | None = -1) -> bytes:
        """Status line and headers; length -1 is the body's own, None is not said."""
        lines = [f"HTTP/1.1 {self.status} {_REASONS.get(self.status, 'Unknown')}"]
        lines.append(f"Date: {http_date(int(time.time()))}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        if length is not None and self.status != 304 and self.status >= 200:
            lines.append(f"Content-Length: {len(self.body) if length == -1 else length}")
        lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n\r\n")
        return "\r\n".join(lines).encode("latin-1", "replace")


@lru_cache(maxsize=1_000)
def http_date(seconds: int) -> str:
    return email.utils.formatdate(seconds, usegmt=True)


def plain_answer(status: int, *headers: tuple[str, str]) -> Answer:
    """An error or redirect with the short page that servers add."""
    reason = _REASONS.get(status, "Unknown")
    body = f"<!doctype html><title>{status} {reason}</title><h1>{reason}</h1>\n".encode()
    media = ("Content-Type", "text/html; charset=utf-8")
    return Answer(status, (media, *headers), body if 200 <= status != 304 else b"")


def retry_later(status: int, seconds: int | None, *, dated: bool) -> Answer:
    """An error that says when to come back; a date is rounded up, never short of the seconds."""
    if seconds is None:
        return plain_answer(status)
    value = http_date(math.ceil(time.time() + seconds)) if dated else str(seconds)
    return plain_answer(status, ("Retry-After", value))


def unchanged(asked: Asked, etag: str, modified: str) -> bool:
    """Whether a conditional request is answered by 304; a validator that is empty is unknown."""
    if (wanted := asked.headers.get("if-none-match")) is not None:
        known = [tag.strip().removeprefix("W/") for tag in wanted.split(",")]
        return "*" in known or (bool(etag) and etag.removeprefix("W/") in known)
    since = asked.headers.get("if-modified-since")
    if since is None:
        return False
    since_at, modified_at = _parsed(since), _parsed(modified)
    return since_at is not None and modified_at is not None and modified_at <= since_at


def _parsed(date: str) -> datetime | None:
    try:
        when = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
