"""How do documents become short vectors that can be compared? By the main directions of a sample.

Latent semantic analysis: the directions in which the weighed words of a sample differ most, found
by a randomised method with a fixed seed (Halko, Martinsson and Tropp, 2011). A document's vector is
what it has of each direction, at length 1.
"""

import numpy as np

from shoal.learn import steps
from shoal.learn.arrays import Floats, Table
from shoal.learn.steps import Examples

_MORE = 10
"""Directions beyond those that are wanted, for the random start."""
_ROUNDS = 3


def directions(rows: Examples, columns: int, wanted: int) -> Table:
    """A row for each column of the examples, a column for each direction."""
    most = max(1, min(wanted + _MORE, len(rows), columns))
    random = np.random.default_rng(7)
    found = random.standard_normal((columns, most)).astype(np.float32)
    for _ in range(_ROUNDS):
        there = np.linalg.qr(steps.scores(found, rows).astype(np.float64))[0]
        back = _back(rows, there, columns)
        found = np.linalg.qr(back)[0].astype(np.float32)
    last = steps.scores(found, rows).astype(np.float64)
    _, _, turned = np.linalg.svd(last, full_matrices=False)
    return (found @ turned.T[:, :wanted].astype(np.float32)).astype(np.float32)


def _back(rows: Examples, told: Floats, columns: int) -> Floats:
    """What each column has of each direction."""
    document = np.repeat(
        np.arange(len(rows)), (rows.offsets[1:] - rows.offsets[:-1]).astype(np.int64)
    )
    found = np.empty((columns, told.shape[1]))
    for direction in range(told.shape[1]):
        weights = rows.values * told[document, direction]
        found[:, direction] = np.bincount(rows.columns, weights, minlength=columns)
    return found


def vectors(found: Table, rows: Examples) -> Table:
    """Of documents, at length 1; of one that has nothing of any direction all is 0."""
    made = np.array(steps.scores(found, rows))
    lengths = np.sqrt(np.einsum("ij,ij->i", made, made))
    made /= np.maximum(lengths, 1e-6)[:, None]
    return made
