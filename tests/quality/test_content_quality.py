"""How much of real pages' content is found, and how little else? Floors on SHOAL_DATA/wcxb-dev.

The shipped model was trained on these pages, so its floor holds the way from source to text and not
what it does on pages it has not seen: for those, benchmarks/extract.py --folds (docs/noise.md).
"""

import hashlib
from pathlib import Path

import pytest

from benchmarks.extract_scores import Page, pages, word_f1
from shoal.files.content import content

PAGES_SHA256 = "5416cece4d65e6eaf54b1f5f830163c69bd5fc7d0486dfc2809398033be7b3e7"
"""Of pages.jsonl.gz: on other pages the floors mean nothing."""
FLOORS = {
    10: {"model": 0.91, "dom": 0.845, "window": 0.765, "slope": 0.75},
    40: {"model": 0.905, "dom": 0.85, "window": 0.785, "slope": 0.765},
}
"""Mean F1 over every tenth page, and over every fortieth."""


@pytest.fixture(scope="module", params=[pytest.param(10, marks=pytest.mark.slow), 40])
def every(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture(scope="module")
def sample(shoal_data: Path, every: int) -> list[Page]:
    packed = shoal_data / "wcxb-dev" / "pages.jsonl.gz"
    if not packed.is_file():
        pytest.skip("no wcxb-dev under SHOAL_DATA")
    assert hashlib.sha256(packed.read_bytes()).hexdigest() == PAGES_SHA256
    return list(pages("wcxb-dev", shoal_data, every))


@pytest.mark.parametrize("method", FLOORS[10])
def test_content_is_found(sample: list[Page], every: int, method: str) -> None:
    scores = [word_f1(content(page.html, page.url, method).text, page.gold) for page in sample]
    assert sum(scores) / len(scores) >= FLOORS[every][method]
