"""Are near-duplicates found, and look-alikes left apart? Floors on generated and on real texts.

The generated corpus is the same everywhere (its text is pinned in tests/benchmarks/test_dups.py).
Both ways are held: all texts at once (`shoal.dedupe`), and one after another, as in a crawl.
"""

import hashlib
import json
from collections.abc import Hashable
from functools import partial
from pathlib import Path

import pytest

import shoal
from benchmarks.dup_corpus import Made, generate
from benchmarks.dup_scores import Scores, score_groups
from shoal.duplicates.duplicates import ACROSS_SITES, SAME_SITE
from shoal.duplicates.near.groups import Groups, Newcomer, Worth
from shoal.duplicates.near.near import NearIndex
from shoal.duplicates.near.sketch import fingerprint
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.store.table import RocksTable

SEED, DOCUMENTS = 11, 3000
LEAST_RECALL = 0.99
MOST_MERGED = 0.005
ARTICLES_SHA256 = "93adb41982b0b088f143e6e02463c4dd21821795fa20b3c8099970708abc8a28"
"""Of mccormick2500.jsonl: on other texts the floor means nothing."""


@pytest.fixture(scope="module")
def corpus() -> list[Made]:
    return list(generate(SEED, DOCUMENTS))


def hold(scores: Scores) -> None:
    for same_site in (True, False):
        assert scores.merged(same_site=same_site) <= MOST_MERGED
        for how in ("runs", "scattered"):
            assert scores.recall_of(same_site=same_site, how=how) >= LEAST_RECALL
    assert scores.precision >= 0.99


def test_all_at_once(corpus: list[Made]) -> None:
    group_of: dict[str, Hashable] = {each.id: each.id for each in corpus}
    for group in shoal.dedupe(each.text for each in corpus).groups:
        group_of |= {corpus[place].id: f"group {group[0]}" for place in group}
    hold(score_groups(corpus, group_of))


def test_one_after_another(corpus: list[Made], tmp_path: Path) -> None:
    worths: dict[bytes, Worth] = {}
    rows = {each.id: row_key(f"http://{each.site}/{each.id}") for each in corpus}
    with RocksTable(tmp_path / "table") as table:
        index = NearIndex(table)
        groups = Groups(index, worths.get, lambda _row: "")
        for number, each in enumerate(corpus):
            row, site = rows[each.id], site_of_key(rows[each.id])
            worths[row] = Worth(f"http://{each.site}/{each.id}", found=number)

            def cut(core: bytes, site: bytes = site) -> float:
                return SAME_SITE if site_of_key(core) == site else ACROSS_SITES

            index.begin()
            batch = table.batch()
            page = Newcomer(
                row, fingerprint(each.text), b"", None, partial(worths.__getitem__, row)
            )
            groups.settle(batch, page, cut)
            table.write(batch)
        hold(score_groups(corpus, {id_: groups.group_of(row) for id_, row in rows.items()}))


@pytest.mark.parametrize(
    "method", ["default", pytest.param("fingerprints", marks=pytest.mark.slow), "simhash"]
)
def test_plagiarised_articles(shoal_data: Path, method: str) -> None:
    packed = shoal_data / "neardup" / "mccormick2500.jsonl"
    if not packed.is_file():
        pytest.skip("no neardup under SHOAL_DATA")
    assert hashlib.sha256(packed.read_bytes()).hexdigest() == ARTICLES_SHA256
    articles = [json.loads(line) for line in packed.read_bytes().splitlines()]
    truth = json.loads((packed.parent / "mccormick2500.gold.json").read_bytes())["pairs"]
    found = shoal.dedupe((each["text"] for each in articles), method=method)  # type: ignore[arg-type]
    pairs = {frozenset((articles[a]["id"], articles[b]["id"])) for a, b, _ in found.pairs}
    right = len(pairs & set(map(frozenset, truth)))
    assert 2 * right / (len(pairs) + len(truth)) >= {"simhash": 0.94}.get(method, 1.0)
