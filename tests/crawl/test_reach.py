"""How far a crawl goes: depth, redirects, slashes, limits, robots and page rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.model.outcome import State
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve


@pytest.fixture
def site() -> Iterator[Running]:
    """A web of one host, to put pages on."""
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=2, pages=2, robots=robots)) as running:
        yield running


def _put(site: Running, path: str, *links: str) -> str:
    body = "<title>" + path + "</title>" + "".join(f'<a href="{to}">to {to}</a> ' for to in links)
    return site.put(0, path, body)


def _asked(site: Running) -> list[str]:
    return [request.target for request in site.log() if not request.is_robots]


def test_a_page_found_deep_and_then_shallow_counts_as_shallow(
    site: Running, tmp_path: Path
) -> None:
    # /far lies at depth 4 by one way and at depth 3 by another that is found later; what it links
    # to is within the limit only by the second way.
    start = _put(site, "/start", "/a", "/z")
    _put(site, "/a", "/b")
    _put(site, "/b", "/far")
    _put(site, "/far", "/end")
    slow = _put(site, "/z", "/far")
    _put(site, "/end")
    directory = tmp_path / "corpus"
    crawl(directory, [start], {"crawl.max_depth": 4, "crawl.order": "depth"})
    assert "/end" in _asked(site)
    with open_collection(directory) as collection:
        depths = {url: row.depth for url, row in collection.urls()}
    assert depths[slow.replace("/z", "/far")] == 3
    assert depths[slow.replace("/z", "/end")] == 4


def test_depth_counts_from_one_and_is_a_limit(site: Running, tmp_path: Path) -> None:
    start = _put(site, "/1", "/2")
    _put(site, "/2", "/3")
    _put(site, "/3")
    summary = crawl(tmp_path / "corpus", [start], {"crawl.max_depth": 2})
    assert _asked(site) == ["/1", "/2"]
    assert summary.status.excluded_by_reason == {"depth": 1}


def test_redirects_add_no_depth_and_chains_are_cut(site: Running, tmp_path: Path) -> None:
    for hop in range(12):
        site.put(0, f"/hop{hop}", status=301, headers={"Location": f"/hop{hop + 1}"})
    site.put(0, "/moved", status=302, headers={"Location": "/target"})
    start = _put(site, "/start", "/moved", "/hop0")
    _put(site, "/target")
    directory = tmp_path / "corpus"
    crawl(directory, [start], {"crawl.max_depth": 2})
    asked = _asked(site)
    assert "/target" in asked
    assert "/hop10" in asked
    assert "/hop11" not in asked
    with open_collection(directory) as collection:
        rows = {url.rpartition("/")[2]: row for url, row in collection.urls()}
    assert rows["target"].depth == 2
    assert rows["hop11"].state is State.EXCLUDED
    assert rows["hop11"].reason.startswith("redirects:")


def test_a_redirect_to_the_same_address_with_a_slash_is_followed(
    site: Running, tmp_path: Path
) -> None:
    site.put(0, "/dir", status=301, headers={"Location": "/dir/"})
    start = _put(site, "/start", "/dir", "/dir/#top")
    _put(site, "/dir/", "page")
    _put(site, "/dir/page")
    directory = tmp_path / "corpus"
    crawl(directory, [start])
    assert _asked(site) == ["/start", "/dir", "/dir/", "/dir/page"]
    with open_collection(directory) as collection:
        assert collection.page(start.replace("/start", "/dir")) is not None


def test_a_redirect_loop_ends(site: Running, tmp_path: Path) -> None:
    site.put(0, "/x", status=302, headers={"Location": "/y"})
    site.put(0, "/y", status=302, headers={"Location": "/x"})
    start = site.put(0, "/self", status=302, headers={"Location": "/self"})
    crawl(tmp_path / "corpus", [start, start.replace("/self", "/x")])
    assert sorted(_asked(site)) == ["/self", "/x", "/y"]


def test_a_seed_that_moves_takes_the_scope_along(site: Running, tmp_path: Path) -> None:
    elsewhere = site.put(1, "/home", '<a href="/inside">in</a>')
    site.put(1, "/inside", "x")
    start = site.put(0, "/seed", status=301, headers={"Location": elsewhere})
    crawl(tmp_path / "corpus", [start], {"crawl.scope": "host"})
    assert _asked(site) == ["/seed", "/home", "/inside"]


def test_max_pages_is_kept_to_the_page_and_the_same_command_ends_there(
    site: Running, tmp_path: Path
) -> None:
    start = _put(site, "/start", *(f"/{i}" for i in range(20)))
    for i in range(20):
        _put(site, f"/{i}")
    directory = tmp_path / "corpus"
    summary = crawl(directory, [start], {"crawl.max_pages": 5})
    assert summary.status.fetched == len(_asked(site)) == 5
    assert "max-pages" in summary.reason
    assert crawl(directory, [start], {"crawl.max_pages": 5}).status.fetched == 5
    assert crawl(directory, [start], {"crawl.max_pages": 8}).status.fetched == 8
    assert len(set(_asked(site))) == len(_asked(site)) == 8


def test_nofollow_pages_and_links_add_nothing(site: Running, tmp_path: Path) -> None:
    start = site.put(
        0,
        "/start",
        '<a href="/yes">y</a><a rel="nofollow" href="/no">n</a><a href="/closed">c</a>',
    )
    _put(site, "/yes")
    _put(site, "/no")
    site.put(
        0,
        "/closed",
        '<a href="/behind">b</a>',
        headers={"Content-Type": "text/html", "X-Robots-Tag": "shoal: nofollow, noindex"},
    )
    summary = crawl(tmp_path / "corpus", [start])
    assert sorted(_asked(site)) == ["/closed", "/start", "/yes"]
    assert summary.status.fetched_by_fate["noindex"] == 1


def test_a_wider_scope_takes_what_a_narrower_one_refused(site: Running, tmp_path: Path) -> None:
    other = site.put(1, "/other", "x")
    start = _put(site, "/start", other, "/a")
    _put(site, "/a")
    directory = tmp_path / "corpus"
    narrow = crawl(directory, [start], {"crawl.scope": "host", "crawl.exclude": ("/a$",)})
    assert _asked(site) == ["/start"]
    assert narrow.status.excluded_by_reason == {"scope": 1, "excluded": 1}
    wide = crawl(directory, [start], {"crawl.scope": "any", "crawl.exclude": ()})
    assert wide.reconsidered == 2
    assert sorted(_asked(site)) == ["/a", "/other", "/start"]
    assert wide.status.excluded == 0
