"""Does RunCrawler do what the assignment asks, to the letter, on a small Wikipedia full of traps?

The crawler runs as its users run it, with the real name of the site: urllib's own proxy variables
lead it to a server in this process, which notes every request. All crawls of this module run at
the same time, since each of them is asleep for a second between two requests.
"""

import ast
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from examples.run_crawler.run_crawler import article_links, article_url, main, start_tags
from shoal.demo.server import WEB
from tests.examples.encyclopedia import (
    ENCYCLOPEDIA,
    NAMES,
    ODD_ANSWERS,
    REQUESTS,
    TRAPS,
    Answer,
    Site,
)

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "run_crawler"
WIKI = "http://en.wikipedia.org/wiki/"
NEEDS_OPENSSL = pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")


@dataclass
class Run:
    """One crawl: a site, the program, and the folder that the program writes into."""

    site: Site
    program: subprocess.Popen[str]
    out: str = ""
    errors: str = ""

    @property
    def folder(self) -> Path:
        return self.site.folder

    def end(self) -> int:
        """Waits for the end; its exit code, and what it said in `out` and `errors`."""
        if self.program.returncode is None:
            self.out, self.errors = self.program.communicate(timeout=60)
        return self.program.returncode

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def names(self) -> list[str]:
        text = self.read("URLsCrawled.txt")
        assert text.endswith("\n")
        assert all(url.startswith(WIKI) for url in text.splitlines())
        return [url.removeprefix(WIKI) for url in text.splitlines()]

    def pages(self) -> list[str]:
        found = {file.name for file in (self.folder / "pages").iterdir()}
        names = [f"{number}.txt" for number in range(1, len(found) + 1)]
        assert found == set(names)
        return [self.read(f"pages/{name}") for name in names]


