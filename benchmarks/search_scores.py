"""How good is an order of documents, and is one better than another by more than chance?

A judged collection is a folder: docs.jsonl (`id`, `text`, perhaps `title`), queries.jsonl (`id`,
`text`) and qrels.txt (`query 0 document grade`). nDCG@10 as TREC counts it: the grade is the gain,
and a query without a relevant document is left out. What is tuned is tuned on the odd queries; the
even ones say what it is worth.
"""

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

DEPTH = 10
_ROUNDS = 10_000


class Judged(NamedTuple):
    name: str
    documents: list[tuple[str, str]]
    """Id and text."""
    queries: list[tuple[str, str]]
    grades: dict[str, dict[str, int]]
    """Of documents, for each query."""


def load(folder: Path) -> Judged:
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            grades.setdefault(query, {})[document] = int(grade)
    queries = [each for each in _texts(folder / "queries.jsonl") if each[0] in grades]
    return Judged(folder.name, _texts(folder / "docs.jsonl"), queries, grades)


def _texts(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines if line.strip()]
    return [(str(each["id"]), f"{each.get('title', '')} {each['text']}".strip()) for each in read]


def ndcg(ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    gained = sum(
        grades.get(document, 0) / math.log2(place + 2)
        for place, document in enumerate(ranked[:DEPTH])
    )
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    return gained / sum(grade / math.log2(place + 2) for place, grade in enumerate(best))


def scores(judged: Judged, answers: Sequence[Sequence[str]]) -> list[float]:
    return [
        ndcg(ranked, judged.grades[query])
        for (query, _), ranked in zip(judged.queries, answers, strict=True)
    ]


def is_tuned_on(query: str) -> bool:
    """The odd ones; of a query that is no number, by its letters."""
    return bool((int(query) if query.isdigit() else sum(map(ord, query))) % 2)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def chance(ours: Sequence[float], theirs: Sequence[float], seed: int = 1) -> float:
    """How often signs drawn by lot give as large a difference: a paired randomisation test."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True) if a != b]
    observed = abs(math.fsum(differences))
    draw = random.Random(seed)
    larger = 0
    for _ in range(_ROUNDS):
        signs = draw.getrandbits(len(differences)) if differences else 0
        drawn = sum(d if signs >> at & 1 else -d for at, d in enumerate(differences))
        larger += abs(drawn) >= observed - 1e-12
    return (larger + 1) / (_ROUNDS + 1)
