"""How does a hierarchy come about that nobody gave? Out of a sample of the documents.

The sample's vectors are clustered (clusters.py); the leaves are a cut through the tree of clusters,
and so are the levels above, each with about as many branches. What says where any document belongs
is one table, like that of a class model: what each word says for each leaf. Nodes are told apart by
words: those that are in more of their documents than in those of their siblings (log-odds with a
prior, divided by their error; Monroe, Colaresi and Quinn, 2008).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shoal.learn import clusters, projection
from shoal.learn.arrays import Floats, Keys, Table
from shoal.learn.clusters import Places
from shoal.learn.features import Features
from shoal.learn.page_classes import StoredClasses
from shoal.learn.vocabulary import Vocabulary

DIRECTIONS = 100
MOST_FEATURES = 30_000
MOST_SMALL = 512
_DOCUMENTS_EACH = 8
"""Of a small cluster, in the mean."""
_LEAST_DOCUMENTS = 2
_MOST_SHARE = 0.5
"""Words in fewer documents, or in a larger share of them, say nothing of a subject."""
_SETTLING = 2
_PRIOR = 20.0


class Node(NamedTuple):
    way: tuple[int, ...]
    """Its numbers from the top."""
    size: int
    """Documents of the sample."""
    keys: list[int]
    """Of the words that tell it from its siblings, the most telling first."""
    nearest: list[int]
    """Documents of the sample in its midst, the nearest first."""


class Built(NamedTuple):
    model: StoredClasses
    ways: list[tuple[int, ...]]
    """Of each leaf."""
    nodes: list[Node]
    leaf_of: list[int]
    """Of each document of the sample."""


def build(sample: Sequence[Features], leaves: int, depth: int, words: int, near: int) -> Built:
    """At most so many leaves at so many levels; `words` and `near` to each node."""
    vocabulary = _vocabulary(sample)
    rows = vocabulary.examples(sample)
    rows.values[rows.columns == len(vocabulary.keys)] = 0.0  # nothing that all have
    wanted = min(DIRECTIONS, len(sample), vocabulary.columns)
    found = projection.directions(rows, vocabulary.columns, wanted)
    vectors = projection.vectors(found, rows)
    places, ways = _leaves(vectors, min(leaves, len(sample)), depth)
    table = found @ places.T
    table[-1] = 0.0
    leaf_of = clusters.nearest(vectors, places)
    model = StoredClasses(
        [str(number) for number in range(len(places))],
        True,
        len(sample),
        vocabulary.keys.tobytes(),
        vocabulary.rareness.tobytes(),
        [table.astype(np.float16).tobytes()],
        [1.0],
        0.0,
    )
    closeness = np.einsum("ij,ij->i", vectors, places[leaf_of])
    counts = _presence(rows.columns, np.diff(rows.offsets), leaf_of, len(places), vocabulary)
    nodes = _nodes(ways, leaf_of, closeness, counts, vocabulary.keys, words, near)
    return Built(model, ways, nodes, [int(each) for each in leaf_of])


def _vocabulary(sample: Sequence[Features]) -> Vocabulary:
    all_keys = [each.keys for each in sample] or [np.zeros(0, np.uint32)]
    keys, times = np.unique(np.concatenate(all_keys), return_counts=True)
    is_telling = (times >= _LEAST_DOCUMENTS) & (times <= max(2.0, _MOST_SHARE * len(sample)))
    if is_telling.any():
        keys, times = keys[is_telling], times[is_telling]
    if len(keys) > MOST_FEATURES:
        kept = np.sort(np.argsort(-times, kind="stable")[:MOST_FEATURES])
        keys, times = keys[kept], times[kept]
    rareness = np.log((1.0 + len(sample)) / (1.0 + times)) + 1e-3
    return Vocabulary(keys, np.maximum(rareness, 1e-3).astype(np.float32))


def _leaves(vectors: Table, leaves: int, depth: int) -> tuple[Table, list[tuple[int, ...]]]:
    """Centres of the leaves, and the way to each."""

    def parts() -> Iterator[Table]:
        return iter([vectors])

    small = max(2 * leaves, min(MOST_SMALL, len(vectors) // _DOCUMENTS_EACH))
    places = clusters.small_clusters(vectors, small)
    places, counts, sums = clusters.settled(parts, places, _SETTLING)
    numbers = np.array(clusters.cut(clusters.joined(sums, counts), len(places), leaves))
    merged = np.zeros((int(numbers.max()) + 1, sums.shape[1]))
    np.add.at(merged, numbers, sums)
    places, counts, sums = clusters.settled(parts, clusters.centres(merged), 1)
    kept = np.flatnonzero(counts > 0)
    places, counts, sums = places[kept], counts[kept], sums[kept]
    pairs, count = clusters.joined(sums, counts), len(places)
    sizes = [max(1, round(count ** (level / depth))) for level in range(1, depth + 1)]
    cuts = [clusters.cut(pairs, count, size) for size in sizes[:-1]] + [list(range(count))]
    ways: list[tuple[int, ...]] = []
    for leaf in range(count):
        way = [each[leaf] for each in cuts]
        ways.append(tuple(way))
    return places, ways


def _presence(
    columns: Keys, lengths: Keys, leaf_of: Places, leaves: int, vocabulary: Vocabulary
) -> Floats:
    """In how many documents of each leaf each word is."""
    leaf = np.repeat(leaf_of, lengths.astype(np.int64))
    flat = leaf * vocabulary.columns + columns.astype(np.int64)
    found = np.bincount(flat, minlength=leaves * vocabulary.columns).astype(np.float64)
    return found.reshape(leaves, vocabulary.columns)[:, :-1]


def _nodes(  # noqa: PLR0913 - all that is known of the leaves
    ways: Sequence[tuple[int, ...]],
    leaf_of: Places,
    closeness: Floats,
    counts: Floats,
    keys: Keys,
    words: int,
    near: int,
) -> list[Node]:
    sizes = np.bincount(leaf_of, minlength=len(ways))
    every = dict.fromkeys(way[:end] for way in ways for end in range(1, len(ways[0]) + 1))
    background = counts.sum(axis=0)
    found = []
    for way in every:
        inside = np.array([each[: len(way)] == way for each in ways])
        beside = np.array([each[: len(way) - 1] == way[:-1] for each in ways]) & ~inside
        others = beside if beside.any() else ~inside
        scores = _log_odds(
            counts[inside].sum(axis=0),
            counts[others].sum(axis=0),
            background,
            (int(sizes[inside].sum()), int(sizes[others].sum()), int(sizes.sum())),
        )
        best = np.argsort(-scores, kind="stable")[:words]
        members = np.flatnonzero(inside[leaf_of])
        order = np.argsort(-closeness[members], kind="stable")[:near]
        telling = [int(keys[at]) for at in best if scores[at] > 0]
        found.append(
            Node(way, int(sizes[inside].sum()), telling, [int(members[at]) for at in order])
        )
    return found


def _log_odds(
    inside: Floats, outside: Floats, background: Floats, sizes: tuple[int, int, int]
) -> Floats:
    prior = _PRIOR * (background + 0.5) / (sizes[2] + 1.0)
    one, other = inside + prior, outside + prior
    first = np.log(one / (sizes[0] + _PRIOR - inside + 1.0))
    second = np.log(other / (sizes[1] + _PRIOR - outside + 1.0))
    found: Floats = (first - second) / np.sqrt(1.0 / one + 1.0 / other)
    return found
