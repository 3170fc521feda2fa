"""Makes the model of names anew: word clusters from free text, then the weights.

    python -m training.entities WORKING_DIRECTORY [--folds]

Takes the marked sentences and the free text of SHOAL_DATA and writes src/shoal/naming/english.bin.
`--folds` makes no model: it prints scores on the web sentences, each marked by a model that has not
seen its document (five folds by document; all other corpora are learned from in each). The same
data and the same machine give the same file. Needs the extra `[training]`, a compiler and the
compiled module.
"""

import argparse
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.naming._names import Model
from training.entities.chain import Examples, Settings, examples_of, fit
from training.entities.corpus import Sentence, emerging, encyclopedia, tweets, web
from training.entities.file_format import EntityModel
from training.entities.free_text import free_text
from training.entities.lexicon import LexiconSettings, lexicon
from training.entities.scores import Tally

_SHIPPED = Path(__file__).parents[2] / "src" / "shoal" / "naming" / "english.bin"
_FOLDS = 5
_SEED = 7
_BIASES = (0.0, 0.5, 1.0)


def main(data: Path, work: Path, *, in_folds: bool) -> None:
    began = time.monotonic()
    work.mkdir(parents=True, exist_ok=True)
    sentences = all_marked(data)
    words = lexicon(_texts(free_text(data, work), sentences), LexiconSettings())
    examples = examples_of(sentences, Model(words.packed()))
    _say(began, f"{len(sentences):,} sentences, {len(words.words):,} words are known")
    if in_folds:
        for bias, tally in in_folds_of(sentences, examples, words).items():
            print(f"bias {bias}: {tally.line()}")
        return
    model = _model(examples, np.arange(len(sentences)), words)
    packed = model.packed()
    _SHIPPED.write_bytes(packed)
    _say(began, f"{len(packed):,} bytes, {len(zlib.compress(packed, 9)):,} in a wheel")


def all_marked(data: Path) -> list[Sentence]:
    folder = data / "entities"
    return [*web(folder), *encyclopedia(folder), *tweets(folder), *emerging(folder)]


def in_folds_of(
    sentences: Sequence[Sentence], examples: Examples, words: EntityModel
) -> dict[float, Tally]:
    """By how much speaks against no name."""
    tallies = {bias: Tally() for bias in _BIASES}
    folds = folds_of(sentences)
    for fold in range(_FOLDS):
        tagger = Model(_model(examples, np.flatnonzero(folds != fold), words).packed())
        for each in np.flatnonzero(folds == fold).tolist():
            sentence = sentences[each]
            for bias, tally in tallies.items():
                found = tagger.spans(sentence.text, False, bias)
                tally.add(sentence, [(start, end, kind) for start, end, kind, _ in found])
    return tallies


def folds_of(sentences: Sequence[Sentence]) -> NDArray[np.int64]:
    """Of each sentence of the web, by its document; -1: always learned from."""
    documents = sorted({each.document for each in sentences if each.domain == "web"})
    np.random.default_rng(_SEED).shuffle(documents)
    fold = {document: number % _FOLDS for number, document in enumerate(documents)}
    return np.array([fold[each.document] if each.domain == "web" else -1 for each in sentences])


def _model(examples: Examples, chosen: NDArray[np.int64], words: EntityModel) -> EntityModel:
    model = fit(examples, chosen.astype(np.int64), Settings())
    model.words, model.phrases = words.words, words.phrases
    return model


def _texts(free: Path, sentences: Sequence[Sentence]) -> Iterator[str]:
    with free.open() as lines:
        yield from lines
    for sentence in sentences:
        yield sentence.text


def _say(began: float, text: str) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training.entities")
    parser.add_argument("work", type=Path)
    parser.add_argument("--folds", action="store_true")
    given = parser.parse_args()
    shared = Path(os.environ.get("SHOAL_DATA", "../shared/data"))
    main(shared, given.work, in_folds=given.folds)
