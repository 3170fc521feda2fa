"""The training of the model of names: one view of the corpora, words, weights, and the file."""

import gzip
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("shoal.naming._names", reason="no compiled module")

from shoal.naming._names import Model  # noqa: E402 - needs the compiled module
from training.entities.chain import Settings, examples_of, fit  # noqa: E402
from training.entities.corpus import Sentence, marked_file  # noqa: E402
from training.entities.file_format import unpacked  # noqa: E402
from training.entities.lexicon import LexiconSettings, lexicon  # noqa: E402
from training.entities.scores import Tally  # noqa: E402

NAMES = ("Ann Smith", "Bob Hill", "Carl Reed", "Dora Lane", "Emil Ross")
TEXTS = [f"Yesterday {name} went to {place} ." for name in NAMES for place in ("Oslo", "Rome")]


def sentences() -> list[Sentence]:
    found = []
    for number, text in enumerate(TEXTS):
        name, place = NAMES[number // 2], ("Oslo", "Rome")[number % 2]
        spans = ((10, 10 + len(name), 0), (text.index(place), text.index(place) + 4, 1))
        found.append(Sentence(text, spans, "web", str(number)))
    return found


def test_both_forms_are_read_as_one(tmp_path: Path) -> None:
    columns, numbered = tmp_path / "a.conll.gz", tmp_path / "b.iob2"
    columns.write_bytes(
        gzip.compress(b"@\tB-PER\nann\tB-PER\nin\tO\nNew\tB-location\nYork\tI-location\n\n")
    )
    numbered.write_text(
        "# newdoc id = one\n# sent_id = 1\n# text = Ann's in New York.\n"
        "1\tAnn\tB-PER\t-\t-\n2\t's\tO\t-\t-\n3\tin\tO\t-\t-\n4\tNew\tB-LOC\t-\t-\n"
        "5\tYork\tI-LOC\t-\t-\n6\t.\tO\t-\t-\n\n"
    )
    (tweet,) = marked_file(columns)
    assert (tweet.text, tweet.spans) == ("@ann in New York", ((8, 16, 1),))
    (page,) = marked_file(numbered)
    assert (page.text, page.spans, page.document) == (
        "Ann's in New York.",
        ((0, 3, 0), (9, 17, 1)),
        "one",
    )


def test_what_is_learned_is_found_and_the_same_twice() -> None:
    words = lexicon(TEXTS * 6, LexiconSettings(least=1))
    assert words.packed() == lexicon(TEXTS * 6, LexiconSettings(least=1)).packed()
    learned_from = sentences()
    examples = examples_of(learned_from, Model(words.packed()))
    every = np.arange(len(learned_from))
    models = []
    for _ in range(2):
        model = fit(examples, every, Settings(pruned=0.0))
        model.words, model.phrases = words.words, words.phrases
        models.append(model.packed())
    assert models[0] == models[1]
    assert unpacked(models[0]).packed()[:100] == models[0][:100]
    tally, tagger = Tally(), Model(models[0])
    for each in learned_from:
        tally.add(each, [(start, end, kind) for start, end, kind, _ in tagger.spans(each.text)])
    assert tally.f1() == (1.0, 1.0, 1.0)
    unseen = "Yesterday Fred Wood went to Oslo ."
    assert [unseen[start:end] for start, end, *_ in tagger.spans(unseen)] == ["Fred Wood", "Oslo"]


def test_names_count_if_they_are_found_exactly() -> None:
    tally = Tally()
    tally.add(
        Sentence("Ann Smith in Oslo", ((0, 9, 0), (13, 17, 1)), "web"), [(0, 3, 0), (13, 17, 1)]
    )
    assert tally.f1([0])[2] == 0.0
    assert tally.f1([1])[2] == 1.0
    assert tally.f1() == (0.5, 0.5, 0.5)
