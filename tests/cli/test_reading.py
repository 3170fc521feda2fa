"""Reading a collection: status, urls, explain, show, export and hosts, for people and as JSON."""

import base64
import io
import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.demo.server import WEB
from tests.cli.command import Shoal
from tests.cli.conftest import ReadReef
from tests.cli.test_crawl_command import adds_up

REEF = "http://www.reef.example"
CLOWNFISH = f"{REEF}/species/clownfish.html"
INDEX = tomllib.loads((WEB / "index.toml").read_text("utf-8"))
TRUTH = INDEX["crawl"]
FETCHED = TRUTH["fetched"] + INDEX["by_documents"] + INDEX["by_sitemaps"]


def test_status_adds_up_and_is_what_the_web_has(read: ReadReef) -> None:
    status = read("status", "--json").json
    adds_up(status)
    assert status["fetched"] == FETCHED
    assert status["redirect"] == TRUTH["redirects"]
    assert status["gone"] == TRUTH["gone"]
    assert status["source"] == INDEX["sitemaps"]
    assert status["excluded_by_reason"]["robots"] == TRUTH["disallowed"]
    shown = read("status").text
    assert "at rest" in shown
    assert f"answered   {status['answered']}  = fetched {status['fetched']} + redirect" in shown


def test_every_number_can_be_listed(read: ReadReef) -> None:
    status = read("status", "--json").json
    listed = read("urls", "--json").json_lines
    assert len(listed) == status["discovered"]
    by_state = Counter(each["state"] for each in listed)
    for state in ("queued", "fetched", "unchanged", "redirect", "gone", "excluded", "failed"):
        assert by_state[state] == status[state], state
    for state, reason in (("fetched", "noindex"), ("gone", "404"), ("excluded", "robots")):
        lines = read("urls", f"--state={state}", f"--reason={reason}").lines
        counts = {**status["fetched_by_fate"], **status["gone_by_status"]}
        counts |= status["excluded_by_reason"]
        assert len(lines) == counts[reason] > 0
        assert all(line.split("\t")[1] == state for line in lines)


@pytest.mark.parametrize(
    ("where", "host"),
    [
        ("www.reef.example", "www.reef.example"),
        ("http://blog.lagoon.example/2025/", "blog.lagoon.example"),
        (".edu.example", "marine.westbay.edu.example"),
    ],
)
def test_urls_of_a_part(read: ReadReef, where: str, host: str) -> None:
    found = read("urls", where, "--json").json_lines
    assert found
    assert all(f"//{host}/" in each["url"] for each in found)


def test_a_reader_that_goes_away_is_no_fault(shoal: Shoal, reef: Path) -> None:
    listing = shoal.start("urls", "--dir", str(reef))
    listing.close_output()
    done = listing.wait()
    assert done.err == ""


@pytest.mark.parametrize(
    ("url", "verdict"),
    [
        (CLOWNFISH, "It was fetched and is stored"),
        ("http://shop.aqua.example/basket/", "It was not taken: robots: Disallow: /basket/"),
        (f"{REEF}/never-heard-of.html", "It has never been seen"),
    ],
)
def test_explain(read: ReadReef, url: str, verdict: str) -> None:
    found = read("explain", url, "--json").json
    assert found["verdict"].startswith(verdict)
    topics = {line["topic"] for line in found["lines"]}
    assert {"discovered", "scope", "robots", "next"} <= topics
    assert found["verdict"] in read("explain", url).text


def test_show_gives_a_summary(read: ReadReef) -> None:
    shown = read("show", CLOWNFISH).text
    assert shown.startswith(f"{CLOWNFISH}\n")
    assert "clownfish" in shown.lower()
    assert "status 200" in shown
    line = read("show", CLOWNFISH, "--json").json
    assert (line["url"], line["status"], line["fate"]) == (CLOWNFISH, 200, "indexed")


def test_show_raw_is_what_was_served_byte_for_byte(read: ReadReef) -> None:
    for path in ("www.reef.example/species/clownfish.html", "museum.tide.example/docs/leaflet.pdf"):
        body = (WEB / path).read_bytes()
        assert read("show", f"http://{path}", "--raw").out == body
        packed = read("show", f"http://{path}", "--raw", "--json").json["body"]
        assert base64.b64decode(packed) == body


def test_show_text_links_anchors_headers_history(read: ReadReef) -> None:
    text = read("show", CLOWNFISH, "--text").text
    assert "<p" not in text
    assert read("show", CLOWNFISH, "--text", "--json").json["text"] == text.removesuffix("\n")
    links = read("show", CLOWNFISH, "--links", "--json").json
    assert [link["to"] for link in links if link["to"] == f"{REEF}/"]
    anchors = read("show", CLOWNFISH, "--anchors").lines
    assert "http://blog.lagoon.example/2025/learning-to-be-slow.html\tthe clownfish" in anchors
    assert {"from": f"{REEF}/", "text": "the ocellaris clownfish"} in read(
        "show", CLOWNFISH, "--anchors", "--json"
    ).json
    headers = read("show", CLOWNFISH, "--headers").lines
    assert "content-type: text/html; charset=utf-8" in headers
    assert read("show", CLOWNFISH, "--headers", "--json").json["status"] == 200
    history = read("show", CLOWNFISH, "--history", "--json").json
    assert [(each["outcome"], each["status"]) for each in history] == [("ok", 200)]
    assert "ok" in read("show", CLOWNFISH, "--history").text


