"""Does the generated corpus keep its word, and are pairs counted rightly? Texts held beside each
other word by word, and a case small enough to be counted by hand."""

import gzip
import json
import math
import re
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import combinations, islice, pairwise
from pathlib import Path
from random import Random

import pytest

from benchmarks import dup_corpus as corpus
from benchmarks.dup_corpus import Kind, Made, generate
from benchmarks.dup_peers import shingles, split
from benchmarks.dup_scores import Case, judge, judged_pairs, score_groups, score_pairs
from benchmarks.dup_variants import missing, variants
from benchmarks.dups import Result, articles, measure, shown, written
from benchmarks.extract_scores import SETS

DOCUMENTS = 1200
PINNED = "8cf67e42c087a431"
"""Of sixty documents: figures are only comparable while the corpus is the same."""


@pytest.fixture(scope="module")
def made() -> list[Made]:
    return list(generate(5, DOCUMENTS))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def kept(one: str, other: str, least_run: int = 1) -> int:
    """How many words stand in both in the same order, in runs of at least so many."""
    blocks = SequenceMatcher(None, words(one), words(other), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= least_run)


def numbered(count: int) -> list[str]:
    """All different words, in sentences of twelve."""
    return [f"{number}{'.' if number % 12 == 0 else ''}" for number in range(count)]


def in_order(tokens: list[str]) -> int:
    """How many of the numbers rise at most (difflib keeps fewer where runs were moved)."""
    ends: list[int] = []
    for number in (int(token.rstrip(".")) for token in tokens if token[0] != "n"):
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


def label(number: int, kind: Kind, of: str, site: str = "a", changed: float = 0.0) -> Made:
    return Made(str(number), site, "", kind, of, "runs" if kind == "copy" else "", changed)


@pytest.mark.slow
def test_a_seed_is_a_corpus() -> None:
    once = list(generate(1, 60))
    assert list(generate(1, 60)) == once
    assert not {each.text for each in generate(2, 60)} & {each.text for each in once}
    known = sha256("".join(each.text for each in once).encode()).hexdigest()
    assert known[:16] == PINNED


@pytest.mark.slow
def test_the_corpus_has_what_it_says(made: list[Made]) -> None:
    assert len({each.id for each in made}) == DOCUMENTS
    kinds = Counter(each.kind for each in made)
    assert kinds["alone"] == pytest.approx(0.4 * DOCUMENTS, abs=50)
    assert kinds["lookalike"] == pytest.approx(0.3 * DOCUMENTS, abs=50)
    assert 0 < kinds["unjudged"] < kinds["copy"]
    lengths = sorted(len(words(each.text)) for each in made)
    assert lengths[0] >= 0.9 * corpus.LEAST_WORDS
    assert lengths[-1] <= 1.2 * corpus.MOST_WORDS
    assert 250 < lengths[DOCUMENTS // 2] < 700
    pairs = judged_pairs(made)
    for same_site in (True, False):
        assert pairs[Case("copies", same_site, "runs")] > 20
        assert pairs[Case("copies", same_site, "scattered")] > 20
        assert pairs[Case("lookalikes", same_site)] > 20


def test_copies_seldom_follow_each_other(made: list[Made]) -> None:
    neighbours = sum(one.of == other.of for one, other in pairwise(made))
    assert neighbours < 0.02 * DOCUMENTS


@pytest.mark.parametrize("how", ["runs", "scattered"])
def test_a_copy_is_changed_within_its_limit(how: str, made: list[Made]) -> None:
    """Beside the limit: two frames of 8% at most."""
    originals = {each.id: each for each in made if each.kind == "original"}
    copies = [each for each in made if each.kind == "copy" and each.how == how]
    checked = [each for each in copies if each.of in originals and len(each.text) < 3000][:40]
    most = corpus.MOST_IN_RUNS if how == "runs" else corpus.MOST_SCATTERED
    assert len(checked) > 20
    for copy in checked:
        assert 0 <= copy.changed <= most
        original = originals[copy.of].text
        longer = max(len(words(original)), len(words(copy.text)))
        changed = 1 - kept(original, copy.text) / longer
        assert changed <= copy.changed + corpus.MOST_FRAME + 0.01


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.3])
def test_as_many_words_are_changed_as_was_asked(share: float) -> None:
    draw = Random(3)
    text = numbered(600)
    number = int(share * len(text))
    new = iter(range(10**6))

    def fresh(wanted: int) -> list[str]:
        return [f"new{next(new)}" for _ in range(wanted)]

    for change in (corpus.changed_in_runs, corpus.changed_at_places):
        for _ in range(20):
            before = text.copy()
            changed = change(draw, text, number, fresh)
            assert text == before
            gone = max(len(text), len(changed)) - in_order(changed)
            assert gone <= number
            assert (gone > 0) == (number > 0)


