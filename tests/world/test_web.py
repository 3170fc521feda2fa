"""Is the generated web the same every time, of the shape it says, and wholly known?"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urljoin

import pytest

from tests.world import Link, RobotsMix, Web
from tests.world.layout import TRACKING
from tests.world.pages import Writer
from tests.world.tiny import clean


def test_same_seed_same_web_and_another_seed_another_web() -> None:
    def bodies(seed: int) -> list[bytes]:
        web = Web(seed=seed, hosts=20, pages=60, port=80)
        places = [(host, page) for host in range(20) for page in range(web.size(host))]
        return [Writer(web).body(*place) for place in places]

    assert bodies(1) == bodies(1)
    assert set(bodies(1)).isdisjoint(bodies(2))


def test_sizes_and_in_links_are_skewed() -> None:
    web = Web(seed=3, hosts=300, pages=3_000, port=80)
    sizes = sorted(web.size(host) for host in range(web.hosts))
    assert sum(sizes) == web.pages
    assert sizes[0] >= 1
    assert sizes[-1] > 20 * statistics.median(sizes)
    places = [(host, page) for host in range(web.hosts) for page in range(web.size(host))]
    in_links = Counter(
        (host, page)
        for place in places
        for host, page, _ in web.targets(*place)
        if place[0] != host
    )
    assert in_links.most_common(1)[0][1] > 50 * statistics.median(in_links.values())


def test_addresses_are_loopback_distinct_and_never_end_in_0_or_255() -> None:
    web = Web(hosts=130_000, pages=130_000)
    hosts = [*range(600), *range(62_400, 62_600), *range(124_900, 125_100)]
    addresses = [web.address(host) for host in hosts]
    assert len(set(addresses)) == len(hosts)
    assert all(ip_address(address).is_loopback for address in addresses)
    assert {address.split(".")[3] for address in addresses}.isdisjoint({"0", "255"})
    assert "127.0.0.1" not in addresses


def test_every_page_is_reachable_and_every_open_page_crawlable() -> None:
    web = Web(seed=5, hosts=200, pages=1_500, port=8080, robots=RobotsMix(disallow=0.5, error=0.1))
    everything = set(web.urls())
    assert len(everything) == web.pages
    assert web.reachable() == everything
    open_pages = {url for url in everything if not web.disallowed(url)}
    assert web.crawlable() == open_pages
    assert 0.5 * web.pages < len(open_pages) < 0.98 * web.pages


def test_a_url_is_located_where_it_was_made() -> None:
    web = Web(seed=5, hosts=30, pages=400, port=8080)
    for host in range(web.hosts):
        for page in range(web.size(host)):
            url = web.url(host, page)
            assert web.locate(url) == (host, page)
            assert web.locate(f"{url}{'&' if '?' in url else '?'}utm_source=a#b") == (host, page)
    assert web.locate("http://127.1.1.1:8080/no-such-9.html") is None
    assert web.locate("http://192.0.2.1:8080/") is None


def test_links_come_in_all_spellings_and_lead_where_they_say() -> None:
    web = Web(seed=5, hosts=30, pages=600, port=8080)
    spellings: Counter[str] = Counter()
    for host in range(web.hosts):
        for page in range(web.size(host)):
            base = urljoin(web.url(host, page), web.base(host, page) or "")
            links = web.links(host, page)
            for link in links:
                assert clean(urljoin(base, link.href)) == link.url
                spellings.update(features(link))
            spellings["base"] += web.base(host, page) is not None
            spellings["duplicate"] += len(links) > len({link.url for link in links})
    names = "absolute path relative scheme-relative fragment tracking nofollow base duplicate"
    assert all(spellings[name] > 20 for name in names.split()), spellings


def features(link: Link) -> Iterator[str]:
    starts = {"http:": "absolute", "//": "scheme-relative", "/": "path"}
    yield next((name for start, name in starts.items() if link.href.startswith(start)), "relative")
    if "#" in link.href:
        yield "fragment"
    if any(f"{name}=" in link.href for name in TRACKING):
        yield "tracking"
    if link.nofollow:
        yield "nofollow"


def test_a_million_pages_cost_nothing_until_they_are_asked_for() -> None:
    web = Web(hosts=10_000, pages=1_000_000, port=80)
    largest = max(range(web.hosts), key=web.size)
    last = web.size(largest) - 1
    assert last > 50_000
    assert web.locate(web.url(largest, last)) == (largest, last)
    assert web.links(largest, last // 20)


def test_mean_size_is_what_was_asked_for() -> None:
    web = Web(seed=2, hosts=20, pages=400, port=80, mean_bytes=20_000, files=0)
    writer = Writer(web)
    sizes = [len(writer.body(h, p)) for h in range(web.hosts) for p in range(web.size(h))]
    assert 0.85 < statistics.mean(sizes) / web.mean_bytes < 1.15


def test_changes_follow_each_pages_own_rate() -> None:
    web = Web(seed=9, hosts=1, pages=400, port=80, changing=0.5)
    day = 86_400.0
    still, expected, counted = 0, 0.0, 0
    for page, url in enumerate(web.urls()):
        rate = web.history(0, page).rate_per_second
        changes = web.changes(url, 3 * day, 33 * day)
        still += rate == 0
        expected += rate * 30 * day
        counted += len(changes)
        for when in changes[:3]:
            assert web.version(url, when - 0.001) < web.version(url, when)
        assert web.version(url, 0) == 0
    assert 0.4 < still / 400 < 0.6
    assert counted == pytest.approx(expected, rel=0.05)


def test_hosts_that_share_an_address_need_names() -> None:
    with pytest.raises(ValueError, match="must all have names"):
        Web(hosts=4, pages=8, addresses=2)
    with pytest.raises(ValueError, match="no port yet"):
        Web(hosts=4, pages=8).seeds()