def test_show_at_a_time(read: ReadReef) -> None:
    assert read("show", CLOWNFISH, "--at=2999-01-01", "--json").json["url"] == CLOWNFISH
    assert "as old as that" in read.refuses("show", CLOWNFISH, "--at=2001-02-03")


def test_show_of_what_is_not_stored_points_to_explain(read: ReadReef) -> None:
    says = read.refuses("show", f"{REEF}/never.html")
    assert says == f"{REEF}/never.html is not stored; `shoal explain {REEF}/never.html` says why."
    assert "one at a time" in read.refuses("show", CLOWNFISH, "--text", "--raw")


def test_export_jsonl_and_urls(read: ReadReef, shoal: Shoal) -> None:
    pages = read("export", "jsonl", "--where=www.reef.example").json_lines
    assert CLOWNFISH in {page["url"] for page in pages}
    assert all("text" in page and "ai_use" in page for page in pages)
    urls = read("export", "urls").lines
    assert len(urls) == read("status", "--json").json["discovered"]
    assert all(line.startswith("http://") for line in urls)
    assert read("export", "urls", "--since=2999-01-01").out == b""
    assert read("export", "jsonl", "--since=2999-01-01").out == b""
    assert len(read("export", "jsonl", "--since=30d").lines) == FETCHED
    done = read("export", "jsonl", f"--output={shoal.directory}/pages.jsonl")
    assert done.out == b""
    assert f"{FETCHED} pages written to" in done.err
    written = (shoal.directory / "pages.jsonl").read_text().splitlines()
    assert [json.loads(line)["url"] for line in written]
    assert [each.name for each in shoal.directory.iterdir()] == ["pages.jsonl"]


def test_export_warc_replays_in_an_independent_reader(read: ReadReef) -> None:
    stream = io.BytesIO(read("export", "warc", f"--where={CLOWNFISH}").out)
    found = {
        record.rec_type: record.content_stream().read()
        for record in ArchiveIterator(stream)
        if record.rec_headers.get_header("WARC-Target-URI") == CLOWNFISH
    }
    assert set(found) == {"response", "request"}
    assert found["response"] == (WEB / "www.reef.example/species/clownfish.html").read_bytes()


def test_export_cdxj_says_where_a_response_stands(read: ReadReef) -> None:
    lines = read("export", "cdxj", f"--where={CLOWNFISH}").lines
    assert len(lines) == 1
    key, when, fields = lines[0].split(" ", 2)
    found = json.loads(fields)
    assert key == "example,reef)/species/clownfish.html"
    assert (len(when), found["url"], found["status"]) == (14, CLOWNFISH, "200")
    with (read.directory / "warc" / found["filename"]).open("rb") as file:
        file.seek(int(found["offset"]))
        record = next(iter(ArchiveIterator(file)))
    assert record.rec_headers.get_header("WARC-Target-URI") == CLOWNFISH


def test_an_export_that_cannot_be_written(read: ReadReef) -> None:
    assert "can't be written" in read.refuses("export", "urls", "--output=/nowhere/urls.txt")


def test_hosts(read: ReadReef) -> None:
    hosts = {each["host"]: each for each in read("hosts", "--json").json}
    assert len(hosts) == 7
    museum = hosts["museum.tide.example"]
    assert (museum["state"], museum["robots"], museum["waiting"]) == ("done", "rules", 0)
    assert hosts["www.reef.example"]["fetched"] >= TRUTH["pages"]["www.reef.example"]
    assert "museum.tide.example" in read("hosts").text
    assert read("hosts", "--waiting", "--json").json == []


def test_config(read: ReadReef) -> None:
    settings = tomllib.loads(read("config", "show").text)
    assert settings["crawl"]["scope"] == "any"
    assert settings["politeness"]["delay"] == 0.05
    found = read("config", "path", "--json").json
    assert found == {"path": str(read.directory / "shoal.toml"), "exists": True}
    assert read("config", "path").text.strip() == found["path"]


def test_escape_sequences_in_pages_do_not_reach_the_terminal(shoal: Shoal) -> None:
    page = shoal.directory / "page.html"
    page.write_text("<title>fine &#27;]0;owned&#7; &#x202e;title</title><p>text &#27;[2J here")
    shoal.ok("crawl", page.as_uri(), "--quiet")
    for part in ([], ["--anchors"], ["--history"]):
        shown = shoal.ok("show", page.as_uri(), *part).text
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_the_command_is_the_same_from_an_installed_script() -> None:
    program = "from shoal.cli.main import run; run(['--version'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout[:6]) == (0, b"shoal ")
