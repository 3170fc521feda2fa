"""Sources, mails and files of one's own in a real Chromium, without a script."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from shoal.web.server.serve import make_app
from tests.web.browsing import PHONE
from tests.web.little_web import Serving, client_of
from tests.web.own_documents import Own, own_documents

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def own() -> Iterator[Own]:
    with own_documents() as found:
        yield found


@pytest.fixture(scope="module")
def site(own: Own) -> Iterator[str]:
    serving = Serving(make_app(own.place, TOKEN))
    with client_of(serving.address) as client:  # the readers of copies are the server's
        given = {"url": own.url("open.txt")}
        client.get("/copy/raw", params=given, headers={"authorization": f"Bearer {TOKEN}"})
    yield serving.address
    serving.close()


def test_everyone_can_use_them(own: Own, site: str, browser: "Browser", tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - as for the browser

    looks = {**PHONE, "color_scheme": "dark"}
    with browser.new_context(**looks) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{site}search?q=subject:reefs&token={TOKEN}")
        page.locator(".hit a.title").first.click()
        page.wait_for_url("**/mail?url=*")
        address = page.url.removeprefix(site)
        left_out = f"sources/skipped?path={quote(str(own.folder))}&reason=hidden"
        for path in (address, "sources", left_out):
            page.goto(site + path)
            found = Axe().run(page, options={"resultTypes": ["violations"]})
            faults = [
                (path, fault["id"], [node["html"] for node in fault["nodes"]][:3])
                for fault in found.response["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert faults == []
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, path
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site}sources?token={TOKEN}")
        page.get_by_label("A folder or a file").fill(str(tmp_path))
        page.locator("form[action='/sources/add'] button").click()
        assert "is read by the next" in page.locator(".said").inner_text()
        card = page.locator("article", has_text=str(tmp_path))
        card.locator("summary", has_text="Remove").click()
        card.locator("form[action='/sources/remove'] button").click()
        assert page.locator("article", has_text=str(tmp_path)).count() == 0
