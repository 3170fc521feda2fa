"""Which few numbers stand for a text, and when are two texts near by them? Fingerprints of word
n-grams.

The n-grams of a text are hashed to 64 bits. All hashes are its fingerprints, or those that are 0
mod p, or those of n-grams that begin with given characters, or those that winnowing picks: the
smallest of every window of consecutive hashes, the rightmost of equals (Schleimer, Wilkerson and
Aiken 2003), so that any run of window + n - 1 words that two texts share is seen. All of these
choose by what the n-gram says alone, or by its neighbours: equal passages have equal fingerprints.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from shoal.duplicates.near.shingles import DEFAULT_N, MOST_N, shingle_hashes, sized_words
from shoal.errors import UsageError

Keep = Literal["all", "mod", "prefix", "winnow"]
By = Literal["count", "resemblance", "containment", "overlap"]
HashOf = Callable[[str], int]
"""The hash of an n-gram, its words separated by a space."""

KEEPS = ("all", "mod", "prefix", "winnow")
BYS = ("count", "resemblance", "containment", "overlap")
_ROOM = 2


@dataclass(frozen=True, slots=True)
class Fingerprinting:
    """How fingerprints are made of a text."""

    n: int = DEFAULT_N
    overlapping: bool = True
    keep: Keep = "all"
    p: int = 4
    """With `mod`: one n-gram in about so many is kept."""
    prefixes: tuple[str, ...] = ()
    """With `prefix`: in lower case, as words are."""
    window: int = 4
    """With `winnow`: about two n-grams in window + 1 are kept."""
    hash_of: HashOf | None = None
    """Instead of the 64-bit hash of shingles.py."""

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_N:
            raise UsageError(f"An n-gram has 1 to {MOST_N} words, not {self.n}.")
        if self.keep not in KEEPS:
            raise UsageError(f"Fingerprints are kept by {', '.join(KEEPS)}, not {self.keep!r}.")
        if self.keep == "mod" and self.p < 1:
            raise UsageError(f"Fingerprints that are 0 mod p need a p of 1 or more, not {self.p}.")
        if self.keep == "prefix" and not (self.prefixes and all(self.prefixes)):
            raise UsageError("Fingerprints kept by prefix need the characters to begin with.")
        if self.keep == "winnow" and self.window < 1:
            raise UsageError(f"A window of winnowing has 1 hash or more, not {self.window}.")

    @property
    def label(self) -> str:
        """The same for the same fingerprints, whatever the settings that are not used."""
        how = {"mod": self.p, "prefix": sorted(set(self.prefixes)), "winnow": self.window}
        hashed = "" if self.hash_of is None else getattr(self.hash_of, "__qualname__", "another")
        return f"{self.n} {self.overlapping} {self.keep} {how.get(self.keep, '')} {hashed}"

    def fingerprints(self, text: str) -> list[int]:
        """Distinct, in the order in which they first appear."""
        hashes = self._hashes(text)
        if self.keep == "mod":
            chosen: Iterable[int] = (value for value in hashes if value % self.p == 0)
        elif self.keep == "prefix":
            grams, begin = ngrams(text, self.n, overlapping=self.overlapping), self.prefixes
            pairs = zip(grams, hashes, strict=True)
            chosen = (value for gram, value in pairs if gram.startswith(begin))
        elif self.keep == "winnow":
            chosen = winnow(hashes, self.window)
        else:
            chosen = hashes
        return list(dict.fromkeys(chosen))

    def _hashes(self, text: str) -> Sequence[int]:
        if self.hash_of is None:
            return shingle_hashes(text, self.n, overlapping=self.overlapping)
        return [self.hash_of(gram) for gram in ngrams(text, self.n, overlapping=self.overlapping)]


def ngrams(text: str, n: int = DEFAULT_N, *, overlapping: bool = True) -> Iterator[str]:
    """What `shingle_hashes` hashes, one for one, to be read: each n-gram with single spaces."""
    gram: deque[tuple[str, int]] = deque()
    filled, told = 0, False
    for word, room in sized_words(text):
        gram.append((word, room))
        filled += room
        if filled < n * _ROOM:
            continue
        yield " ".join(word for word, _ in gram)
        told = True
        if not overlapping:
            gram.clear()
            filled = 0
        while filled >= n * _ROOM:
            filled -= gram.popleft()[1]
    if gram and not told:
        yield " ".join(word for word, _ in gram)


def winnow(hashes: Sequence[int], window: int) -> list[int]:
    """The smallest hash of each window, the rightmost of equals; each place counts once. Fewer
    hashes than a window has are one window."""
    chosen: list[int] = []
    rising: deque[int] = deque()  # places whose hashes are below all later ones in the window
    last = -1
    for place, value in enumerate(hashes):
        while rising and hashes[rising[-1]] >= value:
            rising.pop()
        rising.append(place)
        if rising[0] <= place - window:
            rising.popleft()
        is_whole = place + 1 >= min(window, len(hashes))
        if is_whole and rising[0] != last:
            last = rising[0]
            chosen.append(hashes[last])
    return chosen


@dataclass(frozen=True, slots=True)
class Decision:
    """When are two sets of fingerprints near? Sets that share nothing never are."""

    by: By = "resemblance"
    """The count of shared ones; their share of all that either has (resemblance), of those that a
    has (containment of a in b), or of the smaller set (overlap)."""
    at_least: float = 0.5

    def __post_init__(self) -> None:
        if self.by not in BYS:
            raise UsageError(f"Fingerprints are compared by {', '.join(BYS)}, not {self.by!r}.")
        if not self.at_least >= 0 or (self.by != "count" and self.at_least > 1):
            raise UsageError(f"A {self.by} of at least {self.at_least} can't be reached.")

    def near(self, a: Collection[int], b: Collection[int]) -> bool:
        return self.admits(self.score(a, b))

    def score(self, a: Collection[int], b: Collection[int]) -> float:
        ours, theirs = set(a), set(b)
        return self.score_of(len(ours & theirs), len(ours), len(theirs))

    def score_of(self, shared: int, of_a: int, of_b: int) -> float:
        """By the numbers of fingerprints alone."""
        if self.by == "count" or not shared:
            return float(shared)
        if self.by == "resemblance":
            return shared / (of_a + of_b - shared)
        return shared / (of_a if self.by == "containment" else min(of_a, of_b))

    def admits(self, score: float) -> bool:
        return score > 0 and score >= self.at_least

    def least_shared(self, of_a: int) -> int:
        """So many of a's fingerprints at least has any b that is near to it."""
        if self.by == "count":
            return max(1, ceil(self.at_least))
        if self.by == "overlap":
            return 1
        # A product that rounding has lifted just over a whole number must not ask for one more.
        return max(1, ceil(self.at_least * of_a - 1e-9 * of_a))
