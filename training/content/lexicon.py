"""What do the words of a piece and the names around it say for content? Two logistic regressions.

One over the hashed names, classes, ids and roles of the elements around a piece, one over its own
hashed words; averaged stochastic gradient descent. A weight is kept in a byte, and the trees are
trained on what the byte says. A piece that a lexicon was fitted on looks surer than any other ever
will, so rows to train on are made with a lexicon that was fitted without their page's fold.
"""

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from training.content.file_format import Lexicon
from training.content.pieces import ELEMENT_BUCKETS, WORD_BUCKETS, Buckets

CONTENT_SHARE = 0.5
"""From this share on a piece is content."""
_PULL = 2e-5
"""Towards zero, so that names of single sites weigh little."""
_PASSES = 5
_MOST = 4.0
"""No name and no word says more than this, in either direction."""
_SEED = 1
_BYTE = 127

FloatArray = NDArray[np.float32]


class Pieces:
    """All pieces of all pages, one behind the other, as lexicons are fitted on them."""

    def __init__(
        self,
        pages: Iterable[Buckets],
        folds: NDArray[np.int64],
        is_content: NDArray[np.int64],
        weights: NDArray[np.float64],
    ) -> None:
        self._elements, self._words = _matrices(pages)
        self._folds = folds
        self._is_content = is_content
        self._weights = weights

    def lexicon(self, without: frozenset[int]) -> Lexicon:
        """Fitted on the pages of all folds but these."""
        used = ~np.isin(self._folds, sorted(without)) & (self._weights > 0)
        element_scale, elements = self._fitted(self._elements, used)
        word_scale, words = self._fitted(self._words, used)
        return Lexicon(elements, words, element_scale, word_scale)

    def _fitted(self, matrix: csr_matrix, used: NDArray[np.bool_]) -> tuple[float, list[int]]:
        weights = self._weights[used]
        fit = SGDClassifier(
            loss="log_loss",
            alpha=_PULL,
            max_iter=_PASSES,
            tol=None,
            average=True,
            random_state=_SEED,
        )
        fit.fit(matrix[used], self._is_content[used], sample_weight=weights / weights.mean())
        found = np.clip(fit.coef_[0], -_MOST, _MOST)
        scale = np.float32(max(float(np.abs(found).max()), 1e-6) / _BYTE)
        return float(scale), np.round(found / scale).astype(np.int64).tolist()


def by_folds(pieces: Pieces) -> Callable[[frozenset[int]], Lexicon]:
    """Lexicons without these folds; each is fitted when it is first asked for."""
    return cache(pieces.lexicon)


def unpacked(lexicon: Lexicon) -> bytes:
    """The weights as the compiled module reckons with them, to the bit."""
    elements = np.array(lexicon.elements, np.float32) * np.float32(lexicon.element_scale)
    words = np.array(lexicon.words, np.float32) * np.float32(lexicon.word_scale)
    both: bytes = np.concatenate([elements, words]).tobytes()
    return both


def _matrices(pages: Iterable[Buckets]) -> tuple[csr_matrix, csr_matrix]:
    """A row for each piece, with a 1 in each of its buckets: elements, words."""
    element_parts, word_parts = [], []
    element_counts, word_counts = [0], [0]
    for page in pages:
        for own, around in page:
            words, elements = sorted(set(own)), sorted(set(around))
            word_parts.append(np.array(words, np.int32))
            element_parts.append(np.array(elements, np.int32))
            word_counts.append(len(words))
            element_counts.append(len(elements))
    return (
        _matrix(element_parts, element_counts, ELEMENT_BUCKETS),
        _matrix(word_parts, word_counts, WORD_BUCKETS),
    )


def _matrix(parts: list[NDArray[np.int32]], counts: list[int], width: int) -> csr_matrix:
    columns = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    ones = np.ones(len(columns), np.float32)
    return csr_matrix((ones, columns, np.cumsum(counts)), shape=(len(parts), width))
