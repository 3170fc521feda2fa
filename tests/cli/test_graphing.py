"""`shoal rank`, `links` and `graph` as people and programs see them."""

import json
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.errors import ShoalError
from tests.cli.command import Shoal

HOME = "http://www.reef.example/"
CLOWNFISH = f"{HOME}species/clownfish.html"

Ask = Callable[..., str]


@pytest.fixture(scope="module")
def corpus(reef: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: ranking writes beside the table."""
    directory = tmp_path_factory.mktemp("ranked") / "corpus"
    shutil.copytree(reef, directory)
    return directory


@pytest.fixture
def ask(corpus: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """A command, run in this process; what it prints."""
    _register_commands()

    def run(*words: str) -> str:
        assert parse_and_run([*words, "--dir", str(corpus)]) == 0
        return capsysbinary.readouterr().out.decode()

    return run


def as_json(text: str) -> Any:
    return json.loads(text)


def test_from_a_terminal(shoal: Shoal, corpus: Path) -> None:
    said = shoal.ok("rank", "--top=3", "--dir", str(corpus))
    assert "ranked by" in said.lines[0]
    assert len([line for line in said.lines if "http://" in line]) == 3
    assert HOME in next(line for line in said.lines if line.split()[:1] == ["1"])
    assert "None of the personal" in shoal.refuses(
        "rank", "--personal=http://nowhere.example/", "--dir", str(corpus)
    )


def test_what_changed_is_said(ask: Ask) -> None:
    ask("rank", "--top=0")
    assert ask("rank", "--top=0").splitlines()[1:] == ["The same links as the last time."]
    found = as_json(ask("rank", "--json", "--personal", f"{HOME}glossary.html"))
    assert found["summary"]["personal"] == [f"{HOME}glossary.html"]
    assert found["before"]["edges"] == found["summary"]["edges"]
    assert found["pages"][0]["score"] == 1
    assert "from 1 page" in ask("rank", f"--personal={HOME}", "--sites")
    assert "www.reef.example" in ask("rank", "--sites", "--top=1").splitlines()[-1]
    shown = ask("rank", "--site=http://museum.tide.example/").splitlines()
    named = [line.split()[-1] for line in shown if "http://" in line]
    assert len(named) > 1
    assert all(each.startswith("http://museum.tide.example/") for each in named)


def test_links_of_a_page(ask: Ask) -> None:
    ask("rank", "--top=0")
    found = as_json(ask("links", CLOWNFISH, "--json"))
    assert found["score"] > 0
    assert found["total_in"] == len(found["links_in"]) > 1
    shown = ask("links", CLOWNFISH, "--limit=1").splitlines()
    assert shown[0] == CLOWNFISH
    assert f"{found['total_in']} pages linking to it:" in shown
    assert f"… and {found['total_in'] - 1:,} more (--limit, --json)." in shown
    assert "links_out" not in as_json(ask("links", CLOWNFISH, "--in", "--json"))
    assert "links_in" not in as_json(ask("links", CLOWNFISH, "--out", "--json"))
    assert "linking to it" not in ask("links", CLOWNFISH, "--out")


def test_anchors_and_links_of_a_page_add_up(ask: Ask) -> None:
    """Links to a near-duplicate that it stands for are anchors of it, and said to be."""
    for url in (HOME, CLOWNFISH, f"{HOME}glossary.html"):
        told = as_json(ask("links", url, "--json"))
        anchors = ask("show", url, "--anchors").splitlines()
        own = len(anchors) - told["to_duplicates"]
        assert own >= told["total_in"] > 0  # a page may call it by several texts
        if not told["to_duplicates"]:
            assert len({line.split("\t")[0] for line in anchors}) == told["total_in"]
    found = as_json(ask("links", HOME, "--json"))
    assert found["to_duplicates"] > 0
    said = f"{found['to_duplicates']} further links lead to near-duplicates that it stands for"
    assert said in ask("links", HOME, "--in")


def test_hubs_and_authorities_around_a_page(ask: Ask) -> None:
    assert "Hubs:" in ask("links", CLOWNFISH, "--around", "--limit=2").splitlines()
    assert len(as_json(ask("links", CLOWNFISH, "--around", "--json"))["authorities"]) > 1


def test_the_report_in_words_and_pictures(ask: Ask, tmp_path: Path) -> None:
    said = ask("graph", "--plot", str(tmp_path / "plots")).splitlines()
    assert any(line.startswith("Core, pages that all reach each other:") for line in said)
    assert len(list((tmp_path / "plots").iterdir())) == 8
    found = as_json(ask("graph", "--json"))
    parts = ("core", "into", "out", "tubes", "tendrils", "islands")
    assert sum(found["shape"][part] for part in parts) == found["summary"]["nodes"]


def test_exports(ask: Ask, tmp_path: Path) -> None:
    assert ask("graph", "--export", str(tmp_path / "g.graphml")) == ""
    tree = ET.parse(tmp_path / "g.graphml")  # noqa: S314 - our own
    done = as_json(ask("graph", "--json", "--export", str(tmp_path / "g.parquet")))
    assert len(tree.findall(".//{*}node")) == done["nodes"]
    assert len(tree.findall(".//{*}edge")) == done["edges"]
    assert all(Path(each).is_file() for each in done["files"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rank", "--top=-1"), "--top must be 0 or more"),
        (("rank", "--site", HOME, "--sites"), "ask for one at a time"),
        (("rank", "--site=http://nowhere.example/x"), "no page of http://nowhere.example"),
        (("links", "http://nowhere.example/"), "is not in this collection"),
        (("links", HOME, "--limit=0"), "--limit must be 1 or more"),
        (("links", HOME, "--around", "--in"), "ask for one at a time"),
        (("graph", "--export=x.csv"), "must end in .graphml or .parquet"),
        (("graph", "--plot=/dev/null/x"), "--plot needs a directory"),
        (("rank", "--dir=nowhere"), "There is no collection"),
        (("graph", "--dir=nowhere"), "There is no collection"),
        (("links", HOME, "--dir=nowhere"), "There is no collection"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    corpus: Path, words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _register_commands()
    monkeypatch.chdir(tmp_path)
    where = () if any(word.startswith("--dir") for word in words) else ("--dir", str(corpus))
    with pytest.raises(ShoalError, match=says):
        parse_and_run([*words, *where])


def test_order_report(ask: Ask, tmp_path: Path) -> None:
    told = ask("order", "report", "--plot", str(tmp_path / "order.svg"))
    assert "this crawl" in told
    assert "perfect" in told
    assert "Politeness cost" in told
    assert (tmp_path / "order.svg").read_text().startswith("<svg")
    found = json.loads(ask("order", "report", "--top", "3", "--json"))
    assert found["important"] == 3
    assert found["curves"][-1]["name"] == "perfect"
    assert 0 < found["rank_mass"] <= 1
    assert "of the weight" in ask("status")
    assert json.loads(ask("status", "--json"))["rank_mass"] == found["rank_mass"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("order", "report", "--top", "0"), "--top must be 1 or more"),
        (("order", "report", "--plot", "x.gif"), "--plot must be a file"),
        (("crawl", "--stop-when", "3"), "only a crawl by importance stops by value"),
        (("crawl", "--order", "importance", "--weights", "depth=1"), "--weights must be"),
        (("crawl", "--order", "importance", "--weights", "content=0"), "--weights must be"),
        (("crawl", "--order", "importance", "--about", "!"), "must have a word in it"),
        (("crawl", "--order", "importance", "--value", "2"), "--value"),
    ],
)
def test_mistakes_about_orders_are_one_sentence(
    corpus: Path, words: tuple[str, ...], complaint: str
) -> None:
    _register_commands()
    with pytest.raises(ShoalError, match=complaint):
        parse_and_run([*words, "--dir", str(corpus)])