def test_runs_are_few_and_places_are_many() -> None:
    draw = Random(4)
    text = numbered(1000)

    def edits(changed: list[str]) -> int:
        return len(SequenceMatcher(None, text, changed, autojunk=False).get_matching_blocks())

    def fresh(wanted: int) -> list[str]:
        return ["new"] * wanted

    assert edits(corpus.changed_in_runs(draw, text, 50, fresh)) < 15
    assert edits(corpus.changed_at_places(draw, text, 50, fresh)) > 40


def test_lookalikes_share_their_template_and_no_more(made: list[Made]) -> None:
    families: defaultdict[str, list[Made]] = defaultdict(list)
    for each in made:
        if each.kind == "lookalike" and len(each.text) < 4000:
            families[each.of].append(each)
    pairs = [pair for each in families.values() for pair in islice(combinations(each, 2), 1)]
    assert len(pairs) > 10
    for one, other in pairs[:40]:
        for each in (one, other):
            assert corpus.LEAST_TEMPLATE <= 1 - each.changed <= corpus.MOST_TEMPLATE
        shorter = min(len(words(one.text)), len(words(other.text)))
        # Two words may be common by chance, three seldom are.
        assert kept(one.text, other.text, least_run=3) <= (corpus.MOST_TEMPLATE + 0.05) * shorter
        least = min(1 - one.changed, 1 - other.changed) - corpus.MOST_FRAME
        longer = max(len(words(one.text)), len(words(other.text)))
        assert kept(one.text, other.text) >= least * longer * 0.9


def test_two_copies_are_judged_only_if_they_can_not_differ_too_much() -> None:
    original = label(1, "original", "1")
    near, far = label(2, "copy", "1", changed=0.02), label(3, "copy", "1", "b", changed=0.09)
    lost = label(4, "unjudged", "1", changed=0.2)
    assert judge(original, far) == Case("copies", same_site=False, how="runs")
    assert judge(near, far).verdict == "unjudged"
    assert judge(near, near._replace(changed=0.08)).verdict == "copies"
    scattered = near._replace(how="scattered")
    assert judge(near, scattered) == Case("copies", same_site=True, how="scattered")
    assert judge(near, scattered._replace(changed=0.04)).verdict == "unjudged"
    assert judge(original, lost).verdict == judge(near, lost).verdict == "unjudged"
    assert judge(original, label(5, "alone", "5")).verdict == "strangers"


LABELS = [
    label(1, "original", "1"),
    label(2, "copy", "1", changed=0.02),
    label(3, "copy", "1", "b", changed=0.09),
    label(4, "unjudged", "1", changed=0.2),
    label(5, "lookalike", "family 1"),
    label(6, "lookalike", "family 1"),
    label(7, "lookalike", "family 1", "b"),
    label(8, "alone", "8"),
]
"""Copies: 1-2, 1-3. Look-alikes: 5-6 on one site, 5-7 and 6-7 across."""


def test_pairs_are_scored_as_by_hand() -> None:
    scores = score_pairs(LABELS, [("1", "2"), ("2", "1"), ("1", "4"), ("5", "7"), ("2", "8")])
    assert scores.precision == pytest.approx(1 / 3)  # 5-7 and 2-8 are wrong, 1-4 is not judged
    assert scores.recall == pytest.approx(1 / 2)
    assert scores.f1 == pytest.approx(2 / 5)
    assert scores.recall_of(same_site=True) == 1
    assert scores.recall_of(same_site=False) == 0
    assert math.isnan(scores.recall_of(how="scattered"))
    assert scores.merged() == pytest.approx(1 / 3)
    assert scores.merged(same_site=True) == 0
    assert scores.merged(same_site=False) == pytest.approx(1 / 2)


def test_groups_are_scored_by_the_pairs_in_them() -> None:
    groups = {"1": "x", "2": "x", "3": "x", "8": "x", "5": "y", "6": "y", "4": "z"}
    scores = score_groups(LABELS, groups)
    pairs = [(one, other) for one, other in combinations(groups, 2) if groups[one] == groups[other]]
    assert scores == score_pairs(LABELS, pairs)
    # 1-2 and 1-3 are right; 1-8, 2-8, 3-8 and 5-6 are wrong; 2-3 is not judged.
    assert scores.summary == pytest.approx((1 / 3, 1.0, 1 / 2))
    assert scores.found[Case("strangers", same_site=True)] == 2
    assert scores.merged(same_site=True) == 1


