"""What did the crawler really do?

One JSON line per request, appended to a file that outlives the crawler and the server. Times are
read in the server: `start` when the first byte of the request's head arrives, `end` just *before*
the last bytes of the answer leave (all earlier ones being in the kernel), or when the connection
closes. So a server that is kept waiting by the machine can make a gap look longer or two requests
look apart, never a polite crawler look impolite. To see overlaps surely, give the world some
latency.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

Grouping = Callable[[Iterable["Request"]], dict[str, list["Request"]]]


@dataclass(frozen=True)
class Request:
    """A request and its answer; no end: still in flight. `start`/`end` are Unix times.

    `asked_bytes` came with the request's head, `head_bytes` of `sent_bytes` left as the answer's.
    """

    address: str
    host: str
    method: str
    target: str
    agent: str
    if_none_match: str | None
    if_modified_since: str | None
    connection: int
    start: float
    start_ns: int
    end: float | None = None
    end_ns: int | None = None
    status: int = 0
    sent_bytes: int = 0
    complete: bool = False
    head_bytes: int = 0
    asked_bytes: int = 0

    @property
    def body_bytes(self) -> int:
        """What was sent beside status line and headers (as it travels: packed, chunked)."""
        return self.sent_bytes - self.head_bytes

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.target}"

    @property
    def not_modified(self) -> bool:
        return self.status == 304

    @property
    def is_robots(self) -> bool:
        return self.target == "/robots.txt"


class Writer:
    """Appends requests to the file; `flush` decides when, so that serving stays quick."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def add(self, request: Request) -> None:
        self._file.write(json.dumps(vars(request)) + "\n")

    def flush(self) -> None:
        self._file.flush()


def from_json(fields: dict[str, Any]) -> Request:
    return Request(**fields)


def read(path: Path) -> list[Request]:
    """The log in order of arrival; a half-written last line of a killed server is left out."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    requests = [from_json(json.loads(line)) for line in lines if line.endswith("}\n")]
    return in_order(requests)


def in_order(requests: Iterable[Request]) -> list[Request]:
    return sorted(requests, key=lambda request: request.start_ns)


def by_host(requests: Iterable[Request]) -> dict[str, list[Request]]:
    """By the Host header (name and port), in order of arrival."""
    return _grouped(requests, lambda request: request.host)


def by_address(requests: Iterable[Request]) -> dict[str, list[Request]]:
    """By the address asked, which several hosts may share."""
    return _grouped(requests, lambda request: request.address)


def overlaps(requests: Iterable[Request], by: Grouping = by_host) -> list[tuple[Request, Request]]:
    """Pairs of requests that were in flight at once to one host."""
    found: list[tuple[Request, Request]] = []
    for group in by(requests).values():
        longest = group[0]
        for request in group[1:]:
            if longest.end_ns is None or request.start_ns < longest.end_ns:
                found.append((longest, request))
            if longest.end_ns is not None and (request.end_ns or _NEVER_NS) > longest.end_ns:
                longest = request
    return found


def gaps(requests: Iterable[Request], by: Grouping = by_host) -> dict[str, list[float]]:
    """For each host the seconds from the end of an answer to the start of the next request."""
    return {
        host: [
            (later.start_ns - earlier.end_ns) / 1e9
            for earlier, later in itertools.pairwise(group)
            if earlier.end_ns is not None
        ]
        for host, group in by(requests).items()
    }


def repeats(requests: Iterable[Request]) -> dict[str, list[Request]]:
    """URLs that were asked for by GET more than once, robots.txt aside."""
    asked = _grouped(
        (request for request in requests if request.method == "GET" and not request.is_robots),
        lambda request: request.url,
    )
    return {url: group for url, group in asked.items() if len(group) > 1}


_NEVER_NS = 1 << 63


def _grouped(
    requests: Iterable[Request], key: Callable[[Request], str]
) -> dict[str, list[Request]]:
    groups: defaultdict[str, list[Request]] = defaultdict(list)
    for request in in_order(requests):
        groups[key(request)].append(request)
    return dict(groups)
