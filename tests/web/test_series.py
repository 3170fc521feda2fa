"""What is sampled, drawn and counted: rates over seconds, paths within their frame, buckets."""

import re
from pathlib import Path

import pytest

from shoal.collection.report.standing import Standing
from shoal.layout.snapshot import Snapshot, status_of
from shoal.plot.drawing import nice_top
from shoal.web.server.exposition import Exposition
from shoal.web.server.plots import HEIGHT, WIDTH, plots
from shoal.web.server.series import MOST_LISTENERS, Look, Point, Series
from shoal.web.server.watching import BUCKET_SECONDS, Durations
from tests.collection.test_standing import live


class Crawl:
    """A made-up crawl that a test turns on."""

    def __init__(self) -> None:
        self.now, self.received, self.failed, self.queued, self.pid = 1000.0, 0, 0, 50, 1
        self.written = self.now

    def look(self) -> Look:
        told = live(written=self.written, failed=self.failed, pid=self.pid, in_flight=0, reading=0)
        snapshot = Snapshot({"queued": self.queued, "total/bytes": self.received}, told)

        return Look(self.now, status_of(Path(), snapshot), Standing("running", "Running."))

    def go_on(self, received: int, failed: int = 0) -> None:
        self.now += 1
        self.written = self.now
        self.received += received
        self.failed += failed


def test_rates_are_differences_over_a_few_seconds() -> None:
    crawl = Crawl()
    series = Series(crawl.look, lambda: False)
    series.sample()
    for _ in range(10):
        crawl.go_on(received=3000, failed=2)
        series.sample()
    last = series.points()[-1]
    assert (last.bytes_per_second, last.errors_per_second, last.queued) == (3000, 2, 50)
    crawl.now += 1  # the crawl wrote nothing new: no standstill
    series.sample()
    assert series.points()[-1].bytes_per_second == 3000
    for _ in range(7):
        crawl.go_on(received=0)
        series.sample()
    assert series.points()[-1].bytes_per_second == 0
    crawl.pid, crawl.failed = 2, 0  # another crawl counts from 0
    crawl.go_on(received=10)
    series.sample()
    assert series.points()[-1].errors_per_second == 0
    assert [point.when for point in series.points(crawl.now - 3)] == [
        crawl.now - 2,
        crawl.now - 1,
        crawl.now,
    ]


def test_listeners_are_counted() -> None:
    series = Series(Crawl().look, lambda: False)
    held = [series.listening() for _ in range(MOST_LISTENERS)]
    assert all(each.__enter__() for each in held)
    assert not series.has_capacity()
    with series.listening() as has_room:
        assert not has_room
    held.pop().__exit__(None, None, None)
    assert series.has_capacity()


@pytest.mark.parametrize(
    ("highest", "top"), [(0, 1), (1, 1), (1.1, 2), (4, 5), (5.01, 10), (11, 20), (999, 1000)]
)
def test_the_upper_edge_is_a_round_number(highest: float, top: float) -> None:
    assert nice_top(highest, 1.0) == top


def test_a_plot_stays_within_its_frame() -> None:
    points = [Point(1000.0 + n, n % 7, n, 1e9, 0.0) for n in range(400)]
    drawn = plots(points, points[-1].when)
    assert [each.name for each in drawn] == ["pages", "queued", "bytes", "errors"]
    for each in drawn:
        places = re.findall(r"([\d.]+) ([\d.]+)", each.line)
        assert len(places) == 301
        assert all(0 <= float(x) <= WIDTH and 0 <= float(y) <= HEIGHT for x, y in places)
    assert drawn[2].now == "1.0 GB/s"
    assert [each.line for each in plots([], 0.0)] == [""] * 4


def test_durations_fall_into_their_buckets() -> None:
    durations = Durations()
    for seconds in (0.001, 0.005, 0.006, 7.0):
        durations.note(seconds)
    counts, total = durations.read()
    assert counts[:2] == [2, 3]
    assert counts[-2:] == [3, 4]
    assert len(counts) == len(BUCKET_SECONDS) + 1
    assert total == pytest.approx(7.012)


def test_what_is_told_to_prometheus_is_escaped() -> None:
    out = Exposition()
    out.values("x", "gauge", "a\nb\\c", [({"k": 'q"\\\n'}, 1.5), ({"k": "v", "l": "w"}, 2)])
    out.values("none", "gauge", "nothing", [])
    out.histogram("h", "h", [0.5], [1, 3], 2.0)
    assert out.text() == (
        "# HELP x a\\nb\\\\c\n# TYPE x gauge\n"
        'x{k="q\\"\\\\\\n"} 1.5\nx{k="v",l="w"} 2\n'
        '# HELP h h\n# TYPE h histogram\nh_bucket{le="0.5"} 1\nh_bucket{le="+Inf"} 3\n'
        "h_sum 2.0\nh_count 3\n"
    )
