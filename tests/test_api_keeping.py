"""What keeps a collection, and its feeds, from Python as at a terminal."""

from pathlib import Path

import pytest

import shoal
from tests.crawl.run import crawl
from tests.world import RobotsMix, Web, serve

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Tides</title>
<link>http://127.0.0.1/</link><description>d</description>
<item><title>High</title><link>http://127.0.0.1/high</link></item></channel></rss>"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=1, pages=3, robots=robots)) as world:
        crawl(tmp_path / "corpus", world.web.seeds(), {"politeness.delay": 0.01})
    return tmp_path / "corpus"


def test_verify_repair_and_compact(corpus: Path) -> None:
    said: list[str] = []
    well = shoal.verify(corpus, tell=said.append)
    assert (well.ok, well.findings) == (True, [])
    assert well.checked
    assert said
    assert shoal.repair(corpus).nothing
    for archive in corpus.glob("warc/*.warc.gz"):
        with archive.open("ab") as file:
            file.write(b"\x1f\x8b\x08 torn")
    ill = shoal.verify(corpus)
    assert not ill.ok
    assert all(finding.says for finding in ill.findings)
    assert shoal.repair(corpus).torn_tails
    assert shoal.verify(corpus).ok
    assert shoal.repair(corpus, from_archive=True).salvaged
    assert shoal.verify(corpus).ok
    assert shoal.compact(corpus, everything=True).bytes_before > 0
    with pytest.raises(shoal.ShoalError, match="No crawl is running"):
        shoal.stop(corpus)


def test_feeds(tmp_path: Path) -> None:
    place, file = tmp_path / "new", tmp_path / "tides.xml"
    url = "http://127.0.0.1:9/tides.xml"
    assert shoal.add_feeds(url, dir=place).urls == [url]
    assert [each.url for each in shoal.feeds(place)] == [url]
    assert url in shoal.feeds_opml(place)
    opml = tmp_path / "list.opml"
    opml.write_text(shoal.feeds_opml(place))
    assert shoal.add_feeds(str(opml), dir=tmp_path / "other").urls == [url]
    assert shoal.remove_feeds(url, dir=place).urls == [url]
    assert shoal.feeds(place) == []
    with pytest.raises(shoal.UsageError, match="does not poll"):
        shoal.remove_feeds(url, dir=place)
    file.write_text(RSS)
    for named in (file, str(file)):
        found = shoal.show_feed(named)
        assert (found.title, [each.title for each in found.items]) == ("Tides", ["High"])
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=1, pages=1, robots=robots)) as world:
        asked = world.put(0, "/feed.xml", RSS, headers={"Content-Type": "application/rss+xml"})
        told = shoal.show_feed(asked, dir=place, settings={"politeness.delay": 0.01})
    assert told.title == "Tides"
