"""Which articles are five clicks or less from this one? The lecture's crawler, as it is set.

    RunCrawler.sh SeedUrl Numpages

Breadth first over the English Wikipedia: one page at a time, a second between two requests, the
seed at depth 1 and nothing below depth 5. Standard library only. In the current directory it
writes URLsCrawled.txt, stats.txt, README.txt and the pages as pages/1.txt, pages/2.txt …. A page
is written before its line in URLsCrawled.txt, so after a kill every page that is listed is whole.
"""

import re
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from html import unescape
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener
from urllib.robotparser import RobotFileParser

HOST = "en.wikipedia.org"
MAX_DEPTH = 5
WAIT_SECONDS = 1.0
# Wikipedia asks every crawler to name itself and its owner: put your mail address in here.
AGENT = "RunCrawler/1.0 (a course assignment; one page at a time, one request a second)"

# Nothing that a server sends may hold the crawl up for ever or fill the memory.
IDLE_SECONDS = 20.0
PAGE_SECONDS = 60.0
MAX_PAGE_BYTES = 20_000_000
MAX_URL_LENGTH = 2000
MAX_CRAWL_DELAY_SECONDS = 60.0

USAGE = (
    "give an article of the English Wikipedia and how many pages to crawl, as in: "
    "RunCrawler.sh https://en.wikipedia.org/wiki/Karen_Sp%C3%A4rck_Jones 1000"
)


class Skipped(Exception):
    """This URL gives no page; the message says why, and the crawl goes on with the next."""


class Stopped(Exception):
    """The crawl can't start; the message says why."""


# ---- Links: a small tokenizer of our own, and the rules for what is an article ------------------

TAG_NAME = re.compile(r"<([a-zA-Z][^\s/>]*)")
ATTRIBUTE = re.compile(
    r"""[\s/]* ([^\s/>][^\s/>=]*)                                # a name, and perhaps
        (?: \s*=\s* (?: "([^"]*)" | '([^']*)' | ([^\s>]*) ) )?   # one of three kinds of value""",
    re.VERBOSE,
)
# Between these tags stands no markup: a link in a script is none.
RAW_TEXT_END = {
    tag: re.compile(rf"</{tag}[\s/>]", re.IGNORECASE)
    for tag in ("script", "style", "textarea", "title")
}


