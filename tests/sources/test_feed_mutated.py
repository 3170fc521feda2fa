"""A thousand mutated and truncated feeds: none raises, and what is readable is read.

The feeds are made here, in every dialect, with known items. A mutation changes, drops, doubles or
moves bytes, tags or lines, or cuts the end off. Items that end before the first changed byte stand
there whole: they must be found, with guid and title. That holds for a well-formed rest and for a
broken one.
"""

import random
from collections.abc import Callable

import pytest

from shoal.model.listings.feed import Feed
from shoal.model.record import pack, unpack
from shoal.sources.feed import item_keys, read_feed

URL = "https://example.org/feed"
ITEMS = 6
FEW, MANY = 50, 250
"""Mutations of each dialect."""
SEED = 8


def rss(number: int) -> str:
    return (
        f"<item><title>Title {number} &amp; more</title><link>https://example.org/{number}</link>\n"
        f'<guid isPermaLink="false">guid-{number}</guid>'
        f"<pubDate>Mon, 16 Nov 2026 1{number}:00:00 GMT</pubDate>\n"
        f"<description>&lt;p&gt;Text {number}&lt;/p&gt;</description>"
        f"<content:encoded><![CDATA[<p>Whole <a href='/x'>text</a> {number}</p>]]>"
        "</content:encoded>"
        f'<enclosure url="https://example.org/{number}.mp3" length="1" type="audio/mpeg"/></item>\n'
    )


def rdf(number: int) -> str:
    return (
        f'<item rdf:about="guid-{number}"><title>Title {number} &amp; more</title>\n'
        f"<link>https://example.org/{number}</link><dc:date>2026-11-16T1{number}:00Z</dc:date>"
        f"<description>Text {number}</description></item>\n"
    )


def atom(number: int) -> str:
    return (
        f"<entry><id>guid-{number}</id><title>Title {number} &amp; more</title>\n"
        f'<link href="https://example.org/{number}"/><updated>2026-11-16T1{number}:00:00Z</updated>'
        f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Text {number}</p>'
        "</div></content><author><name>Anna</name></author></entry>\n"
    )


def json(number: int) -> str:
    return (
        f'{{"id": "guid-{number}", "title": "Title {number} & more", "url": "/{number}",\n'
        f'"content_html": "<p>Text {number}</p>", "tags": ["a", "b"]}}'
    )


FORMS: dict[str, tuple[str, Callable[[int], str], str, str]] = {
    "rss": (
        (
            '<?xml version="1.0"?><rss version="2.0" '
            'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>'
        ),
        rss,
        "",
        "</channel></rss>",
    ),
    "rdf": (
        (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://purl.org/rss/1.0/">'
        ),
        rdf,
        "",
        "</rdf:RDF>",
    ),
    "atom": ('<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>', atom, "", "</feed>"),
    "json": (
        '{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": [',
        json,
        ", ",
        "]}",
    ),
}


def whole(name: str) -> tuple[bytes, list[int]]:
    """A feed, and where each of its items ends."""
    head, item, between, tail = FORMS[name]
    body, ends = head, []
    for number in range(ITEMS):
        body += (between if number else "") + item(number)
        ends.append(len(body.encode()))
    return (body + tail).encode(), ends


def mutated(body: bytes, chance: random.Random) -> tuple[bytes, int]:
    """Another body, and the first byte that is not as it was."""
    at = chance.randrange(len(body))
    some = chance.randrange(1, 30)
    match chance.randrange(7):
        case 0:
            return body[:at], at
        case 1:
            return body[:at] + chance.randbytes(some) + body[at:], at
        case 2:
            return body[:at] + chance.randbytes(1) + body[at + 1 :], at
        case 3:
            return body[:at] + body[at + some :], at
        case 4:
            return body[:at] + body[at : at + some] + body[at:], at
        case 5:
            mark = chance.choice([b"<", b">", b"&", b'"', b"'", b"]]>", b"<!--", b"</item>", b"\0"])
            return body[:at] + mark + body[at:], at
        case _:
            other = chance.randrange(len(body))
            return body[:at] + body[other : other + some] + body[at:], at


def check(feed: Feed, readable: int) -> None:
    for number, item in enumerate(feed.items[:readable]):
        assert (item.guid, item.title) == (f"guid-{number}", f"Title {number} & more")
        assert item.url == f"https://example.org/{number}"
        assert f"ext {number}" in item.content or f"text</a> {number}" in item.content
    assert len(feed.items) >= readable
    assert unpack(Feed, pack(feed)) == feed, "it must go to another process"
    assert len(item_keys(feed.items)) == len(feed.items)


@pytest.mark.parametrize("mutations", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMS)
def test_what_is_readable_is_read(name: str, mutations: int) -> None:
    body, ends = whole(name)
    check(read_feed(body, URL), ITEMS)
    chance = random.Random(SEED)
    for _ in range(mutations):
        changed, at = mutated(body, chance)
        # What looks like a feed no more, because its first bytes say otherwise, names nothing.
        readable = sum(end <= at for end in ends) if at > len(FORMS[name][0]) else 0
        check(read_feed(changed, URL), readable)


@pytest.mark.parametrize("name", FORMS)
def test_many_mutations_at_once_do_not_raise(name: str) -> None:
    body, _ = whole(name)
    chance = random.Random(SEED)
    for _ in range(20):
        changed = body
        for _ in range(chance.randrange(2, 40)):
            changed, _ = mutated(changed or b"x", chance)
        check(read_feed(changed, URL), 0)
