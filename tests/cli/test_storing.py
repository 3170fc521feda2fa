"""`shoal checksum`, `compact` and `shadow` from the command line; duplicates as people see them."""

import hashlib
import json
import subprocess
import sys
import zlib
from collections.abc import Iterator
from signal import SIGTERM

import pytest

from tests.cli.command import PROJECT, Shoal, clean_environment
from tests.world import Hang, RobotsMix, Running, Web, serve

TALE = "Clownfish live among the tentacles of sea anemones, which sting others and spare them."
QUICK = ("--delay=0.02", "--children=1", "--quiet", "--dir=corpus")


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=4, hosts=2, pages=2, robots=robots)) as running:
        running.put(0, "/start", "<a href='/a'>a</a> <a href='/b'>b</a>")
        running.put(0, "/a", f"<p>{TALE}</p>")
        running.put(0, "/b", f"<p>{TALE}</p>")
        yield running


def url(site: Running, path: str) -> str:
    return f"http://{site.web.host_name(0)}:{site.port}{path}"


def test_checksums_are_those_that_other_programs_give(shoal: Shoal) -> None:
    data = bytes(range(256)) * 300
    (shoal.directory / "file").write_bytes(data)
    shown = shoal.ok("checksum", "file").text
    posix = subprocess.run(["cksum", shoal.directory / "file"], capture_output=True, check=True)
    assert " ".join(posix.stdout.decode().split()[:2]) in shown
    assert f"{zlib.crc32(data):08x}" in shown
    assert hashlib.sha256(data).hexdigest() in shown
    assert str(sum(data)) in shown
    found = shoal.ok("checksum", "file", "file", "--json").json_lines
    assert [each["file"] for each in found] == ["file", "file"]
    assert (found[0]["byte_sum"], found[0]["length_bytes"]) == (sum(data), len(data))


def test_checksum_of_standard_input(shoal: Shoal) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "shoal", "checksum", "-", "--json"],
        cwd=shoal.directory,
        env=clean_environment(),
        input=b"abc",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["sha256"] == hashlib.sha256(b"abc").hexdigest()


def test_a_file_that_can_not_be_read_does_not_keep_the_others_back(shoal: Shoal) -> None:
    (shoal.directory / "good").write_bytes(b"abc")
    done = shoal("checksum", "missing", ".", "good", "--json")
    assert done.code == 2
    assert [each["file"] for each in done.json_lines] == ["good"]
    assert done.err.splitlines() == [
        "shoal: missing can't be read: No such file or directory.",
        "shoal: . can't be read: Is a directory.",
    ]
    assert "missing" in shoal.refuses("checksum").lower()


def test_a_duplicate_says_what_it_is_a_duplicate_of(shoal: Shoal, site: Running) -> None:
    shoal.ok("crawl", url(site, "/start"), *QUICK)
    (first,) = [
        line.split("\t")[0]
        for line in shoal.ok("urls", "--reason=waiting for the index").lines
        if not line.startswith(url(site, "/start"))
    ]
    second = url(site, "/b") if first == url(site, "/a") else url(site, "/a")
    assert f"duplicate of {first}" in shoal.ok("show", second).text
    assert f"It is a duplicate of {first} (the same bytes)." in shoal.ok("explain", second).text
    assert shoal.ok("show", second, "--raw").text == f"<p>{TALE}</p>"
    assert shoal.ok("show", second, "--json").json["duplicate_of"] == first
    assert shoal.ok("urls", "--reason=duplicate").lines == [f"{second}\tfetched\tduplicate"]
    assert shoal.ok("status", "--json").json["fetched_by_fate"]["duplicate"] == 1
    assert "All is well" in shoal.ok("verify", "--dir=corpus").text


def test_compact_says_what_it_did(shoal: Shoal, site: Running) -> None:
    for version in range(4):
        site.put(0, "/a", f"<p>{TALE} {version}</p>")
        if version:
            shoal.ok("submit", url(site, "/a"))
        shoal.ok("crawl", url(site, "/start"), "--set=crawl.versions=9", *QUICK)
    (shoal.directory / "corpus" / "shoal.toml").write_text("[crawl]\nversions = 1\n")
    shown = shoal.ok("compact", "--all").text
    assert "Dropped 3 old versions of pages and 6 archived records." in shown
    assert "reclaimed" in shown
    assert shoal.ok("show", url(site, "/a"), "--raw").text == f"<p>{TALE} 3</p>"
    assert "No copy" in shoal.refuses("show", url(site, "/a"), "--at=2020-01-01")
    again = shoal.ok("compact", "--all", "--json").json
    assert (again["versions_dropped"], again["records_dropped"]) == (0, 0)
    assert "All is well" in shoal.ok("verify").text


def test_neither_compact_nor_apply_while_a_crawl_runs(shoal: Shoal, site: Running) -> None:
    shoal.ok("crawl", url(site, "/start"), *QUICK)
    site.set(f"{site.web.host_name(0)}/slow", Hang())
    running = shoal.start("crawl", site.put(0, "/slow"), "--shadow", *QUICK[:2], "--dir=corpus")
    running.read_until("Crawling into")
    for command in (("compact",), ("shadow", "apply"), ("shadow", "discard"), ("crawl",)):
        assert "is writing to corpus" in shoal.refuses(*command)
    running.signal(SIGTERM)
    running.read_until("Ctrl-C again stops at once")  # two signals at once may arrive as one
    running.signal(SIGTERM)
    running.wait()


def test_a_shadow_from_the_command_line(shoal: Shoal, site: Running) -> None:
    assert "There is no collection" in shoal.refuses("shadow", "status")
    assert "There is no collection" in shoal.refuses("crawl", url(site, "/start"), "--shadow")
    shoal.ok("crawl", url(site, "/start"), *QUICK)
    assert "Nothing is gathered apart." in shoal.ok("shadow", "status").text
    site.put(0, "/a", "<p>Another tale.</p>")
    done = shoal.ok("crawl", "--shadow", "--delay=0.02", "--children=1")
    assert "apply with: shoal shadow apply" in done.text
    assert shoal.ok("show", url(site, "/a"), "--text").text == TALE + "\n"
    assert shoal.ok("shadow", "status").text == "3 pages gathered apart, none waits.\n"
    assert shoal.ok("shadow", "apply").text == "Applied: 3 pages, in place of 3.\n"
    assert shoal.ok("show", url(site, "/a"), "--text").text == "Another tale.\n"
    shoal.ok("crawl", "--shadow", *QUICK)
    assert "deleted" in shoal.ok("shadow", "discard").text
    assert shoal.ok("show", url(site, "/a"), "--text").text == "Another tale.\n"
    assert "All is well" in shoal.ok("verify").text


def test_the_page_on_duplicates_is_there() -> None:
    assert "duplicate" in (PROJECT / "docs" / "duplicates.md").read_text("utf-8")
