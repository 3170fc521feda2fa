"""Which model comes of which pages? One of all, or one of those outside a fold, and nothing else.

A page that is trained on gets its features by a lexicon that was fitted without its own fold, as a
page in use was never in the lexicon. The model of fold k leaves out k in both, so its lexicons
leave out two folds each; the one that it is stored with leaves out k alone.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.content.examples import examples
from training.content.file_format import ContentModel
from training.content.forest import Rows, Settings, chosen_rows, trained
from training.content.lexicon import CONTENT_SHARE, Pieces, by_folds, unpacked
from training.content.pieces import all_pages, buckets, feature_names, features


class Training:
    """All that is learned from; `model` may be asked for any fold."""

    def __init__(self, data: Path, work: Path, settings: Settings, at_most: int | None) -> None:
        self.examples = examples(data, work, at_most)
        self._data = data
        self._settings = settings
        self._at_most = at_most
        self._width = len(feature_names())
        every = self.examples
        self._lexicon = by_folds(
            Pieces(
                (buckets(page.html) for _, page in all_pages(data, at_most)),
                np.repeat([each.fold for each in every], [len(each.shares) for each in every]),
                np.concatenate([np.array(each.shares) >= CONTENT_SHARE for each in every]),
                np.concatenate([np.array(each.weights) for each in every]),
            )
        )

    def model(self, left_out: int | None) -> ContentModel:
        """Of all pages but those of that fold; None: of all pages."""
        outside = frozenset(() if left_out is None else {left_out})
        trees = trained(self._rows(outside), self._settings)
        return ContentModel(
            self._width,
            self._settings.sharpness,
            self._settings.least_words,
            self._lexicon(outside),
            trees,
        )

    def _rows(self, outside: frozenset[int]) -> Iterator[Rows]:
        inside = sorted({each.fold for each in self.examples} - outside)
        lexicons = {fold: unpacked(self._lexicon(outside | {fold})) for fold in inside}
        pages = all_pages(self._data, self._at_most)
        for example, (_, page) in zip(self.examples, pages, strict=True):
            if example.fold in lexicons and any(example.weights):
                rows = np.frombuffer(features(page.html, lexicons[example.fold]), np.float32)
                yield chosen_rows(example, rows.reshape(-1, self._width), self._settings)
