"""Lists of URLs over HTTP: a cursor fits into an address, however long the URLs of a list are."""

import asyncio
from pathlib import Path

import httpx
import pytest

from shoal.collection.report import url_list
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.frontier.state.rows import UrlRow, pack_url, url_key
from shoal.model.outcome import State
from shoal.model.urls.rowkey import row_key
from shoal.web.server.serve import make_app
from tests.web.little_web import Serving, client_of

URLS = [f"http://h.test/{n}/{'x' * (4050 if n % 2 else 5)}" for n in range(8)]


async def fill(directory: Path) -> None:
    engine = Engine(directory, load(directory, {}, {}))
    batch = engine.table.batch()
    for n, url in enumerate(URLS):
        row = UrlRow(State.FETCHED, fetched_ms=1000 + n % 3)
        batch.put("page", url_key(row_key(url)), pack_url(row, 1.0))
    engine.table.write(batch)
    await engine.close()


def listed(client: httpx.Client, path: str) -> list[str]:
    found = []
    for _ in range(100):
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        found += [each["url"] for each in told["urls"]]
        if not told["next"]:
            return found
        path = told["next"].replace("/urls", "/urls.json", 1)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("sort", url_list.SORTS)
def test_long_urls_do_not_end_a_list(
    tmp_path: Path, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(fill(tmp_path / "corpus"))
    monkeypatch.setattr(url_list, "_MOST_LOOKED_AT", 3)
    serving = Serving(make_app(tmp_path / "corpus"))
    with client_of(serving.address) as asking:
        found = listed(asking, f"/urls.json?sort={sort}&limit=2")
    serving.close()
    assert sorted(found) == URLS
