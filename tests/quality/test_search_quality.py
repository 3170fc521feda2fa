"""Are the right documents first? Floors of nDCG@10 on the judged collections of SHOAL_DATA/ir.

Each floor is at least what the best of bm25s, SQLite FTS5 and plain tantivy reaches there
(benchmarks/search.py). The even queries have floors of their own.
"""

import hashlib
from pathlib import Path

import pytest

from benchmarks.search import ours
from benchmarks.search_scores import Judged, chance, is_tuned_on, load, mean, ndcg
from shoal.search.ranking import Weights

FILES = ("docs.jsonl", "queries.jsonl", "qrels.txt")
FLOORS = {
    "cranfield": ("fc46ca7493b8ddc680a44a1f663870661c16b169d9da83623681258619b1ceb9", 0.410, 0.400),
    "cisi": ("0cd8ad81aa15f67c5d196719b35c2a2909cb950d6be8be7e765336d57e4b4dda", 0.410, 0.410),
    "adi": ("e658c1fe11ddd422b26cdb490a4a514cad4b357088404ea41a3089408de28b71", 0.494, 0.480),
}
"""The digest of the files: on others the floors mean nothing. Then of all, and of even queries."""


@pytest.mark.parametrize(
    "name", [*FLOORS][:1] + [pytest.param(name, marks=pytest.mark.slow) for name in [*FLOORS][1:]]
)
def test_judged_collections(shoal_data: Path, name: str) -> None:
    folder = shoal_data / "ir" / name
    if not all((folder / file).is_file() for file in FILES):
        pytest.skip(f"no ir/{name} under SHOAL_DATA")
    digest, least, least_even = FLOORS[name]
    read = b"".join((folder / file).read_bytes() for file in FILES)
    assert hashlib.sha256(read).hexdigest() == digest
    judged = load(folder)
    found = ours(judged, Weights()).scores
    even = [
        score
        for score, (query, _) in zip(found, judged.queries, strict=True)
        if not is_tuned_on(query)
    ]
    assert mean(found) >= least
    assert mean(even) >= least_even


def test_the_measure() -> None:
    grades = {"a": 1, "b": 1}
    assert ndcg(["a", "b", "c"], grades) == pytest.approx(1.0)
    assert ndcg(["c", "a", "b"], grades) == pytest.approx((0.6309 + 0.5) / 1.6309, abs=1e-4)
    assert ndcg(["c"] * 10 + ["a"], grades) == 0.0
    assert ndcg(["a"], {"a": 2, "b": 1}) == pytest.approx(2 / (2 + 0.6309), abs=1e-4)


def test_chance() -> None:
    same = [0.5] * 40
    assert chance(same, same) == 1.0
    assert chance([1.0] * 40, same) < 0.001
    mixed = [0.6 if n % 2 else 0.4 for n in range(40)]
    assert chance(mixed, same) > 0.5


def test_shoal_is_asked_as_a_person_would() -> None:
    documents = [("1", "sharks of the reef"), ("2", "a forest of kelp"), ("3", "reefs and corals")]
    judged = Judged("tiny", documents, [("1", "Which shark lives at a reef?")], {"1": {"1": 1}})
    assert ours(judged, Weights()).scores == [1.0]
