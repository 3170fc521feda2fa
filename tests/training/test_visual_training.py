"""The training of method `visual`: what counts as content in it, and that its fit is the best."""

import math
import random
from pathlib import Path

import pytest

from benchmarks.extract_scores import Page
from shoal.model.record import pack
from shoal.model.rendered import Box, Rendered
from training.visual import drawn as module
from training.visual.drawn import DrawnPage, drawn
from training.visual.logistic import Row, fit
from training.visual.texts import plain, texts


def page(gold: str, *sources: str) -> DrawnPage:
    """A page of one paragraph for each source, as a browser would tell it."""
    boxes = [Box(0, -1, "html", 0, 0, 1280, 900), Box(1, 0, "body", 0, 0, 1280, 900)]
    html = '<html data-shoal-box="0"><body data-shoal-box="1">'
    for number, source in enumerate(sources, start=2):
        html += f'<p data-shoal-box="{number}">{source}</p>'
        boxes.append(Box(number, 1, "p", 0, 20 * number, 1280, 18, chars=len(source)))
    rendered = Rendered(f"{html}</body></html>", width=1280, height=900, boxes=boxes)
    return DrawnPage("http://a.example/", "article", gold, rendered)


@pytest.mark.parametrize(
    ("source", "is_content"),
    [
        ("boats leave the <b>har</b>bour before dawn", True),
        ("boats leave the harbour today and never again", False),
        ("Before&#32;dawn!", True),
        ("dawn before", False),
        ("dawn", True),
        ("menu", False),
    ],
)
def test_a_text_is_content_when_most_of_it_is_in_the_gold(source: str, is_content: bool) -> None:
    found = texts(page("The boats leave the harbour before dawn.", source, "and other words"))
    assert [text.is_content for text in found] == [is_content, False]


def test_every_page_weighs_the_same_and_texts_without_words_nothing() -> None:
    one, other = page("a", "a b c d", "e"), page("a", "a", "b", "c", "…", "d e f g h i j")
    assert len(texts(other)) == 4
    for each in (one, other):
        assert sum(text.weight for text in texts(each)) == pytest.approx(100)
    weights = [text.weight for text in texts(one)]
    assert 1 < weights[0] / weights[1] < 4
    assert texts(DrawnPage("", "", "", Rendered("", 0, 0))) == []


def test_plain_text_leaves_out_what_is_not_read() -> None:
    assert plain(["a<b>b</b><br>c<svg><title>x</title></svg>", "<script>y</script>d"]).split() == [
        *("ab", "c", "d")
    ]


def test_the_bias_alone_is_the_logarithm_of_the_odds() -> None:
    rows: list[Row] = [({"bias": 1.0}, True, 3.0), ({"bias": 1.0}, False, 1.0)]
    assert fit(rows, ["bias"])["bias"] == pytest.approx(math.log(3), abs=1e-5)


def noisy(scale: float) -> list[Row]:
    draw = random.Random(5)
    rows: list[Row] = []
    for _ in range(300):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        truth = draw.random() < 1 / (1 + math.exp(0.5 - 2 * a))
        rows.append(({"bias": 1.0, "a": scale * a, "b": b}, truth, 1.0))
    return rows


def test_what_tells_gets_weight_whatever_its_unit() -> None:
    names = ["a", "b", "bias", "never"]
    weights, scaled = fit(noisy(1.0), names), fit(noisy(10.0), names)
    assert weights["a"] > 1
    assert abs(weights["b"]) < 0.3
    assert weights["bias"] < 0
    assert weights["never"] == 0
    assert scaled["a"] * 10 == pytest.approx(weights["a"], rel=1e-4)


def test_the_fit_is_the_optimum() -> None:
    rows, names = noisy(1.0), ["a", "b", "bias"]
    weights = fit(rows, names)
    mean = {name: sum(seen[name] for seen, _, _ in rows) / len(rows) for name in names}

    def loss(given: dict[str, float]) -> float:
        pull = sum(
            20 * given[name] ** 2 * sum((seen[name] - mean[name]) ** 2 for seen, _, _ in rows)
            for name in ("a", "b")
        )
        odds = [(sum(given[n] * seen[n] for n in names), truth) for seen, truth, _ in rows]
        return pull / len(rows) / 2 + sum(
            math.log1p(math.exp(-each if truth else each)) for each, truth in odds
        )

    for name in names:
        for step in (-0.01, 0.01):
            assert loss(weights | {name: weights[name] + step}) > loss(weights)


def test_pages_that_were_drawn_are_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = [Page(str(n), "", "forum", f"<p>{n}", "gold", [], []) for n in range(10)]
    monkeypatch.setattr(module, "pages", lambda name, data: iter(saved))
    for n in (1, 4, 7):
        kept = Rendered(f"drawn {n}", width=1, height=1)
        (tmp_path / f"{n}.drawn").write_bytes(pack(kept))
    found = list(drawn(tmp_path, tmp_path, every=3, places=(1,)))
    assert [each.rendered.html for each in found] == ["drawn 1", "drawn 4", "drawn 7"]
    assert len(list(drawn(tmp_path, tmp_path, every=3, places=(1,), at_most=2))) == 2
