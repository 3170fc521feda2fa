"""How well are classes learned and trees made? Shoal beside scikit-learn, on the same texts.

    pip install scikit-learn
    python -m benchmarks.learn              WebKB, Reuters, trees: SHOAL_DATA/classes
    python -m benchmarks.learn --trees      only trees, with 10,000 and 100,000 documents

WebKB: trained on one university and judged on the other, both ways; scikit-learn's side is
TfidfVectorizer and LinearSVC on title and text. Reuters: the ModApte training stories in three
parts, each judged by a model of the others; one LinearSVC for each topic. Trees: normalised mutual
information with the classes, with as many leaves as there are classes; scikit-learn's k-means and
Ward's method on the hundred main directions of its own. CPU is that of the process, one thread.
"""

import argparse
import gzip
import importlib
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.extract_scores import data_folder
from benchmarks.report import table
from shoal.analysis.class_examples import folder_of
from shoal.learn.classifier import taught
from shoal.learn.features import FeatureMaker, Features
from shoal.learn.page_classes import PageClasses, page_parts
from shoal.learn.stored import written
from shoal.learn.tree_building import build
from shoal.worker.page_marks import tree_parts

_TENTHS = 10
_PARTS = 3
_ACCEPT = 0.5
_SAMPLE = 8_000


class Document(NamedTuple):
    parts: dict[str, str]
    classes: list[str]
    group: str = ""
    folder: str = ""

    @property
    def text(self) -> str:
        return self.parts["text"]


class Side(NamedTuple):
    name: str
    accuracy: float
    micro: float
    macro: float
    cpu: float
    calibration: float = float("nan")
    coverage: float = float("nan")
    accepted: float = float("nan")


def webkb(folder: Path) -> list[Document]:
    from shoal import Converter  # noqa: PLC0415 - only where pages are read

    found = []
    with Converter() as converter:
        for row in _rows(folder / "webkb-cornell-texas.jsonl.gz"):
            page = row["html"].encode("latin-1", "replace")
            said = converter.convert(page, name="page.html", media_type="text/html", url=row["url"])
            parts = page_parts(row["url"], said.title, said.document.headings, said.text)
            group, folder_ = row["university"], folder_of(row["url"])
            found.append(Document(parts, [row["class"]], group, folder_))
    return found


def reuters(folder: Path) -> list[Document]:
    rows = _rows(folder / "reuters-train.jsonl.gz")
    return [
        Document(
            page_parts("", row["title"] or "", "", row["body"] or row["title"] or ""), row["topics"]
        )
        for row in rows
        if row["topics"]
    ]


