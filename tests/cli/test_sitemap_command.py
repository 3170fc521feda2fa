"""`shoal sitemap`: one that is read, from a file and from a site, and one that is made."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Shoal
from tests.sources.sitemap_schema import faults
from tests.world import RobotsMix, Running, Web, serve

HOST = "site.test"
WEB = Web(seed=9, hosts=1, pages=3, names=(HOST,), robots=RobotsMix(disallow=0, error=0))
BODY = """<?xml version="1.0"?><urlset xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>http://site.test/a?x=1&amp;y=2</loc><lastmod>2026-01-02</lastmod>
  <changefreq>daily</changefreq><priority>0.8</priority>
  <image:image><image:loc>http://site.test/1.png</image:loc></image:image>
  <xhtml:link hreflang="de" href="http://site.test/de"/></url>
<url><loc>http://site.test/b#c</loc></url><url><loc>http://site.test/b</loc></url></urlset>"""


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB) as running:
        yield running


def test_a_file_in_every_form(shoal: Shoal, tmp_path: Path) -> None:
    path = tmp_path / "map.xml.gz"
    path.write_bytes(gzip.compress(BODY.encode()))
    shown = shoal.ok("sitemap", str(path))
    row = next(line for line in shown.lines if "/a?" in line)
    assert row.split() == [
        *("http://site.test/a?x=1&y=2", "2026-01-02", "daily", "0.8", "1", "image,", "in", "de")
    ]
    assert "3 URLs (sitemap)." in shown.err
    found = shoal.ok("sitemap", str(path), "--json").json
    assert (found["form"], found["problem"], len(found["entries"])) == ("sitemap", "", 3)
    assert found["entries"][0]["alternates"] == [{"language": "de", "url": "http://site.test/de"}]


def test_a_url_is_asked_for_politely(shoal: Shoal, running: Running) -> None:
    origin = f"http://{HOST}:{running.port}"
    flags = (f"--resolve={HOST}={running.web.address(0)}", "--set=politeness.delay=0.01")
    running.robots(HOST, f"User-agent: *\nDisallow: /no/\nSitemap: {origin}/no/named.xml")
    for path in ("/no/named.xml", "/no/other.xml"):
        running.put(HOST, path, BODY)
    urls = shoal.ok("sitemap", f"{origin}/no/named.xml", "--urls", *flags)
    assert urls.lines == ["http://site.test/a?x=1&y=2", "http://site.test/b"]
    refused = shoal("sitemap", f"{origin}/no/other.xml", *flags)
    assert (refused.code, "robots.txt forbids it" in refused.err) == (2, True)
    asked = [request.target for request in running.log()]
    assert asked == ["/robots.txt", "/no/named.xml", "/robots.txt"]


def test_one_is_made_and_read_again(shoal: Shoal, tmp_path: Path) -> None:
    folder = tmp_path / "web"
    (folder / "sub").mkdir(parents=True)
    for name in ("index.html", "sub/index.html", "sub/it's a page.html", "style.css"):
        (folder / name).write_text("x")
    make = ("sitemap", "--make", str(folder), "--base", "http://www.example.com")
    made = shoal.ok(*make)
    assert made.lines[0] == "sitemap.xml: 3 URLs"
    assert "Sitemap: http://www.example.com/sitemap.xml" in made.err
    assert faults(folder / "sitemap.xml", "http://www.example.com/") == []
    again = shoal.ok(*make, "--gzip", "--json").json
    assert (again["urls"], again["changed"], again["added"]) == (3, 0, 0)
    urls = shoal.ok("sitemap", str(folder / "sitemap.xml.gz"), "--urls")
    assert urls.lines == [
        "http://www.example.com/",
        "http://www.example.com/sub/",
        "http://www.example.com/sub/it's%20a%20page.html",
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sitemap"], "name a sitemap"),
        (["sitemap", "none.xml"], "no file here"),
        (["sitemap", "."], "shoal sitemap --make . --base URL"),
        (
            ["sitemap", "http://127.0.0.31:9/x"],
            "had: http://127.0.0.31:9/robots.txt can't be had (",
        ),
        (["sitemap", "http://127.0.0.31:9/x"], "), and without it nothing else is asked there.\n"),
        (["sitemap", "x.xml", "--gzip"], "go with --make"),
        (["sitemap", "--make", "."], "needs --base"),
        (["sitemap", "x.xml", "--make", ".", "--base", "http://a.test/"], "reads none"),
        (["sitemap", "ftp://a.test/x"], "no URL of the web"),
    ],
)
def test_mistakes_get_one_sentence(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In this process: starting one for each would take longer than all the rest."""
    from shoal.cli.main import run  # noqa: PLC0415

    with pytest.raises(SystemExit) as ended:
        run([*words, "--dir", str(tmp_path)])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert says in told
    assert "forbids" not in told
    assert len(told.splitlines()) == 1
