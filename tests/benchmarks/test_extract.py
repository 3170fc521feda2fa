"""Is the content of a page scored as its set's makers do? Small examples with known answers."""

import gzip
import json
import math
import sys
from pathlib import Path

import pytest

from benchmarks import extract_scores as scores
from benchmarks.extract import READER, TRAINED, Worker, models_of
from benchmarks.extract_tables import Result, shown
from benchmarks.extractors import Request, answer

PINNED = [1, 0, 2, 1, 3, 3]
"""Folds that never change: models were trained for them."""


def page(
    gold: str = "", wanted: tuple[str, ...] = (), unwanted: tuple[str, ...] = ()
) -> scores.Page:
    return scores.Page("1", "https://a.example/", "", "", gold, [*wanted], [*unwanted])


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("One, two!", "two ONE", 1.0),
        ("a a b", "a b b c", 2 * 2 / 7),  # a once, b once
        ("a", "b", 0.0),
        ("", "", 1.0),
        (" - ", "", 1.0),
        ("a", "", 0.0),
        ("", "a", 0.0),
        ("café_1", "CAFÉ_1", 1.0),
    ],
)
def test_words_are_a_multiset_in_lower_case(text: str, gold: str, expected: float) -> None:
    assert scores.word_f1(text, gold) == pytest.approx(expected)


def test_the_mean_of_words_is_over_pages() -> None:
    rows = [scores.WORDS.score("a", page("a")), scores.WORDS.score("b", page("a"))]
    assert scores.WORDS.f1(scores.total(rows)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("a b c d e", "a b c d", (1 / 2, 1, 1, 1)),
        ("a b c d", "a b c d e f", (1, 1, 1 / 3, 1)),
        ("a b c d", "A b c d", (0, 1, 0, 1)),  # case counts
        ("a b", "a b", (1, 1, 1, 1)),  # fewer words than a shingle are one
        ("a b", "a b c", (0, 1, 0, 1)),
        ("x x x x x x", "x x x x", (1 / 3, 1, 1, 1)),  # shingles are counted
        ("", "a b c d", (0, 0, 0, 1)),
        ("a b c d", "", (0, 1, 0, 0)),
        ("", "", (0, 0, 0, 0)),
    ],
)
def test_shingles_of_four_words(text: str, gold: str, expected: tuple[float, ...]) -> None:
    assert scores.shingle_counts(text, gold) == pytest.approx(expected)


def test_nothing_found_costs_recall_and_not_precision() -> None:
    """As in the article extraction benchmark: precision is over the pages with a prediction."""
    gold = page("a b c d e")
    rows = [scores.SHINGLES.score("a b c d e f", gold), scores.SHINGLES.score("", gold)]
    precision, recall = 2 / 3, 1 / 2
    expected = 2 * precision * recall / (precision + recall)
    assert scores.SHINGLES.f1(scores.total(rows)) == pytest.approx(expected)


def test_phrases_are_counted_with_equal_white_space() -> None:
    text = "The fish\n\n swims. Buy  now"
    found = scores.chunk_counts(text, ["fish swims", "The  fish", "gone"], ["Buy\nnow", "Login"])
    assert found == (2, 1, 1, 1)


def test_phrases_are_counted_over_the_set() -> None:
    first = page(wanted=("a", "b"), unwanted=("c",))
    second = page(wanted=("d",), unwanted=("e", "f"))
    rows = [scores.CHUNKS.score("a b c", first), scores.CHUNKS.score("", second)]
    assert scores.total(rows) == (2, 1, 1, 2)
    assert scores.CHUNKS.f1(scores.total(rows)) == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))


def test_no_page_at_all_found_is_zero() -> None:
    row = scores.SHINGLES.score("", page("a b c d"))
    assert scores.SHINGLES.f1(row) == 0
    assert scores.CHUNKS.f1(scores.CHUNKS.score("", page(wanted=("a",)))) == 0


def test_a_difference_of_means_has_the_paired_error() -> None:
    ours: list[scores.Counts] = [(0.9, 1), (0.5, 1), (0.7, 1)]
    theirs: list[scores.Counts] = [(0.8, 1), (0.5, 1), (0.5, 1)]
    mean, error, low, high = scores.difference(scores.WORDS, ours, theirs)
    assert mean == pytest.approx(0.1)
    assert error == pytest.approx(0.1 / math.sqrt(3))
    assert (low + high) / 2 == pytest.approx(0.1)
    assert high - low == pytest.approx(2 * 1.96 * error)


def test_a_bootstrap_is_paired_and_repeatable() -> None:
    ours: list[scores.Counts] = [(3, n % 2, n % 3, 1) for n in range(40)]
    theirs: list[scores.Counts] = [(2, n % 2, n % 3 + 1, 1) for n in range(40)]
    same = scores.difference(scores.CHUNKS, ours, ours)
    assert same == (0, 0, 0, 0)  # unpaired draws would differ
    found = scores.difference(scores.CHUNKS, ours, theirs)
    assert found == scores.difference(scores.CHUNKS, ours, theirs)
    assert found.low < found.mean < found.high
    assert 0 < found.standard_error < found.mean


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.Example.co.uk:8080/a?b=http://c.de/", "example.co.uk"),
        ("http://user:word@news.example.com#x", "example.com"),
        ("https://fish.github.io/pond", "fish.github.io"),
        ("xhttps://www.zoo-berlin.de/de/aktuelles", "zoo-berlin.de"),
        ("hard::diaadia.com.pa-ulpiano.html", "diaadia.com.pa"),
        ("hard::jamaica.gleaner.com-victims.html", "gleaner.com"),
        ("hard::mercurynews.com.2023.01.16.letters-1119.html", "mercurynews.com"),
        ("hard::zeit.de.zugverkehr.html", "zeit.de"),
        ("recall::elnuevoherald.com-miami.html", "elnuevoherald.com"),
        ("wikipedia-4", "wikipedia-4"),
        ("", ""),
    ],
)
def test_the_domain_of_an_address_or_a_saved_name(url: str, expected: str) -> None:
    assert scores.domain(url) == expected


