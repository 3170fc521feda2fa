"""Who tells copies from look-alikes, and at what cost? Shoal's methods beside datasketch and rensa.

    python -m benchmarks.dups                            three sets, 10,000 generated documents
    python -m benchmarks.dups --all                      100,000 of them
    python -m benchmarks.dups --seed 7 --documents 3000 --sets generated

The sets: 2,500 news articles with 20 plagiarised pairs (neardup in SHOAL_DATA), the generated
corpus (dup_corpus.py), and variants of real pages with their frames (dup_variants.py). Each method
reads each set in a process of its own; what its time includes stands in dup_peers.py, how pairs are
judged in dup_scores.py. The peers live in an environment that is made on first use, in --work.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import NamedTuple

from benchmarks.dup_corpus import Kind, Made, generate
from benchmarks.dup_peers import PEERS, Answer
from benchmarks.dup_scores import Scores, score_groups, score_pairs
from benchmarks.dup_variants import missing, variants
from benchmarks.extract_scores import data_folder
from benchmarks.peers import peers_python
from benchmarks.report import line, table

METHODS = ("default", "simhash", "fingerprints")
OURS = "shoal-default"
SETS = ("neardup", "generated", "variants")
_PACKAGES = ("datasketch", "rensa")
_ARTICLES, _GOLD = "neardup/mccormick2500.jsonl", "neardup/mccormick2500.gold.json"
_PROJECT = Path(__file__).resolve().parent.parent
_READER = _PROJECT / "benchmarks" / "dup_peers.py"


class Result(NamedTuple):
    method: str
    scores: Scores
    cpu_ms: float
    """Of one document."""
    peak_mb: float


def articles(data: Path) -> Iterator[Made]:
    """The plagiarised are copies; nothing is known of their sites."""
    gold = json.loads((data / _GOLD).read_text(encoding="utf-8"))["pairs"]
    copied = {copy: original for original, copy in gold}
    originals = set(copied.values())
    with (data / _ARTICLES).open(encoding="utf-8") as lines:
        for each in map(json.loads, lines):
            name = each["id"]
            kind: Kind = "copy" if name in copied else "original" if name in originals else "alone"
            yield Made(name, "", each["text"], kind, copied.get(name, name), "", 0.0)


def documents(name: str, given: argparse.Namespace) -> Iterable[Made] | str:
    """The documents of a set, or why there are none."""
    if name == "generated":
        return generate(given.seed, given.documents)
    if name == "variants":
        return missing(given.data) or variants(given.data, given.seed)
    absent = [file for file in (_ARTICLES, _GOLD) if not (given.data / file).is_file()]
    if absent:
        return f"{given.data} lacks {', '.join(absent)} (SHOAL_DATA says where)"
    return articles(given.data)


def written(made: Iterable[Made], texts: Path) -> list[Made]:
    """Puts the texts into a file, a line each; what is known of them comes back without them."""
    labels = []
    with texts.open("w", encoding="utf-8") as file:
        for each in made:
            file.write(f"{json.dumps(each.text)}\n")
            labels.append(each._replace(text=""))
    return labels


def measure(name: str, python: Path, labels: Sequence[Made], texts: Path) -> Iterator[Result]:
    """What one method found; if it can't be run, why is said."""
    answers = texts.with_suffix(".answers")
    answers.unlink(missing_ok=True)
    command = [str(python), "-P", str(_READER), name, str(texts), str(answers)]
    subprocess.run(command, check=False, cwd=_PROJECT)
    found = json.loads(answers.read_text(encoding="utf-8")) if answers.is_file() else {}
    if "answers" not in found:
        print(f"{name} can't be run here: left out ({found.get('fault', 'died')})")
        return
    print(f"{name}: {found['version']}")
    for answer in (Answer(**each) for each in found["answers"]):
        cpu_ms = 1000 * answer.cpu_seconds / max(1, len(labels))
        yield Result(answer.name, scored(labels, answer), cpu_ms, answer.peak_mb)


def scored(labels: Sequence[Made], answer: Answer) -> Scores:
    """Texts are numbered in an answer."""
    if answer.groups is None:
        return score_pairs(labels, ((labels[a].id, labels[b].id) for a, b in answer.pairs))
    numbered = enumerate(answer.groups)
    group_of = {labels[member].id: group for group, members in numbered for member in members}
    return score_groups(labels, group_of)


def shown(name: str, labels: Sequence[Made], results: Sequence[Result]) -> Iterator[str]:
    """The tables of a set, then everyone beside our default."""
    head = ["method", "precision", "recall", "F1", "CPU ms a document", "peak MB"]
    rows = [
        [each.method, *_digits(*each.scores.summary), each.cpu_ms, each.peak_mb] for each in results
    ]
    yield f"{name}: {len(labels)} documents\n{table(head, rows)}"
    if any(each.how for each in labels):
        yield _apart(results)
    ours = next((each for each in results if each.method == OURS), None)
    peers = [each for each in results if not each.method.startswith("shoal-")]
    if ours and peers:
        yield "\n".join(
            line(f"f1/{name}/{each.method}", ours.scores.f1, each.scores.f1) for each in peers
        )
        yield "\n".join(
            line(f"cpu-ms-per-document/{name}/{each.method}", ours.cpu_ms, each.cpu_ms)
            for each in peers
        )


def _apart(results: Sequence[Result]) -> str:
    """Recall by kind of change, and look-alike pairs merged, on one site and across sites."""
    head = ["of one site | across sites", "runs", "scattered", "merged"]
    head += head[1:]
    rows = []
    for each in results:
        row = [each.method]
        for same_site in (True, False):
            runs = each.scores.recall_of(same_site=same_site, how="runs")
            scattered = each.scores.recall_of(same_site=same_site, how="scattered")
            row += _digits(runs, scattered, each.scores.merged(same_site=same_site))
        rows.append(row)
    return table(head, rows)


def _digits(*shares: float) -> list[str]:
    """Four, for the best differ in the fourth; a dash where nothing could be counted."""
    return ["-" if isnan(share) else f"{share:.4f}" for share in shares]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=10_000, help="in the generated corpus")
    parser.add_argument("--all", action="store_true", help="100,000 of them")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=METHODS)
    parser.add_argument("--peers", nargs="*", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    given = parser.parse_args()
    if given.all:
        given.documents = 100_000
    return given


def main() -> None:
    given = arguments()
    given.work = given.work.resolve()  # the readers run elsewhere
    given.work.mkdir(parents=True, exist_ok=True)
    runners = {f"shoal-{method}": Path(sys.executable) for method in given.methods}
    peers = peers_python(given.work / "peers-dups", _PACKAGES) if given.peers else None
    if peers:
        runners |= dict.fromkeys(given.peers, peers)
    elif given.peers:
        print(f"{' and '.join(_PACKAGES)} can't be installed here: left out")
    for name in given.sets:
        made = documents(name, given)
        if isinstance(made, str):
            print(f"{name}: left out, {made}")
            continue
        with tempfile.TemporaryDirectory(dir=given.work) as folder:
            texts = Path(folder) / "texts"
            labels = written(made, texts)
            results = [
                result
                for method, python in runners.items()
                for result in measure(method, python, labels, texts)
            ]
        for paragraph in shown(name, labels, results):
            print(f"\n{paragraph}", flush=True)


if __name__ == "__main__":
    main()
