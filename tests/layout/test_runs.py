"""The record of each run: what it says after a crawl, a refresh, a stop and a kill; it is small."""

import json
from pathlib import Path

import pytest

import shoal
from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.layout.layout import Layout
from shoal.layout.runs import KILLED, MOST_RUNS, RUN_KEYS, RUNNING, RunLog, runs_of
from shoal.maintenance.verify import verifying
from shoal.model.record import pack
from shoal.store.table import RocksTable
from tests.crawl.again import refresh
from tests.crawl.run import crawl
from tests.world import RobotsMix, Web, serve

FAST = {"politeness.delay": 0.01}
_register_commands()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawled up to a limit, to its end, and once more when a page has changed."""
    place = tmp_path_factory.mktemp("runs") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=4, hosts=1, pages=6, robots=robots)) as world:
        seed = world.put(0, "/begin.html", "<title>one</title><p>first words of a page")
        crawl(place, [seed, *world.web.seeds()], FAST | {"crawl.max_pages": 2})
        crawl(place, [], FAST | {"crawl.max_pages": 1000})
        world.put(0, "/begin.html", "<title>two</title><p>quite other words stand here now")
        refresh(place, FAST | {"crawl.max_pages": 1000})
    return place


def test_each_run_says_how_it_went(corpus: Path) -> None:
    with shoal.open(corpus) as held:
        third, second, first = held.runs()
        pages = held.status().fetched + held.status().unchanged
    assert [each.kind for each in (first, second, third)] == ["new", "new", "refresh"]
    assert "limit of 2 pages" in first.why
    assert (second.why, third.why) == ("finished", "finished")
    assert (first.asked, first.asked + second.asked, third.asked) == (2, pages, pages)
    assert third.changed == 1
    assert third.fetched + third.unchanged == pages
    assert first.failed == first.changed == third.missing == 0
    assert first.requests > first.asked
    assert first.bytes > 0
    assert first.started < first.ended <= second.started < second.ended <= third.started


def test_it_is_told_at_the_terminal(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def typed(*words: str) -> str:
        assert parse_and_run([*words, "--dir", str(corpus)]) == 0
        return capsys.readouterr().out

    lines = typed("status", "--runs").splitlines()
    assert len(lines) == 3
    assert "refresh" in lines[0]
    assert lines[0].endswith(": finished")
    told = [json.loads(line) for line in typed("status", "--runs", "--json").splitlines()]
    assert [each["kind"] for each in told] == ["refresh", "new", "new"]


def test_a_collection_with_runs_is_whole_and_can_be_divided(corpus: Path, tmp_path: Path) -> None:
    with verifying(Layout(corpus), lambda _: None) as verifier:
        assert list(verifier.findings()) == []
    shoal.split(corpus, tmp_path / "cluster", 3)
    shoal.merge(tmp_path / "cluster", tmp_path / "again")
    with shoal.open(corpus) as one, shoal.open(tmp_path / "again") as other:
        assert one.runs() == other.runs() != []


def test_few_are_kept_and_a_kill_is_told(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as table:
        assert runs_of(table, is_running=False) == []
        for n in range(MOST_RUNS + 20):
            log = RunLog(table, "new")
            run = log.begin(1000.0 + n)
            run.why = "" if n == 7 or n == MOST_RUNS + 19 else "finished"
            batch = table.batch()
            log.put(batch)
            log.put(batch)
            table.write(batch)
        found = runs_of(table, is_running=True)
        assert [each.started for each in found] == [1000.0 + n for n in range(119, 19, -1)]
        assert (found[0].why, found[1].why) == (RUNNING, "finished")
        assert runs_of(table, is_running=False)[0].why == KILLED
        batch = table.batch()
        batch.put("site", RUN_KEYS + b"\xff" * 10, b"\xff damaged")
        batch.put("site", RUN_KEYS + b"\x00" * 10, pack({"started": 1.0, "kind": "new", "x": 2}))
        table.write(batch)
        assert len(runs_of(table, is_running=False)) == MOST_RUNS + 1
