"""What visits teach of a page, and when the next one is planned, on a real table."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from math import exp, log
from pathlib import Path

import pytest

from shoal.freshness.price import Limits
from shoal.freshness.priors import groups_of
from shoal.freshness.rate import DEFAULT_PRIOR
from shoal.freshness.refresher import PageRefresher, RefreshSettings, stored_group
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.store.table import RocksTable

URL = "https://a.example/news/1"
NOW = 1_793_613_600.0
DAY = 86_400.0
LIMITS = Limits("age", 300.0, 90 * DAY)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as table:
        yield table


def refresher(
    table: RocksTable, *, minor_counts: bool = True, plans: bool = True, budget: float = 1e-5
) -> PageRefresher:
    settings = RefreshSettings(LIMITS, minor_counts=minor_counts, plans=plans)
    return PageRefresher(table, settings, budget_of=lambda _pages: budget)


def visit(
    url: str = URL, seen: str = "", seen_url: str = "", kind: VisitKind = VisitKind.PAGE
) -> Visit:
    row = row_key(url)
    return Visit(url, row, site_of_key(row), kind, seen_digest=seen, seen_url=seen_url)


def http(when: float) -> str:
    return format_datetime(datetime.fromtimestamp(when, UTC), usegmt=True)


class Page:
    """A page and the visits to it."""

    def __init__(self, refresher: PageRefresher, url: str = URL) -> None:
        self.refresher = refresher
        self.url = url
        self.history: ChangeHistory | None = None
        self.body = ""

    def look(
        self,
        when: float,
        content: str = "",
        *,
        outcome: Outcome = Outcome.OK,
        resemblance: float = 0.0,
        seen_url: str = "",
        kind: VisitKind = VisitKind.PAGE,
        body: str | None = None,
        modified: str = "",
        **headers: str,
    ) -> Change:
        """A visit that finds this content, or none."""
        documents = []
        digest = content if body is None else body
        if content:
            documents = [
                Document(
                    body_digest=digest,
                    content_digest=content,
                    media_type="text/html",
                    modified=modified,
                )
            ]
        understood = Understood(documents)
        fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
        fetched = Fetched(outcome, 200, started=when - 1, ended=when, headers=fields)
        seen = digest if seen_url else self.body
        asked = visit(self.url, seen, seen_url, kind)
        self.history, change = self.refresher.learn(
            asked, fetched, understood, resemblance, self.history
        )
        if content:
            self.body = digest
        return change

    def plan(self, table: RocksTable, now: float) -> float | None:
        assert self.history is not None
        batch = table.batch()
        due = self.refresher.plan(batch, row_key(self.url), self.history, now)
        table.write(batch)
        return due


# --- whether it changed ---------------------------------------------------------------------------


def test_a_first_visit_can_not_tell(table: RocksTable) -> None:
    page = Page(refresher(table))
    assert page.look(NOW, "one") is Change.UNKNOWN
    assert page.history is not None
    assert (page.history.seen_ms, page.history.observed) == (NOW * 1000, 0)
    assert (page.history.content_digest, page.history.media_type) == ("one", "text/html")


def test_content_decides_and_not_bytes(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one", body="a")
    assert page.look(NOW + DAY, "one", body="b") is Change.NONE
    assert page.look(NOW + 2 * DAY, "one", body="b") is Change.NONE
    assert page.look(NOW + 3 * DAY, outcome=Outcome.UNCHANGED) is Change.NONE
    assert page.look(NOW + 4 * DAY, "two", body="c") is Change.MAJOR
    assert page.look(NOW + 5 * DAY, "three", body="d", resemblance=0.96) is Change.MINOR
    assert page.history is not None
    assert (page.history.observed, page.history.changes) == (5, 2)
    assert page.history.quiet_seconds == 3 * DAY
    assert page.history.changed_ms == (NOW + 5 * DAY) * 1000


def test_minor_changes_count_if_they_are_to(table: RocksTable) -> None:
    page = Page(refresher(table, minor_counts=False))
    page.look(NOW, "one")
    assert page.look(NOW + DAY, "two", resemblance=0.99) is Change.MINOR
    assert page.history is not None
    assert (page.history.observed, page.history.changes, page.history.changed_ms) == (1, 0, 0)
    assert page.look(NOW + 2 * DAY, "three", resemblance=0.9) is Change.MAJOR
    assert page.history.changes == 1


def test_a_page_that_says_what_another_says_has_changed(table: RocksTable) -> None:
    """The visit is told of the other page's body then, since that is archived already."""
    page = Page(refresher(table))
    page.look(NOW, "one")
    closed = page.look(NOW + DAY, "closed", seen_url="https://a.example/other")
    assert closed is Change.MAJOR
    again = page.look(NOW + 2 * DAY, "closed", seen_url="https://a.example/other")
    assert again is Change.NONE
    assert page.look(NOW + 3 * DAY, "closed", seen_url=URL) is Change.NONE


def test_an_injected_article_is_not_the_page(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "article", kind=VisitKind.INJECTED)
    assert page.history is not None
    assert page.history.content_digest == ""
    assert page.look(NOW + DAY, "the page itself") is Change.UNKNOWN
    assert page.look(NOW + 2 * DAY, "the page itself") is Change.NONE


@pytest.mark.parametrize("outcome", [Outcome.EMPTY_ANSWER, Outcome.OK])
def test_an_empty_answer_can_not_tell(table: RocksTable, outcome: Outcome) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one")
    assert page.look(NOW + DAY, outcome=outcome) is Change.UNKNOWN
    assert page.history is not None
    assert page.history.seen_ms == (NOW + DAY) * 1000


# --- when it changed ------------------------------------------------------------------------------


