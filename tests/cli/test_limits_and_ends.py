"""A limit is lifted again, what a command says is true, and nothing is said in empty sentences."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Shoal
from tests.world import RobotsMix, Running, Web, serve

WEB = Web(seed=3, hosts=1, pages=2, robots=RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0))


@pytest.fixture
def site() -> Iterator[Running]:
    with serve(WEB) as running:
        for number in range(6):
            text = f"<title>{number}</title><p>Page {number}. <a href='/{number + 1}'>next</a>"
            running.put(0, f"/{number}", text, headers={"Content-Type": "text/html"})
        running.put(0, "/6", "<title>6</title><p>The last of all these pages.")
        yield running


def crawl(shoal: Shoal, site: Running, *words: str) -> tuple[int, str]:
    seed = f"http://{site.web.host_name(0)}:{site.port}/0"
    done = shoal.ok("crawl", seed, "--delay=0.02", "--set=sitemaps.use=no", *words)
    return shoal.ok("status", "--json").json["fetched"], done.err


def test_a_limit_is_lifted_and_what_is_said_of_it_is_true(shoal: Shoal, site: Running) -> None:
    fetched, said = crawl(shoal, site, "--max-pages=2")
    assert fetched == 2
    assert "the same command goes on to 2 pages, `--max-pages none` beyond" in said
    assert crawl(shoal, site, "--max-pages=2")[0] == 2
    fetched, said = crawl(shoal, site, "--max-pages=none")
    assert fetched == 7
    assert "the same command goes on." in said


def test_what_is_not_known_is_said(shoal: Shoal, site: Running) -> None:
    crawl(shoal, site)
    done = shoal.ok("urls", "nowhere.example")
    assert (done.text, done.err) == ("", "No URL of nowhere.example is known.\n")
    assert "in that state" in shoal.ok("urls", "--state=failed").err
    assert shoal.ok("retry").text == "Nothing has failed, so there is nothing to fetch again.\n"


def test_who_reads_the_output_may_go(shoal: Shoal, site: Running) -> None:
    crawl(shoal, site)
    started = shoal.start("urls")
    started.close_output()
    done = started.wait()
    assert (done.err, done.code) == ("", 141)


def test_a_file_that_has_gone_has_no_status(shoal: Shoal, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("A text about coral reefs.")
    (folder / "b.txt").write_text("Another text, about fish.")
    shoal.ok("crawl", str(folder / "a.txt"), str(folder / "b.txt"))
    (folder / "b.txt").unlink()
    shoal.ok("refresh")
    assert "gone         1  = no such file 1" in shoal.ok("status").text
    assert "It is gone.\n" in shoal.ok("explain", (folder / "b.txt").as_uri()).text


def test_a_page_that_needs_scripts_or_a_login_says_so(shoal: Shoal, site: Running) -> None:
    script = "<!doctype html><title></title><body><div id=app></div><script src=/a.js></script>"
    made = site.put(0, "/5", script, headers={"Content-Type": "text/html"})
    links = "<p>Two pages. <a href='/5'>5</a> <a href='/closed'>closed</a>"
    site.put(0, "/0", links, headers={"Content-Type": "text/html"})
    closed = site.put(0, "/closed", "Who are you?", status=401)
    seed = f"http://{site.web.host_name(0)}:{site.port}/0"
    said = shoal.ok("crawl", seed, "--delay=0.02", "--set=sitemaps.use=no").text
    assert "1 page has no text, maybe made by scripts, which are not run: shoal urls" in said
    assert "1 page wants a login, and none is sent: shoal urls --state failed" in said
    assert "It makes its text by scripts, which are not run; look" in shoal.ok("explain", made).text
    assert "The server wants a login, and none is sent; save" in shoal.ok("explain", closed).text
