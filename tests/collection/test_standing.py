"""One sentence on how a crawl stands: running or at rest, why, and how to go on."""

import asyncio
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.collection.report.sampling import sample
from shoal.collection.report.standing import standing
from shoal.collection.report.url_list import Wanted, url_page
from shoal.collection.view import TabletView
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.layout.layout import WriteLock
from shoal.layout.snapshot import Live, Snapshot, status_of, write_snapshot
from shoal.model.link import Link, LinkSource
from shoal.model.urls.rowkey import row_key

COUNTS = {"queued": 12, "fetched/duplicate": 3}


def live(**fields: object) -> Live:
    known: dict[str, object] = {
        "pid": 1,
        "started": 0.0,
        "written": 0.0,
        "pages_per_second": 4.25,
        "in_flight": 1,
        "reading": 1,
        "active_sites": 1,
        "ready_sites": 0,
        "sites_with_work": 1,
        "fetched": 0,
        "unchanged": 0,
        "failed": 0,
        "bytes": 0,
        "idle": "",
        "projected_end": None,
        "stopping": "",
    }
    return Live(**{**known, **fields})  # type: ignore[arg-type]  # a test names its fields


async def fill(directory: Path) -> None:
    engine = Engine(directory, load(directory, {}, {}))
    urls = [f"http://h{n % 7}.test/{n}" for n in range(40)]
    engine._frontier.add([Link(url, row_key(url), source=LinkSource.SEED) for url in urls])
    await engine.close()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    asyncio.run(fill(tmp_path / "corpus"))
    return tmp_path / "corpus"


@pytest.mark.parametrize(
    ("snapshot", "state", "says"),
    [
        (Snapshot(COUNTS, live()), "running", "Running at 4.2 pages/s, 10 URLs wait."),
        (
            Snapshot(COUNTS, live(idle="1 host has work")),
            "running",
            "Running at 4.2 pages/s, 10 URLs wait; 1 host has work.",
        ),
        (
            Snapshot(COUNTS, live(stopping="asked to stop")),
            "stopping",
            "Stopping (asked to stop): 2 pages are still in flight.",
        ),
    ],
)
def test_of_a_crawl_that_runs(corpus: Path, snapshot: Snapshot, state: str, says: str) -> None:
    with TabletView(corpus) as collection:
        found = standing(collection, status_of(corpus, snapshot))
    assert (found.state, found.says) == (state, says)


@pytest.mark.parametrize(
    ("counts", "last", "says"),
    [
        ({}, None, "At rest: nothing has been crawled yet."),
        ({"gone/404": 1}, Snapshot({}, None, ended="finished"), "the last crawl finished, nothing"),
        (
            COUNTS,
            Snapshot({}, None, ended="finished"),
            "12 URLs wait, mostly at hosts that are paused",
        ),
        (COUNTS, Snapshot({}, None, ended="asked to stop"), "asked to stop, 12 URLs wait; go on"),
        (COUNTS, None, "At rest: 12 URLs wait; go on with: shoal crawl"),
        (COUNTS, Snapshot({}, live()), "the last crawl was killed, nothing is lost, 12 URLs wait"),
    ],
)
def test_of_one_at_rest(
    corpus: Path, counts: dict[str, int], last: Snapshot | None, says: str
) -> None:
    if last is not None:
        write_snapshot(corpus / "status.json", last)
    with TabletView(corpus) as collection:
        found = standing(collection, status_of(corpus, Snapshot(counts)))
    assert found.state == "resting"
    assert says in found.says
    assert found.says.endswith(f"shoal crawl --dir {corpus}") == bool(counts.get("queued"))


def test_a_limit_that_ended_it_is_raised(corpus: Path) -> None:
    ended = "the limit of 100 pages is reached (--max-pages)"
    write_snapshot(corpus / "status.json", Snapshot({}, None, ended=ended))
    with TabletView(corpus) as collection:
        found = standing(collection, status_of(corpus, Snapshot({"queued": 1, "fetched/x": 100})))
    assert found.raised == {"max_pages": 200}
    assert found.says.endswith(f"go on with: shoal crawl --max-pages 200 --dir {corpus}")


def test_of_one_that_another_command_writes_to(corpus: Path) -> None:
    with TabletView(corpus) as collection, WriteLock(collection.layout):
        assert standing(collection, status_of(corpus, Snapshot(COUNTS))).state == "busy"


def test_a_large_collection_is_sampled(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TabletView(corpus) as collection:
        whole = sample(collection)
        monkeypatch.setattr("shoal.collection.report.sampling.MOST_URLS", 14)
        some = sample(collection)
    assert (whole.looked_at, whole.is_whole) == (40, True)
    assert (some.looked_at, some.discovered, some.is_whole) == (14, 40, False)


def test_a_list_looks_at_a_bounded_number_of_rows(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.collection.report.url_list._MOST_LOOKED_AT", 9)
    cursor, seen, pages = "", 0, 0
    with open_collection(corpus) as collection:
        while True:
            page = url_page(collection, Wanted(state="failed"), cursor)
            seen, cursor, pages = seen + page.looked_at, page.next, pages + 1
            assert page.urls == []
            if not cursor:
                break
    assert (seen, pages) == (40, 5)
