"""Who orders documents best? Shoal beside bm25s, SQLite FTS5 and plain tantivy, by nDCG@10.

    python -m benchmarks.search                        all judged collections in SHOAL_DATA/ir
    python -m benchmarks.search --data DIR cacm npl    some of those in another folder
    python -m benchmarks.search --set k1=1.2 b=0.6     with other weights

Every collection is a folder (search_scores.py). Shoal is asked as a person would: each text is an
entry of a real index, each query a line that is parsed, and the order is that of `shoal search`.
The figure of all queries is compared; beside it stand those of the odd and of the even ones (both
were seen while weights were chosen), and how likely chance alone would give the difference. The
peers (search_peers.py) live in an environment that is made on first use, in --work.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.extract_scores import data_folder
from benchmarks.peers import peers_python
from benchmarks.report import line, table
from benchmarks.search_peers import PEERS
from benchmarks.search_scores import Judged, chance, is_tuned_on, load, mean, scores
from shoal.index.fields import FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.candidate import Candidates
from shoal.model.entry import Entry
from shoal.model.principal import OWNER
from shoal.model.record import changed
from shoal.model.urls.rowkey import row_key, url_of
from shoal.search.parse import parse
from shoal.search.ranking import CANDIDATES, Weights, order

OURS = "shoal"
_PACKAGES = ("bm25s", "PyStemmer")
_PROJECT = Path(__file__).resolve().parent.parent
_READER = _PROJECT / "benchmarks" / "search_peers.py"
_FILES = ("docs.jsonl", "queries.jsonl", "qrels.txt")


class Found(NamedTuple):
    name: str
    scores: list[float]
    """nDCG@10 of each query."""


def fill(index: Path, judged: Judged) -> None:
    with IndexWriter(index) as writer:
        for name, text in judged.documents:
            url = f"http://{judged.name}.test/{name}"
            entry = Entry(row_key(url), url, f"{judged.name}.test", content=text, language="en")
            writer.put(entry)
        writer.commit(1)


def candidates_of(reader: IndexReader, text: str, now: float) -> Candidates:
    return reader.candidates(parse(text, now), OWNER, FieldWeights(), CANDIDATES)


def answers_of(index: Path, judged: Judged, weights: Weights) -> Iterator[list[str]]:
    reader, now = IndexReader(index), time.time()
    for _, query in judged.queries:
        found = candidates_of(reader, query, now)
        ranked = order(found, weights, lambda rows: [0.0] * len(rows), now)
        yield [url_of(each.candidate.row).rpartition("/")[2] for each in ranked[:10]]


def ours(judged: Judged, weights: Weights) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        fill(index, judged)
        return Found(OURS, scores(judged, list(answers_of(index, judged, weights))))


def theirs(name: str, python: Path, judged: Judged) -> Iterator[Found]:
    """What a peer found; if it can't be run, why is said."""
    package = PEERS[name][1]
    program = python if package == "bm25s" else Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        given, answers = Path(folder) / "given", Path(folder) / "answers"
        given.write_text(json.dumps([judged.documents, judged.queries]), encoding="utf-8")
        command = [str(program), "-P", str(_READER), name, str(given), str(answers)]
        subprocess.run(command, check=False, cwd=_PROJECT)
        found = json.loads(answers.read_text(encoding="utf-8")) if answers.is_file() else {}
    if "answers" in found:
        yield Found(name, scores(judged, found["answers"]))
    else:
        print(f"{name} can't be run here: left out ({found.get('fault', 'died')})")


def shown(judged: Judged, found: Sequence[Found]) -> Iterator[str]:
    """All queries, the halves, and everyone beside us."""
    us, *others = found
    even = [not is_tuned_on(query) for query, _ in judged.queries]
    rows = []
    for each in found:
        held = mean([score for score, is_even in zip(each.scores, even, strict=True) if is_even])
        tuned = mean(
            [score for score, is_even in zip(each.scores, even, strict=True) if not is_even]
        )
        p = "-" if each is us else f"{chance(us.scores, each.scores):.3f}"
        rows.append([each.name, *(f"{v:.4f}" for v in (mean(each.scores), tuned, held)), p])
    size = f"{len(judged.documents):,} documents, {len(judged.queries)} queries"
    head = ["nDCG@10", "all", "odd", "even", "p of the difference"]
    yield f"{judged.name}: {size}\n{table(head, rows)}"
    yield "\n".join(
        line(f"ndcg10/{judged.name}/{each.name}", mean(us.scores), mean(each.scores))
        for each in others
    )


def folders(data: Path, names: Sequence[str]) -> list[Path]:
    if not names:
        names = sorted(each.name for each in data.iterdir()) if data.is_dir() else []
    found = [data / name for name in names]
    for folder in found:
        absent = [file for file in _FILES if not (folder / file).is_file()]
        if absent:
            print(f"{folder.name}: left out, it lacks {', '.join(absent)}")
    return [each for each in found if all((each / file).is_file() for file in _FILES)]


def weights_of(given: Sequence[str]) -> Weights:
    pairs = [each.partition("=") for each in given]
    return changed(Weights(), **{name: float(value) for name, _, value in pairs})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("collections", nargs="*", help="all that are there when none is named")
    parser.add_argument("--data", type=Path, default=data_folder() / "ir")
    parser.add_argument("--peers", nargs="*", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--set", nargs="*", default=[], metavar="WEIGHT=VALUE")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    peers = peers_python(given.work / "peers-search", _PACKAGES) if given.peers else None
    python = peers or Path(sys.executable)
    worst = math.inf
    for folder in folders(given.data, given.collections):
        judged = load(folder)
        found = [ours(judged, weights_of(given.set))]
        found += [each for name in given.peers for each in theirs(name, python, judged)]
        for paragraph in shown(judged, found):
            print(f"\n{paragraph}", flush=True)
        best = max((mean(each.scores) for each in found[1:]), default=math.nan)
        worst = min(worst, mean(found[0].scores) / best)
    if math.isfinite(worst):
        print(f"\nThe least ratio to the best peer of a collection: {worst:.3f}")


if __name__ == "__main__":
    main()
