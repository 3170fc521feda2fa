"""How much of a page's content did an extractor find? The metrics of four sets of marked pages.

Each set is scored as its makers do, so that figures can be held beside theirs. wcxb-dev: F1 over
the multiset of words, mean over pages. aeb-dev and readability-dev: F1 of mean precision and mean
recall over shingles of four words (Scrapinghub's article extraction benchmark; case counts).
trafilatura-dev: phrases that must and must not be there, counted over the set (trafilatura's own
evaluation; white space is equal). A page's score is a row of counts; rows add up, and the F1 is
made of their sum, so one bootstrap serves all. Pages fall into folds by registered domain.
"""

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from shoal.model.urls.url import registered_domain

FOLDS = 5
_SHINGLE_WORDS = 4
_RESAMPLES = 1000
_SEED = 5
_NORMAL_95 = 1.96
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"-\d+\Z")
_SAVED_NAME = re.compile(
    r"[\w-]+(?:\.[\w-]+)*?"
    r"\.(?:(?:com?|org|net|gov|edu|ac)\.[a-z]{2}|com|org|net|info|edu|gov|[a-z]{2})(?=[-.]|$)"
)
"""The host at the start of a saved page's name: `diaadia.com.pa-ulpiano.html`."""


class Page(NamedTuple):
    id: str
    url: str
    type: str
    html: str
    gold: str
    wanted: list[str]
    unwanted: list[str]

    @property
    def fold_key(self) -> str:
        """Where it came from. A page whose host was made up is known by its name: `cnet-2`."""
        known = self.url and "//fakehost/" not in self.url
        return self.url if known else _NUMBER.sub("", self.id)


Counts = tuple[float, ...]


class Metric(NamedTuple):
    score: Callable[[str, Page], Counts]
    """Of the text that was found in a page."""
    f1: Callable[[Counts], float]
    is_mean: bool
    """Whether the F1 is the mean of the pages' own."""


class Difference(NamedTuple):
    mean: float
    standard_error: float
    low: float
    high: float
    """Ends of the 95% interval."""


def word_f1(text: str, gold: str) -> float:
    found, wanted = Counter(_words(text.lower())), Counter(_words(gold.lower()))
    if not found or not wanted:
        return float(found == wanted)
    return 2 * (found & wanted).total() / (found.total() + wanted.total())


def shingle_counts(text: str, gold: str) -> Counts:
    """Precision and whether there is one, recall and whether there is one."""
    found, wanted = _shingles(text), _shingles(gold)
    both = (found & wanted).total()
    precision = both / found.total() if found else 0.0
    recall = both / wanted.total() if wanted else 0.0
    return precision, float(bool(found)), recall, float(bool(wanted))


def chunk_counts(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> Counts:
    """True positives, false positives, false negatives, true negatives."""
    plain = _plain(text)
    hits = sum(_plain(chunk) in plain for chunk in wanted)
    noise = sum(_plain(chunk) in plain for chunk in unwanted)
    return hits, noise, len(wanted) - hits, len(unwanted) - noise


WORDS = Metric(
    lambda text, page: (word_f1(text, page.gold), 1.0), lambda sums: _ratio(*sums), is_mean=True
)
SHINGLES = Metric(
    lambda text, page: shingle_counts(text, page.gold),
    lambda sums: harmonic(_ratio(*sums[:2]), _ratio(*sums[2:])),
    is_mean=False,
)
CHUNKS = Metric(
    lambda text, page: chunk_counts(text, page.wanted, page.unwanted),
    lambda sums: _ratio(2 * sums[0], 2 * sums[0] + sums[1] + sums[2]),
    is_mean=False,
)
SETS: dict[str, tuple[str, Metric]] = {
    "wcxb-dev": ("wcxb-dev/pages.jsonl.gz", WORDS),
    "aeb-dev": ("extraction/aeb-dev.jsonl.gz", SHINGLES),
    "readability-dev": ("extraction/readability-dev.jsonl.gz", SHINGLES),
    "trafilatura-dev": ("extraction/trafilatura-dev.jsonl.gz", CHUNKS),
}


def data_folder() -> Path:
    return Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[1] / "../shared/data"))


def pages(name: str, data: Path, every: int = 1) -> Iterator[Page]:
    """The set's pages one by one (together they are half a gigabyte), or each `every`th of them."""
    with gzip.open(data / SETS[name][0], "rt", encoding="utf-8") as lines:
        for each in map(json.loads, islice(lines, 0, None, every)):
            yield Page(
                each["id"],
                each["url"] or "",
                each.get("type", ""),
                each["html"],
                each.get("gold", ""),
                each.get("with") or [],
                each.get("without") or [],
            )


def total(rows: Sequence[Counts]) -> Counts:
    return tuple(map(sum, zip(*rows, strict=True)))


def difference(metric: Metric, ours: Sequence[Counts], theirs: Sequence[Counts]) -> Difference:
    """Ours less theirs on the same pages, and how far other pages might have moved it."""
    mean = metric.f1(total(ours)) - metric.f1(total(theirs))
    if len(ours) < 2:
        return Difference(mean, float("nan"), float("nan"), float("nan"))
    if metric.is_mean:
        each = [metric.f1(a) - metric.f1(b) for a, b in zip(ours, theirs, strict=True)]
        error = stdev(each) / sqrt(len(each))
        return Difference(fmean(each), error, mean - _NORMAL_95 * error, mean + _NORMAL_95 * error)
    draw = Random(_SEED)
    drawn = []
    for _ in range(_RESAMPLES):
        chosen = draw.choices(range(len(ours)), k=len(ours))
        left = metric.f1(total([ours[index] for index in chosen]))
        drawn.append(left - metric.f1(total([theirs[index] for index in chosen])))
    drawn.sort()
    return Difference(
        mean, stdev(drawn), drawn[round(0.025 * _RESAMPLES)], drawn[round(0.975 * _RESAMPLES) - 1]
    )


def folds(urls: list[str], count: int = FOLDS) -> list[int]:
    """A number below `count` for each address; pages of one registered domain stay together."""
    return [_hash(domain(url)) % count for url in urls]


def domain(url: str) -> str:
    """The registered domain of an address, or of the host that a saved page's name begins with."""
    if "://" in url:
        authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
        host = authority.rpartition("@")[2].partition(":")[0].lower().strip(".")
    else:
        name = url.rpartition("::")[2].lower()
        match = _SAVED_NAME.match(name)
        host = match[0] if match else name
    return registered_domain(host)


def harmonic(precision: float, recall: float) -> float:
    return _ratio(2 * precision * recall, precision + recall)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    """A text of fewer words is one shingle, a text without words has none."""
    words = _words(text)
    if len(words) < _SHINGLE_WORDS:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(*(words[start:] for start in range(_SHINGLE_WORDS)), strict=False))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
