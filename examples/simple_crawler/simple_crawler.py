"""What is the least that deserves the name of crawler? The textbook's: one thread, one queue.

    python simple_crawler.py URL [PAGES]

It takes the next URL, asks the site's robots.txt, gets the page, keeps it as documents/N.html,
and queues the links it finds there. Five seconds pass between the end of one answer and the next
request, whatever the site: with one thread, waiting for all is as good as waiting for each.
"""

import re
import sys
import time
from collections import deque
from contextlib import suppress
from email.message import Message
from html import unescape
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin, urlsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener
from urllib.robotparser import RobotFileParser

AGENT = "SimpleCrawler/1.0 (a textbook exercise; one request in five seconds)"
WAIT_SECONDS = 5.0
MAX_BYTES, MAX_SECONDS = 10_000_000, 60.0  # where a document is cut
NOTHING_ALLOWED = "User-agent: *\nDisallow: /"
LINK = re.compile(r"""<a\s[^<>]*?\bhref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)


class Frontier:
    """URLs to crawl, first in, first out. Each of them enters once."""

    def __init__(self, seed: str) -> None:
        self._queue: deque[str] = deque()
        self._known: set[str] = set()
        self.add(seed)

    def done(self) -> bool:
        return not self._queue

    def next_url(self) -> str:
        return self._queue.popleft()

    def add(self, href: str, base: str = "") -> None:
        with suppress(ValueError):  # such as http://[
            url = quote(urldefrag(urljoin(base, href)).url, safe="%/:?&=@!$'()*+,;~[]")
            parts = urlsplit(url)
            if parts.scheme in ("http", "https") and parts.hostname and url not in self._known:
                self._known.add(url)
                self._queue.append(url)


class EveryAnswer(HTTPErrorProcessor):
    """Errors and redirects are answers too: a redirect's target waits its turn like any link."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


class Web:
    def __init__(self, wait_seconds: float) -> None:
        self._wait_seconds = wait_seconds
        self._next_request = time.monotonic()
        self._opener = build_opener(EveryAnswer)
        self._robots: dict[str, RobotFileParser] = {}

    def retrieve(self, url: str) -> tuple[int, Message, str]:
        """Status, headers and text; status 0 if there is no answer."""
        time.sleep(max(0.0, self._next_request - time.monotonic()))
        try:
            request = Request(url, headers={"User-Agent": AGENT})  # noqa: S310 - http or https
            with self._opener.open(request, timeout=20) as answer:
                body, end = bytearray(), time.monotonic() + MAX_SECONDS
                while (part := answer.read1(65536)) and time.monotonic() < end:
                    body += part
                    if len(body) >= MAX_BYTES:
                        break
                return answer.status, answer.headers, body.decode("utf-8", "replace")
        except (OSError, HTTPException, ValueError) as error:
            print(f"no answer from {url}: {error}", file=sys.stderr)
            return 0, Message(), ""
        finally:
            self._next_request = time.monotonic() + self._wait_seconds

    def permits(self, url: str) -> bool:
        """No robots.txt allows everything. One that can't be had allows nothing (RFC 9309)."""
        site = urljoin(url, "/robots.txt")
        if site not in self._robots:
            moves, status, text = Frontier(site), 0, ""
            for _ in range(6):  # itself and five redirects
                if not moves.done():
                    status, headers, text = self.retrieve(moves.next_url())
                    moves.add(headers.get("Location", site), site)
            rules = self._robots[site] = RobotFileParser()
            try:
                if status != 200:
                    text = "" if 400 <= status < 500 else NOTHING_ALLOWED
                rules.parse(text.splitlines())
            except ValueError:  # at a line like Disallow: http://[
                rules.parse(NOTHING_ALLOWED.splitlines())
        return self._robots[site].can_fetch(AGENT, url)


def crawl(seed: str, pages: int, folder: Path, wait_seconds: float = WAIT_SECONDS) -> list[str]:
    """The crawling thread: the URLs of the documents that are now in the folder, by number."""
    web, frontier, kept = Web(wait_seconds), Frontier(seed), list[str]()
    folder.mkdir(exist_ok=True)
    while not frontier.done() and len(kept) < pages:
        url = frontier.next_url()
        if not web.permits(url):
            continue
        status, headers, text = web.retrieve(url)
        if "Location" in headers:
            frontier.add(headers["Location"], url)
        elif status == 200 and headers.get_content_type() == "text/html":
            kept.append(url)
            (folder / f"{len(kept)}.html").write_text(text, encoding="utf-8")
            print(len(kept), url, flush=True)
            for href in LINK.findall(text):
                frontier.add(unescape(href), url)
    return kept


def main(arguments: list[str]) -> int:
    seed, pages = (*arguments, "10")[:2] if len(arguments) in (1, 2) else ("", "")
    if Frontier(seed).done() or not re.fullmatch(r"[1-9][0-9]{0,8}", pages):
        print("Give a URL, and perhaps a number of pages (10): URL [PAGES]", file=sys.stderr)
        return 2
    return 0 if crawl(seed, int(pages), Path("documents")) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
