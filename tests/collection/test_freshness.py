"""Freshness and age of a collection, beside what is true of it."""

import random
import time
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.access.opening import open_collection
from shoal.clock import iso
from shoal.collection.report.freshness import Moment, freshness, page_lines, report, sampled
from shoal.collection.report.freshness_plot import png, svg
from shoal.collection.report.measuring import Copy, Even, copies_of
from shoal.errors import UsageError
from shoal.freshness.rate import observe
from shoal.frontier.state.rows import UrlRow, pack_url, url_key
from shoal.layout.layout import Layout
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome, State
from shoal.model.principal import PUBLIC
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.plot.drawing import nice_top
from shoal.ports import Batch
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable

DAY = 86_400.0
PAGES, VISITS = 300, 10
EVERY_DAYS = 9.0


class Truth:
    """A page that changes at times of its own, and was visited at others."""

    def __init__(self, number: int, now: float, drawn: random.Random) -> None:
        self.url = f"https://{'big' if number % 3 else 'small'}.example/page-{number}"
        rate = exp(drawn.gauss(-log(30.0), 1.5)) / DAY
        self.visits = [now - drawn.uniform(0, 2) * EVERY_DAYS * DAY]
        while len(self.visits) < VISITS:
            self.visits.insert(0, self.visits[0] - drawn.uniform(0.5, 1.5) * EVERY_DAYS * DAY)
        self.changes: list[float] = []
        at = self.visits[0] + drawn.expovariate(rate)
        while at < now and len(self.changes) < 100_000:
            self.changes.append(at)
            at += drawn.expovariate(rate)

    def changed(self, after: float, until: float) -> float | None:
        return next((each for each in self.changes if after < each <= until), None)

    def age(self, at: float) -> float:
        copied = max((each for each in self.visits if each <= at), default=None)
        changed = None if copied is None else self.changed(copied, at)
        return 0.0 if changed is None else at - changed


class World(NamedTuple):
    directory: Path
    pages: list[Truth]
    now: float


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    layout = Layout(tmp_path_factory.mktemp("fresh") / "corpus")
    layout.create("")
    drawn, now = random.Random(7), time.time()
    pages = [Truth(number, now, drawn) for number in range(PAGES)]
    lives = [ChangeHistory() for _ in pages]
    with RocksTable(layout.table) as table:
        store = PageStore(table, layout.warc)
        for number in range(VISITS):
            batch = store.batch()
            for page, life in zip(pages, lives, strict=True):
                visit_once(store, batch, page, life, number)
            store.commit(batch)
    return World(layout.directory, pages, now)


def visit_once(
    store: PageStore, batch: Batch, page: Truth, life: ChangeHistory, number: int
) -> None:
    when, change = page.visits[number], Change.UNKNOWN
    if number:
        before = page.visits[number - 1]
        is_new = page.changed(before, when) is not None
        change = Change.MAJOR if is_new else Change.NONE
        observe(life, when - before, changed=is_new)
    life.seen_ms = round(when * 1000)
    row = row_key(page.url)
    visit = Visit(page.url, row, site_key(site_of(page.url)), is_first=not number)
    understood = Understood([Document(media_type="text/html", readers=["owner"])])
    finished = Finished(Verdict(understood.documents), change=change)
    store.keep(batch, visit, Fetched(Outcome.OK, status=200, ended=when), understood, finished)
    url = UrlRow(State.FETCHED, fetched_ms=life.seen_ms, found_ms=1, history=life)
    batch.put("page", url_key(row), pack_url(url, when))


def test_age_and_freshness_are_near_the_truth(world: World) -> None:
    with open_collection(world.directory) as collection:
        found = collection.freshness()
    assert found.stored == found.now.pages == PAGES
    ages = [page.age(world.now) / DAY for page in world.pages]
    assert found.now.age_days == pytest.approx(sum(ages) / PAGES, rel=0.15)
    assert found.now.freshness == pytest.approx(sum(not age for age in ages) / PAGES, abs=0.06)
    since = sum(world.now - page.visits[-1] for page in world.pages) / PAGES / DAY
    assert found.now.days_since_fetch == pytest.approx(since, rel=0.01)
    assert found.now.age_days < found.now.days_since_fetch
    assert found.by_prior == 0
    assert found.planned_age_days is None


