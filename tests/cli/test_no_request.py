"""`convert` and `clean` of a URL ask no server, whatever its address: the rule of addresses has
nothing to judge here, by which `feed show`, `sitemap` and `map` judge each host."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.fetch.render import program
from tests.cli.conftest import ReadReef
from tests.cli.test_converting import Here, files, here
from tests.web.conftest import Witness

__all__ = ["files", "here"]

METHODS = ("model", "dom", "slope", "window", "visual")
PAGE = """<html lang=en><title>Rays</title><base href="{0}/"><link rel=stylesheet href="{0}/a.css">
<script src="{0}/a.js"></script><meta http-equiv=refresh content="0;url={0}/next">
<h1>Rays</h1><p>A ray is flat, and lives near the ground of the sea, where it hides in the sand.
<img src="{0}/a.png"><iframe src="{0}/frame"></iframe><object data="{0}/object"></object>"""


@pytest.fixture
def witness() -> Iterator[Witness]:
    serving = Witness()
    yield serving
    serving.close()


def test_convert_of_a_url(here: Here, witness: Witness) -> None:
    url = f"{witness.address}/report.pdf"
    for words in (("convert", url), ("convert", url, "--type=pdf")):
        said = here.refuses(*words)
        assert f"{url} is no file: nothing is fetched to convert it" in said
        assert f"shoal show {url}" in said
    with pytest.raises(shoal.UsageError, match="is no file: nothing is fetched"):
        shoal.convert(url)
    assert witness.paths == []


def test_clean_of_a_url(here: Here, read: ReadReef, witness: Witness) -> None:
    url = f"{witness.address}/article.html"
    assert "There is no collection" in here.refuses("clean", url)
    assert f"{url} is not stored" in read.refuses("clean", url)
    with pytest.raises(shoal.UsageError, match="is no HTML"):
        shoal.clean(url)
    assert witness.paths == []


@pytest.mark.parametrize("method", METHODS)
def test_what_a_page_would_load_stays_out(here: Here, witness: Witness, method: str) -> None:
    if method == "visual" and not program():
        pytest.skip("needs Chromium on the PATH")
    Path("page.html").write_text(PAGE.format(witness.address))
    done = here("clean", "page.html", f"--url={witness.address}/page.html", f"--method={method}")
    assert done.code in (0, 1), done.err
    assert here.ok("convert", "page.html").text.startswith("Rays")
    assert witness.paths == []
