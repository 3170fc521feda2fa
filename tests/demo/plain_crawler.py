"""What does a reader that shares no line with Shoal see of the little web?

A crawl by the standard library alone, so that the numbers in web/index.toml, which the demo is
compared with, come from an independent reading of the same pages over the same sockets.
"""

import http.client
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from shoal.demo import DemoWeb


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(web: DemoWeb, url: str, method: str = "GET", **headers: str) -> Reply:
    """One request on a connection of its own; header names are written with underscores."""
    parts = urlsplit(url)
    address, _, port = web.resolve[parts.netloc].partition(":")
    connection = http.client.HTTPConnection(address, int(port), timeout=60)
    try:
        target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, target, headers={"Host": parts.netloc, **fields})
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, names, response.read())
    finally:
        connection.close()


class PageReader(HTMLParser):
    """Links with their rel, the base, meta robots, and the words of the paragraphs."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.base = url
        self.anchors: list[tuple[str, set[str]]] = []
        self.others: list[str] = []
        self.robots: set[str] = set()
        self.words: list[str] = []
        self._in_paragraph = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_paragraph = tag == "p" or (
            self._in_paragraph and tag not in ("h1", "h2", "td", "div", "ul", "ol", "dl")
        )
        if tag == "base":
            self.base = urljoin(self.base, values["href"])
        elif tag == "a" and "href" in values:
            rel = set(values.get("rel", "").split())
            self.anchors.append((urljoin(self.base, values["href"]), rel))
        elif tag == "meta" and values.get("name") == "robots":
            self.robots |= {word.strip() for word in values["content"].split(",")}
        elif tag in ("link", "img"):
            self.others.append(urljoin(self.base, values.get("href") or values["src"]))
        elif tag == "form" and values.get("method") == "get":
            self.others.append(urljoin(self.base, values["action"]))

    def handle_endtag(self, tag: str) -> None:
        self._in_paragraph = self._in_paragraph and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._in_paragraph:
            self.words += re.findall(r"\w+", data.lower())


def read_page(url: str, body: bytes) -> PageReader:
    declared = re.search(rb'charset="?([\w-]+)', body)
    return PageReader(url, body.decode(declared[1].decode() if declared else "utf-8"))


def plain(url: str) -> str:
    """Without fragment and without the parameters that only count visitors."""
    parts = urlsplit(url)
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.startswith("utm_") and name != "sessionid"
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", urlencode(kept), ""))


def is_allowed(robots: str, url: str) -> bool:
    """RFC 9309 for the group of `*`: the longest rule wins, and Allow wins a tie."""
    target = urlunsplit(("", "", *urlsplit(url)[2:4], ""))
    best, verdict, ours = -1, True, False
    for line in robots.removeprefix("\ufeff").splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if name.lower() == "user-agent":
            ours = value == "*"
        elif ours and value and name.lower() in ("allow", "disallow"):
            pattern = re.escape(value).replace(r"\*", ".*")
            pattern = pattern[:-2] + r"\Z" if pattern.endswith(r"\$") else pattern
            allow = name.lower() == "allow"
            if re.match(pattern, target) and (len(value), allow) > (best, verdict):
                best, verdict = len(value), allow
    return verdict


@dataclass
class Crawled:
    depth: dict[str, int] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    pages: dict[str, PageReader] = field(default_factory=dict)
    disallowed: set[str] = field(default_factory=set)

    def numbers(self) -> dict[str, Any]:
        statuses = Counter(reply.status for reply in self.replies.values())
        fetched = {url: reply for url, reply in self.replies.items() if reply.status == 200}
        bodies = [reply.body for reply in fetched.values() if reply.body]
        return {
            "discovered": len(self.depth),
            "disallowed": len(self.disallowed),
            "redirects": sum(n for status, n in statuses.items() if 300 <= status < 400),
            "gone": statuses[404] + statuses[410],
            "fetched": len(fetched),
            "html": len(self.pages),
            "other": len(fetched) - len(self.pages),
            "duplicate": len(bodies) - len(set(bodies)),
            "empty": len(fetched) - len(bodies),
            "noindex": sum(
                "noindex" in reply.headers.get("x-robots-tag", "")
                or (url in self.pages and "noindex" in self.pages[url].robots)
                for url, reply in fetched.items()
            ),
            "deepest": max(self.depth.values()),
            "pages": dict(Counter(urlsplit(url).netloc for url in self.pages)),
        }


def crawl(web: DemoWeb) -> Crawled:
    """Breadth first from the seeds, by the rules that index.toml counts by."""
    found = Crawled(depth=dict.fromkeys(web.seeds, 0))
    robots = {h: ask(web, f"http://{h}/robots.txt").body.decode("utf-8") for h in web.resolve}
    queue = deque(web.seeds)
    while queue:
        url = queue.popleft()
        if not is_allowed(robots[urlsplit(url).netloc], url):
            found.disallowed.add(url)
            continue
        reply = found.replies[url] = ask(web, url)
        links: list[str] = []
        if "location" in reply.headers:
            links = [urljoin(url, reply.headers["location"])]
        elif reply.status == 200 and reply.headers["content-type"].startswith("text/html"):
            page = found.pages[url] = read_page(url, reply.body)
            if "nofollow" not in page.robots:
                links = [href for href, rel in page.anchors if "nofollow" not in rel]
        for link in map(plain, links):
            if link not in found.depth:
                found.depth[link] = found.depth[url] + 1
                queue.append(link)
    return found
