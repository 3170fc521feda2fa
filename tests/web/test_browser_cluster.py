"""The page of a cluster in a real Chromium: its tables as they change, orders, accessibility."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from shoal.cluster.objects import open_objects
from shoal.control.cluster_commands import ClusterCommands, Drain
from shoal.repartition.split_and_merge import split
from shoal.web.server.serve import make_app
from tests.collection.many import crawled
from tests.web.browsing import LOOKS, opened
from tests.web.clustered import TABLETS, said_to_run
from tests.web.little_web import Serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("clustered")
    crawled(directory / "one")
    split(directory / "one", str(directory / "cluster"), TABLETS)
    return directory / "cluster"


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[str]:
    serving = Serving(make_app(place))
    yield serving.address
    serving.close()


def wait_until_told(address: str, state: str) -> None:
    """What the server last saw may be older than what was said just now."""
    deadline = time.monotonic() + 90
    while httpx.get(f"{address}dashboard.json").json()["figures"]["state"] != state:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_tables_change_by_themselves(place: Path, address: str, browser: "Browser") -> None:
    status = said_to_run(place)
    wait_until_told(address, "running")
    with opened(browser, f"{address}cluster") as page:
        page.evaluate("window.same = true")
        row = page.locator("#renewed-tablets tbody tr").first
        assert "running" in row.inner_text()
        report = status.reports[0]
        report.counts, report.outbox = {"fetched/waiting": 4321}, 17
        said_to_run(place, reports=status.reports)
        page.locator("#renewed-tablets tbody tr", has_text="4,321").wait_for()
        assert "23" in page.locator("#renewed-whole").inner_text(), "on the way in all"
        assert page.evaluate("window.same"), "without loading the page again"
        assert not page.locator("[data-when-still]").is_visible()


def test_a_machine_is_drained_without_javascript(
    place: Path, address: str, browser: "Browser"
) -> None:
    said_to_run(place)
    with opened(browser, f"{address}cluster", java_script_enabled=False) as page:
        page.get_by_role("button", name="Drain a1b2").click()
        assert "Tablets leave a1b2" in page.get_by_role("status").inner_text()
    orders = ClusterCommands(open_objects(str(place)))
    assert [order for _, order in orders.take()] == [Drain("a1b2")]


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(
    place: Path, address: str, browser: "Browser", look: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    said_to_run(place)
    with opened(browser, f"{address}cluster", **LOOKS[look]) as page:
        for path in ("cluster", "dashboard", "sites"):
            page.goto(f"{address}{path}", wait_until="domcontentloaded")
            page.locator("main").wait_for()
            found = axe.Axe().run(page).response["violations"]
            serious = [
                (each["id"], [node["html"] for node in each["nodes"]][:3])
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert serious == [], path
            width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert width <= 0, f"{path} is wider than the screen"
