"""Looking again costs little, and what servers say of their pages is taken for what it is worth.

One crawl and three refreshes of one web, each host with manners of its own: nothing has changed
before the last refresh, then some pages have.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.collection import Collection
from shoal.model.change_history import Change
from tests.crawl.again import refresh
from tests.crawl.run import crawl
from tests.world import FrameClock, Head, Request, RobotsMix, Validators, Web, serve
from tests.world.pages import Writer

PAGES = 8
LATER = 60.0
FAST = {"politeness.delay": 0.02, "crawl.workers": 20}
DEAF = Validators(conditions=False)
MANNERS = {
    "plain": (),
    "clock on top": (FrameClock("header"),),
    "clock below": (FrameClock("footer"),),
    "new each time": (Validators(etag="new", last_modified="new"),),
    "no validators": (Validators(etag="none", last_modified="none"),),
    "deaf": (DEAF,),
    "deaf, refuses HEAD": (DEAF, Head("refused")),
    "deaf, HEAD is missing": (DEAF, Head("missing")),
}
HOSTS = list(MANNERS)


@dataclass(frozen=True)
class Looked:
    """What was asked in each of the four passes, robots.txt aside, and what is stored then."""

    web: Web
    passes: list[list[Request]]
    collection: Collection

    def urls(self, name: str) -> list[str]:
        host = HOSTS.index(name)
        return [self.web.url(host, page) for page in range(self.web.size(host))]

    def changed(self, name: str) -> set[str]:
        """Those that had changed before the last pass."""
        return {url for url in self.urls(name) if self.web.version(url, LATER)}

    def asked(self, name: str, number: int) -> list[Request]:
        urls = set(self.urls(name))
        return [request for request in self.passes[number] if request.url in urls]

    def found(self, url: str) -> list[Change]:
        """What the visits found that could tell, in order."""
        visits = [visit.change for _, visit in reversed(self.collection.history(url))]
        return [change for change in visits if change is not Change.UNKNOWN]

    def stale(self, name: str) -> list[str]:
        """The pages whose stored copy is not what the server has."""
        host, writer = HOSTS.index(name), Writer(self.web)
        found = []
        for number, url in enumerate(self.urls(name)):
            page = self.collection.page(url)
            assert page is not None
            if page.body != writer.body(host, number, self.web.version(url, LATER)):
                found.append(url)
        return found


def web_of(hosts: int) -> Web:
    return Web(
        seed=12,
        hosts=hosts,
        pages=hosts * PAGES,
        skew=0,
        files=0,
        starts=hosts,
        changing=1.0,
        change_seconds=(50.0, 500.0),
        mean_bytes=6_000,
        robots=RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0),
    )


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looked]:
    directory: Path = tmp_path_factory.mktemp("conditional") / "corpus"
    web = web_of(hosts=len(HOSTS))
    behaviours = {f"{web.address(host)}/*": MANNERS[name] for host, name in enumerate(HOSTS)}
    with serve(web, {pattern: given for pattern, given in behaviours.items() if given}) as running:
        ends = [0]
        for number in range(4):
            if number == 3:
                running.set_time(LATER)
            done = (
                refresh(directory, FAST) if number else crawl(directory, running.web.seeds(), FAST)
            )
            assert done.finished
            ends.append(len(running.log()))
        log = running.log()
        passes = [log[begin:end] for begin, end in pairwise(ends)]
    asked = [[request for request in each if not request.is_robots] for each in passes]
    with open_collection(directory) as collection:
        yield Looked(running.web, asked, collection)


def test_a_second_pass_over_an_unchanged_site_transfers_no_body(looked: Looked) -> None:
    again = looked.asked("plain", 1)
    assert sorted(request.url for request in again) == sorted(looked.urls("plain"))
    assert {request.status for request in again} == {304}
    assert {request.body_bytes for request in again} == {0}
    assert max(request.asked_bytes + request.head_bytes for request in again) <= 500


def test_only_what_changed_is_sent_and_it_is_what_is_stored(looked: Looked) -> None:
    changed = looked.changed("plain")
    assert 0 < len(changed) < PAGES
    last = looked.asked("plain", 3)
    assert sorted(request.url for request in last) == sorted(looked.urls("plain"))
    assert {request.url for request in last if request.status == 200} == changed
    assert looked.stale("plain") == []


def test_what_visits_found_is_kept_and_counted(looked: Looked) -> None:
    changed = looked.changed("plain")
    rows = dict(looked.collection.urls())
    for url in looked.urls("plain"):
        last = Change.MAJOR if url in changed else Change.NONE
        assert looked.found(url) == [Change.NONE, Change.NONE, last]
        life = rows[url].history
        assert life is not None
        assert (life.observed, life.changes) == (3, int(url in changed))


def test_every_page_is_asked_for_once_in_each_pass_and_is_still_there(looked: Looked) -> None:
    for number, requests in enumerate(looked.passes):
        whole = [request.url for request in requests if request.method == "GET"]
        assert len(whole) == len(set(whole)), number
        assert {request.url for request in requests} == set(looked.web.urls())
    status = looked.collection.status()
    assert (status.queued, status.discovered) == (0, looked.web.pages)
    assert sum(1 for _ in looked.collection.pages()) == looked.web.pages


@pytest.mark.parametrize("name", ["clock on top", "clock below", "new each time"])
def test_other_bytes_are_no_change_when_the_page_says_the_same(looked: Looked, name: str) -> None:
    assert {request.status for number in (1, 2) for request in looked.asked(name, number)} == {200}
    changed = looked.changed(name)
    assert 0 < len(changed) < PAGES
    for url in looked.urls(name):
        last = Change.MAJOR if url in changed else Change.NONE
        assert looked.found(url) == [Change.NONE, Change.NONE, last]


def test_pages_without_validators_are_asked_for_without_conditions(looked: Looked) -> None:
    asked = looked.asked("no validators", 3)
    assert {(each.method, each.if_none_match, each.if_modified_since) for each in asked} == {
        ("GET", None, None)
    }
    assert looked.stale("no validators") == []


def test_head_saves_the_bodies_of_a_server_that_ignores_conditions(looked: Looked) -> None:
    learning, again, last = (looked.asked("deaf", number) for number in (1, 2, 3))
    whole = list(takewhile(lambda request: request.method == "GET", learning))
    assert 0 < len(whole) < PAGES, "a few pages show it"
    assert {request.method for request in again} == {"HEAD"}
    assert sum(request.body_bytes for request in again) == 0
    sent = {request.url for request in last if request.method == "GET"}
    assert sent == looked.changed("deaf")
    assert looked.stale("deaf") == []


@pytest.mark.parametrize("name", ["deaf, refuses HEAD", "deaf, HEAD is missing"])
def test_a_server_without_head_is_soon_not_asked_that_way(looked: Looked, name: str) -> None:
    tried = [each for number in (1, 2, 3) for each in looked.asked(name, number)]
    assert 0 < sum(request.method == "HEAD" for request in tried) < PAGES
    assert {request.method for request in looked.asked(name, 3)} == {"GET"}
    assert looked.stale(name) == []


@pytest.mark.slow
def test_a_head_that_lies_is_not_believed_for_ever(tmp_path: Path) -> None:
    """It says each time that nothing has changed: now and then the whole page is asked for."""
    directory, web = tmp_path / "corpus", web_of(hosts=1)
    with serve(web, {"*/*": (DEAF, Head("stuck"))}) as running:
        crawl(directory, running.web.seeds(), FAST)
        for _ in range(2):
            refresh(directory, FAST)
        running.set_time(LATER)
        for _ in range(8):
            refresh(directory, FAST)
        asked = [request.method for request in running.log() if not request.is_robots]
    assert asked.count("HEAD") > PAGES, "it was believed at first"
    urls, writer = list(running.web.urls()), Writer(running.web)
    with open_collection(directory) as collection:
        for number, url in enumerate(urls):
            page = collection.page(url)
            assert page is not None
            assert page.body == writer.body(0, number, running.web.version(url, LATER))
