"""Finds the near-duplicates of a set with one library, for dups.py: texts in, pairs and costs out.

    python dup_peers.py NAME TEXTS ANSWERS

Run by path in the environment of that library, so nothing of the project is imported but for its
own. TEXTS has a text a line, as JSON. What is timed is the CPU of all threads from the texts, in
memory, to the result: words, shingles, signatures, index and verification. Peers get shingles of
five words, 128 permutations, bands that miss nearly nothing above the threshold, and candidates
are verified by their signatures. rensa is fed as its own documentation does, with words split at
white space and a stream of token lists; `-words` feeds it with the same words as datasketch.
"""

import json
import re
import resource
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

PERMUTATIONS = 128
SHINGLE_WORDS = 5
THRESHOLDS = (0.5, 0.7)
_SEED = 42
_BANDS = 32
"""Of four rows: a pair that resembles by .5 is a candidate with a chance of .87, by .6 of .99."""
_WORD = re.compile(r"\w+")

Pairs = list[tuple[int, int]]
Signatures = Sequence[Any]
Split = Callable[[str], list[str]]


class Method(NamedTuple):
    signatures: Callable[[list[str]], Signatures]
    pairs: Callable[[Signatures, float], Pairs]


class Answer(NamedTuple):
    name: str
    pairs: Pairs
    groups: list[list[int]] | None
    """Instead of pairs, where a method gives groups."""
    cpu_seconds: float
    peak_mb: float


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def split(text: str) -> list[str]:
    return text.lower().split()


def shingles(texts: Iterable[str], words_of: Split) -> Iterator[list[str]]:
    """A text of fewer words is one shingle."""
    for text in texts:
        found = words_of(text)
        starts = [found[start:] for start in range(SHINGLE_WORDS)]
        yield list(map(" ".join, zip(*starts, strict=False))) or [" ".join(found)]


def datasketch() -> Method:
    library = import_module("datasketch")

    def signatures(texts: list[str]) -> Signatures:
        encoded = ([each.encode() for each in tokens] for tokens in shingles(texts, words))
        return list(library.MinHash.generator(encoded, num_perm=PERMUTATIONS, seed=_SEED))

    def pairs(found: Signatures, threshold: float) -> Pairs:
        index = library.MinHashLSH(
            threshold=threshold, num_perm=PERMUTATIONS, params=(_BANDS, PERMUTATIONS // _BANDS)
        )
        results: Pairs = []
        for number, signature in enumerate(found):
            for other in index.query(signature):
                if found[other].jaccard(signature) >= threshold:
                    results.append((other, number))
            index.insert(number, signature)
        return results

    return Method(signatures, pairs)


def rensa_r(words_of: Split) -> Method:
    """R-MinHash and its own index."""
    library = import_module("rensa")

    def signatures(texts: list[str]) -> Signatures:
        tokens = shingles(texts, words_of)
        found: Signatures = library.RMinHash.from_token_sets(tokens, PERMUTATIONS, _SEED)
        return found

    def pairs(found: Signatures, threshold: float) -> Pairs:
        index = library.RMinHashLSH(threshold, PERMUTATIONS, _BANDS)
        index.insert_many(found)
        return [
            (number, other)
            for number, candidates in enumerate(index.query_all(found))
            for other in candidates
            if number < other and found[number].jaccard(found[other]) >= threshold
        ]

    return Method(signatures, pairs)


def rensa_c() -> Method:
    """C-MinHash. It has no index that names pairs, so its signatures are cut into bands here."""
    library = import_module("rensa")

    def signatures(texts: list[str]) -> Signatures:
        tokens = shingles(texts, split)
        found: Signatures = library.CMinHash.from_token_sets(tokens, PERMUTATIONS, _SEED)
        return found

    def pairs(found: Signatures, threshold: float) -> Pairs:
        rows = PERMUTATIONS // _BANDS
        bands: list[defaultdict[tuple[int, ...], list[int]]] = [
            defaultdict(list) for _ in range(_BANDS)
        ]
        for number, signature in enumerate(found):
            digest = signature.digest()
            for band, members in enumerate(bands):
                members[tuple(digest[band * rows : (band + 1) * rows])].append(number)
        candidates = {
            pair
            for band in bands
            for members in band.values()
            if len(members) > 1
            for pair in combinations(members, 2)
        }
        return [
            (one, other)
            for one, other in sorted(candidates)
            if found[one].jaccard(found[other]) >= threshold
        ]

    return Method(signatures, pairs)


PEERS: dict[str, Callable[[], Method]] = {
    "datasketch": datasketch,
    "rensa-r": lambda: rensa_r(split),
    "rensa-r-words": lambda: rensa_r(words),
    "rensa-c": rensa_c,
}


def peer_answers(name: str, texts: list[str]) -> Iterator[Answer]:
    """One for each threshold. Signatures are made once and are part of the time of each."""
    method = PEERS[name]()
    started = cpu_seconds()
    signatures = method.signatures(texts)
    signed_seconds = cpu_seconds() - started
    for threshold in THRESHOLDS:
        started = cpu_seconds()
        pairs = method.pairs(signatures, threshold)
        spent = signed_seconds + cpu_seconds() - started
        yield Answer(f"{name}@{threshold}", pairs, None, spent, peak_mb())


def shoal_answers(name: str, texts: list[str]) -> Iterator[Answer]:
    """The groups, which are the result; and the pairs that they were made of."""
    dedupe = import_module("shoal").dedupe
    started = cpu_seconds()
    found = dedupe(texts, method=name.removeprefix("shoal-"))
    paired = cpu_seconds() - started
    groups = found.groups
    yield Answer(name, [], groups, cpu_seconds() - started, peak_mb())
    pairs = [(one, other) for one, other, _ in found.pairs]
    yield Answer(f"{name}-pairs", pairs, None, paired, peak_mb())


def cpu_seconds() -> float:
    """Of all threads, and of child processes that have ended."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def peak_mb() -> float:
    """Of this program alone: what getrusage says includes its parent before the start."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    name, source, target = sys.argv[1:]
    found: dict[str, object]
    try:
        with Path(source).open(encoding="utf-8") as lines:
            texts = [json.loads(line) for line in lines]
        answers = shoal_answers if name.startswith("shoal-") else peer_answers
        found = {
            "answers": [each._asdict() for each in answers(name, texts)],
            "version": version(name.partition("-")[0]),
        }
    except Exception as error:  # noqa: BLE001 - whoever can't be run is left out, and named
        found = {"fault": f"{type(error).__name__}: {error}"[:300]}
    Path(target).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
