"""The pages in a real Chromium: search, facets, copies, keys, no JavaScript, accessibility."""

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.web.browsing import LOOKS, in_each_look, opened
from tests.web.conftest import Witness
from tests.web.little_web import LittleWeb

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def copy_of(live_site: str, url: str) -> str:
    return f"{live_site}copy?url={quote(url, safe='')}&q=clownfish"


def test_search_and_its_keys(browser: "Browser", live_site: str, web: LittleWeb) -> None:
    with opened(browser, live_site) as page:
        page.wait_for_function("document.activeElement.id == 'q'")  # the box gets the focus
        page.keyboard.type("clownfish")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=clownfish")
        assert page.locator(".hit").count() > 1
        assert "clownfish" in page.locator(".hit mark").first.inner_text().lower()
        page.keyboard.press("j")
        page.keyboard.press("j")
        titles = page.locator(".hit a.title")
        second = titles.nth(1).get_attribute("href")
        assert page.evaluate("document.activeElement.getAttribute('href')") == second
        page.keyboard.press("k")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"


def test_facets_refine_and_are_taken_back(
    browser: "Browser", live_site: str, web: LittleWeb
) -> None:
    with opened(browser, f"{live_site}search?q=clownfish") as page:
        before = page.locator(".summary").inner_text().split(" · ")[0]
        page.locator(".facets a", has_text="CSV").click()
        page.wait_for_url("**type=text*csv*")
        assert page.locator(".hit").count() == 1
        assert "table.csv" in page.locator(".hit .where").inner_text()
        page.locator(".facets a.chosen").click()
        page.wait_for_url("**/search?q=clownfish")
        assert page.locator(".summary").inner_text().split(" · ")[0] == before


def test_without_javascript(browser: "Browser", live_site: str, web: LittleWeb) -> None:
    with opened(browser, live_site, java_script_enabled=False) as page:
        page.get_by_role("searchbox").fill("anemone")
        page.get_by_role("button", name="Search").click()
        page.wait_for_url("**/search?q=anemone")
        page.locator(".hit").first.get_by_role("link", name="Copy").click()
        frame = page.frame_locator("iframe.copy")
        assert "anemone" in frame.locator("mark").first.inner_text()
        page.get_by_role("link", name="About this page").click()
        assert "It was fetched" in page.locator(".verdict").inner_text()


def test_a_result_leads_to_its_page(browser: "Browser", live_site: str, web: LittleWeb) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        asked: list[tuple[str, str]] = []
        context.route(f"{web.origin}/**", lambda route: route.fulfill(body="the page itself"))
        page.on(
            "request",
            lambda request: asked.append((request.url, request.headers.get("referer", ""))),
        )
        page.goto(f"{live_site}search?q=intitle:clownfish+northern")
        page.locator(".hit a.title").first.click()
        page.wait_for_url(f"{web.origin}/**")
    url, referer = asked[-1]
    assert url in (web.url("/reef"), web.url("/reef-copy"))
    assert referer == ""


def test_an_injection_runs_and_loads_nothing(
    browser: "Browser", live_site: str, web: LittleWeb, witness: Witness
) -> None:
    with opened(browser, copy_of(live_site, web.url("/injection"))) as page:
        frame = page.frame_locator("iframe.copy")
        frame.locator("mark").first.wait_for()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.hit") is None
        assert page.frames[1].evaluate("[window.hit, document.scripts.length, origin]") == [
            None,
            0,
            "null",
        ]
        assert frame.locator("img, iframe, form, object, video, audio, svg, link").count() == 0
        assert frame.get_by_text("a link that runs").get_attribute("href") is None
    alone = copy_of(live_site, web.url("/injection")).replace("/copy?", "/copy/raw?")
    with opened(browser, alone) as page:
        page.wait_for_load_state("networkidle")
        assert page.evaluate("[window.hit, origin]") == [None, "null"]
    assert witness.paths == []


def test_the_sandbox_holds_what_got_past_the_cleaning(
    browser: "Browser",
    live_site: str,
    web: LittleWeb,
    witness: Witness,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hostile = (
        f"<mark>x</mark><script>parent.hit = 1; fetch('{witness.address}/s')</script>"
        f"<img src='{witness.address}/i' onerror='parent.hit = 2'>"
        f"<style>body {{ background: url({witness.address}/b) }}</style>"
        f"<iframe src='{witness.address}/f'></iframe>"
        f"<form action='{witness.address}/form'><button>b</button></form>"
        f"<meta http-equiv=refresh content='0;url={witness.address}/r'>"
    )
    monkeypatch.setattr("shoal.web.views.copies.safe_html", lambda html, words: hostile)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(copy_of(live_site, web.url("/reef")))
        frame = page.frame_locator("iframe.copy")
        frame.locator("button").click()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.hit") is None
        assert page.url.startswith(live_site)
    assert witness.paths == []


@in_each_look
def test_everyone_can_use_it(browser: "Browser", live_site: str, web: LittleWeb, look: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - as for the browser

    paths = [
        "search?q=clownfish&explain=1",
        f"copy?url={web.url('/changing')}&q=tide",
        f"page?url={web.url('/changing')}",
    ]
    if look == "dark":  # its colours are the most likely to be forgotten
        paths += [
            "",
            "search?q=nothinglikethis",
            f"difference?url={web.url('/reef')}&other={web.url('/reef-copy')}",
            "nothing",
        ]
    with browser.new_context(**LOOKS[look]) as context:
        page = context.new_page()
        for path in paths:
            page.goto(live_site + path)
            found = Axe().run(page, options={"resultTypes": ["violations"]})
            faults = [
                (path, fault["id"], [node["html"] for node in fault["nodes"]][:3])
                for fault in found.response["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert faults == []
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, path


def test_the_first_tab_skips_to_the_content(browser: "Browser", live_site: str) -> None:
    with opened(browser, f"{live_site}search?q=clownfish") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
