"""The URL standard's own test data (web-platform-tests, urltestdata.json) against our parsing.

The floor is what the library reached when it was chosen; a new version may not fall below it.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from shoal.model.urls.rowkey import row_key, site_key, site_of_key, url_of
from shoal.model.urls.url import canonical, resolve, site_of

PASS_FLOOR = 891

_PROJECT = Path(__file__).parents[2]
_DATA = Path(os.environ.get("SHOAL_DATA", _PROJECT.parent / "shared" / "data"))
_FILE = _DATA / "url" / "urltestdata.json"

pytestmark = pytest.mark.skipif(
    not _FILE.exists(), reason=f"no test data at {_FILE}; set SHOAL_DATA to its directory"
)


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    found = json.loads(_FILE.read_text(encoding="utf-8"))
    return [case for case in found if isinstance(case, dict)]  # the strings are headings


@pytest.fixture(scope="module")
def hrefs(cases: list[dict[str, Any]]) -> list[str]:
    resolved = (resolve(case["input"], case.get("base")) for case in cases)
    return sorted({href for href in resolved if href is not None})


def _agrees(case: dict[str, Any]) -> bool:
    href = resolve(case["input"], case.get("base"))
    if case.get("failure"):
        return href is None
    if href is None or href != case["href"]:
        return False
    site = site_of(href)
    label = case["hostname"] if _has_needless_zero_port(href) else case["host"]
    return (site.host, site.host_label) == (case["hostname"], label)


def _has_needless_zero_port(href: str) -> bool:
    """In a Site, port 0 says that there is none, except where the scheme has a port of its own."""
    site = site_of(href)
    return site.port == 0 and f"{site.host}:0" in href and site.host_label == site.host


def test_parsing(cases: list[dict[str, Any]]) -> None:
    failed = [case["input"] for case in cases if not _agrees(case)]
    assert len(cases) - len(failed) >= PASS_FLOOR, failed


def test_row_keys_are_reversible(hrefs: list[str]) -> None:
    assert len(hrefs) > 300
    assert [href for href in hrefs if url_of(row_key(href)) != href] == []
    assert [href for href in hrefs if b"\0" in row_key(href)] == []
    assert len({row_key(href) for href in hrefs}) == len(hrefs)


def test_row_keys_know_their_site(hrefs: list[str]) -> None:
    sited = [href for href in hrefs if not _has_needless_zero_port(href)]
    assert len(sited) > 300
    assert [href for href in sited if site_of_key(row_key(href)) != site_key(site_of(href))] == []


def test_canonical_form_is_stable(cases: list[dict[str, Any]]) -> None:
    urls = {canonical(case["input"], case.get("base")) for case in cases} - {None}
    assert len(urls) > 200
    assert [url for url in urls if url is not None and canonical(url) != url] == []
