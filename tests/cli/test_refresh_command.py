"""`shoal refresh`, typed as a person would."""

from pathlib import Path

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.errors import ShoalError
from shoal.loop import run
from tests.cli.command import Shoal
from tests.world import RobotsMix, Running, Web, serve

ROBOTS = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
TWO_SITES = Web(seed=5, hosts=2, pages=8, skew=0, starts=2, robots=ROBOTS)
FAST = ("--delay=0", "--set=politeness.delay_factor=0")


def asked(running: Running, since: int) -> list[str]:
    return sorted(each.url for each in running.log()[since:] if not each.is_robots)


def test_stored_pages_are_asked_for_again(shoal: Shoal) -> None:
    with serve(TWO_SITES) as running:
        seeds = running.web.seeds()
        shoal.ok("crawl", *seeds, *FAST, "--scope=any", "--quiet")
        stored = sorted(running.web.crawlable())
        before = len(running.log())
        summary = shoal.ok("refresh", *FAST, "--json").json
        assert asked(running, before) == stored
        assert summary["reason"] == "finished"
        status = summary["status"]
        assert (status["fetched"], status["queued"]) == (len(stored), 0)
        assert status["unchanged"] == 0, "what is unchanged is still fetched"
        counted = (summary["again"], summary["changed"], summary["missing"])
        assert counted == (len(stored), 0, 0)

        before = len(running.log())
        host = f"{running.web.host_name(1)}:{running.port}"
        done = shoal.ok("refresh", "--site", host, "--older=0s", "--changed-first", *FAST)
        mine = [url for url in stored if host in url]
        assert asked(running, before) == mine
        assert 0 < len(mine) < len(stored)
        assert done.lines[0].startswith("Finished after ")
        assert done.lines[1] == f"Asked again for {len(mine)} pages: {len(mine)} unchanged."
        nothing = shoal.ok("refresh", "--older=7d", *FAST)
        assert "No stored page is meant: nothing was asked" in nothing.err


def test_what_is_not_understood_is_refused(tmp_path: Path) -> None:
    """In this process: before anything is opened for writing."""
    _register_commands()
    directory = tmp_path / "corpus"

    async def make() -> None:
        await Engine(directory, load(directory, {}, {})).close()

    run(make())
    words = ["refresh", "--dir", str(directory)]
    for wrong, said in (
        ("--older=soon", "--older"),
        ("--older=-1h", "older"),
        ("--site=a b", "not understood"),
        ("--set=refresh.share=7", "share"),
    ):
        with pytest.raises(ShoalError, match=said):
            parse_and_run([*words, wrong])
