"""What is a fingerprint of so many bytes good for? The textbook's exercise, over anybody's texts.

A sample is judged by simhashes, n-grams and sketches of several sizes
(duplicates/methods/accuracy.py); what comes of it is a table and a plot. The texts may be a
collection's, a folder's, or lines of JSON with an id and a text, for which the truth may be known
as pairs of ids.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from shoal.duplicates.methods.accuracy import Exercise, Pair, Row, accuracy
from shoal.errors import UsageError
from shoal.files import accuracy_plot
from shoal.files.named_texts import Named
from shoal.model.record import JSON_ERRORS, Struct, from_json

MOST_TRUTH_BYTES = 200_000_000
MOST_LINE_CHARS = 50_000_000


@dataclass(frozen=True)
class FingerprintAccuracy:
    """Precision, recall and F1 by the size of fingerprints."""

    texts: int
    """In the sample."""
    truth: str
    """What counts as near-duplicates, in words."""
    rows: list[Row]
    unknown_ids: int = 0
    """That the truth names and none of the texts has."""

    @cached_property
    def _lines(self) -> list[accuracy_plot.Line]:
        return accuracy_plot.lines_of(self.rows)

    def text(self, columns: int = 100, *, ascii_only: bool = False) -> str:
        """F1 by bytes, in characters."""
        return accuracy_plot.text(self._lines, columns, ascii_only=ascii_only)

    @property
    def svg(self) -> str:
        return accuracy_plot.svg(self._lines)

    @property
    def png(self) -> bytes:
        return accuracy_plot.png(self._lines)


def fingerprint_accuracy(
    texts: Iterable[str],
    truth: Iterable[tuple[int, int]] | None = None,
    exercise: Exercise | None = None,
) -> FingerprintAccuracy:
    """`shoal.fingerprint_accuracy`."""
    exercise = exercise or Exercise()
    rest = iter(texts)
    sample = list(islice(rest, exercise.most_texts))
    if len(sample) < 2:
        raise UsageError("two texts are needed, at least, to compare them")
    pairs = None
    if truth is not None:
        is_all = next(rest, None) is None
        known_pairs = _pairs(truth, len(sample) if is_all else None)
        pairs = {pair for pair in known_pairs if pair[1] < len(sample)}
    rows = accuracy(sample, pairs, exercise)
    if pairs is not None:
        known = f"{len(pairs):,} {'pair that is' if len(pairs) == 1 else 'pairs that are'} given"
    else:
        known = (
            f"pairs that share {exercise.true_at_least:.0%} of their runs "
            f"of {exercise.true_n} words"
        )
    return FingerprintAccuracy(len(sample), known, rows)


def _pairs(truth: Iterable[tuple[int, int]], texts: int | None) -> Iterator[Pair]:
    """The lower place first. None: nobody knows how many texts there are behind the sample."""
    for a, b in truth:
        if a == b:
            raise UsageError(f"the truth pairs the text {a} with itself")
        for place in (a, b):
            if place < 0 or (texts is not None and place >= texts):
                there = "" if texts is None else f", there are 0 to {texts - 1}"
                raise UsageError(f"the truth names a text {place}{there}")
        yield min(a, b), max(a, b)


def named_accuracy(
    texts: Iterable[Named],
    truth: Iterable[tuple[str, str]] | None = None,
    exercise: Exercise | None = None,
) -> FingerprintAccuracy:
    """The same, of texts with names, by which the truth is known."""
    exercise = exercise or Exercise()
    sample = list(islice(texts, exercise.most_texts))
    if truth is None:
        return fingerprint_accuracy((text for _, text in sample), None, exercise)
    places = {name: place for place, (name, _) in enumerate(sample)}
    if len(places) < len(sample):
        raise UsageError("two of the texts have the same id")
    pairs, unknown = set(), set()
    for a, b in truth:
        unknown |= {a, b} - places.keys()
        if a in places and b in places and a != b:
            pairs.add((places[a], places[b]))
    if not pairs:
        raise UsageError("the truth names no pair of the texts that were read")
    found = fingerprint_accuracy((text for _, text in sample), pairs, exercise)
    return replace(found, unknown_ids=len(unknown))


# --- files ----------------------------------------------------------------------------------


class _Line(Struct):
    id: str | int
    text: str


class _Truth(Struct):
    pairs: list[tuple[str | int, str | int]]


def read_texts(path: Path) -> Iterator[Named]:
    """Lines of JSON, each with `id` and `text`."""
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(MOST_LINE_CHARS):
                number += 1
                if line.strip():
                    found = from_json(_Line, line)
                    yield str(found.id), found.text
    except JSON_ERRORS as error:
        raise UsageError(f"line {number} of {path} is none with id and text: {error}") from error
    except (OSError, ValueError) as error:
        raise _unread(path, error) from error


def read_truth(path: Path) -> list[tuple[str, str]]:
    """Pairs of ids that are near-duplicates: `{"pairs": [["a", "b"], …]}`."""
    try:
        with path.open("rb") as file:
            found = from_json(_Truth, file.read(MOST_TRUTH_BYTES))
    except JSON_ERRORS as error:
        raise UsageError(f"{path} is no list of pairs: {error}") from error
    except (OSError, ValueError) as error:
        raise _unread(path, error) from error
    return [(str(a), str(b)) for a, b in found.pairs]


def _unread(path: Path, error: OSError | ValueError) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return UsageError(f"{path} can't be read: {reason}")
