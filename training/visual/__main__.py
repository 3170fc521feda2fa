"""Makes the weights of method `visual` anew: draws pages, labels their texts, fits, scores.

    python -m training.visual WORKING_DIRECTORY [--try PAGES]

Takes the pages of wcxb-dev in SHOAL_DATA: every seventh from the 4th and from the 6th is fitted on,
every seventh from the first is only scored. Needs the extra `[js]` and Chromium, and nothing to
compute with but Python. Drawing takes about twenty minutes; what is drawn stays in the working
directory, and from then on a run takes two. `--try` does it with a few pages and writes nothing.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev

from benchmarks.extract_scores import data_folder, domain, folds, word_f1
from shoal.cleaners.visual import choice, ranges
from training.visual.drawn import DrawnPage, drawn
from training.visual.logistic import fit
from training.visual.texts import Text, plain, texts

_EVERY = 7
_FITTED = (3, 5)
_SCORED = (0,)
_FOLDS = 3
_WEIGHTS = Path(__file__).parents[2] / "src" / "shoal" / "cleaners" / "visual_weights.py"
_HEAD = '''"""How much does each thing seen of a text say? Written by `python -m training.visual`.

The logarithm of the odds that a text is content is the sum of these, each times what is seen.
"""
'''

Labelled = tuple[DrawnPage, list[Text]]


def main(work: Path, at_most: int | None) -> None:
    data = data_folder()
    labelled = [(page, texts(page)) for page in drawn(data, work, _EVERY, _FITTED, at_most)]
    names = sorted({name for _, found in labelled for text in found for name in text.seen})
    print(f"{len(labelled)} pages, {sum(len(found) for _, found in labelled):,} texts")
    print(f"{_FOLDS} folds by domain: {_table(_in_folds(labelled, names))}")
    weights = _fitted(labelled, names)
    scored = [
        (domain(page.url), page.type, _score(page, weights))
        for page in drawn(data, work, _EVERY, _SCORED, at_most)
    ]
    print(f"pages left out: {_table([(kind, score) for _, kind, score in scored])}")
    known = {domain(page.url) for page, _ in labelled}
    new = [(kind, score) for place, kind, score in scored if place not in known]
    print(f"those of other domains: {_table(new)}")
    if at_most is None:
        lines = [f'    "{name}": {weights[name]},\n' for name in names]
        _WEIGHTS.write_text(f"{_HEAD}\nWEIGHTS = {{\n{''.join(lines)}}}\n", encoding="utf-8")
        print(f"written: {_WEIGHTS.name}")


def _fitted(labelled: list[Labelled], names: list[str]) -> dict[str, float]:
    rows = [(text.seen, text.is_content, text.weight) for _, found in labelled for text in found]
    return {name: round(weight, 2) for name, weight in fit(rows, names).items()}


def _in_folds(labelled: list[Labelled], names: list[str]) -> list[tuple[str, float]]:
    """Each page's type and score, by weights of pages from other domains."""
    numbers = folds([page.url for page, _ in labelled], _FOLDS)
    scores = []
    for fold in range(_FOLDS):
        pairs = list(zip(numbers, labelled, strict=True))
        weights = _fitted([each for number, each in pairs if number != fold], names)
        scores += [(page.type, _score(page, weights)) for n, (page, _) in pairs if n == fold]
    return scores


def _score(page: DrawnPage, weights: Mapping[str, float]) -> float:
    chosen = ranges(page.rendered, choice(page.rendered, weights))
    return word_f1(plain(page.rendered.html[start:end] for start, end in chosen), page.gold)


def _table(scores: list[tuple[str, float]]) -> str:
    by_type: dict[str, list[float]] = defaultdict(list)
    for kind, score in scores:
        by_type[kind].append(score)
    values = [score for _, score in scores]
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    types = [
        f"  {kind} ({len(by_type[kind])}) {fmean(by_type[kind]):.3f}" for kind in sorted(by_type)
    ]
    return "\n".join([f"mean F1 {fmean(values):.3f} ± {error:.3f} ({len(values)} pages)", *types])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training.visual")
    parser.add_argument("work", type=Path, metavar="WORKING_DIRECTORY")
    parser.add_argument("--try", type=int, dest="at_most", metavar="PAGES")
    given = parser.parse_args()
    main(given.work, given.at_most)
