"""Which documents are alike, when nobody has said so? Small clusters first, then a tree of these.

Vectors have length 1, and a cluster's centre too: a document belongs where the product is highest.
The largest spread is halved again and again (bisecting k-means) until there are enough small
clusters; these are joined, two at a time, so that the spread grows least (Ward). Cuts through that
tree are its levels, each within the one above. The same vectors give the same tree.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.learn.arrays import Floats, Table

Places = NDArray[np.int64]
Parts = Callable[[], Iterator[Table]]
"""Gives all vectors, some at a time, as often as it is asked."""

_HALVING_ROUNDS = 12
_LEAST = 4
"""A smaller cluster is not halved."""


def small_clusters(sample: Table, wanted: int) -> Table:
    """Centres of so many clusters of a sample, or of fewer."""
    members: list[Places] = [np.arange(len(sample))]
    spreads = [_spread(sample)]
    while len(members) < wanted:
        widest = int(np.argmax(spreads))
        if spreads[widest] <= 0:
            break
        halves = _halves(sample, members[widest])
        if halves is None:
            spreads[widest] = 0.0
            continue
        members[widest], spreads[widest] = halves[0], _spread(sample[halves[0]])
        members.append(halves[1])
        spreads.append(_spread(sample[halves[1]]))
    return centres(np.stack([sample[each].sum(axis=0, dtype=np.float64) for each in members]))


def _spread(vectors: Table) -> float:
    """How far members are from their centre, in all."""
    total = vectors.sum(axis=0, dtype=np.float64)
    return float(len(vectors) - np.sqrt(total @ total)) if len(vectors) >= _LEAST else 0.0


def _halves(sample: Table, members: Places) -> tuple[Places, Places] | None:
    """By the direction in which they differ most, then by the nearer centre."""
    vectors = sample[members].astype(np.float64)
    mean = vectors.mean(axis=0)
    apart = vectors - mean
    first = apart[int(np.einsum("ij,ij->i", apart, apart).argmax())]
    side = apart @ first > 0
    for _ in range(_HALVING_ROUNDS):
        if side.all() or not side.any():
            return None
        ends = centres(np.stack([vectors[side].sum(axis=0), vectors[~side].sum(axis=0)]))
        now = vectors @ (ends[0] - ends[1]).astype(np.float64) > 0
        if (now == side).all():
            break
        side = now
    if side.all() or not side.any():
        return None
    return members[side], members[~side]


def centres(sums: Floats) -> Table:
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    return np.array(sums / np.maximum(lengths, 1e-12)[:, None], np.float32)


def nearest(vectors: Table, places: Table) -> Places:
    found: Places = (vectors @ places.T).argmax(axis=1)
    return found


def settled(parts: Parts, places: Table, rounds: int) -> tuple[Table, Places, Floats]:
    """Centres moved to where their documents are, so often; how many each has, and their sums."""
    counts, sums = np.zeros(len(places), np.int64), np.zeros(places.shape)
    for round_ in range(rounds + 1):
        counts[:], sums[:] = 0, 0.0
        for vectors in parts():
            found = nearest(vectors, places)
            counts += np.bincount(found, minlength=len(places))
            for direction in range(places.shape[1]):
                sums[:, direction] += np.bincount(
                    found, vectors[:, direction], minlength=len(places)
                )
        if round_ == rounds:
            break
        moved = centres(sums)
        moved[counts == 0] = places[counts == 0]
        places = moved
    return places, counts, sums


def joined(sums: Floats, counts: Places) -> list[tuple[int, int]]:
    """Which two are joined, one pair after the other, until one is left; the second becomes a part
    of the first. Ward's: the pair whose joining lets the spread grow least."""
    count = len(sums)
    weights = np.maximum(counts.astype(np.float64), 1e-9)
    means = sums / weights[:, None]
    squares = np.einsum("ij,ij->i", means, means)
    apart = np.maximum(squares[:, None] + squares[None, :] - 2 * means @ means.T, 0.0)
    costs = apart * (weights[:, None] * weights[None, :]) / (weights[:, None] + weights[None, :])
    np.fill_diagonal(costs, np.inf)
    pairs = []
    for _ in range(count - 1):
        one, other = divmod(int(costs.argmin()), count)
        one, other = min(one, other), max(one, other)
        pairs.append((one, other))
        both = weights[one] + weights[other]
        grown = (
            (weights[one] + weights) * costs[one]
            + (weights[other] + weights) * costs[other]
            - weights * costs[one, other]
        ) / (both + weights)
        weights[one] = both
        costs[one, :], costs[:, one] = grown, grown
        costs[one, one] = np.inf
        costs[other, :], costs[:, other] = np.inf, np.inf
    return pairs


def cut(pairs: Sequence[tuple[int, int]], count: int, wanted: int) -> list[int]:
    """Which of so many clusters each of the small ones is in, numbered as they come first."""
    above = list(range(count))
    for one, other in pairs[: max(0, count - max(1, wanted))]:
        above[other] = one
    for each in range(count):
        while above[above[each]] != above[each]:
            above[each] = above[above[each]]
    numbers = {top: number for number, top in enumerate(dict.fromkeys(above))}
    return [numbers[each] for each in above]