def start_tags(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every start tag with its attributes. Comments and raw text are stepped over, and what is
    never closed ends the page, so that no page takes more than a few passes over its text."""
    position = 0
    while (start := html.find("<", position)) >= 0:
        if html.startswith("<!--", start):
            end = html.find("-->", start + 2)
            if end < 0:
                return
            position = end + 3
            continue
        name = TAG_NAME.match(html, start)
        if name is None:  # an end tag, a doctype, or just a less-than sign
            position = start + 1
            continue
        attributes: dict[str, str] = {}
        position = name.end()
        while attribute := ATTRIBUTE.match(html, position):
            value = attribute[2] or attribute[3] or attribute[4] or ""
            attributes.setdefault(attribute[1].lower(), unescape(value))
            position = attribute.end()
        if html.find(">", position) < 0:
            return
        yield name[1].lower(), attributes
        if raw_text_end := RAW_TEXT_END.get(name[1].lower()):
            end_tag = raw_text_end.search(html, position)
            if end_tag is None:
                return
            position = end_tag.end()


def article_url(base: str, href: str) -> str | None:
    """The absolute URL of a link without its fragment, or None if it is not to be followed."""
    try:
        parts = urlsplit(urljoin(base, href.strip()))
        # Characters such as ä may stand bare in a page, but not in a request.
        path = quote(parts.path, safe="%/!$&'()*+,;=@:")
        query = quote(parts.query, safe="%/!$&'()*+,;=@:?")
    except ValueError:  # such as http://[
        return None
    url = urlunsplit((parts.scheme, HOST, path, query, ""))
    title = unquote(path).removeprefix("/wiki/").replace(" ", "_")
    if (
        parts.scheme not in ("http", "https")
        or parts.netloc.lower() != HOST  # another host, or a port, whose colon is after the host
        or not path.startswith("/wiki/")
        or not title
        or title.lower() == "main_page"
        or ":" in title + unquote(query)  # Help:, Special:, Talk: …, also when written as %3A
        or {".", ".."} & set(title.split("/"))  # leads out of /wiki/
        or len(url) > MAX_URL_LENGTH
    ):
        return None
    return url


def article_links(url: str, html: str) -> list[str]:
    """The articles that a page links to, each once, in the order of the page."""
    base, found = url, dict[str, None]()
    for tag, attributes in start_tags(html):
        href = attributes.get("href", "")
        if tag == "base" and base == url:  # only the first one counts
            with suppress(ValueError):
                base = urljoin(url, href)
        elif tag == "a" and (link := article_url(base, href)):
            found[link] = None
    return list(found)


# ---- The web: one request at a time, and a pause between two ------------------------------------


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Message
    body: bytes

    @property
    def location(self) -> str | None:
        """Where a redirect leads to."""
        return self.headers["Location"] if self.status in (301, 302, 303, 307, 308) else None


class EveryAnswer(HTTPErrorProcessor):
    """Hands 404 or 301 over like any answer. Were redirects followed here, no pause would be kept
    before the second request, and nobody would look at where it goes."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


class Visitor:
    """Gets one URL after the other, the wait being counted from the end of the last answer."""

    def __init__(self) -> None:
        self.wait_seconds = WAIT_SECONDS
        self._opener = build_opener(EveryAnswer)
        self._next_request = time.monotonic()

    def get(self, url: str) -> Reply:
        """The server's answer, whatever its status; Skipped if there is none."""
        time.sleep(max(0.0, self._next_request - time.monotonic()))
        try:
            request = Request(url, headers={"User-Agent": AGENT})  # noqa: S310 - http or https
            with self._opener.open(request, timeout=IDLE_SECONDS) as response:
                return Reply(response.status, response.headers, self._body(response))
        except (OSError, HTTPException, ValueError) as error:
            raise Skipped(str(error) or type(error).__name__) from error
        finally:
            self._next_request = time.monotonic() + self.wait_seconds

    def _body(self, response: HTTPResponse) -> bytes:
        body, started = bytearray(), time.monotonic()
        while part := response.read1(65536):
            body += part
            if len(body) > MAX_PAGE_BYTES:
                raise Skipped(f"longer than {MAX_PAGE_BYTES:,} bytes")
            if time.monotonic() - started > PAGE_SECONDS:
                raise Skipped(f"not complete after {PAGE_SECONDS:g} seconds")
        if response.length:  # what Content-Length promised and did not come
            raise Skipped(f"broken off {response.length:,} bytes before its end")
        return bytes(body)


def read_robots(visitor: Visitor, seed: str) -> RobotFileParser:
    """The site's robots.txt (RFC 9309): none means all is allowed, an unreadable one nothing."""
    rules, url = RobotFileParser(), urljoin(seed, "/robots.txt")
    try:
        for _ in range(6):  # itself and five redirects
            reply = visitor.get(url)
            if reply.location:
                url = urljoin(url, reply.location)
                if not url.startswith((f"http://{HOST}/", f"https://{HOST}/")):
                    raise Skipped("it has moved to another host")
                continue
            if reply.status != 200 and not 400 <= reply.status < 500:
                raise Skipped(f"status {reply.status}")
            text = reply.body[:512_000].decode("utf-8", "replace") if reply.status == 200 else ""
            rules.parse(text.splitlines())
            return rules
        raise Skipped("it is redirected again and again")
    except (Skipped, ValueError) as error:  # the parser raises ValueError at a line like http://[
        message = f"the robots.txt of {HOST} can't be read, so nothing is crawled: {error}"
        raise Stopped(message) from error


# ---- What is written ----------------------------------------------------------------------------


class Output:
    def __init__(self, folder: Path) -> None:
        self._folder, self._pages = folder, folder / "pages"
        self._pages.mkdir(exist_ok=True)
        if any(self._pages.iterdir()):
            raise Stopped("here is a crawl already, in pages/: move it away, or run elsewhere.")
        self._crawled = (folder / "URLsCrawled.txt").open("w", encoding="ascii", newline="\n")
        self._sizes: list[int] = []
        self._deepest = 0
        readme = Path(__file__).with_name("README.txt")
        if not (folder / readme.name).exists():  # so that the folder is ready to be handed in
            shutil.copyfile(readme, folder / readme.name)

    @property
    def count(self) -> int:
        return len(self._sizes)

    def add(self, url: str, depth: int, body: bytes) -> None:
        number = self.count + 1
        (self._pages / f"{number}.txt").write_bytes(body)
        self._crawled.write(url + "\n")
        self._crawled.flush()
        self._sizes.append(len(body))
        self._deepest = max(self._deepest, depth)
        print(f"{number}: depth {depth}, {len(body)} bytes, {url}", flush=True)

    def close(self) -> None:
        """Ends URLsCrawled.txt and writes stats.txt, in the form that the assignment gives."""
        self._crawled.close()
        sizes = self._sizes or [0]
        (self._folder / "stats.txt").write_text(
            f"Maximum size: {max(sizes)} bytes\n"
            f"Minimum size: {min(sizes)} bytes\n"
            f"Average size: {round(sum(sizes) / len(sizes))} bytes\n"
            f"Maximum depth reach: {self._deepest}\n",
            encoding="ascii",
            newline="\n",
        )


# ---- The crawl ----------------------------------------------------------------------------------


def crawl(seed: str, wanted_pages: int, output: Output) -> None:
    """From the seed outwards, until there are enough pages or none is left down to MAX_DEPTH."""
    visitor = Visitor()
    robots = read_robots(visitor, seed)
    asked_for = min(float(robots.crawl_delay(AGENT) or 0), MAX_CRAWL_DELAY_SECONDS)
    visitor.wait_seconds = max(WAIT_SECONDS, asked_for)

    frontier = deque([(seed, 1)])  # what is crawled next; first in, first out is breadth first
    known = {seed}  # everything that is or was in the frontier, so that no URL enters it twice
    while frontier and output.count < wanted_pages:
        url, depth = frontier.popleft()
        try:
            if not robots.can_fetch(AGENT, url):
                raise Skipped("disallowed by robots.txt")
            reply = visitor.get(url)
            if reply.location:
                # The page is where the redirect leads to: that URL is next, at the same depth.
                target = article_url(url, reply.location)
                if target is None or target in known:
                    raise Skipped("redirected to a known page, or to what is no article")
                known.add(target)
                frontier.appendleft((target, depth))
                continue
            if reply.status != 200:
                raise Skipped(f"status {reply.status}")
            if reply.headers.get_content_type() not in ("text/html", "application/xhtml+xml"):
                raise Skipped("not HTML")
        except Skipped as reason:
            print(f"skipped {url}: {reason}", file=sys.stderr, flush=True)
            continue
        output.add(url, depth, reply.body)
        if depth < MAX_DEPTH:
            for link in article_links(url, reply.body.decode("utf-8", "replace")):
                if link not in known:
                    known.add(link)
                    frontier.append((link, depth + 1))


def read_arguments(arguments: list[str]) -> tuple[str, int]:
    if len(arguments) != 2:
        raise Stopped(USAGE)
    seed = article_url("", arguments[0])
    if seed is None:
        raise Stopped(f"{arguments[0]!r} is no article, like https://{HOST}/wiki/Fish.")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", arguments[1]):
        raise Stopped(f"{arguments[1]!r} is no number of pages; use a whole number from 1 up.")
    return seed, int(arguments[1])


def main(arguments: list[str]) -> int:
    """Exit code: 0 done, 1 no page at all or a full disk, 2 wrong use, 130 interrupted."""
    wrong = 2
    try:
        seed, wanted_pages = read_arguments(arguments)
        output = Output(Path())
        wrong = 1
        try:
            crawl(seed, wanted_pages, output)
        finally:
            output.close()
    except (Stopped, OSError) as error:
        print(f"RunCrawler: {error}", file=sys.stderr)
        return wrong
    except KeyboardInterrupt:
        return 130
    return 0 if output.count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
