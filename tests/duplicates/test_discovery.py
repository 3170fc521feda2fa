"""All near-duplicate pairs of a collection: what brute force finds, in bounded work and memory."""

import os
import random
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, combinations
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.near.sketch import resemblance, sketch
from shoal.duplicates.pairs import discovery
from shoal.duplicates.pairs.clusters import clusters
from shoal.duplicates.pairs.discovery import (
    LEAST_MEMORY_BYTES,
    Discovery,
    Keys,
    Pair,
    Spill,
    discover,
    plain_candidates,
    plain_entries,
    plain_scatter,
    plain_sort,
    plain_verify,
)
from shoal.errors import UsageError

LOOPS = ("sort", "scatter", "entries", "candidates", "verify")
DESCRIPTORS = Path("/proc/self/fd")

needs_native = pytest.mark.skipif(
    discovery.sort is plain_sort, reason="not compiled: no C compiler when Shoal was installed"
)
needs_proc = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="no /proc to look into")


def made(values: Iterable[int], level: int = 0) -> bytes:
    kept = sorted({value for value in values if value < 1 << (32 - level)})
    return bytes([level, 3, 0, 0]) + b"".join(value.to_bytes(4, "little") for value in kept)


def drawn(rng: random.Random, count: int) -> list[int]:
    return [rng.getrandbits(32) for _ in range(count)]


def changed(rng: random.Random, values: list[int], share: float) -> list[int]:
    """As many values, of which this share is kept."""
    kept = rng.sample(values, int(len(values) * share))
    return kept + drawn(rng, len(values) - len(kept))


def brute_force(sketches: list[bytes], threshold: float) -> list[Pair]:
    """What discovery promises: copies beside the first of them, and all pairs of firsts."""
    first_of: dict[bytes, int] = {}
    firsts, found = [], []
    for document, each in enumerate(sketches):
        first = first_of.setdefault(each, document)
        if first == document:
            firsts.append(document)
        elif len(each) > 4:
            found.append((first, document, 1.0))
    for a, b in combinations(firsts, 2):
        if (alike := resemblance(sketches[a], sketches[b])) >= threshold:
            found.append((a, b, alike))
    return sorted(found)


small_sketches = st.lists(
    st.builds(
        made,
        st.lists(st.integers(0, 40) | st.integers(0, (1 << 32) - 1), max_size=12),
        st.integers(0, 3) | st.just(31),
    ),
    max_size=40,
)


@contextmanager
def plain() -> Iterator[None]:
    """Discovery as it is where nothing was compiled."""
    with pytest.MonkeyPatch.context() as patch:
        for loop in LOOPS:
            patch.setattr(discovery, loop, getattr(discovery, f"plain_{loop}"))
        yield


@contextmanager
def kept(sketches: list[bytes]) -> Iterator[tuple[int, "array[int]"]]:
    with tempfile.TemporaryFile() as file:
        places = array("Q", [0])
        for each in sketches:
            file.write(each)
            places.append(places[-1] + len(each))
        file.flush()
        yield file.fileno(), places


# --- against brute force ---------------------------------------------------------------------


@given(small_sketches, st.sampled_from([0.05, 0.5, 0.6, 1.0]))
def test_finds_what_brute_force_finds(sketches: list[bytes], threshold: float) -> None:
    settings = Discovery(threshold=threshold, most_common=64)
    assert list(discover(sketches, settings)) == brute_force(sketches, threshold)


@given(small_sketches, st.integers(2, 6))
def test_without_a_compiler_the_same_is_found(sketches: list[bytes], most_common: int) -> None:
    settings = Discovery(threshold=0.3, most_common=most_common)
    native = list(discover(sketches, settings))
    with plain():
        assert list(discover(sketches, settings)) == native
    assert set(native) <= set(brute_force(sketches, 0.3))


@given(small_sketches)
def test_documents_with_one_sketch_are_always_together(sketches: list[bytes]) -> None:
    groups = clusters(discover(sketches, Discovery(most_common=2)), len(sketches))
    group_of = {document: at for at, group in enumerate(groups) for document in group}
    for a, b in combinations(range(len(sketches)), 2):
        if sketches[a] == sketches[b] and len(sketches[a]) > 4:
            assert group_of[a] == group_of[b]


