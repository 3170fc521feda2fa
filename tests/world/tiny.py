"""The smallest crawler there is, in the standard library, to check the world against.

Breadth first, one request at a time, its own reading of robots.txt and of HTML: if it finds what
`Web.reachable` and `Web.crawlable` say, the truth and the served pages agree.
"""

from __future__ import annotations

import http.client
from collections import deque
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit, urlunsplit

from tests.world.client import Running
from tests.world.layout import TRACKING


class Anchors(HTMLParser):
    """The hrefs of a page, its <base> and which links say nofollow."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.base, self.found = url, list[tuple[str, bool]]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        href = fields.get("href") or ""
        if tag == "base":
            self.base = urljoin(self.base, href)
        elif tag == "a" and urljoin(self.base, href).startswith("http:"):
            url = clean(urljoin(self.base, href))
            self.found.append((url, fields.get("rel") == "nofollow"))


def clean(url: str) -> str:
    """Without fragment and tracking parameters."""
    parts = urlsplit(urldefrag(url)[0])
    kept = [f"{name}={value}" for name, value in parse_qsl(parts.query) if name not in TRACKING]
    return urlunsplit(parts._replace(query="&".join(kept)))


def get(url: str, *, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection.request(method, target, headers={**fields, "Connection": "close"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def closed_to_all(robots: str) -> list[str]:
    """What the groups for every agent disallow, all groups taken together (RFC 9309, 2.2.1)."""
    agents: list[str] = []
    prefixes: list[str] = []
    in_rules = False
    for line in robots.splitlines():
        name, _, value = line.partition("#")[0].partition(":")
        if name.strip().lower() == "user-agent":
            agents = [value.strip()] if in_rules else [*agents, value.strip()]
        elif name.strip().lower() == "disallow" and "*" in agents and value.strip():
            prefixes.append(value.strip())
        in_rules = name.strip().lower() != "user-agent"
    return prefixes


def crawl(world: Running, max_depth: int | None, *, obedient: bool) -> set[str]:
    """All URLs fetched, from the seeds of the world; none may fail."""
    closed: dict[str, list[str]] = {}

    def allowed(url: str) -> bool:
        origin = url[: url.index("/", 8)]
        if origin not in closed:
            response, body = get(origin + "/robots.txt")
            text = body.decode() if response.status == 200 else ""
            closed[origin] = ["/"] if response.status >= 500 else closed_to_all(text)
        path = url.removeprefix(origin)
        return not obedient or not any(path.startswith(prefix) for prefix in closed[origin])

    seen = {url: 0 for url in world.web.seeds() if allowed(url)}
    waiting = deque(seen)
    while waiting:
        url = waiting.popleft()
        response, body = get(url)
        assert response.status == 200, url
        media_type = response.headers.get_content_type()
        if media_type != "text/html" or seen[url] == max_depth:
            continue
        for found, nofollow in Anchors(url, body.decode("latin-1")).found:
            if found not in seen and not (obedient and nofollow) and allowed(found):
                seen[found] = seen[url] + 1
                waiting.append(found)
    return set(seen)
