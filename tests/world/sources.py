"""Which pages do a host's sitemap and its feed name, and which posts does it have?

Beside its tree of pages a host with a feed writes posts: a Poisson process over the world's clock,
each post a page of its own from its time on (404 before), and never changed. The feed has the last
of them, the sitemap all of them beside the pages that robots.txt leaves open. These functions are
the truth; source_files.py writes the files from them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.world.chance import Purpose, fraction, stream
from tests.world.change import History
from tests.world.web import Web
from tests.world.words import sentence

FEED_ITEMS = 20
FEED_FORMS = ("rss", "atom", "json")
_FEED_TYPES = {
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "json": "application/feed+json",
}
_FEED_TARGETS = {"rss": "/feed.xml", "atom": "/atom.xml", "json": "/feed.json"}
_POSTS = -1  # stands for a page in draws
_POST = re.compile(r"/posts/(\d{1,12})\.html$")
_HONEST_SHARE = 0.75


class Post(NamedTuple):
    """A post: its guid is no URL. `number` grows, but not by one each."""

    host: int
    number: int
    published: float
    url: str
    guid: str
    title: str
    text: str


class Entry(NamedTuple):
    """What a sitemap says of a page; `modified` is a time of the world."""

    url: str
    modified: float
    rate_per_second: float
    priority: float


# --- posts


def has_feed(web: Web, host: int) -> bool:
    return fraction(web.seed, Purpose.FEED, host) < web.feeds


def feed_form(host: int) -> str:
    return FEED_FORMS[host % len(FEED_FORMS)]


def feed_is_whole(host: int) -> bool:
    """Whether items carry the whole post, not its first sentence only."""
    return host // len(FEED_FORMS) % 2 == 0


def feed_media_type(host: int) -> str:
    return _FEED_TYPES[feed_form(host)]


def feed_target(host: int) -> str:
    return _FEED_TARGETS[feed_form(host)]


def feed_url(web: Web, host: int) -> str:
    return f"http://{web.host_name(host)}:{web.port}{feed_target(host)}"


def posts(web: Web, host: int, time_seconds: float) -> list[Post]:
    """All posts of the host until this time, the newest first."""
    if not has_feed(web, host):
        return []
    events = _posting(web, host).events_until(time_seconds)
    return [_post(web, host, number, when) for number, when in reversed(events)]


def post_at(web: Web, host: int, target: str, time_seconds: float) -> Post | None:
    """The post at this path, if it is there already."""
    match = _POST.match(target)
    if match is None or not has_feed(web, host):
        return None
    wanted = int(match[1])
    found = [when for number, when in _posting(web, host).events_of(wanted) if number == wanted]
    return _post(web, host, wanted, found[0]) if found and found[0] <= time_seconds else None


def _posting(web: Web, host: int) -> History:
    return History(web.seed, host, _POSTS, 1 / web.post_seconds)


def _post(web: Web, host: int, number: int, when: float) -> Post:
    rng = stream(web.seed, Purpose.FEED, host, number)
    name = f"{web.host_name(host)}:{web.port}"
    title = sentence(rng).rstrip(".")
    text = " ".join(sentence(rng) for _ in range(rng.randint(8, 30)))
    url = f"http://{name}/posts/{number}.html"
    return Post(host, number, when, url, f"post {number} of {host}", title, text)


# --- sitemaps


def has_sitemap(web: Web, host: int) -> bool:
    return fraction(web.seed, Purpose.SITEMAP, host) < web.sitemaps


def sitemap_is_honest(web: Web, host: int) -> bool:
    """A quarter of the hosts say of all pages that they changed just now."""
    return fraction(web.seed, Purpose.SITEMAP, host, 1) < _HONEST_SHARE


def sitemap_url(web: Web, host: int) -> str:
    return f"http://{web.host_name(host)}:{web.port}/sitemap.xml"


def sitemap_entries(web: Web, host: int, time_seconds: float) -> list[Entry]:
    """All that the host's sitemaps name at this time, with the true time of the last change."""
    if not has_sitemap(web, host):
        return []
    entries = []
    for page in range(web.size(host)):
        if not web.is_private(host, page):
            history = web.history(host, page)
            since = history.current(time_seconds)[1]
            priority = 1.0 if page == 0 else 0.5
            entries.append(Entry(web.url(host, page), since, history.rate_per_second, priority))
    entries += [
        Entry(post.url, post.published, 0.0, 0.5) for post in posts(web, host, time_seconds)
    ]
    return entries