def test_looking_back_is_near_the_truth_too(world: World) -> None:
    with open_collection(world.directory) as collection:
        found = freshness(collection, since=world.now - 40 * DAY)
    known = true = 0.0
    for number, moment in enumerate(found.over_time):
        at = world.now - 40 * DAY * (1 - number / (len(found.over_time) - 1))
        known += moment.age_days
        true += sum(page.age(at) for page in world.pages) / PAGES / DAY
        assert moment.pages == PAGES
    assert known == pytest.approx(true, rel=0.1)
    assert found.over_time[-1].age_days == pytest.approx(found.now.age_days, rel=0.01)
    assert [each.at for each in found.over_time] == sorted(each.at for each in found.over_time)


def test_since_may_be_said_as_an_age(world: World) -> None:
    with open_collection(world.directory) as collection:
        recent, same = (
            collection.freshness(since=since) for since in ("12h", time.time() - DAY / 2)
        )
        assert recent.over_time[0].at[:16] == same.over_time[0].at[:16]
        for wrong in ("yore", "1 year", True, [3], float("nan")):
            with pytest.raises(UsageError, match="since must be a time in unix seconds, or"):
                collection.freshness(since=wrong)  # type: ignore[arg-type]  # the mistake


def test_time_begins_with_the_first_visit_and_pages_come_one_after_the_other(world: World) -> None:
    with open_collection(world.directory) as collection:
        found = freshness(collection, since=0.0)
    assert found.over_time[0].pages < found.over_time[-1].pages == PAGES


def test_sites_and_parts(world: World) -> None:
    with open_collection(world.directory) as collection:
        whole = collection.freshness()
        part = collection.freshness("small.example")
    assert [each.site for each in whole.sites] == ["https://big.example", "https://small.example"]
    assert [each.pages for each in whole.sites] == [200, 100]
    small = whole.sites[1]
    assert part.now.pages == 100
    assert part.now.age_days == pytest.approx(small.age_days, rel=0.01)
    together = sum(each.pages * each.age_days for each in whole.sites) / PAGES
    assert together == pytest.approx(whole.now.age_days)


def test_every_page_has_a_line(world: World) -> None:
    with open_collection(world.directory) as collection:
        lines = {line.url: line for line in page_lines(collection)}
    assert set(lines) == {page.url for page in world.pages}
    for page in world.pages:
        line = lines[page.url]
        assert 0 <= line.freshness <= 1
        assert 0 <= line.age_days <= line.days_since_fetch
        assert line.low < line.changes_per_day < line.high
        assert (line.visits, line.due) == (VISITS - 1, "")
    often = max(lines.values(), key=lambda line: line.changes)
    never = min(lines.values(), key=lambda line: line.changes)
    assert often.changes_per_day > 3 * never.changes_per_day


def test_nobody_hears_of_pages_that_they_may_not_read(world: World) -> None:
    with open_collection(world.directory, PUBLIC) as collection:
        assert list(page_lines(collection)) == []
        with pytest.raises(UsageError, match="Only the owner"):
            collection.freshness()


def test_the_dashboard_has_the_same(world: World) -> None:
    with open_collection(world.directory) as collection:
        some, whole = sampled(collection), collection.freshness()
    assert some.now.age_days == pytest.approx(whole.now.age_days, rel=0.01)


def row_of(days: float, **more: object) -> UrlRow:
    ms = round((time.time() - days * DAY) * 1000)
    life = ChangeHistory(seen_ms=ms, quiet_seconds=9 * DAY, observed=3, interval_seconds=7 * DAY)
    return UrlRow(**{"state": State.FETCHED, "fetched_ms": ms, "history": life, **more})  # type: ignore[arg-type]


def test_what_has_no_copy_has_no_age(world: World) -> None:
    url = "https://none.example/"
    rows = [
        UrlRow(State.QUEUED),
        UrlRow(State.GONE),
        row_of(1.0, state=State.EXCLUDED),
        row_of(1.0, lost=True),
        row_of(1.0, kind=VisitKind.FEED),
    ]
    with open_collection(world.directory) as collection:
        found = report(collection, copies_of((url, row) for row in rows))
    assert found.stored == 0
    assert found.now.pages == 0