def test_a_domain_stays_in_one_fold_whatever_else_is_there() -> None:
    urls = [f"https://h{n % 50}.example{n % 50}.org/{n}" for n in range(200)]
    found = scores.folds(urls)
    assert found[:50] == found[50:100] == scores.folds(urls[:50])
    assert set(found) == {0, 1, 2, 3, 4}
    assert scores.folds(["https://www.zeit.de/a"]) == scores.folds(
        ["hard::zeit.de.zugverkehr.html"]
    )
    pinned = [f"https://example.{suffix}/" for suffix in ("org", "com", "net", "de", "fr", "it")]
    assert scores.folds(pinned) == PINNED


def test_a_made_up_host_is_not_a_domain() -> None:
    made_up = scores.Page("cnet-2", "http://fakehost/test/page.html", "", "", "", [], [])
    assert made_up.fold_key == "cnet"  # as cnet-1: both are of one site
    assert made_up._replace(url="").fold_key == "cnet"
    assert page().fold_key == "https://a.example/"


def test_pages_are_read_one_in_so_many(tmp_path: Path) -> None:
    folder = tmp_path / "extraction"
    folder.mkdir()
    with gzip.open(folder / "trafilatura-dev.jsonl.gz", "wt", encoding="utf-8") as file:
        for number in range(5):
            row = {"id": str(number), "url": None, "html": "ü", "with": ["a"], "without": []}
            file.write(json.dumps(row) + "\n")
    found = list(scores.pages("trafilatura-dev", tmp_path, every=2))
    assert [each.id for each in found] == ["0", "2", "4"]
    assert found[0] == scores.Page("0", "", "", "ü", "", ["a"], [])


def test_folds_are_for_trained_methods_and_complete(tmp_path: Path) -> None:
    for fold in range(5):
        (tmp_path / f"model-{fold}.bin").touch()
    assert models_of(tmp_path, "shoal-model") == [
        str(tmp_path / f"model-{fold}.bin") for fold in range(5)
    ]
    assert models_of(tmp_path, "shoal-dom") == models_of(tmp_path, "trafilatura") == []
    assert models_of(None, f"shoal-{TRAINED[0]}") == []
    (tmp_path / "model-3.bin").unlink()
    with pytest.raises(SystemExit, match=r"lacks model-3\.bin"):
        models_of(tmp_path, "shoal-model")


FAKE = """
import json, os, signal, sys
with open("starts", "a") as starts:
    starts.write("x")
print(json.dumps({"version": "1"}), flush=True)
for line in sys.stdin:
    page = json.loads(line)
    if page["html"] == "die":
        os._exit(1)
    if page["html"] == "hang":
        signal.pause()
    print(json.dumps({"text": page["html"] + page["model"], "cpu": 0.25}), flush=True)
"""


@pytest.mark.parametrize("last_words", ["die", "hang"])
def test_a_reader_that_dies_or_hangs_is_replaced(last_words: str, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    code = FAKE.replace('"starts"', repr(str(starts)))
    worker = Worker([sys.executable, "-c", code], ["zero", "one"], limit_seconds=2)
    try:
        read = [worker.extract(page()._replace(html=html), 1) for html in ("ä", last_words, "b")]
    finally:
        worker.close()
    assert [each.text for each in read] == ["äone", "", "bone"]
    assert [each.fault for each in read] == ["", "hung or died", ""]
    assert read[0].cpu_seconds == 0.25
    assert starts.read_text() == "xx"


def test_a_method_that_is_not_there_says_so_as_it_starts() -> None:
    worker = Worker([sys.executable, "-P", str(READER), "shoal-no-such-method"], [])
    worker.close()
    assert worker.hello["fault"]


def test_a_fault_is_an_answer_with_its_time() -> None:
    def broken(request: Request) -> str:
        raise ValueError(request["url"])

    found = answer(broken, {"html": "", "url": "u", "model": ""})
    assert found["text"] == ""
    assert found["fault"] == "ValueError: u"
    assert isinstance(found["cpu"], float)
    assert answer(lambda _: None, {"html": "", "url": "", "model": ""})["text"] == ""


def test_the_report_holds_everyone_against_the_default() -> None:
    def results(f1: float, cpu_ms: float, fault: str = "") -> list[Result]:
        return [
            Result("wcxb-dev", str(n), kind, 0, (f1, 1.0), cpu_ms, fault)
            for n, kind in enumerate(["forum", "article", "article"])
        ]

    run = {
        "trafilatura": results(0.5, 50),
        "shoal-model": results(0.75, 10),
        "x": results(0, 1, "e"),
    }
    said = "\n".join(shown(run))
    assert "article (2)" in said
    assert "f1/wcxb-dev/trafilatura 0.750 0.500 1.500" in said
    assert "cpu-ms-per-page/trafilatura 10.00 50.00 0.200" in said
    assert "wcxb-dev trafilatura     +0.2500          0.0000  +0.2500 … +0.2500" in said
    row = next(line for line in said.splitlines() if line.startswith("x  ") and "0.020" in line)
    assert row.split()[6] == "3"  # faults
