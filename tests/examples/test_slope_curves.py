"""Does the lab's program for slope curves find blocks, draw them, and measure them?"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.lab import slope_curves
from examples.lab.slope_curves import Tokens, best_block, draw, flat_parts, quality
from shoal.cleaners import slope
from shoal.demo.server import WEB

MENU = "<li><a href='/'>Menu</a></li>" * 40
ARTICLE = "<p>" + "rays are <b>flat</b> fish on the sand " * 40 + "</p>"
PAGE = f"<title>Rays</title><script>var a = '<p>'</script>{MENU}{ARTICLE}{MENU}"


def value(bits: list[int], i: int, j: int) -> int:
    return sum(bits[:i]) + (j - i - sum(bits[i:j])) + sum(bits[j:])


@given(st.lists(st.integers(0, 1), max_size=25))
def test_no_other_block_is_better(bits: list[int]) -> None:
    i, j = best_block(bits)
    places = range(len(bits) + 1)
    assert value(bits, i, j) == max(value(bits, a, b) for a in places for b in places if a <= b)


@pytest.mark.parametrize(
    "page", sorted((WEB / "www.reef.example").rglob("*.html")), ids=lambda page: page.name
)
def test_it_finds_what_shoal_finds(page: Path) -> None:
    """Two programs that share nothing but the textbook."""
    source = page.read_text("utf-8")
    found = [word for _, word in Tokens(source).found]
    i, j = best_block([bit for bit, _ in Tokens(source).found])
    inside = [
        word
        for start, end in slope.content(source)
        for _, word in Tokens(source[start:end]).found
        if word
    ]
    assert [word for word in found[i:j] if word] == inside


def test_an_article_is_found_by_both() -> None:
    tokens = Tokens(PAGE).found
    bits = [bit for bit, _ in tokens]
    i, j = best_block(bits)
    assert (tokens[i][1], tokens[j - 2][1]) == ("rays", "sand") or tokens[j - 1][1] == "sand"
    flat = flat_parts(bits)
    assert all(flat[i:j])
    assert sum(flat) < j - i + 2 * slope_curves.WINDOW


def test_the_drawing_marks_both() -> None:
    lines = draw([bit for bit, _ in Tokens(PAGE).found]).splitlines()
    assert len(lines) == slope_curves.ROWS + 3
    assert all("*" in line for line in lines[: slope_curves.ROWS])
    assert set(lines[-3]) == {"-", "b"}
    assert set(lines[-2]) == {"-", "f"}


def test_precision_and_recall() -> None:
    assert quality(["a", "b", "b", "c"], ["b", "a"]) == (0.5, 1.0)
    assert quality([], ["a"]) == (0.0, 0.0)


def test_the_program_draws_and_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rays.html").write_text(PAGE)
    (tmp_path / "rays.txt").write_text("rays are flat fish on the sand " * 40)
    (tmp_path / "alone.html").write_text(PAGE)
    (tmp_path / "empty.html").write_text("")
    assert slope_curves.main([str(tmp_path / "rays.html"), str(tmp_path / "empty.html")]) == 0
    assert "0 tokens, 0 tags" in capsys.readouterr().out
    assert slope_curves.main(["measure", str(tmp_path)]) == 0
    first, best, *_, everything = capsys.readouterr().out.splitlines()
    assert first.startswith("1 pages")
    assert best.split() == ["best", "block", "1.000", "1.000"]
    assert everything.split()[2] == "1.000"
    assert float(everything.split()[1]) < 0.9


@pytest.mark.parametrize("arguments", [[], ["none.html"], ["measure", "nowhere"]])
def test_wrong_arguments_get_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert slope_curves.main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
