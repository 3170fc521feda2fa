"""How good are models on pages that they have not seen? F1 by words on wcxb-dev, by type.

What is scored is what is shipped: the packed model, read by the compiled module. Only the text is
made more simply than `shoal clean` makes it, of the pieces' words, so benchmarks/extract.py may
give figures that differ a little.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import compress
from pathlib import Path
from statistics import fmean, stdev

from benchmarks.extract_scores import word_f1
from shoal.cleaners._content import Model
from training.content.examples import Example
from training.content.pieces import all_pages

SCORED = "wcxb-dev"
_CONTENT = 128
"""A shade from this on is content (`shade` in _model.h)."""

Scores = Mapping[str, Sequence[float]]
"""Of each type's pages."""


def cross_validated(
    models: Sequence[bytes], every: Sequence[Example], data: Path, at_most: int | None
) -> Scores:
    """Each page by the model of its own fold; also those that have no piece."""
    readers = [Model(packed) for packed in models]
    scores = defaultdict(list)
    for example, (name, page) in zip(every, all_pages(data, at_most), strict=True):
        if name == SCORED:
            shades = readers[example.fold].content(page.html)[1]
            chosen = compress(example.pieces, (shade >= _CONTENT for shade in shades))
            scores[page.type].append(word_f1(" ".join(chosen), page.gold))
    return scores


def table(scores: Scores) -> str:
    """As it stands in the model card."""
    rows = [f"| {kind} | {len(scores[kind])} | {_f1(scores[kind])} |" for kind in sorted(scores)]
    every = [score for kind in sorted(scores) for score in scores[kind]]
    error = stdev(every) / len(every) ** 0.5 if len(every) > 1 else float("nan")
    rows.append(f"| all | {len(every)} | {_f1(every)} ± {_short(error)} |")
    return "\n".join(["| pages | number | F1 |", "|---|---|---|", *rows])


def _f1(scores: Sequence[float]) -> str:
    return _short(fmean(scores))


def _short(number: float) -> str:
    return f"{number:.3f}".removeprefix("0")
