"""All pairs found in parts are those that one process finds."""

import random
from array import array
from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.pairs.discovery import Discovery, Pair, discover
from shoal.duplicates.pairs.divided import Divided, Found
from shoal.duplicates.pairs.shards import Scattered, Shards
from shoal.fleet.local_executor import LocalExecutor
from tests.duplicates.test_discovery import made, mixed_collection, small_sketches


def divided(
    sketches: Sequence[bytes], settings: Discovery, homes: int, seed: int = 1
) -> list[Pair]:
    """Read by three, in any order."""
    order = list(range(len(sketches)))
    random.Random(seed).shuffle(order)
    with LocalExecutor(small_bytes=500) as executor:
        search = Divided(executor, Shards(len(sketches), homes), settings)
        read = []
        for reader in range(3):
            numbers = sorted(order[reader::3])
            names = [f"name {number}".encode() for number in numbers]
            read.append(Found(array("I", numbers), names, [sketches[each] for each in numbers]))
        minhashes = search.take(read)
        assert list(search.names()) == [b"name %d" % each for each in range(len(sketches))]
        return list(search.pairs(minhashes))


@given(small_sketches, st.integers(1, 5), st.integers(2, 5), st.sampled_from([0.1, 0.6, 1.0]))
def test_finds_what_one_process_finds(
    sketches: list[bytes], homes: int, most_common: int, threshold: float
) -> None:
    settings = Discovery(threshold=threshold, most_common=most_common)
    assert divided(sketches, settings, homes) == list(discover(sketches, settings))


@pytest.mark.parametrize("homes", [1, 2, 7])
def test_a_collection_with_copies_and_a_template(homes: int) -> None:
    sketches = mixed_collection(2000)
    found = divided(sketches, Discovery(), homes)
    assert found == list(discover(sketches))
    assert len(found) > 100


def test_a_value_of_more_documents_than_a_block() -> None:
    sketches = [made([7, 1000 + number, 90_000 + number]) for number in range(16_500)]
    sketches[-1] = sketches[0]
    settings = Discovery(threshold=0.9)
    assert divided(sketches, settings, 3) == list(discover(sketches, settings)) != []


@given(st.lists(st.integers(0, (1 << 64) - 1)), st.integers(1, 9))
def test_keys_of_one_value_are_in_one_part(keys: list[int], parts: int) -> None:
    """Also where two parts meet."""
    bounds = [
        ((number << 32) // parts + more) << 32 for number in range(parts) for more in (-1, 0, 1)
    ]
    near = [
        bound + low for bound in bounds if 0 <= bound < 1 << 64 for low in (0, 1, (1 << 32) - 1)
    ]
    every = [*keys, *near]
    scattered = Scattered(parts)
    scattered.add(array("Q", every))
    found = [memoryview(part).cast("Q").tolist() for part in scattered.all()]
    assert sorted(chain(*found)) == sorted(every)
    uppers = [{key >> 32 for key in part} for part in found]
    assert sum(map(len, uppers)) == len(set().union(*uppers))


def test_more_homes_than_documents() -> None:
    assert divided([], Discovery(), 4) == []
    assert divided([made([1, 2])] * 2, Discovery(), 4) == [(0, 1, 1.0)]
