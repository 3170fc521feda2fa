"""Which words tell a text from others? Those that are frequent in it and rare elsewhere (TF·IDF).

In two steps, for what is rare is asked of an index, or of several: the words that may tell
something with how often they stand in the text, and then the best of them.
"""

import math
from collections import Counter
from collections.abc import Sequence

from shoal.index.analysis import Analysis
from shoal.index.local_statistics import rarity
from shoal.index.stop_words import STOP_WORDS
from shoal.model.record import Struct
from shoal.model.words.words import language_of, words

_MOST_CHARS = 100_000
_MOST_LOOKED_UP = 300


class Frequent(Struct):
    """A word of a text."""

    stem: str
    word: str
    """As it is written there first."""
    times: int


def frequent(text: str, language: str, analysis: Analysis) -> list[Frequent]:
    """The most frequent words, by their stems, without those that say nothing."""
    tag = language_of(language)
    stemmer = analysis.stemmer(tag)
    stop = STOP_WORDS.get(tag, frozenset())
    shapes: dict[str, str] = {}
    times: Counter[str] = Counter()
    for word, count in Counter(words(text[:_MOST_CHARS])).most_common():
        if len(word) > 1 and word not in stop and not word.isdigit():
            stem = stemmer.stem(word)
            shapes.setdefault(stem, word)
            times[stem] += count
    common = times.most_common(_MOST_LOOKED_UP)
    return [Frequent(stem, shapes[stem], count) for stem, count in common]


def distinctive_words(
    found: Sequence[Frequent], having: Sequence[int], documents: int, at_most: int
) -> list[str]:
    """`having`: how many of the documents have each word in their content."""
    scored = [
        (math.log1p(each.times) * rarity(documents, count), each.stem, each.word)
        for each, count in zip(found, having, strict=True)
    ]
    scored.sort(reverse=True)
    return [word for _, _, word in scored[: max(0, at_most)]]
