"""`shoal feed` as people and programs see it."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.errors import UsageError
from shoal.loop import run
from tests.cli.command import Shoal

Ask = Callable[..., str]
A, B = "https://a.example/feed", "https://b.example/feed"
FEED = """<rss version="2.0"><channel><title>A \x1b[31mtitle</title><ttl>90</ttl>
<skipHours><hour>3</hour></skipHours><skipDays><day>Sunday</day></skipDays>
<item><title>One</title><link>https://a.example/1</link><description>x</description>
<pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate><enclosure url="https://a.example/1.mp3"/></item>
<item><guid isPermaLink="false">two</guid></item></channel></rss>"""


@pytest.fixture
def ask(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """A command, run in this process on an empty collection; what it prints."""
    _register_commands()
    directory = tmp_path / "corpus"

    async def make() -> None:
        await Engine(directory, load(directory, {}, {})).close()

    run(make())

    def asked(*words: str) -> str:
        assert parse_and_run(["feed", *words, "--dir", str(directory)]) == 0
        done = capsysbinary.readouterr()
        return (done.out + done.err).decode()

    return asked


def test_feeds_come_and_go(ask: Ask, tmp_path: Path) -> None:
    assert "No feed is polled" in ask("list")
    assert ask("add", A) == f"{A} is polled; from the next crawl on.\n"
    added = json.loads(ask("add", A, B, "--json"))
    assert added == {"urls": [A, B], "running": False, "left_out": []}
    assert "never" in next(line for line in ask("list").splitlines() if A in line)
    assert [line["url"] for line in json.loads(ask("list", "--json"))] == [A, B]
    path = tmp_path / "feeds.opml"
    assert ask("opml", "-o", str(path)) == ""
    assert path.read_text(encoding="utf-8") == ask("opml")
    assert ask("remove", str(path)).splitlines() == [
        f"{A} is polled no more; from the next crawl on.",
        f"{B} is polled no more; from the next crawl on.",
    ]
    assert json.loads(ask("list", "--json")) == []
    many = "".join(f"<outline xmlUrl='https://a.example/{n}'/>" for n in range(9))
    odd = "".join(f"<outline xmlUrl='odd:{n}'/>" for n in range(7))
    path.write_text(f"<opml>{many}{odd}</opml>", encoding="utf-8")
    said = ask("add", str(path))
    assert "9 feeds are polled; from the next crawl on." in said
    assert "left out, since it is no URL of the web: odd:0" in said
    assert "left out: 2 more" in said
    with pytest.raises(UsageError, match="does not poll"):
        ask("remove", "https://nowhere.example/")


def test_a_list_goes_from_one_command_to_the_other(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("add", A, B)
    listed = ask("opml")
    ask("remove", A, B)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(listed.encode())))
    assert json.loads(ask("add", "-", "--json"))["urls"] == [A, B]


def test_a_feed_is_shown(shoal: Shoal, tmp_path: Path) -> None:
    path = tmp_path / "feed.xml"
    path.write_text(FEED, encoding="utf-8")
    shown = shoal.ok("feed", "show", str(path))
    assert "\x1b" not in shown.text
    assert "every 1 h 30 min" in shown.text
    assert "3:00, Sunday" in shown.text
    assert "2 items, 0 with the whole article" in shown.text
    row = next(line for line in shown.lines if "One" in line)
    assert row.split() == [
        *("2026-11-16T10:00:00Z", "One", "https://a.example/1", "part,", "1", "file")
    ]
    found = shoal.ok("feed", "show", str(path), "--json").json
    assert [item["guid"] for item in found["items"]] == ["", "two"]
    assert found["items"][0]["enclosures"][0]["url"] == "https://a.example/1.mp3"
    path.write_text("no feed", encoding="utf-8")
    done = shoal("feed", "show", str(path))
    assert (done.code, "it is no feed" in done.err) == (1, True)
