"""Which features does a model of kept examples have, and how rare is each?

All that its examples have, each with a column of its own, so that no two share one; of more than
there is room for, those that most examples have. What a document has besides is not known.

_learn.c does `plain_columns` where it could be compiled; tests hold the two together.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.learn.arrays import Keys, Values
from shoal.learn.features import Features
from shoal.learn.page_classes import CONSTANT
from shoal.learn.steps import Examples


def plain_columns(keys: Keys, known: Keys) -> bytes:
    """Where keys stand among those that are known, in order; their number for the others."""
    found = np.searchsorted(known, keys).astype(np.uint32)
    found[found == len(known)] = 0
    is_known = known[found] == keys if len(known) else np.zeros(len(keys), np.bool_)
    found[~is_known] = len(known)
    return found.tobytes()


try:
    from shoal.learn._learn import columns as _columns
except ImportError:  # pragma: no cover - where there was no compiler
    _columns = plain_columns


class Vocabulary:
    def __init__(self, keys: Keys, rareness: Values) -> None:
        """Keys in order, each with how much its rareness counts; 0: it is a number, as it is."""
        self.keys, self.rareness = keys, rareness

    @classmethod
    def of(cls, examples: Sequence[Features], most: int) -> "Vocabulary":
        numbers = [each.keys[len(each.keys) - each.numbers :] for each in examples if each.numbers]
        all_keys = [each.keys for each in examples]
        keys, times = np.unique(
            np.concatenate(all_keys or [np.zeros(0, np.uint32)]), return_counts=True
        )
        if len(keys) > most:
            kept = np.sort(np.argsort(-times, kind="stable")[:most])
            keys, times = keys[kept], times[kept]
        rareness = (np.log((1.0 + len(examples)) / (1.0 + times)) + 1.0).astype(np.float32)
        if numbers:
            rareness[np.isin(keys, np.concatenate(numbers))] = 0.0
        return cls(keys, rareness)

    @property
    def columns(self) -> int:
        return len(self.keys) + 1

    def examples(self, documents: Sequence[Features]) -> Examples:
        """Words by how rare they are, the length of each document's 1; numbers; the constant."""
        lengths = np.array([len(each.keys) for each in documents], np.int64)
        keys = np.concatenate([np.zeros(0, np.uint32), *(each.keys for each in documents)])
        values = np.concatenate([np.zeros(0, np.float32), *(each.values for each in documents)])
        columns = np.frombuffer(_columns(keys, self.keys), np.uint32)
        known = columns < len(self.keys)
        if not known.all():
            document = np.repeat(np.arange(len(documents)), lengths)[known]
            lengths = np.bincount(document, minlength=len(documents))
            columns, values = columns[known], values[known]
        rareness = self.rareness[columns]
        weighed = values * rareness
        scale = np.repeat(_scale(weighed, lengths), lengths)
        values = np.where(rareness > 0, weighed * scale, values)
        ends = np.cumsum(lengths + 1)  # the constant is the last of each
        all_columns = np.full(int(ends[-1]) if len(ends) else 0, len(self.keys), np.uint32)
        all_values = np.full(len(all_columns), CONSTANT, np.float32)
        places = np.arange(len(columns)) + np.repeat(np.arange(len(documents)), lengths)
        all_columns[places] = columns
        all_values[places] = values
        return Examples(all_columns, all_values, np.concatenate([[0], ends]).astype(np.uint32))


def _scale(values: Values, lengths: NDArray[np.int64]) -> Values:
    """By which each document gets the length 1."""
    found = np.ones(len(lengths), np.float32)
    has_some = lengths > 0
    starts = (np.cumsum(lengths) - lengths)[has_some]
    if len(starts):
        squares = np.add.reduceat(values * values, starts)
        found[has_some] = 1.0 / np.sqrt(np.maximum(squares, 1e-12))
    return found
