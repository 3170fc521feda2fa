"""`shoal freshness` as people and programs see it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.collection.report.freshness import Freshness
from shoal.collection.report.measuring import Figures
from shoal.errors import UsageError

Ask = Callable[..., str]


@pytest.fixture
def ask(reef: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """A command, run in this process; what it prints."""
    _register_commands()

    def run(*words: str) -> str:
        assert parse_and_run(["freshness", *words, "--dir", str(reef)]) == 0
        return capsysbinary.readouterr().out.decode()

    return run


def test_a_table(ask: Ask) -> None:
    said = ask()
    assert "stored pages at" in said
    for word in ("freshness", "age", "last fetch", "http://www.reef.example"):
        assert word in said
    assert "reef.example" not in ask("--sites", "0").partition("since last fetch")[0]


def test_json_and_parts(ask: Ask) -> None:
    whole = json.loads(ask("--json"))
    assert whole["stored"] == whole["now"]["pages"] > 5
    assert 0.9 < whole["now"]["freshness"] <= 1
    assert 0 <= whole["now"]["age_days"] <= whole["now"]["days_since_fetch"] < 1
    site = whole["sites"][0]
    part = json.loads(ask(site["site"] + "/", "--json"))
    assert part["stored"] == site["pages"]
    assert "No page is stored" in ask("nowhere.example")


def test_every_page(ask: Ask) -> None:
    lines = [json.loads(line) for line in ask("--pages", "--json").splitlines()]
    assert len(lines) == json.loads(ask("--json"))["stored"]
    assert all(0 <= line["freshness"] <= 1 for line in lines)
    heading, *rows = [line.split("\t") for line in ask("--pages").splitlines()]
    assert heading[:4] == ["page", "freshness", "age", "since last fetch"]
    assert {len(row) for row in rows} == {len(heading)}
    assert len(rows) == len(lines)
    for row in rows:
        assert row[0].startswith("http")
        number, unit = row[3].split()
        assert float(number) > 0, "it was fetched a moment ago, which is not 0.00 days"
        assert unit in ("s", "min", "h")


@pytest.mark.parametrize(("pages", "says"), [(1, "1 page not"), (2, "2 pages not")])
def test_one_page_has_its_kind(
    pages: int, says: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    _register_commands()  # in the order of their themes
    from shoal.cli.commands.analysis.freshness import _say  # noqa: PLC0415

    _say(Freshness("2026-11-16T00:00:00Z", Figures(pages), pages, pages, 0.0, None, [], []))
    kind = "its kind" if pages == 1 else "their kind"
    said = capsysbinary.readouterr().out.decode()
    assert f"{says} yet seen twice: taken to change like others of {kind}." in said


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_drawing(ask: Ask, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"fresh.{ending}"
    ask("--plot", str(file))
    assert file.read_bytes()[:5] in (b"<svg ", b"\x89PNG\r")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--plot", "x.gif"), "must be a file that ends in"),
        (("--plot", "/nowhere/x.svg"), "can't be written"),
        (("--sites", "-1"), "0 or more"),
        (("--since", "yore"), "must be a date"),
        (("--pages", "--plot", "x.svg"), "one at a time"),
    ],
)
def test_mistakes(ask: Ask, words: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        ask(*words)
