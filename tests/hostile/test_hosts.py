"""Hostile servers, each beside honest ones in one crawl: each ends in the right outcome, memory
stays within bounds, and the honest hosts are crawled completely."""

import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from shoal.api import open as open_collection
from shoal.collection.collection import Collection
from shoal.model.outcome import TREATMENT, Outcome, State
from shoal.model.urls.rowkey import site_key
from shoal.model.urls.url import site_of
from tests.hostile.cases import CASES
from tests.hostile.server import address_of, honest_addresses
from tests.hostile.watch import crawl_watched
from tests.views import view_of

NAMES = ("nx.test", "servfail.test", "silent.test", "garbled.test", "nowhere.test")
MOST_BYTES = 800_000_000
MOST_SECONDS = 120
SETTINGS: dict[str, object] = {
    "politeness.delay": 0.0,
    "politeness.backoff_base": 60.0,
    "politeness.backoff_cap": 60.0,
    "crawl.scope": "host",
    "crawl.patience": 1.0,
    "crawl.workers": 100,
    "crawl.max_depth": 6,
    "crawl.exclude": (r"/\d{2,}$",),
    "fetch.connect_timeout": 5.0,
    "fetch.idle_timeout": 2.0,
    "fetch.total_timeout": 6.0,
    "fetch.max_body": 20_000_000,
    "understand.timeout": 30.0,
}


class Crawled(NamedTuple):
    collection: Collection
    ports: tuple[int, int]
    most_bytes: int

    def url(self, name: str) -> str:
        case = CASES[name]
        return f"{case.scheme}://{address_of(name)}:{self.ports[case.tls]}/"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    directory = tmp_path_factory.mktemp("hostile") / "corpus"
    command = [sys.executable, "-m", "tests.hostile.server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            plain, secure, names = server.stdout.readline().split()
            found = Crawled(None, (int(plain), int(secure)), 0)  # type: ignore[arg-type]  # only to name URLs
            seeds = [found.url(name) for name in CASES]
            seeds += [f"http://{address}:{plain}/" for address in honest_addresses()]
            seeds += [f"http://{host}/" for host in NAMES]
            settings = {**SETTINGS, "fetch.nameservers": [names]}
            most = crawl_watched(directory, seeds, settings, MOST_SECONDS)
        finally:
            server.kill()
    with open_collection(directory) as collection:
        yield found._replace(collection=collection, most_bytes=most)


def host_note(crawled: Crawled, url: str) -> str:
    view = view_of(crawled.collection).frontier.site(site_key(site_of(url)))
    assert view is not None
    return view.clock.note


@pytest.mark.parametrize("name", CASES)
def test_it_ends_in_the_right_outcome(crawled: Crawled, name: str) -> None:
    case, url = CASES[name], crawled.url(name)
    visits = [visit for _, visit in crawled.collection.history(url)]
    if case.outcome is Outcome.TLS or case.tls:  # nor was its robots.txt had, so it was not asked
        assert visits == []
        assert host_note(crawled, url).startswith(case.outcome)
        return
    assert visits, "it was never asked"
    assert {visit.outcome for visit in visits} == {case.outcome}, visits
    assert visits[0].cut == case.cut
    row = dict(crawled.collection.urls(url))[url]
    treatment = TREATMENT[case.outcome]
    assert row.state is (treatment.state if treatment.tries == 1 else row.state)
    assert row.state in (treatment.state, State.QUEUED)
    if case.fate is not None:
        page = crawled.collection.page(url)
        assert page is not None
        assert page.document.fate is case.fate, page.document.problem


@pytest.mark.parametrize("host", NAMES)
def test_a_name_that_leads_nowhere(crawled: Crawled, host: str) -> None:
    url = f"http://{host}/"
    assert crawled.collection.history(url) == []
    assert host_note(crawled, url).startswith(Outcome.DNS)


def test_the_honest_hosts_are_crawled_completely(crawled: Crawled) -> None:
    for address in honest_addresses():
        origin = f"http://{address}:{crawled.ports[0]}/"
        states = {
            url.removeprefix(origin): row.state for url, row in crawled.collection.urls(origin)
        }
        inside = {path for path, state in states.items() if state is State.FETCHED}
        assert inside == {"", *(str(n) for n in range(1, 10))}


def test_the_process_tree_stays_small(crawled: Crawled) -> None:
    print(f"most memory of the process tree: {crawled.most_bytes / 1e6:.0f} MB")
    assert 10_000_000 < crawled.most_bytes < MOST_BYTES


def test_no_file_of_this_machine_was_read(crawled: Crawled) -> None:
    for url, row in crawled.collection.urls():
        assert not url.startswith("file:") or row.state is State.EXCLUDED, url