def run(command: list[str], site: Site, environment: Mapping[str, str], stack: ExitStack) -> Run:
    stack.enter_context(site)
    program = subprocess.Popen(
        command,
        cwd=site.folder,
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "http_proxy": f"http://{site.address}",
            "https_proxy": f"http://{site.address}",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    stack.enter_context(program)
    stack.callback(program.kill)
    return Run(site, program)


def crawler(seed: str, pages: int) -> list[str]:
    return [str(EXAMPLE / "RunCrawler.sh"), WIKI + seed, str(pages)]


@dataclass(frozen=True)
class Runs:
    whole: Run
    limited: Run
    killed: Run
    interrupted: Run
    closed: Run
    odd: Run | None
    shoal: Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    folder = tmp_path_factory.mktemp
    with ExitStack() as stack:

        def start(site: Site, pages: int = 100, seed: str = "Start", **environment: str) -> Run:
            return run(crawler(seed, pages), site, environment, stack)

        yield Runs(
            whole=start(Site(ENCYCLOPEDIA, folder("whole"))),
            limited=start(Site(ENCYCLOPEDIA, folder("limited")), 3),
            killed=start(Site(ENCYCLOPEDIA, folder("killed"), gate="/wiki/Missing")),
            interrupted=start(Site(ENCYCLOPEDIA, folder("interrupted"), gate="/wiki/Missing")),
            closed=start(Site({"/robots.txt": Answer(status=503)}, folder("closed"))),
            odd=start_odd(folder("odd"), start) if shutil.which("openssl") else None,
            shoal=start_shoal(folder("shoal"), stack),
        )


def start_odd(folder: Path, start) -> Run:  # type: ignore[no-untyped-def] # the fixture's own
    """Over TLS too, with a certificate made for the occasion."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    options = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=en.wikipedia.org", "-addext", "subjectAltName=DNS:en.wikipedia.org"]
    files = ["-out", str(certificate), "-keyout", str(key)]
    subprocess.run(
        ["openssl", "req", "-x509", *options.split(), *names, *files],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    started: Run = start(
        Site(ODD_ANSWERS, folder, tls=context), seed="Old", SSL_CERT_FILE=str(certificate)
    )
    return started


def start_shoal(folder: Path, stack: ExitStack) -> Run:
    site = Site(ENCYCLOPEDIA, folder)
    (folder / "corpus").mkdir()
    (folder / "corpus" / "shoal.toml").write_text(
        f'[resolve]\n"en.wikipedia.org" = {json.dumps(site.address)}\n[sitemaps]\nuse = "listed"\n',
        encoding="utf-8",
    )
    command = [sys.executable, str(EXAMPLE / "with_shoal.py"), WIKI + "Start", "100"]
    return run(command, site, {"http_proxy": "", "https_proxy": ""}, stack)


def test_it_crawls_breadth_first_what_the_rules_allow_and_each_page_once(runs: Runs) -> None:
    assert runs.whole.end() == 0
    assert runs.whole.names() == NAMES
    assert runs.whole.pages() == [ENCYCLOPEDIA[f"/wiki/{name}"].body for name in NAMES]


def test_it_asks_for_nothing_else_and_names_itself(runs: Runs) -> None:
    runs.whole.end()
    robots = "http://en.wikipedia.org/robots.txt"
    assert runs.whole.site.urls == [robots, *(WIKI + name for name in REQUESTS)]
    assert all("RunCrawler" in asked.agent for asked in runs.whole.site.log)


def test_a_second_lies_between_any_two_requests(runs: Runs) -> None:
    for each in (runs.whole, runs.limited, *([runs.odd] if runs.odd else [])):
        each.end()
        gaps = [later.started - earlier.ended for earlier, later in pairwise(each.site.log)]
        assert len(gaps) >= 5
        assert min(gaps) >= 1.0


def test_the_list_grows_page_by_page(runs: Runs) -> None:
    runs.whole.end()
    assert [asked.listed for asked in runs.whole.site.log] == [0, 0, 1, 2, 2, 2, 3, 4, 5]


def test_the_statistics_to_the_letter(runs: Runs) -> None:
    runs.whole.end()
    sizes = [len(ENCYCLOPEDIA[f"/wiki/{name}"].body.encode()) for name in NAMES]
    assert runs.whole.read("stats.txt") == (
        f"Maximum size: {len(TRAPS.body.encode())} bytes\n"
        "Minimum size: 0 bytes\n"
        f"Average size: {round(sum(sizes) / 6)} bytes\n"
        "Maximum depth reach: 5\n"
    )


def test_what_gives_no_page_has_a_line_on_stderr(runs: Runs) -> None:
    runs.whole.end()
    assert runs.whole.errors.splitlines() == [
        f"skipped {WIKI}Missing: status 404",
        f"skipped {WIKI}Picture: not HTML",
        f"skipped {WIKI}Private: disallowed by robots.txt",
    ]


def test_it_stops_at_the_number_of_pages(runs: Runs) -> None:
    assert runs.limited.end() == 0
    assert runs.limited.names() == NAMES[:3]
    assert len(runs.limited.pages()) == 3
    assert runs.limited.read("stats.txt").endswith(" bytes\nMaximum depth reach: 2\n")
    assert runs.limited.site.urls[-1] == WIKI + "Sp%C3%A4t"


def test_the_folder_is_ready_to_be_handed_in(runs: Runs) -> None:
    runs.limited.end()
    names = {file.name for file in runs.limited.folder.iterdir()}
    assert names == {"README.txt", "URLsCrawled.txt", "pages", "stats.txt"}
    readme = runs.limited.read("README.txt")
    question, answer, _ = readme.split("\n\n", 2)
    assert question == "What was the most difficult part of this assignment?"
    assert 1 <= answer.count(".") <= 2


def test_after_a_kill_half_way_every_listed_page_is_whole(runs: Runs) -> None:
    assert runs.killed.site.reached.wait(60)
    runs.killed.program.kill()
    assert runs.killed.end() == -signal.SIGKILL
    assert runs.killed.names() == NAMES[:2]
    assert runs.killed.pages() == [ENCYCLOPEDIA[f"/wiki/{name}"].body for name in NAMES[:2]]
    assert not (runs.killed.folder / "stats.txt").exists()


def test_an_interrupted_crawl_has_its_statistics(runs: Runs) -> None:
    assert runs.interrupted.site.reached.wait(60)
    runs.interrupted.program.send_signal(signal.SIGINT)
    assert runs.interrupted.end() == 130
    assert runs.interrupted.errors == ""
    assert runs.interrupted.names() == NAMES[:2]
    assert runs.interrupted.read("stats.txt").endswith(" bytes\nMaximum depth reach: 2\n")


def test_without_an_answer_about_robots_nothing_is_crawled(runs: Runs) -> None:
    assert runs.closed.end() == 1
    assert len(runs.closed.site.log) == 1
    assert runs.closed.errors.count("\n") == 1
    assert "robots.txt" in runs.closed.errors
    assert runs.closed.read("URLsCrawled.txt") == ""
    assert runs.closed.read("stats.txt").startswith("Maximum size: 0 bytes\n")


@NEEDS_OPENSSL
def test_redirects_take_their_turn_and_lead_only_to_new_articles(runs: Runs) -> None:
    assert runs.odd is not None
    assert runs.odd.end() == 0
    assert runs.odd.read("URLsCrawled.txt") == "https://en.wikipedia.org/wiki/Old\n"
    assert runs.odd.site.urls == [
        "http://en.wikipedia.org/robots.txt",
        "https://en.wikipedia.org/robots.txt",
        "http://en.wikipedia.org/wiki/Old",
        "https://en.wikipedia.org/wiki/Old",
        "https://en.wikipedia.org/wiki/Alias",
        "https://en.wikipedia.org/wiki/Away",
        "https://en.wikipedia.org/wiki/Home",
        "https://en.wikipedia.org/wiki/Cut",
    ]
    assert runs.odd.errors.count("redirected") == 3
    assert runs.odd.errors.count("broken off 7 bytes before its end") == 1
    assert runs.odd.read("stats.txt").endswith("Maximum depth reach: 1\n")


@pytest.mark.slow
def test_three_lines_of_shoal_ask_for_the_same(runs: Runs) -> None:
    assert runs.shoal.end() == 0, runs.shoal.errors
    runs.whole.end()
    assert sorted(runs.shoal.site.urls) == sorted(runs.whole.site.urls)
    assert set(runs.shoal.out.split()) - {WIKI + "Picture"} == {WIKI + name for name in NAMES}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [WIKI + "Fish"],
        [WIKI + "Fish", "3", "4"],
        [WIKI + "Fish", "0"],
        [WIKI + "Fish", "-1"],
        [WIKI + "Fish", "ten"],
        [WIKI + "Fish", "١"],
        ["Fish", "3"],
        ["https://example.org/wiki/Fish", "3"],
        ["https://en.wikipedia.org/", "3"],
        [WIKI + "Main_Page", "3"],
        ["http://[", "3"],
        [WIKI + "\udcff", "3"],
    ],
)
def test_wrong_arguments_get_one_sentence(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_crawl_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.txt").write_text("kept", encoding="ascii")
    (tmp_path / "URLsCrawled.txt").write_text("kept", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    assert main([WIKI + "Fish", "3"]) == 2
    assert "move it away" in capsys.readouterr().err
    assert (tmp_path / "URLsCrawled.txt").read_text(encoding="ascii") == "kept"
    assert not (tmp_path / "stats.txt").exists()


def test_it_needs_the_standard_library_alone() -> None:
    tree = ast.parse((EXAMPLE / "run_crawler.py").read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert "urllib" in imported
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("page", sorted(WEB.rglob("*.html")), ids=lambda page: page.name)
def test_the_links_are_those_that_a_browser_sees(page: Path) -> None:
    text = page.read_bytes().decode("utf-8", "replace")
    seen = [node.attributes["href"] or "" for node in LexborHTMLParser(text).css("a[href]")]
    assert [tag["href"] for name, tag in start_tags(text) if name == "a" and "href" in tag] == seen


@pytest.mark.parametrize(
    ("href", "wanted"),
    [
        ("Fish", "http://en.wikipedia.org/wiki/Fish"),
        ("https://en.wikipedia.org/wiki/Fish?a=b#c", "https://en.wikipedia.org/wiki/Fish?a=b"),
        ("/wiki/AC/DC", "http://en.wikipedia.org/wiki/AC/DC"),
        ("/wiki/.NET", "http://en.wikipedia.org/wiki/.NET"),
        ("/wiki/Wh%3F", "http://en.wikipedia.org/wiki/Wh%3F"),
        ("/wiki/Sp ät", "http://en.wikipedia.org/wiki/Sp%20%C3%A4t"),
        ("/wiki/Main_Page_(album)", "http://en.wikipedia.org/wiki/Main_Page_(album)"),
        ("/wiki/Main%20Page", None),
        ("/wiki/main_page?x", None),
        ("/wiki/Help%3aX", None),
        ("/wiki/%2E%2E/w/x", None),
        ("/wiki?title=Fish", None),
        ("/wikis/Fish", None),
        ("https://en.wikipedia.org.evil.test/wiki/Fish", None),
        ("/wiki/" + "x" * 2000, None),
    ],
)
def test_what_is_an_article(href: str, wanted: str | None) -> None:
    assert article_url(WIKI + "Start", href) == wanted


@given(st.text(st.sampled_from(list("<>/ab='\"!- \n&;#:[")) | st.characters()), st.text())
def test_no_text_is_too_odd_for_the_links(html: str, href: str) -> None:
    found = article_links(WIKI + "Fish", html + f'<a href="{href}">')
    assert all(article_url("", url) == url for url in found)
    assert all(url.isascii() and ":" not in url[6:] and "#" not in url for url in found)


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<script>", '<a href="', "<a b='", "<a =", "<a href ", "</a", "<a/ "]
)
def test_the_time_for_a_page_grows_with_its_length_and_no_faster(piece: str) -> None:
    started = time.process_time()
    article_links(WIKI + "Fish", piece * 300_000)
    assert time.process_time() - started < 10  # quadratic would be hours
