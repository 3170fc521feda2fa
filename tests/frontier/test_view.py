"""What another process reads of a frontier, while it works or after."""

from pathlib import Path

from shoal.frontier.state.rows import Robots
from shoal.frontier.state.view import FrontierView
from shoal.model.cell import older_key
from shoal.model.urls.rowkey import row_key
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play, rules

A, B = "http://a.test", "ftp://b.test"


def test_a_reader_sees_what_a_running_frontier_has_committed(
    tmp_path: Path, clock: FakeClock
) -> None:
    with RocksTable(tmp_path / "t") as table:
        play = Play(table, clock)
        play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /no"))
        play.add(f"{A}/1", f"{A}/no", f"{B}/1", f"{B}/2")
        play.crawl(most=3)
        with RocksTable(tmp_path / "t", reader=True) as reader:
            reader.catch_up()
            view = FrontierView(reader)
            assert view.counts().as_dict() == play.frontier.counts.as_dict()
            assert view.counts().discovered == 4
            row = view.url(row_key(f"{A}/1"))
            assert row is not None
            assert row == play.row(f"{A}/1")
            assert view.url(row_key(f"{A}/unknown")) is None
            sites = {site.site: site for site in view.sites()}
            assert set(sites) == {play.site(A), play.site(B)}
            assert sites[play.site(A)].row.robots is Robots.RULES
            assert sites[play.site(B)].clock.last_ms > 0
            robots = view.robots(play.site(A))
            assert robots is not None
            assert not robots.rules.verdict("/no").allowed
            assert view.site(play.site("http://unknown.test")) is None

            play.add("ftp://c.test/")
            reader.catch_up()
            assert view.counts().discovered == 5


def test_only_rows_of_urls_are_listed_as_such(table: RocksTable, play: Play) -> None:
    """Older versions of a visit have keys that end in a time, and a time may end in anything."""
    play.add(f"{B}/1", f"{B}/2")
    when_ms = (1 << 64) - 1 - int.from_bytes(b"\xff\xff\xfe\x6a\x00url", "big")
    batch = table.batch()
    batch.put("page", older_key(row_key(f"{B}/1"), b"visit", when_ms), b"not a row")
    table.write(batch)
    found = [row for row, _ in FrontierView(table).urls(b"", None)]
    assert found == [row_key(f"{B}/1"), row_key(f"{B}/2")]
