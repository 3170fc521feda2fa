"""The Python API does what the command line does: in a script, in a notebook, twice."""

import asyncio
from pathlib import Path

import pytest

import shoal
from shoal.demo.server import DemoWeb, serve


def _crawl(web: DemoWeb, directory: Path, max_pages: int) -> int:
    settings = {f"resolve.{host}": address for host, address in web.resolve.items()}
    seed = web.seeds[0]  # with two it would be luck which pages come first
    summary = shoal.crawl(
        seed, dir=directory, max_pages=max_pages, delay=0.1, scope="any", settings=settings
    )
    return summary.status.fetched


def test_crawl_and_read_back(tmp_path: Path) -> None:
    with serve() as web:
        assert _crawl(web, tmp_path, 5) == 5
    with shoal.open(tmp_path) as corpus:
        page = corpus.page("http://www.reef.example/")
        assert page is not None
        assert "Reef Atlas" in page.title
        assert page.text
        assert page.body.lstrip().lower().startswith(b"<!doctype html")
        assert page.status == 200
        assert sum(1 for _ in corpus.pages()) == 5
        assert "5 pages" in repr(corpus)


def test_inside_a_running_event_loop_and_again(tmp_path: Path) -> None:
    async def notebook(web: DemoWeb) -> tuple[int, int]:
        return _crawl(web, tmp_path, 3), _crawl(web, tmp_path, 6)

    with serve() as web:
        assert asyncio.run(notebook(web)) == (3, 6)


def test_mistakes_are_exceptions_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(shoal.UsageError, match="Nothing to crawl"):
        shoal.crawl(dir=tmp_path / "none")
    with pytest.raises(shoal.UsageError, match="max_pages"):
        shoal.crawl("https://example.org/", dir=tmp_path, settings={"crawl.max_page": 3})
    with pytest.raises(shoal.ShoalError, match="no collection"):
        shoal.open(tmp_path / "none")
    assert not (tmp_path / "none").exists()
