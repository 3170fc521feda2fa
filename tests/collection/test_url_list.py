"""The list of known URLs: what it is filtered and sorted by, page after page, and what it reads."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.report import url_list
from shoal.collection.report.url_list import UrlLine, Wanted, url_page
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.errors import UsageError
from shoal.frontier.state.rows import UrlRow, pack_url, url_key
from shoal.model.outcome import State
from shoal.model.urls.rowkey import row_key

STATES = (State.FETCHED, State.EXCLUDED, State.UNCHANGED, State.FAILED, State.QUEUED)
URLS = 60


async def fill(directory: Path) -> None:
    """Hosts and states and times in no common order; some were fetched at one moment."""
    engine = Engine(directory, load(directory, {}, {}))
    batch = engine.table.batch()
    for n in range(URLS):
        url = f"http://h{n % 7}.test/F%C3%BCnf/{n}"
        state = STATES[n % 5]
        has_time = state in (State.FETCHED, State.UNCHANGED)
        row = UrlRow(state, fetched_ms=1_000 + (n * 37) % 23 if has_time else 0)
        batch.put("page", url_key(row_key(url)), pack_url(row, 1.0))
    engine.table.write(batch)
    await engine.close()


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    place = tmp_path_factory.mktemp("urls") / "corpus"
    asyncio.run(fill(place))
    with open_collection(place) as collection:
        yield collection


def every(held: Collection, most: int = 50, **wanted: Any) -> list[UrlLine]:
    """Over its pages."""
    found, cursor = [], ""
    for _ in range(1000):
        page = url_page(held, Wanted(**wanted), cursor, most)
        assert len(page.urls) <= most
        found += page.urls
        cursor = page.next
        if not cursor:
            return found
    raise AssertionError("it does not end")


def addresses(lines: list[UrlLine]) -> list[str]:
    return [each.url for each in lines]


@pytest.mark.parametrize("sort", url_list.SORTS)
@pytest.mark.parametrize("most", [1, 7, 60, 100])
def test_each_order_is_whole_whatever_the_page(held: Collection, sort: str, most: int) -> None:
    whole = addresses(every(held, sort="address"))
    assert len(whole) == len(set(whole)) == URLS
    found = addresses(every(held, most, sort=sort))
    assert sorted(found) == sorted(whole)
    assert found == addresses(every(held, sort=sort))


def test_by_state_then_by_address(held: Collection) -> None:
    lines, rows = every(held, 9, sort="state"), list(State)
    keys = [(rows.index(State(each.state)), row_key(each.url)) for each in lines]
    assert keys == sorted(keys)


def test_by_time_the_newest_first_and_what_was_never_fetched_last(held: Collection) -> None:
    lines = every(held, 4, sort="time")
    times = [each.fetched for each in lines]
    assert times == sorted(times, reverse=True)
    assert times[0]
    assert not times[-1]


@pytest.mark.parametrize("sort", url_list.SORTS)
def test_filters_hold_in_each_order(held: Collection, sort: str) -> None:
    stored = every(held, 5, state="stored", sort=sort)
    assert {each.state for each in stored} == {"fetched", "unchanged"}
    assert len(stored) == URLS * 2 // 5
    of_one = every(held, 2, where="h3.test", sort=sort)
    assert {each.url.split("/")[2] for each in of_one} == {"h3.test"}
    assert len(every(held, 2, text="FÜNF/1", sort=sort)) == 11
    assert len(every(held, 2, text="f%c3%bcnf/59", sort=sort)) == 1
    assert every(held, text="nowhere", sort=sort) == []


@pytest.mark.parametrize("sort", ["address", "state"])
@pytest.mark.parametrize("limit", ["_MOST_LOOKED_AT", "_MOST_READ_BYTES"])
def test_rows_and_bytes_of_one_request_are_bounded(
    held: Collection, sort: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = every(held, sort=sort, state="failed")
    monkeypatch.setattr(url_list, limit, 9 if limit == "_MOST_LOOKED_AT" else 900)
    page = url_page(held, Wanted(state="failed", sort=sort), "", 2)
    assert page.looked_at < 20
    assert every(held, 2, sort=sort, state="failed") == whole


@pytest.mark.parametrize(
    ("limit", "to"), [("_MOST_LOOKED_AT", 9), ("_MOST_READ_BYTES", 900), ("_MOST_KEPT_BYTES", 150)]
)
@pytest.mark.parametrize("most", [1, 7, 100])
def test_a_long_list_by_time_is_gone_through_in_parts(
    held: Collection, limit: str, to: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = every(held, sort="time", state="stored")
    monkeypatch.setattr(url_list, "_MOST_LOOKED_AT", 20)
    monkeypatch.setattr(url_list, limit, to)
    page = url_page(held, Wanted(state="stored", sort="time"), "", most)
    assert page.urls == []
    assert page.looked_at <= 20
    assert every(held, most, sort="time", state="stored") == whole


@pytest.mark.parametrize("cursor", ["zz", "0", "ff", "kwE", "é"])
def test_a_cursor_of_no_list(held: Collection, cursor: str) -> None:
    with pytest.raises(UsageError, match="the cursor is not one that a list gave"):
        url_page(held, Wanted(sort="time"), cursor)
