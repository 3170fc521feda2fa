"""What a new user stumbles over: hints that can be typed, faults that are named, words taken as
meant."""

import shlex
from pathlib import Path

import pytest

from shoal.focus.rules import ready_sets
from tests.cli.command import Shoal
from tests.cli.conftest import ReadReef
from tests.world import RobotsMix, Web, serve

ONE_SITE = Web(seed=5, hosts=1, pages=12, robots=RobotsMix(disallow=0, error=0))
FAST = ("--delay=0", "--set=politeness.delay_factor=0")
AT_ONCE = ("--set=crawl.patience=0.1",)
"""Hosts that fail are not waited for."""


def hint(text: str) -> list[str]:
    line = next(line for line in text.splitlines() if "go on with: " in line)
    return shlex.split(line.partition("go on with: ")[2])


def test_the_hint_after_a_limit_raises_it_and_goes_on(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        first = shoal.ok("crawl", running.web.seeds()[0], *FAST, "--max-pages=1")
        assert "the limit of 1 page is reached" in first.lines[0]
        assert hint(first.text) == ["shoal", "crawl", "--max-pages", "2"]
        flags = ("--max-pages=3", "--exclude=/no thing/", "--set=url.max_segments=30")
        second = shoal.ok("crawl", *flags, SHOAL_COMMAND="./shoal")
        again = hint(second.text)
        assert again[:2] == ["./shoal", "crawl"]
        assert set(again[2:]) == {
            *("--max-pages", "6"),
            *("--exclude", "/no thing/"),
            *("--set", "url.max_segments=30"),
        }
        assert shoal.ok(*again[1:], "--json").json["status"]["fetched"] == 6


def test_a_host_that_does_not_answer_is_named(shoal: Shoal) -> None:
    done = shoal("crawl", "http://127.0.0.1:9/", *FAST, *AT_ONCE)
    assert done.code == 1
    assert "No good answer from: 127.0.0.1:9 (connect: " in done.text
    last = done.err.splitlines()[-1]
    assert last.startswith("shoal: No page was fetched, no seed answers: 127.0.0.1:9 (connect: ")
    again = shoal("crawl", "--json", *AT_ONCE)
    assert again.code == 1
    assert again.json["trouble"][0]["host"] == "127.0.0.1:9"


def test_a_rules_file_is_found_again_from_elsewhere(shoal: Shoal) -> None:
    rules = shoal.directory / "my.rules"
    rules.write_text("deny extension zip\n")
    with serve(ONE_SITE) as running:
        flags = (*FAST, "--max-pages=1", "--rules=my.rules", "-q")
        shoal.ok("crawl", running.web.seeds()[0], *flags)
    assert f'rules = "{rules}"' in (shoal.directory / "corpus" / "shoal.toml").read_text()


def test_the_help_names_every_ready_set(shoal: Shoal) -> None:
    assert f"FILE|{'|'.join(ready_sets())}" in shoal.ok("crawl", "--help").text


def test_directories_that_are_no_place_for_a_collection(shoal: Shoal) -> None:
    assert "--dir must name a directory" in shoal.refuses("status", "--dir=")
    (shoal.directory / "thesis.txt").write_text("dear")
    says = shoal.refuses("crawl", "http://127.0.0.1:9/", "--dir=.")
    assert says.endswith("(it holds 'thesis.txt'); use an empty or a new directory.")
    assert [each.name for each in shoal.directory.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("command", ["crawl", "submit"])
def test_a_scheme_that_nobody_fetches(shoal: Shoal, reef: Path, command: str) -> None:
    words = ["submit", "--dir", str(reef)] if command == "submit" else ["crawl"]
    says = shoal.refuses(*words, "gopherx://example.org/")
    assert "the schemes that work are file, ftp, http and https" in says


def test_bare_addresses_mean_the_same_to_every_command(read: ReadReef) -> None:
    for command in ("show", "explain"):
        assert "did you mean 'https://" in read.refuses(command, "htps://example.org/")
        assert "no URL and no file here" in read.refuses(command, "nowhere")
    assert read("explain", "127.0.0.1:80").lines[0] == "http://127.0.0.1/"


def test_orders_for_hosts(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        shoal.ok("crawl", running.web.seeds()[0], *FAST, "--max-pages=1", "-q")
        host = f"{running.web.host_name(0)}:{running.port}"
    says = shoal.refuses("pause", running.web.host_name(0))
    assert says.endswith(f"it knows {host}.")
    wanted = {"host": host, "paused": True, "running": False}
    assert shoal.ok("pause", host, "--json").json == wanted
    assert shoal.ok("resume", host, "--json").json == wanted | {"paused": False}
    assert shoal.ok("urls", host).lines == shoal.ok("urls").lines
    other = host.replace(str(running.port), "1")
    assert shoal.ok("urls", other).lines == []
    assert "is not understood" in shoal.refuses("urls", "a b")


def test_what_was_not_kept(shoal: Shoal) -> None:
    with serve(ONE_SITE) as running:
        seed = running.web.seeds()[0]
        shoal.ok("crawl", seed, *FAST, "--max-pages=1", "--keep=none", "-q")
    assert "was not kept" in shoal.refuses("show", seed, "--raw")
    assert "was not kept" in shoal.refuses("show", seed, "--text")


@pytest.mark.parametrize("form", ["warc", "jsonl", "urls", "cdxj"])
def test_an_export_of_nothing_makes_no_file(shoal: Shoal, reef: Path, form: str) -> None:
    where = ("--where", "nowhere.example", "--dir", str(reef))
    done = shoal.ok("export", form, "--output=out", *where)
    assert done.err == "Nothing matches: nothing was written.\n"
    assert list(shoal.directory.iterdir()) == []


def test_rules_in_an_export_have_names(read: ReadReef) -> None:
    assert read("export", "jsonl").json_lines[0]["rules"]["noindex"] is False


def test_requests_are_counted_alike_for_people_and_programs(read: ReadReef) -> None:
    totals = read("status", "--json").json["totals"]
    assert all(" " not in name for name in totals)
    wanted = f"{totals['requests']:,} requests ({totals['robots_requests']:,} for robots.txt)"
    assert wanted in read("status").text