def test_a_page_that_is_missing_or_down_is_kept_and_grows_old(world: World) -> None:
    missing_ms = round((time.time() - 2 * DAY) * 1000)
    with open_collection(world.directory) as collection:

        def age(row: UrlRow) -> float:
            return report(collection, copies_of([("https://one.example/", row)])).now.age_days

        there, down = row_of(5.0), row_of(5.0, state=State.FAILED)
        missing = row_of(5.0, state=State.GONE, missing_ms=missing_ms)
        assert age(there) == pytest.approx(age(down), rel=1e-3)
        assert 2.0 < age(missing) < 5.0
        assert (
            report(collection, copies_of([("https://one.example/", missing)])).now.freshness == 0.0
        )


def test_a_page_without_a_life_changes_like_others(world: World) -> None:
    with open_collection(world.directory) as collection:
        found = report(collection, copies_of([("https://one.example/", row_of(5.0, history=None))]))
    assert found.by_prior == found.stored == 1
    assert 0 < found.now.age_days < 5


def test_what_is_planned_has_an_age_of_its_own(world: World) -> None:
    with open_collection(world.directory) as collection:
        found = report(collection, copies_of([("https://one.example/", row_of(0.0))]))
    assert found.now.age_days == pytest.approx(0.0, abs=1e-3)
    assert found.planned_age_days is not None
    assert 0 < found.planned_age_days < 3.5


def test_of_many_an_even_share_is_measured() -> None:
    some = Even(100)
    for number in range(1000):
        some.take(Copy(str(number), ChangeHistory(), 0.0))
    assert some.seen == 1000
    assert 50 <= len(some.kept) <= 100
    gaps = {int(b.url) - int(a.url) for a, b in zip(some.kept, some.kept[1:], strict=False)}
    assert len(gaps) == 1


def test_it_is_drawn() -> None:
    moments = [
        Moment(5, 1 - n / 60, n / 9, n / 5, at=f"2026-11-{n + 1:02}T00:00:00Z") for n in range(20)
    ]
    drawn = ET.fromstring(svg(moments))  # noqa: S314 - our own
    assert len([each for each in drawn.iter() if each.tag.endswith("polyline")]) == 3
    assert png(moments).startswith(b"\x89PNG")
    assert "2026-11-01" in svg(moments)
    assert "<polyline" not in svg([])


@pytest.mark.parametrize(
    ("seconds", "labels"),
    [
        (0, ["18:06:03"]),
        (95, ["18:06:30", "18:07:00", "18:07:30"]),
        (840, ["11-16 18:10", "11-16 18:15", "11-16 18:20"]),
        (5 * 3600, ["11-16 20:00", "11-16 22:00"]),
        (9 * DAY, ["2026-11-17", "2026-11-22"]),
    ],
)
def test_marks_of_time_are_round_and_each_once(seconds: float, labels: list[str]) -> None:
    start = datetime(2026, 11, 16, 18, 6, 3, tzinfo=UTC).timestamp()
    moments = [Moment(5, at=iso(start + seconds * n / 47)) for n in range(48)]
    drawn = list(ET.fromstring(svg(moments)).iter())  # noqa: S314 - our own
    marks = [each for each in drawn if each.tag.endswith("text") and each.get("y") == "502.0"]
    assert [each.text for each in marks] == labels
    places = [float(each.get("x", "0")) for each in drawn if each.get("height") == "6.0"]
    assert len(places) == len(labels)
    gaps = [b - a for a, b in pairwise(places)]
    assert gaps == pytest.approx(gaps[:1] * len(gaps), abs=0.2)


@pytest.mark.parametrize(
    ("days", "unit", "top"),
    [(0.0, "seconds", "1"), (0.001, "minutes", "2"), (0.3, "hours", "10"), (3.0, "days", "5")],
)
def test_ages_are_drawn_in_a_unit_of_their_size(days: float, unit: str, top: str) -> None:
    moments = [Moment(5, 1.0, days, days, at=f"2026-11-{n:02}T00:00:00Z") for n in (1, 2)]
    drawn = list(ET.fromstring(svg(moments)).iter())  # noqa: S314 - our own
    heights = {each.text: float(each.get("y", "0")) for each in drawn if each.tag.endswith("text")}
    assert heights[top] - heights[unit] > 24, "below it, and not upon it"


def test_axes_end_at_round_numbers() -> None:
    assert [nice_top(each) for each in (0.7, 1.0, 1.3, 30.0)] == pytest.approx([1, 1, 2, 50])
    assert nice_top(0.0) > 0
