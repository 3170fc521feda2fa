"""/freshness: how fresh pages are and how old, beside the time since the last fetch."""

import httpx

from shoal.collection.report.freshness import Moment
from shoal.web.views.trends import trends


def test_the_page_tells_freshness_from_the_time_since_the_last_fetch(client: httpx.Client) -> None:
    page = client.get("/freshness").text
    for words in ("Freshness", "Age, the mean", "Since the last fetch", "Largest sites"):
        assert words in page
    assert "<bdi>http://" in page
    assert "0.0 hours" not in page
    assert "0.0 h<" not in page


def test_programs_get_the_same(client: httpx.Client) -> None:
    found = client.get("/freshness.json").json()
    now = found["freshness"]["now"]
    assert now["pages"] > 0
    assert 0.9 < now["freshness"] <= 1
    assert 0 <= now["age_days"] <= now["days_since_fetch"] < 1
    assert found["freshness"]["sites"][0]["pages"] > 0
    assert found["sample"]["ages"]


def test_trends_are_drawn_within_their_frame() -> None:
    moments = [Moment(3, 1 - n / 10, n * 2.0, n * 3.0, at="2026-11-01T00:00:00Z") for n in range(9)]
    fresh, aged, fetched = trends(moments)
    assert (fresh.now, fresh.top) == ("20%", "100%")
    assert (aged.now, aged.top) == ("16.0 d", "20 d")
    assert fetched.line.startswith("M0 80L")
    assert fetched.line.split("L")[-1] == "300 41.6"
    assert "20%" in fresh.summary


def test_trends_of_a_minute_are_told_in_seconds() -> None:
    second = 1 / 86_400
    moments = [
        Moment(3, 1.0, n * second, n * 10 * second, at="2026-11-01T00:00:00Z") for n in (0, 9)
    ]
    _, aged, fetched = trends(moments)
    assert (aged.now, aged.top) == ("9.0 s", "10 s")
    assert (fetched.now, fetched.top) == ("1.5 min", "2 min")
    assert aged.summary == "Age over time: 0.0 s first, 9.0 s now"


def test_without_time_there_is_no_trend() -> None:
    assert trends([]) == trends([Moment()]) == []