def test_a_collection_with_copies_and_a_template() -> None:
    rng = random.Random(11)
    template = drawn(rng, 74)
    documents: list[list[int]] = []
    for _ in range(700):
        roll = rng.random()
        if documents and roll < 0.3:
            documents.append(changed(rng, rng.choice(documents), rng.uniform(0.7, 0.9)))
        else:
            documents.append((template if roll < 0.7 else drawn(rng, 74)) + drawn(rng, 111))
    sketches = [made(values) for values in documents]
    found, true = set(discover(sketches)), set(brute_force(sketches, 0.6))
    clear = {pair for pair in true if pair[2] >= 0.65}
    assert found <= true
    assert len(clear) > 50
    assert len(clear & found) >= 0.995 * len(clear)


def test_texts() -> None:
    rng = random.Random(2)
    words = [f"word{number}" for number in range(5000)]
    story = rng.choices(words, k=400)
    texts = [rng.choices(words, k=400), story, [], [*story[:200], "else", *story[201:]], story, []]
    found = list(discover(sketch(" ".join(text)) for text in texts))
    assert [pair[:2] for pair in found] == [(1, 3), (1, 4)]
    assert 0.9 < found[0][2] < found[1][2] == 1


# --- much of the same ------------------------------------------------------------------------


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs each call compares."""
    counts: list[int] = []
    verify = discovery.verify

    def counted(file: int, places: "array[int]", keys: Keys, threshold: float) -> list[Pair]:
        counts.append(len(keys) // 8)
        return verify(file, places, keys, threshold)

    monkeypatch.setattr(discovery, "verify", counted)
    return counts


def test_ten_thousand_copies_are_named_once_each(compared: list[int]) -> None:
    one = made(drawn(random.Random(3), 40))
    found = list(discover([one] * 10_000))
    assert found == [(0, other, 1.0) for other in range(1, 10_000)]
    assert sum(compared) == len(found)


def test_a_great_group_of_near_copies_hangs_together(compared: list[int]) -> None:
    rng = random.Random(4)
    story, count = drawn(rng, 60), 1500
    sketches = [made(changed(rng, story, 0.9)) for _ in range(count)]
    groups = clusters(discover(sketches), count)
    assert len(groups[0]) >= 0.99 * count
    assert sum(compared) < 130 * count  # of 750 for each, were all compared


def test_a_template_hides_no_copies_and_costs_little(compared: list[int]) -> None:
    rng = random.Random(5)
    template, count = drawn(rng, 40), 3000
    documents = [template + drawn(rng, 60) for _ in range(count)]
    copies = {place: rng.randrange(count // 2) for place in range(count // 2, count, 15)}
    for place, original in copies.items():
        documents[place] = template + changed(rng, documents[original][40:], 0.9)
    found = {pair[:2] for pair in discover(map(made, documents))}
    assert found >= {(original, place) for place, original in copies.items()}
    assert sum(compared) < 130 * count  # of 1,500 for each, were all compared


@pytest.mark.parametrize("form", ["native", "plain"])
def test_a_value_of_more_documents_than_a_block(form: str) -> None:
    """The last document is near the first, and many thousands are between them."""
    if form == "plain":
        with plain():
            _find_across_blocks()
    else:
        _find_across_blocks()


def _find_across_blocks() -> None:
    between = (made([1, number, number + 1_000_000]) for number in range(10, 33_000))
    sketches = [made([1, 2, 3, 4]), *between, made([1, 2, 3, 5])]
    settings = Discovery(smallest=1, memory_bytes=LEAST_MEMORY_BYTES)
    assert list(discover(sketches, settings)) == [(0, len(sketches) - 1, 0.6)]


# --- the loops -------------------------------------------------------------------------------


keys_lists = st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 300), max_size=60)


@needs_native
@given(keys_lists)
def test_sort(keys: list[int]) -> None:
    ours, plainly = bytearray(array("Q", keys)), bytearray(array("Q", keys))
    count = discovery.sort(ours)
    assert count == plain_sort(plainly) == len(set(keys))
    assert ours[: count * 8] == plainly[: count * 8] == array("Q", sorted(set(keys))).tobytes()


@needs_native
@given(keys_lists, st.integers(1, 9))
def test_scatter(keys: list[int], parts: int) -> None:
    width = -(-(1 << 64) // max(parts, 2))
    scattered = discovery.scatter(array("Q", keys), 0, width, max(parts, 2))
    assert scattered == plain_scatter(array("Q", keys), 0, width, max(parts, 2))


@needs_native
@given(small_sketches, st.integers(1, 20), st.data())
def test_entries(sketches: list[bytes], smallest: int, data: st.DataObject) -> None:
    copies = bytearray(data.draw(st.sampled_from([0, 0, 1])) for _ in sketches)
    first = data.draw(st.integers(0, len(sketches)))
    with kept(sketches) as (_, places):
        these, rest = places[first:], b"".join(sketches[first:])
        asked = (rest, these, copies[first:], first, smallest)
        assert discovery.entries(*asked) == plain_entries(*asked)


@needs_native
@given(small_sketches, st.integers(2, 6), st.booleans())
def test_candidates(sketches: list[bytes], most_common: int, is_last: bool) -> None:
    with kept(sketches) as (file, places):
        data = b"".join(sketches)
        keys = bytearray(plain_entries(data, places, bytearray(len(sketches)), 0, 16))
        del keys[plain_sort(keys) * 8 :]
        ours, plainly = memoryview(bytearray(keys)), memoryview(keys)
        found = discovery.candidates(file, places, ours, most_common, is_last)
        assert found == plain_candidates(file, places, plainly, most_common, is_last)
        assert ours == plainly


@needs_native
@given(small_sketches, st.floats(0.01, 1))
def test_verify(sketches: list[bytes], threshold: float) -> None:
    keys = array("Q", (a << 32 | b for a, b in combinations(range(len(sketches)), 2)))
    with kept(sketches) as (file, places):
        found = discovery.verify(file, places, keys, threshold)
        assert found == plain_verify(file, places, keys, threshold)


@needs_native
def test_the_compiled_loops_refuse_what_is_not_there() -> None:
    pair, seven = array("Q", [1 << 32 | 2]), bytearray(7)
    refused: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (discovery.sort, (seven,)),
        (discovery.scatter, (pair, 0, 1, 1)),
        (discovery.scatter, (pair, 0, 0, 1)),
        (discovery.entries, (b"", array("Q", [0, 8]), bytearray(1), 0, 16)),
        (discovery.entries, (bytes(8), array("Q", [0, 8]), bytearray(0), 0, 16)),
        (discovery.entries, (bytes(8), array("Q", [8, 0]), bytearray(1), 0, 16)),
        (discovery.candidates, (0, array("Q", [0]), memoryview(bytearray(8)), 1, True)),
        (discovery.verify, (0, array("Q"), pair, 0.5)),
        (discovery.verify, (0, array("Q", [0, 4]), pair, 0.5)),
        (discovery.verify, (0, array("Q", [8, 4, 4, 4]), array("Q", [1]), 0.5)),
    ]
    for loop, arguments in refused:
        with pytest.raises(ValueError, match=r"."):
            loop(*arguments)
    with kept([]) as (file, _), pytest.raises(OSError, match=r"."):
        discovery.verify(file, array("Q", [0, 8, 16]), array("Q", [1]), 0.5)


# --- memory and files ------------------------------------------------------------------------


def mixed_collection(count: int) -> list[bytes]:
    rng = random.Random(6)
    template = drawn(rng, 12)
    documents: list[list[int]] = []
    for number in range(count):
        if number % 3 == 2:
            documents.append(changed(rng, rng.choice(documents), 0.9))
        else:
            documents.append((template if number % 3 else drawn(rng, 12)) + drawn(rng, 12))
    return [made(values) for values in documents]


def test_little_memory_gives_the_same() -> None:
    sketches = mixed_collection(6000)
    much = list(discover(sketches))
    assert len(much) > 1000
    assert list(discover(sketches, Discovery(memory_bytes=LEAST_MEMORY_BYTES))) == much


@given(keys_lists, st.integers(8, 200))
def test_a_spill_is_sorted_whatever_fits_into_memory(keys: list[int], most_bytes: int) -> None:
    files: list[BinaryIO] = []

    def new_file() -> BinaryIO:
        files.append(tempfile.TemporaryFile())  # noqa: SIM115 - closed by the spill
        return files[-1]

    spill = Spill(new_file, 0, 1 << 64, 3, most_bytes)
    for key in keys:
        spill.add(array("Q", [key]))
    pieces = list(spill.in_order())
    assert list(array("Q", b"".join(pieces))) == sorted(set(keys))
    assert all(file.closed for file in files)


MEASURED = """
import random
from array import array
from shoal.duplicates.pairs.discovery import LEAST_MEMORY_BYTES, Discovery, discover