def test_the_server_may_tell_when_by_its_own_clock(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one")
    wrong = 5_000.0
    server = NOW + DAY + wrong
    page.look(NOW + DAY, "two", date=http(server), last_modified=http(server - 3_600))
    assert page.history is not None
    assert page.history.dated == 1
    assert page.history.quiet_seconds == pytest.approx(3_600, abs=1)
    assert page.history.undated == {}


def test_or_the_page(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one")
    told = datetime.fromtimestamp(NOW + DAY - 7_200, UTC).isoformat()
    page.look(NOW + DAY, "two", modified=told)
    assert page.history is not None
    assert page.history.dated == 1
    assert page.history.quiet_seconds == pytest.approx(7_200, abs=1)


def test_a_first_visit_that_is_told_is_a_beginning(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one", last_modified=http(NOW - 30 * DAY))
    assert page.history is not None
    assert page.history.dated == 1
    assert page.history.quiet_seconds == pytest.approx(30 * DAY, abs=1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        http(NOW + 3 * DAY),
        http(NOW + DAY),
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "\x00" * 500,
    ],
)
def test_no_date_that_can_not_be_is_believed(table: RocksTable, text: str) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one", last_modified=text)
    assert page.look(NOW + DAY, "two", last_modified=text, modified=text) is Change.MAJOR
    assert page.history is not None
    assert page.history.dated == 0
    assert sum(page.history.undated.values()) == 1


# --- when the next visit is -----------------------------------------------------------------------


def test_without_plans_there_is_no_date_and_nothing_is_written(table: RocksTable) -> None:
    page = Page(refresher(table, plans=False))
    page.look(NOW, "one")
    assert page.plan(table, NOW) is None
    assert list(table.scan("site", b"")) == []


def test_pages_that_change_are_asked_sooner_within_the_limits(table: RocksTable) -> None:
    ours = refresher(table, budget=3 / (5 * DAY))
    still, restless = Page(ours, f"{URL}0"), Page(ours, "https://b.example/x")
    when, dues = NOW, list[float | None]()
    for n in range(12):
        when = NOW + n * DAY
        still.look(when, "same")
        restless.look(when, f"version {n}")
        dues = [page.plan(table, when) for page in (still, restless)]
    assert dues[0] is not None
    assert dues[1] is not None
    assert when + 300 <= dues[1] < dues[0]
    assert still.history is not None
    assert restless.history is not None
    assert exp(still.history.log_rate) < 1 / (3 * DAY) < exp(restless.history.log_rate)


def test_a_plan_in_the_past_is_due_now(table: RocksTable) -> None:
    page = Page(refresher(table))
    page.look(NOW, "one")
    assert page.plan(table, NOW + 9_000 * DAY) == NOW + 9_000 * DAY


def test_a_promise_is_kept_to_until_it_is_broken(table: RocksTable) -> None:
    ours = refresher(table, budget=1.0)
    page = Page(ours)
    page.look(NOW, "one", cache_control="max-age=36000")
    due = page.plan(table, NOW)
    assert due is not None
    assert due >= NOW + 36_000
    for n in range(1, 9):
        page.look(NOW + n * 600, f"{n}", cache_control="max-age=36000")
        due = page.plan(table, NOW + n * 600)
    assert due is not None
    assert due < NOW + 8 * 600 + 36_000
    page.look(NOW + DAY, "9", cache_control="max-age=999999999")
    assert page.history is not None
    page.history.changes = 0
    due = page.plan(table, NOW + DAY)
    assert due is not None
    assert due <= NOW + 2 * DAY + page.history.interval_seconds, "a day of it at most"


def test_what_pages_like_it_do_is_where_a_new_one_begins(table: RocksTable) -> None:
    ours = refresher(table)
    for k in range(40):
        page = Page(ours, f"https://a.example/news/{k}")
        for n in range(6):
            page.look(NOW + n * 3_600, f"{k} {n}")
        page.plan(table, NOW)
    new, elsewhere = Page(ours, "https://a.example/news/new"), Page(ours, "https://b.example/x")
    for page in (new, elsewhere):
        page.look(NOW, "first")
        page.plan(table, NOW)
    assert new.history is not None
    assert elsewhere.history is not None
    assert new.history.log_rate > elsewhere.history.log_rate > DEFAULT_PRIOR.mean
    assert new.history.log_rate > log(1 / DAY)


def test_each_page_counts_once_in_its_groups_and_survives_a_restart(table: RocksTable) -> None:
    ours = refresher(table)
    page = Page(ours)
    for n in range(5):
        page.look(NOW + n * DAY, f"{n}")
        page.plan(table, NOW + n * DAY)
    keys = groups_of(URL, "text/html")
    groups = [stored_group(table, key) for key in keys]
    assert [group.pages if group else 0 for group in groups] == [1] * len(keys)
    again = refresher(table)
    assert again.price.state == ours.price.state
    assert again.price.state.pages == 1
    page.refresher = again
    page.look(NOW + 6 * DAY, "6")
    page.plan(table, NOW + 6 * DAY)
    after = stored_group(table, keys[-1])
    assert after is not None
    assert after.pages == 1
    assert again.price.state.pages == 1


def test_a_page_that_is_given_up_is_planned_no_more(table: RocksTable) -> None:
    ours = refresher(table)
    pages = [Page(ours, f"{URL}{n}") for n in range(3)]
    for page in pages:
        page.look(NOW, "one")
        page.plan(table, NOW)
    planned = ours.price.state.planned
    history = pages[0].history
    assert history is not None
    for _ in range(2):  # said twice it does no harm
        batch = table.batch()
        ours.forget(batch, history)
        table.write(batch)
    assert ours.price.state.pages == 2
    assert ours.price.state.planned < planned
    assert refresher(table).price.state.pages == 2
    assert history.interval_seconds == 0
