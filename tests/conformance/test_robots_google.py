"""Google's published robots.txt cases, all of them, when the outside data is there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from shoal.model.robots.robots import parse, path_of

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT / os.environ.get("SHOAL_DATA", "../shared/data")
CASES = DATA / "robots" / "google_cases.jsonl"
EXPECTED_CASES = 145


def load() -> list[dict[str, Any]]:
    if not CASES.is_file():
        return []
    with CASES.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_the_set_is_whole() -> None:
    if not CASES.is_file():
        pytest.skip("no robots/google_cases.jsonl under SHOAL_DATA")
    assert len(load()) == EXPECTED_CASES


@pytest.mark.skipif(not CASES.is_file(), reason="no robots/google_cases.jsonl under SHOAL_DATA")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{n}-{case['test']}") for n, case in enumerate(load(), start=1)]
)
def test_google_case(case: dict[str, Any]) -> None:
    rules = parse(case["robotstxt"].encode("utf-8"), case["agent"])
    assert rules.verdict(path_of(case["url"])).allowed is case["expect"]
