"""`shoal crawl`, typed as a person would: to its end, up to a limit, and on with it."""

import errno
import re
import time
from pathlib import Path

import pytest

from shoal import crawl
from tests.cli.command import Done, Shoal
from tests.world import Hang, RobotsMix, Status, Web, repeats, serve

ONE_SITE = Web(seed=5, hosts=1, pages=12, robots=RobotsMix(disallow=0, error=0))
FAST = ("--delay=0", "--set=politeness.delay_factor=0")


def adds_up(status: dict[str, object]) -> None:
    def number(name: str) -> int:
        value = status[name]
        assert isinstance(value, int)
        return value

    def parts(name: str) -> int:
        value = status[name]
        assert isinstance(value, dict)
        return sum(value.values())

    below = ("queued", "in_flight", "answered", "excluded", "failed")
    assert number("discovered") == sum(number(name) for name in below)
    answered = ("fetched", "unchanged", "redirect", "gone", "source")
    assert number("answered") == sum(number(name) for name in answered)
    assert number("fetched") == parts("fetched_by_fate")
    assert number("excluded") == parts("excluded_by_reason")
    assert number("failed") == parts("failed_by_reason")
    assert number("gone") == parts("gone_by_status")


def test_a_site_is_crawled_and_the_summary_adds_up(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        done = shoal.ok("crawl", running.web.seeds()[0], *FAST)
        wanted = {url for url in running.web.crawlable() if running.web.host_name(0) in url}
    assert done.lines[0].startswith("Finished after ")
    assert "The collection is in corpus." in done.lines
    assert any(line.startswith("Next: shoal search WORDS · ") for line in done.lines)
    status = shoal.ok("status", "--json").json
    adds_up(status)
    assert (status["fetched"], status["queued"], status["running"]) == (len(wanted), 0, False)
    listed = shoal.ok("urls", "--state=fetched").lines
    assert {line.split("\t")[0] for line in listed} == wanted


def test_progress_is_on_standard_error_and_json_on_standard_output(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        done = shoal.ok("crawl", running.web.seeds()[0], *FAST, "--max-pages=3", "--json")
    summary = done.json
    assert summary["reason"] == "the limit of 3 pages is reached (--max-pages)"
    assert summary["status"]["fetched"] == 3
    adds_up(summary["status"])
    lines = done.err.splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in lines)
    assert "Crawling into corpus" in lines[0]
    assert re.search(r"\d+ fetched \(.* pages/s · .* queued; .* active, .* waiting", lines[1])
    assert "\x1b" not in done.err


def test_quiet_says_nothing(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        assert shoal("crawl", running.web.seeds()[0], *FAST, "-q") == Done(0, b"", "")


def test_the_same_command_goes_on_where_it_stopped(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        seed = running.web.seeds()[0]
        first = shoal.ok("crawl", seed, *FAST, "--max-pages=4")
        assert "Stopped after" in first.lines[0]
        assert "go on with: shoal crawl" in first.text
        second = shoal.ok("crawl", "--set=crawl.max_pages=1000", "--json").json
        assert second["reason"] == "finished"
        log = running.log()
    assert second["status"]["queued"] == 0
    assert repeats(log) == {}


def test_flags_of_the_first_crawl_are_the_settings_of_the_collection(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        seed = running.web.seeds()[0]
        shoal.ok("crawl", seed, *FAST, "--max-pages=2", "--exclude=/nothing", "-q")
    settings = shoal.ok("config", "show", "--json").json
    assert settings["crawl.max_pages"] == {"value": 2, "from": "shoal.toml"}
    assert settings["crawl.exclude"]["value"] == ["/nothing"]
    assert settings["politeness.delay_factor"]["value"] == 0
    assert settings["crawl.scope"] == {"value": "host", "from": "default"}


def test_the_directory_may_come_from_the_environment(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        shoal.ok("crawl", running.web.seeds()[0], *FAST, "--max-pages=1", SHOAL_DIR="elsewhere")
    assert (shoal.directory / "elsewhere" / "shoal.toml").is_file()
    assert shoal.ok("status", "--json", SHOAL_DIR="elsewhere").json["fetched"] == 1


def test_seeds_may_come_from_a_file(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        seeds = "\n".join(["# two pages", *sorted(running.web.urls())[:2]])
        (shoal.directory / "seeds.txt").write_text(seeds)
        shoal.ok("crawl", "@seeds.txt", *FAST, "--max-depth=1", "-q")
    assert shoal.ok("status", "--json").json["fetched"] == 2


def test_urls_that_wait_at_a_host_in_trouble_are_named_at_the_end(shoal: Shoal) -> None:
    busy = {"*/*": Status(503, retry_after_seconds=3000)}
    with serve(ONE_SITE, busy) as running:
        done = shoal.ok("crawl", running.web.seeds()[0], *FAST, "--set=crawl.patience=1")
    assert "1 URL waits at 1 site that must be left alone for longer" in done.text
    host = shoal.ok("hosts", "--json", "--waiting").json[0]
    assert (host["state"], host["waiting"]) == ("down", 1)
    assert host["note"]


def test_a_fault_of_the_housekeeping_ends_the_crawl_and_is_told(tmp_path: Path) -> None:
    """Housekeeping syncs what was committed: without it nothing may go on unseen."""

    def full_disk(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with serve(ONE_SITE) as running, pytest.raises(OSError, match="No space left"):
        crawl(running.web.seeds()[0], dir=tmp_path / "corpus", delay=0, watch=full_disk)


def test_status_of_a_running_crawl(shoal: Shoal) -> None:
    with serve(ONE_SITE, {"*/*": Hang()}) as running:
        started = shoal.start("crawl", running.web.seeds()[0], *FAST, "-q")
        running.wait(2)
        status = shoal.ok("status", "--json").json
        shown = shoal.ok("status").text
        plan = shoal.ok("plan", "--json").json
        adds_up(status)
        assert status["running"] is True
        assert status["live"]["pid"] == started.pid
        assert "a crawl is running" in shown
        assert plan["hosts_with_work"] == 1
        started.end()
    assert shoal.ok("status", "--json").json["running"] is False


def test_status_tells_what_takes_memory(shoal: Shoal) -> None:
    with serve(ONE_SITE, {"*/*": Hang()}) as running:
        seed = running.web.seeds()[0]
        started = shoal.start("crawl", seed, *FAST, "-q", SHOAL_INDEX_FOLLOW="yes")
        running.wait(2)
        live, tries = {"index_bytes": 0}, 0
        while not live["index_bytes"] and tries < 100:  # its first words come before the process
            time.sleep(0.1)
            live, tries = shoal.ok("status", "--json").json["live"], tries + 1
        shown = shoal.ok("status").text
        started.end()
    assert live["body_bytes"] < live["body_memory"] == 256_000_000
    assert 0 < live["index_bytes"] < live["index_memory"] == 512_000_000
    assert re.search(
        r"memory: .+ of 256.0 MB for bodies .+ of 512.0 MB for the index process", shown
    )
