"""How are classes learned from examples, and how good are the answers then?"""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from shoal.analysis.class_examples import Example, Examples
from shoal.layout.classes import ClassLine, ClassReport, LearnedClasses
from shoal.learn.classifier import Classifier, HeldOut, taught
from shoal.learn.features import FeatureMaker

_WORDS = 8
"""Of a class, that are shown."""
_NAMED_PER_CLASS = 30
_NAMED_CHARS = 20_000
"""Of so many examples of each class words are told again from their numbers."""
_TENTHS = 10


def learned(examples: Examples, accept: float) -> LearnedClasses:
    maker = FeatureMaker()
    features = [maker.of(each.parts) for each in examples.found]
    classes = [each.classes for each in examples.found]
    folders = [each.folder for each in examples.found]
    model = taught(features, classes, folders if any(folders) else ())
    report = _report(model, classes, accept)
    report.source, report.notes = examples.source, examples.notes
    report.made = time.time()
    words = _words(model, maker, examples.found)
    for line in report.classes:
        line.words = words.get(line.name, [])
    return LearnedClasses(model.to_bytes(), report)


def _words(
    model: Classifier, maker: FeatureMaker, examples: Sequence[Example]
) -> dict[str, list[str]]:
    """The words that speak most for each class: what was only a number is told from examples."""
    wanted = {name: model.strongest(name, _WORDS * 2) for name in model.classes}
    seen: Counter[str] = Counter()
    names: dict[str, dict[int, str]] = defaultdict(dict)
    for each in examples:
        for name in each.classes:
            seen[name] += 1
            if seen[name] > _NAMED_PER_CLASS:
                continue
            parts = {part: text[:_NAMED_CHARS] for part, text in each.parts.items()}
            told = maker.names(parts)
            names[name].update({key: told[key][1] for key in wanted[name] if key in told})
    return {
        name: list(dict.fromkeys(names[name][key] for key in keys if key in names[name]))[:_WORDS]
        for name, keys in wanted.items()
    }


def _report(model: Classifier, classes: Sequence[Sequence[str]], accept: float) -> ClassReport:
    counts = Counter(name for each in classes for name in each)
    lines = {name: ClassLine(name, counts[name]) for name in model.classes}
    report = ClassReport(len(classes), exclusive=model.exclusive, accept=accept)
    report.classes = list(lines.values())
    if model.held_out is not None and len(model.held_out.examples):
        _measure(model, model.held_out, lines, report)
    return report


def _measure(
    model: Classifier, held_out: HeldOut, lines: dict[str, ClassLine], report: ClassReport
) -> None:
    asked = len(held_out.examples)
    right = given_any = given_right = 0
    sums = [[0.0, 0.0] for _ in range(_TENTHS)]
    for chances, truth in zip(held_out.chances, held_out.truth, strict=True):
        true = {name for name, is_true in zip(model.classes, truth, strict=True) if is_true}
        best = int(chances.argmax())
        is_right = model.classes[best] in true
        right += is_right
        chance = float(chances[best])
        tenth = sums[min(_TENTHS - 1, int(chance * _TENTHS))]
        tenth[0] += chance
        tenth[1] += is_right
        told = dict(zip(model.classes, chances.tolist(), strict=True))
        names = {name for name, each in told.items() if each >= report.accept}
        for name in true:
            lines[name].asked += 1
        for name in names:
            lines[name].given += 1
            lines[name].right += name in true
        given_any += bool(names)
        given_right += bool(names) and is_right
    report.held_out = asked
    report.accuracy = right / asked
    report.coverage = given_any / asked
    report.accepted_accuracy = given_right / given_any if given_any else 0.0
    report.calibration_error = sum(abs(told - true) for told, true in sums) / asked
    known = [line for line in lines.values() if line.asked]
    report.macro_f1 = sum(f1(line) for line in known) / len(known) if known else 0.0


def f1(line: ClassLine) -> float:
    """Between how much of a class was found, and how much of what was given is right."""
    return 2 * line.right / (line.asked + line.given) if line.asked + line.given else 0.0


def explained(
    model: bytes, parts: dict[str, str], name: str, most: int = 10
) -> list[tuple[str, str, float]]:
    """The words of a document that spoke most for a class, or against it: part, word, weight."""
    maker = FeatureMaker()
    said = Classifier.from_bytes(model).said(maker.of(parts), name)
    names = maker.names(parts)
    return [(*names[key], weight) for key, weight in said if key in names and weight][:most]
