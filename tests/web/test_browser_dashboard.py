"""The dashboard in a real Chromium, while a real crawl runs: live numbers, orders, no script."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shoal.web.server.serve import make_app
from tests.cli.command import Shoal
from tests.web.browsing import LOOKS, opened
from tests.web.little_web import Serving
from tests.world import Latency, RobotsMix, Running, Status, Web, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WEB = Web(seed=9, hosts=4, pages=2000, skew=0, starts=4, robots=RobotsMix(disallow=0, error=0))
FLAGS = ("--scope=any", "--delay=0.2", "--set=politeness.delay_factor=0", "--children=1", "-q")
PATIENCE_SECONDS = 90.0


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.02)}) as running:
        running.set(f"{running.web.host_name(3)}/*", Status(403, probability=0.2))
        yield running


@pytest.fixture(scope="module")
def crawling(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a collection at which a crawl of some minutes is at work."""
    directory = tmp_path_factory.mktemp("crawling")
    shoal = Shoal(directory)
    started = shoal.start("crawl", *world.web.seeds(), *FLAGS)
    world.wait(12)
    serving = Serving(make_app(directory / "corpus"))
    yield serving.address
    serving.close()
    shoal.ok("stop")
    assert started.wait().code == 0
    shoal.ok("verify", "-q")
    shoal.close()


def until(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline_s, "it did not come"
        time.sleep(0.02)


def host_name(world: Running, host: int) -> str:
    return f"{world.web.host_name(host)}:{world.port}"


def asked(world: Running, host: str) -> int:
    return sum(each.host == host for each in world.log())


def shown(page: "Page", name: str) -> int:
    return int(page.locator(f'.funnel [data-count="{name}"]').inner_text().replace(",", ""))


def test_numbers_and_plots_change_while_a_crawl_runs(browser: "Browser", crawling: str) -> None:
    with opened(browser, f"{crawling}dashboard") as page:
        page.evaluate("window.same = true")
        number = page.locator('.funnel [data-count="answered/fetched"]')
        line = page.locator('[data-plot="pages"] [data-plot-line]')
        seen, drawn = number.inner_text(), line.get_attribute("d")
        page.wait_for_function(
            "was => document.querySelector('.funnel [data-count=\"answered/fetched\"]')"
            ".textContent !== was",
            arg=seen,
        )
        page.wait_for_function(
            "was => document.querySelector('[data-plot=pages] [data-plot-line]')"
            ".getAttribute('d') !== was",
            arg=drawn,
        )
        assert page.evaluate("window.same"), "without loading the page again"
        assert "pages/s" in page.locator("[data-says]").inner_text()
        assert not page.locator("[data-when-still]").is_visible()
        counts = page.evaluate(
            "Object.fromEntries(Array.from(document.querySelectorAll('.funnel [data-count]'),"
            " each => [each.dataset.count, Number(each.textContent.replaceAll(',', ''))]))"
        )
        parts = ("queued", "in flight", "answered", "excluded", "failed")
        assert counts["discovered"] == sum(counts[name] for name in parts)


def test_a_site_is_paused_from_the_page_and_asked_no_more(
    browser: "Browser", crawling: str, world: Running
) -> None:
    host, other = host_name(world, 0), host_name(world, 1)
    with opened(browser, f"{crawling}sites?sort=host") as page:
        page.get_by_role("button", name=f"Pause {host}").click()
        page.get_by_role("status").wait_for()
        assert f"{host} is paused; the running crawl is told." in page.inner_text(".said")

        def is_paused() -> bool:
            page.reload()
            return page.get_by_role("button", name=f"Resume {host}").count() == 1

        until(is_paused)
        before, others = asked(world, host), asked(world, other)
        world.wait(others + 8, host=1)
        assert asked(world, host) == before, "nothing more came"
        page.get_by_role("button", name=f"Resume {host}").click()
        world.wait(before + 3, host=0)


@pytest.mark.slow
def test_a_site_is_slowed_and_excluded_from_the_page(
    browser: "Browser", crawling: str, world: Running
) -> None:
    host = host_name(world, 2)
    with opened(browser, f"{crawling}sites?sort=host") as page:
        page.get_by_label(f"Seconds between two requests to {host}").fill("1.5")
        page.get_by_role("button", name=f"Slow {host}").click()
        assert "once in 1.5 s at most" in page.inner_text(".said")
        sure = page.get_by_role("button", name=f"Exclude {host}", exact=True)
        assert not sure.is_visible(), "it is asked first"
        page.get_by_label(f"Exclude {host} …").click()
        with page.expect_navigation():
            sure.click()

        def is_excluded() -> bool:
            page.reload()
            return page.get_by_role("button", name=f"Include {host}").count() == 1

        until(is_excluded)
        before, others = asked(world, host), asked(world, host_name(world, 1))
        page.goto(f"{crawling}urls?state=excluded&where={host}")
        assert "by hand: its host is excluded" in page.locator("tbody tr").first.inner_text()
        world.wait(others + 8, host=1)
        assert asked(world, host) == before


def test_without_javascript_the_page_has_the_same_numbers(
    browser: "Browser", crawling: str
) -> None:
    with opened(browser, f"{crawling}dashboard", java_script_enabled=False) as page:
        assert "pages/s" in page.locator("[data-says]").inner_text()
        assert page.locator('[data-plot="queued"] [data-plot-line]').get_attribute("d")
        before = shown(page, "discovered")
        page.get_by_role("link", name="Reload", exact=True).click()
        assert shown(page, "discovered") >= before > 0

        def has_failed() -> bool:
            page.goto(f"{crawling}dashboard")
            return shown(page, "failed") > 0

        until(has_failed)  # one page in five does, of one host
        page.get_by_role("link", name="failed: list of URLs").click()
        assert "failed" in page.locator("h1").inner_text()
        assert page.locator("tbody tr").count() > 0
        page.goto(f"{crawling}failures")
        page.get_by_role("button", name="Retry forbidden").click()
        assert "is fetched again; the running crawl is told" in page.inner_text(".said")


def test_axe_finds_nothing_serious(browser: "Browser", crawling: str) -> None:
    check_by_axe(browser, crawling, "light", ("dashboard",))


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_nor_on_any_page_in_any_look(browser: "Browser", crawling: str, look: str) -> None:
    others = (
        "dashboard",
        "sites",
        "urls",
        "failures",
        "duplicates",
        "freshness",
        "store",
        "log",
        "graph",
        "feeds",
    )
    check_by_axe(browser, crawling, look, others)


def check_by_axe(browser: "Browser", crawling: str, look: str, paths: tuple[str, ...]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with opened(browser, f"{crawling}{paths[0]}", **LOOKS[look]) as page:
        for path in paths:
            page.goto(f"{crawling}{path}", wait_until="domcontentloaded")
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


@pytest.mark.slow
def test_the_crawl_is_stopped_from_the_page(
    browser: "Browser", world: Running, tmp_path: Path
) -> None:
    shoal = Shoal(tmp_path)
    started = shoal.start("crawl", world.web.seeds()[1], *FLAGS)
    until((tmp_path / "corpus" / "status.json").exists)
    serving = Serving(make_app(tmp_path / "corpus"))
    with opened(browser, f"{serving.address}dashboard") as page:
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role(
            "button", name="Go on", exact=True
        ).wait_for()  # the page noticed that it has ended
        assert "asked to stop" in page.locator("[data-says]").inner_text()
    assert started.wait().code == 0
    serving.close()
    shoal.close()
