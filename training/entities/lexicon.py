"""What is known of words before any sentence is learned from? Clusters, capitals and lists.

Words are put into clusters by the words beside them in free text: what stands left and right of
each (pointwise mutual information, reduced to a few dimensions), split again and again into
neighbours. How often a word has a capital inside sentences tells a name from the first word of one.
The lists were written for Shoal; they hold well-known names and the words that names are made of.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.naming._names import Model
from training.entities.file_format import EntityModel

_LISTS = Path(__file__).with_name("lists")
_WORD_LISTS = ("title", "organ", "ground", "nation", "date")
_FIRST, _LAST, _PLACE, _PLACE_PART, _ORG, _ORG_PART = range(6)
_OF_WORDS = 6
"""The first bit of the lists in words.txt."""
_CASE_BIT = 10
_LIST_BIT = 13
_BRANCHES = (16, 8, 4)
_CONTEXTS = 3_000
_DIMENSIONS = 100
_ROUNDS = 15
_TURNS = 3
_FEW = 3


@dataclass(frozen=True)
class LexiconSettings:
    most_words: int = 30_000
    least: int = 5
    seed: int = 20


def lexicon(texts: Iterable[str], settings: LexiconSettings) -> EntityModel:
    """A model that knows words and weighs nothing."""
    empty = Model(EntityModel().packed())
    known: dict[int, int] = {}
    for word, kind, cluster in _counted(texts, empty, settings):
        known[empty.key(word)] = (kind << _CASE_BIT) | (cluster + 1)
    phrases: dict[int, int] = {}
    for name, bit in _listed():
        for_words = name.split()
        if bit in (_PLACE, _ORG):
            key = empty.key(name, True)
            phrases[key] = phrases.get(key, 0) | 1 << (1 if bit == _PLACE else 2)
        part = bit if len(for_words) == 1 else bit + (bit in (_PLACE, _ORG))
        for word in for_words:
            if word[:1].islower() or word == "The":
                continue
            key = empty.key(word)
            known[key] = known.get(key, 0) | 1 << (_LIST_BIT + part)
    return EntityModel(words=known, phrases=phrases)


def _listed() -> Iterator[tuple[str, int]]:
    files = {"first_names": _FIRST, "surnames": _LAST, "places": _PLACE, "organisations": _ORG}
    for file, bit in files.items():
        for line in (_LISTS / f"{file}.txt").read_text().splitlines():
            yield from ((name.strip(), bit) for name in line.split(",") if name.strip())
    for line in (_LISTS / "words.txt").read_text().splitlines():
        title, _, words = line.partition(":")
        bit = _OF_WORDS + _WORD_LISTS.index(title)
        yield from ((word.strip(), bit) for word in words.split(",") if word.strip())


def _counted(
    texts: Iterable[str], empty: Model, settings: LexiconSettings
) -> Iterator[tuple[str, int, int]]:
    """Each word with how it is mostly written (1 to 7) and its cluster."""
    words, numbers, capitals = list[str](), dict[str, int](), Counter[str]()
    inside = Counter[str]()
    stream: list[NDArray[np.int32]] = []
    for text in texts:
        places = np.frombuffer(empty.tokens(text), np.int32).reshape(-1, 3)
        row = [-1]
        for start, end, is_first in places.tolist():
            written = text[start:end]
            word = written.lower()
            number = numbers.setdefault(word, len(words))
            if number == len(words):
                words.append(word)
            if is_first:
                row.append(-1)
            else:
                inside[word] += 1
                capitals[word] += written[:1].isupper()
            row.append(number)
        stream.append(np.array(row, np.int32))
    line = np.concatenate(stream)
    counts = np.bincount(line[line >= 0], minlength=len(words))
    common = np.lexsort((np.arange(len(words)), -counts))[: settings.most_words]
    common = common[counts[common] >= settings.least]
    clusters = _clusters(line, common, counts, settings.seed)
    for number, cluster in zip(common.tolist(), clusters.tolist(), strict=True):
        word = words[number]
        share = capitals[word] / inside[word] if inside[word] >= _FEW else -1.0
        yield word, 1 if share < 0 else 2 + min(4, int(share * 5)), cluster


def _clusters(
    line: NDArray[np.int32], common: NDArray[np.int64], counts: NDArray[np.int64], seed: int
) -> NDArray[np.int64]:
    rank = np.full(len(counts) + 1, len(common), np.int64)
    rank[common] = np.arange(len(common))
    here = rank[line]
    here[line < 0] = len(common)
    contexts = min(_CONTEXTS, len(common))
    width = contexts + 2  # a context for all rarer words, and one for the end of a sentence
    seen = np.where(here < contexts, here, contexts)
    seen[line < 0] = contexts + 1
    sums = np.zeros((len(common), 2 * width), np.float32)
    for shift, at in ((1, 0), (-1, width)):
        beside = np.roll(seen, shift)
        inside = here < len(common)
        keys, many = np.unique(here[inside] * width + beside[inside], return_counts=True)
        sums[keys // width, at + keys % width] = many
    rows = sums.sum(axis=1, keepdims=True)
    columns = sums.sum(axis=0, keepdims=True) ** 0.75
    columns *= rows.sum() / columns.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        np.log(sums * rows.sum() / (rows * columns), out=sums)
    np.maximum(sums, 0, out=sums)
    sums[~np.isfinite(sums)] = 0
    random = np.random.default_rng(seed)
    places = _reduced(sums, random)
    found = np.zeros(len(common), np.int64)
    _split(places, np.arange(len(common)), _BRANCHES, found, random)
    return found


def _reduced(table: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.float32]:
    """Randomised singular value decomposition, each row of length one."""
    guess = table @ random.standard_normal((table.shape[1], _DIMENSIONS + 10)).astype(np.float32)
    for _ in range(_TURNS):
        guess = np.linalg.qr(table @ (table.T @ np.linalg.qr(guess)[0]))[0]
    small = guess.T @ table
    left, sizes, _ = np.linalg.svd(small, full_matrices=False)
    places = (guess @ left)[:, :_DIMENSIONS] * np.sqrt(sizes[:_DIMENSIONS])
    places /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-9)
    result: NDArray[np.float32] = places.astype(np.float32)
    return result


def _split(
    places: NDArray[np.float32],
    members: NDArray[np.int64],
    branches: tuple[int, ...],
    found: NDArray[np.int64],
    random: np.random.Generator,
) -> None:
    """k-means on the sphere, and again within each part: a cluster's number is its path."""
    if not branches or not len(members):
        return
    many, rest = min(branches[0], len(members)), branches[1:]
    own = places[members]
    middles = own[np.sort(random.choice(len(members), many, replace=False))]
    nearest = np.zeros(len(members), np.int64)
    for _ in range(_ROUNDS):
        nearest = (own @ middles.T).argmax(axis=1)
        for each in range(many):
            if (nearest == each).any():
                middle = own[nearest == each].mean(axis=0)
                middles[each] = middle / max(float(np.linalg.norm(middle)), 1e-9)
    below = int(np.prod(rest)) if rest else 1
    for each in range(many):
        part = members[nearest == each]
        found[part] += each * below
        _split(places, part, rest, found, random)
