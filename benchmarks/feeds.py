"""What does reading a feed cost? Beside feedparser as it comes.

    python -m benchmarks.feeds               50 items a feed, each feed read five times
    python -m benchmarks.feeds --items 200

The feeds are generated: teasers of a few words, whole articles of 40 paragraphs with links and
pictures, and the same with a mistake in the XML. feedparser is called as its documentation says;
it cleans and resolves the HTML on the way, which we leave to those who read the article as a page.
Both find the same items; the time is the CPU time of one feed, the best of five.
"""

import argparse
import io
import time
from collections.abc import Callable

import feedparser  # type: ignore[import-untyped]

from benchmarks.report import line, table
from shoal.sources.feed import read_feed

URL = "https://example.org/feed.xml"
_PARAGRAPH = (
    '<p>A paragraph with <a href="/rel/{0}">a link</a>, <b>bold</b> words, a picture '
    '<img src="{0}.png" alt="x"/> and some more, so that it is as long as others are.</p>'
)
_ROUNDS = 5


def feed(items: int, paragraphs: int, *, broken: bool = False) -> bytes:
    text = "".join(_PARAGRAPH.format(number) for number in range(paragraphs))
    head = (
        '<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>'
    )
    body = "".join(
        f"<item><title>Title {number} &amp; more</title><link>/{number}</link>"
        f'<guid isPermaLink="false">guid-{number}</guid><dc:creator>Anna</dc:creator>'
        f"<pubDate>Mon, 16 Nov 2026 10:{number % 60:02d}:00 GMT</pubDate>"
        f"<description>&lt;p&gt;Teaser {number}&lt;/p&gt;</description>"
        + (f"<content:encoded><![CDATA[{text}]]></content:encoded>" if text else "")
        + "</item>"
        for number in range(items)
    )
    end = "<b></channel></rss>" if broken else "</channel></rss>"
    return f"{head}{body}{end}".encode()


def cost(read: Callable[[], int], items: int) -> float:
    """Milliseconds of one reading."""
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.process_time()
        found = read()
        best = min(best, time.process_time() - start)
        assert found == items
    return best * 1000


def by_feedparser(body: bytes) -> int:
    headers = {"content-location": URL, "content-type": "application/rss+xml"}
    return len(feedparser.parse(io.BytesIO(body), response_headers=headers).entries)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=50)
    items = parser.parse_args().items
    kinds = {
        "teasers": feed(items, 0),
        "articles": feed(items, 40),
        "broken": feed(items, 40, broken=True),
    }
    rows, lines = [], []
    for name, body in kinds.items():
        ours = cost(lambda body=body: len(read_feed(body, URL).items), items)  # type: ignore[misc]
        peer = cost(lambda body=body: by_feedparser(body), items)  # type: ignore[misc]
        rows.append((name, len(body) // 1000, ours, peer))
        lines.append(line(f"feed-ms-{name}", ours, peer))
    print(table(("feed", "KB", "Shoal ms", "feedparser ms"), rows), end="\n\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