def _rows(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ours(train: Sequence[Document], test: Sequence[Document], names: list[str]) -> Side:
    started = time.process_time()
    maker = FeatureMaker()
    folders = [each.folder for each in train]
    model = taught(
        [maker.of(each.parts) for each in train],
        [each.classes for each in train],
        folders if any(folders) else (),
    )
    chances = model.chances([maker.of(each.parts) for each in test])
    cpu = time.process_time() - started
    wide = np.zeros((len(test), len(names)))
    wide[:, [names.index(name) for name in model.classes]] = chances
    told = _one(wide) if model.exclusive else wide >= _ACCEPT
    truth = _truth(test, names)
    best, highest = wide.argmax(axis=1), wide.max(axis=1)
    right = truth[np.arange(len(test)), best]
    given = highest >= _ACCEPT
    error = sum(
        abs(float((highest - right)[tenth].sum())) / len(test)
        for low in range(_TENTHS)
        for tenth in [(highest * _TENTHS > low) & (highest * _TENTHS <= low + 1)]
    )
    return _side("Shoal", truth, told, cpu)._replace(
        calibration=error, coverage=float(given.mean()), accepted=float(right[given].mean())
    )


def theirs(train: Sequence[Document], test: Sequence[Document], names: list[str]) -> Side:
    vectorizer = _sklearn("feature_extraction.text").TfidfVectorizer()
    several = any(len(each.classes) != 1 for each in train)
    svc = _sklearn("svm").LinearSVC()
    started = time.process_time()
    given = vectorizer.fit_transform([each.text for each in train])
    if several:
        known = _truth(train, names)
        used = [column for column in range(len(names)) if known[:, column].any()]
        model = _sklearn("multiclass").OneVsRestClassifier(svc).fit(given, known[:, used])
        told = np.zeros((len(test), len(names)), np.bool_)
        told[:, used] = model.predict(vectorizer.transform([each.text for each in test]))
    else:
        model = svc.fit(given, [each.classes[0] for each in train])
        said = model.predict(vectorizer.transform([each.text for each in test]))
        told = np.array([[name == each for name in names] for each in said])
    cpu = time.process_time() - started
    return _side("LinearSVC", _truth(test, names), told, cpu)


def _one(chances: Any) -> Any:
    told = np.zeros(chances.shape, np.bool_)
    told[np.arange(len(chances)), chances.argmax(axis=1)] = True
    return told


def _truth(documents: Sequence[Document], names: Sequence[str]) -> Any:
    return np.array([[name in each.classes for name in names] for each in documents])


def _side(name: str, truth: Any, told: Any, cpu: float) -> Side:
    right, wrong, missed = truth & told, ~truth & told, truth & ~told
    twice = 2 * right.sum(axis=0)
    there = truth.any(axis=0) | told.any(axis=0)
    each = twice[there] / (twice + wrong.sum(axis=0) + missed.sum(axis=0))[there]
    micro = 2 * right.sum() / (2 * right.sum() + wrong.sum() + missed.sum())
    accuracy = (truth == told).all(axis=1).mean()
    return Side(name, float(accuracy), float(micro), float(each.mean()), cpu)


def compared(title: str, documents: Sequence[Document], parts: Sequence[Sequence[int]]) -> None:
    """Each part is judged by models of all others."""
    names = sorted({name for each in documents for name in each.classes})
    lines = []
    for number, part in enumerate(parts):
        out = set(part)
        train = [each for place, each in enumerate(documents) if place not in out]
        test = [documents[place] for place in part]
        sides = [theirs(train, test, names), ours(train, test, names)]
        for side in sides:
            ratio = side.cpu / sides[0].cpu
            figures = [side.accuracy, side.micro, side.macro, ratio]
            rest = [side.calibration, side.coverage, side.accepted]
            lines.append([str(number), side.name, *(f"{each:.3f}" for each in (*figures, *rest))])
    head = ["part", "", "accuracy", "micro-F1", "macro-F1", "CPU ratio", "calibration error"]
    print(f"\n{title}\n\n{table([*head, 'coverage at .5', 'accuracy there'], lines)}")


def trees(title: str, documents: Sequence[Document]) -> None:
    names = [each.classes[0] for each in documents]
    wanted = len(set(names))
    lines = []
    for name, made in (("Shoal", _our_tree), ("k-means", _k_means), ("Ward", _ward)):
        started = time.process_time()
        found = made(documents, wanted)
        cpu = time.process_time() - started
        again = "yes" if name != "Shoal" or made(documents, wanted) == found else "NO"
        score = _sklearn("metrics").normalized_mutual_info_score(names, found)
        lines.append([name, str(len(set(found))), f"{score:.3f}", f"{cpu:.1f}", again])
    head = ["", "leaves", "NMI", "CPU s", "same twice"]
    print(f"\n{title}: {len(documents):,} documents, {wanted} classes\n\n{table(head, lines)}")


def _features(documents: Sequence[Document]) -> list[Features]:
    maker = FeatureMaker()
    return [maker.of(tree_parts(each.parts)) for each in documents]


def _our_tree(documents: Sequence[Document], wanted: int) -> list[int]:
    return build(_features(documents), wanted, 3, 10, 3).leaf_of


def _directions(documents: Sequence[Document]) -> Any:
    text = _sklearn("feature_extraction.text")
    given = text.TfidfVectorizer(min_df=2, max_df=0.5).fit_transform([e.text for e in documents])
    reduced = _sklearn("decomposition").TruncatedSVD(100, random_state=0).fit_transform(given)
    return _sklearn("preprocessing").normalize(reduced)


def _k_means(documents: Sequence[Document], wanted: int) -> list[int]:
    model = _sklearn("cluster").KMeans(wanted, n_init=3, random_state=0)
    return [int(each) for each in model.fit_predict(_directions(documents))]


def _ward(documents: Sequence[Document], wanted: int) -> list[int]:
    model = _sklearn("cluster").AgglomerativeClustering(wanted)
    return [int(each) for each in model.fit_predict(_directions(documents))]


def growth(documents: Sequence[Document]) -> None:
    """A tree of so many documents, and their places; and what moves when a twentieth is new."""
    lines, first = [], 0.0
    for count in (10_000, 100_000):
        draw = random.Random(1)
        started = time.process_time()
        sample = [_drawn(documents, draw) for _ in range(_SAMPLE)]
        built = build(_features(sample), 128, 3, 10, 3)
        model = PageClasses.from_bytes(written(built.model))
        for _ in range(count):
            model.likeliest(tree_parts(_drawn(documents, draw).parts))
        cpu = time.process_time() - started
        first = first or cpu
        lines.append([f"{count:,}", f"{cpu:.1f}", f"{cpu / first / (count / 10_000):.2f}"])
    print(f"\nGrowth\n\n{table(['documents', 'CPU s', 'of linear'], lines)}")
    shuffled = random.Random(2).sample(list(documents), len(documents))
    old = shuffled[: len(shuffled) * 19 // 20]
    model = PageClasses.from_bytes(written(build(_features(old), 59, 3, 10, 3).model))
    before = [model.likeliest(tree_parts(each.parts)) for each in old]
    sizes = Counter(model.likeliest(tree_parts(each.parts)) for each in shuffled)
    after = [model.likeliest(tree_parts(each.parts)) for each in old]
    moved = sum(one != other for one, other in zip(before, after, strict=True))
    print(f"\n5% new: {moved} of {len(old):,} old documents moved; {len(sizes)} leaves in use.")


def _drawn(documents: Sequence[Document], draw: random.Random) -> Document:
    """Of two stories the words of half of each, so that none comes twice."""
    one, other = draw.choice(documents), draw.choice(documents)
    words = one.parts["text"].split()[::2] + other.parts["text"].split()[1::2]
    return Document({"text": " ".join(words), "title": one.parts["title"]}, one.classes)


def _sklearn(module: str) -> Any:
    return importlib.import_module(f"sklearn.{module}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learn", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder() / "classes")
    parser.add_argument("--trees", action="store_true", help="only trees, also of many documents")
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        sys.exit(f"{given.data} is not there: SHOAL_DATA says where the data are")
    try:
        _sklearn("svm")
    except ImportError:
        sys.exit("scikit-learn is the peer here: pip install scikit-learn")
    pages, stories = webkb(given.data), reuters(given.data)
    single = [each for each in stories if len(each.classes) == 1]
    if not given.trees:
        _by_group("WebKB, each university by the other", pages)
        compared("Reuters, several topics a story", stories, _thirds(len(stories)))
        compared("Reuters, stories with one topic", single, _thirds(len(single)))
    trees("Reuters, stories with one topic", single)
    trees("WebKB", pages)
    if given.trees:
        growth(single)


def _by_group(title: str, documents: Sequence[Document]) -> None:
    groups = sorted({each.group for each in documents})
    parts = [[at for at, each in enumerate(documents) if each.group == name] for name in groups]
    compared(title, documents, parts)


def _thirds(count: int) -> list[list[int]]:
    shuffled = random.Random(1).sample(range(count), count)
    return [sorted(shuffled[part::_PARTS]) for part in range(_PARTS)]


if __name__ == "__main__":
    main()