def test_one_group_of_all_is_counted_without_listing_its_pairs(made: list[Made]) -> None:
    scores = score_groups(made, dict.fromkeys((each.id for each in made), 0))
    assert scores.found.total() == math.comb(DOCUMENTS, 2)
    assert scores.recall == scores.merged() == 1
    assert scores.precision < 0.01


def test_shingles_of_a_short_text_are_one() -> None:
    assert list(shingles(["A b c d e f", "A b", ""], split)) == [
        ["a b c d e", "b c d e f"],
        ["a b"],
        [""],
    ]


def test_the_plagiarised_are_the_copies(tmp_path: Path) -> None:
    folder = tmp_path / "neardup"
    folder.mkdir()
    rows = "".join(f"{json.dumps({'id': name, 'text': name})}\n" for name in ("t1", "t2", "t3"))
    (folder / "mccormick2500.jsonl").write_text(rows)
    (folder / "mccormick2500.gold.json").write_text('{"pairs": [["t1", "t3"]], "neg": null}')
    found = list(articles(tmp_path))
    assert [(each.kind, each.of) for each in found] == [
        ("original", "t1"),
        ("alone", "t2"),
        ("copy", "t1"),
    ]
    assert score_pairs(found, [("t3", "t1")]).f1 == 1


def page(number: int, site: str, first_word: int) -> dict[str, str]:
    """Words that no other page has, but for a neighbour that begins in the midst of them."""
    said = " ".join(f"w{word}" for word in range(first_word, first_word + 300))
    return {"id": f"{number}", "url": f"https://{site}/{number}", "html": f"<p>{said}.</p>"}


def test_variants_of_real_pages_keep_the_limits(tmp_path: Path) -> None:
    rows = [page(number, f"{'abc'[number % 3]}.example", 1000 * number) for number in range(9)]
    rows += [page(9, "a.example", 20), page(10, "b.example", 1300)]
    for name, (file, _) in SETS.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        with gzip.open(tmp_path / file, "wt", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(row)}\n" for row in rows if name == "wcxb-dev")
    assert missing(tmp_path) == ""
    made = list(variants(tmp_path, seed=1, number=20))
    assert made == list(variants(tmp_path, seed=1, number=20))
    originals = {each.id: each for each in made if each.kind == "original"}
    assert "wcxb-dev/9" not in originals  # nearly the content of page 0
    assert len(originals) == 10
    assert len(made) == 30
    for each in made:
        before, after = Counter(words(originals[each.of].text)), Counter(words(each.text))
        most = corpus.MOST_SCATTERED if each.how == "scattered" else corpus.MOST_IN_RUNS
        changed = max(before.total(), after.total()) - (before & after).total()
        assert changed <= each.changed * 300 + 0.001
        assert each.changed <= most
        moved = each.id.endswith("framed")
        assert moved == (each.site != originals[each.of].site)
        if moved:
            assert changed == round(each.changed * 300)
            assert words(originals[each.of].text)[-1] not in after


def test_data_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "lacks wcxb-dev/pages.jsonl.gz" in missing(tmp_path)


def test_a_method_that_can_not_run_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts"
    labels = written([each._replace(text="a\nb") for each in LABELS], texts)
    assert labels == LABELS
    assert [json.loads(line) for line in texts.read_text().splitlines()] == ["a\nb"] * len(LABELS)
    assert not list(measure("no-such-method", Path(sys.executable), labels, texts))
    assert "no-such-method can't be run here: left out (KeyError" in capsys.readouterr().out


def test_the_report_holds_everyone_against_the_default() -> None:
    right = score_pairs(LABELS, [("1", "2"), ("1", "3")])
    half = score_pairs(LABELS, [("1", "2"), ("5", "6")])
    results = [Result("shoal-default", right, 0.5, 10.0), Result("x@0.5", half, 2.0, 10.0)]
    said = "\n".join(shown("made", LABELS, results))
    assert "made: 8 documents" in said
    assert "f1/made/x@0.5 1.00 0.500 2.000" in said
    assert "cpu-ms-per-document/made/x@0.5 0.500 2.00 0.250" in said
    rows = [line.split() for line in said.splitlines() if line.startswith("x@0.5")]
    assert rows == [
        ["x@0.5", "0.5000", "0.5000", "0.5000", "2.00", "10.00"],
        ["x@0.5", "1.0000", "-", "1.0000", "0.0000", "-", "0.0000"],
    ]