def peak_kb():
    status = open("/proc/self/status").read().split()
    return int(status[status.index("VmHWM:") + 1])

def sketches():
    for number in range(40_000):
        values = array("I", random.Random(number // 2).randbytes(4 * 180))
        values[number % 180] = number
        yield bytes([0, 3, 0, 0]) + array("I", sorted(values)).tobytes()

before = peak_kb()
found = sum(1 for _ in discover(sketches(), Discovery(memory_bytes=LEAST_MEMORY_BYTES)))
print(found, peak_kb() - before)
"""


@pytest.mark.slow
@needs_proc
@needs_native
def test_memory_is_bounded() -> None:
    """29 MB of sketches and 5 MB of values pass through one."""
    ran = subprocess.run(
        [sys.executable, "-c", MEASURED],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found, grown_kb = map(int, ran.stdout.split())
    assert found == 20_000
    assert grown_kb < 12_000


def open_files(directory: Path) -> int:
    """Temporary files have no name, but whoever has them open can be seen."""
    links = []
    for each in DESCRIPTORS.iterdir():
        try:
            links.append(str(each.readlink()))
        except FileNotFoundError:  # the one that lists the others
            continue
    return sum(link.startswith(f"{directory}/") for link in links)


@needs_proc
def test_temporary_files_go_with_the_iterator(tmp_path: Path) -> None:
    one = made(range(20))
    pairs = discover([one] * 5, Discovery(directory=tmp_path))
    assert open_files(tmp_path) == 0
    assert next(pairs) == (0, 1, 1.0)
    assert open_files(tmp_path) > 0
    del pairs
    assert open_files(tmp_path) == 0
    assert len(list(discover([one] * 5, Discovery(directory=tmp_path)))) == 4
    assert open_files(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


@needs_proc
def test_temporary_files_go_when_something_fails(tmp_path: Path) -> None:
    seen = []

    def failing() -> Iterator[bytes]:
        yield made(range(20))
        seen.append(open_files(tmp_path))
        raise ConnectionError

    with pytest.raises(ConnectionError):
        list(discover(failing(), Discovery(directory=tmp_path)))
    assert seen[0] > 0
    assert open_files(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


# --- what is asked, and what is told ---------------------------------------------------------


def test_progress_is_told_in_documents() -> None:
    told: list[tuple[str, int, int]] = []
    list(discover(mixed_collection(500), progress=lambda *each: told.append(each)))
    assert list(dict.fromkeys(doing for doing, _, _ in told)) == [
        "reading",
        "copies",
        "values",
        "candidates",
        "pairs",
    ]
    assert all(total == (0 if doing == "reading" else 500) for doing, _, total in told)
    for step in ("copies", "values", "candidates", "pairs"):
        done = [each for doing, each, _ in told if doing == step]
        assert done == sorted(done)
        assert 0 < done[-1] <= 500
    assert told[-1] == ("pairs", 500, 500)


def test_nothing_is_near_nothing() -> None:
    assert list(discover([])) == []
    assert list(discover([made([])] * 3)) == []


@pytest.mark.parametrize("bad", [b"", b"\0\3\0", b"\0\3\0\0\1", b"\x20\3\0\0", b"\0\5\0\0"])
def test_what_is_no_sketch_like_the_others_is_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match="sketch"):
        list(discover(chain([made([1, 2])], [bad])))


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 0.0},
        {"threshold": 1.1},
        {"smallest": 0},
        {"most_common": 1},
        {"most_common": 5000},
        {"memory_bytes": 1000},
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Discovery(**wrong)
