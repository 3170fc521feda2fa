"""What is learned from: each page's pieces, how much of each is content, and how much it matters.

Labelling takes a minute, so labels stay in the working directory. Files of other runs there, by
other code or of other pages, are not looked at and may be removed.
"""

import json
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from benchmarks.extract_scores import SETS, Page, folds
from shoal.cleaners import _content
from training.content.labels import (
    UNKNOWN,
    shares_by_gold,
    shares_by_phrases,
    text_of,
    words_of,
)
from training.content.pieces import all_pages, ranges

PHRASES_ONLY = "trafilatura-dev"
_PAGE_WEIGHT = 100.0
"""Every page weighs the same, because every page's F1 counts the same."""
_LENGTH_POWER = 0.6
"""In a page long pieces weigh more, but less than by their length: short ones are the hard ones."""
_LEAST_OF_PAGE = 50.0
"""A page of a few words says little of how pages are made, and weighs less."""
_PHRASE_WEIGHT = 3.0
"""Where only phrases are given, a few pieces stand for their page, each by up to this."""


class Example(NamedTuple):
    set: str
    id: str
    type: str
    fold: int
    pieces: list[str]
    """The words of each, in lower case, with a space between."""
    shares: list[float]
    """How much of each is content; UNKNOWN where that is not said."""

    @property
    def weights(self) -> list[float]:
        """How much each piece matters in training; nothing where its share is unknown."""
        plain = [max(1, len(words.split())) ** _LENGTH_POWER for words in self.pieces]
        scale = _PAGE_WEIGHT / max(_LEAST_OF_PAGE, sum(plain))
        found = [
            0.0 if share == UNKNOWN else weight * scale
            for weight, share in zip(plain, self.shares, strict=True)
        ]
        if self.set == PHRASES_ONLY:
            found = [min(_PHRASE_WEIGHT * weight, _PHRASE_WEIGHT) for weight in found]
        return found


def examples(data: Path, work: Path, at_most: int | None = None) -> list[Example]:
    """In the order of `all_pages`."""
    kept = work / f"labels-{_key(data, at_most)}.jsonl"
    if not kept.exists():
        part = kept.with_suffix(".part")  # a run that is stopped leaves no half of them
        with part.open("w", encoding="utf-8") as lines:
            for name, page in all_pages(data, at_most):
                lines.write(f"{json.dumps(_labelled(name, page))}\n")
        part.replace(kept)
    with kept.open(encoding="utf-8") as lines:
        return [Example(*json.loads(line)) for line in lines]


def _key(data: Path, at_most: int | None) -> str:
    """A hash of all that labels follow from: the pages, where their pieces stand, and the rules."""
    code = Path(__file__).parent
    rules = [code / name for name in ("alignment.py", "examples.py", "labels.py", "pieces.py")]
    files = [*(data / file for file, _ in SETS.values()), Path(_content.__file__), *rules]
    found = blake2b(str(at_most).encode(), digest_size=8)
    for file in files:
        found.update(blake2b(file.read_bytes()).digest())
    return found.hexdigest()


def _labelled(name: str, page: Page) -> Example:
    pieces = [words_of(text_of(page.html[start:end])) for start, end in ranges(page.html)]
    if name == PHRASES_ONLY:
        shares = shares_by_phrases(pieces, page.wanted, page.unwanted)
    else:
        shares = shares_by_gold(pieces, words_of(page.gold))
    fold = folds([page.fold_key])[0]
    return Example(name, page.id, page.type, fold, [" ".join(words) for words in pieces], shares)
