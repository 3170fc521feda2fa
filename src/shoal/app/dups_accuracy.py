"""What is a fingerprint of so many bytes good for? The textbook's exercise, over anybody's texts.

A sample is judged by simhashes and by n-grams of several sizes (dedupe/accuracy.py); what comes of
it is a table and a plot. The texts may be a collection's, a folder's, or lines of JSON with an id
and a text, for which the truth may be known as pairs of ids.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from shoal.app import accuracy_plot
from shoal.app.named_texts import Named
from shoal.dedupe.accuracy import Exercise, Row, accuracy
from shoal.errors import UsageError
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
    truth: Collection[tuple[int, int]] | None = None,
    exercise: Exercise | None = None,
) -> FingerprintAccuracy:
    """Of the first 2,500 texts. `truth` are pairs of near-duplicates by their places, from 0 on;
    without it those count whose runs of three words resemble each other by half."""
    exercise = exercise or Exercise()
    sample = list(islice(texts, exercise.most_texts))
    if len(sample) < 2:
        raise UsageError("two texts are needed, at least, to compare them")
    rows = accuracy(sample, truth, exercise)
    if truth is not None:
        known = f"{len(truth):,} {'pair that is' if len(truth) == 1 else 'pairs that are'} given"
    else:
        known = (
            f"pairs that share {exercise.true_at_least:.0%} of their runs "
            f"of {exercise.true_n} words"
        )
    return FingerprintAccuracy(len(sample), known, rows)


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
    pairs = {(places[a], places[b]) for a, b in truth if a in places and b in places and a != b}
    if not pairs:
        raise UsageError("the truth names no pair of the texts that were read")
    return fingerprint_accuracy((text for _, text in sample), pairs, exercise)


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
