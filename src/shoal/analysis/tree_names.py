"""What are the parts of a tree called, and which of them are those of the tree before?

A part is known by a name made of the words that tell it from its siblings. When a tree is made
anew, a part with mostly the documents of an old one keeps that one's name, so that what was noted
of it still leads there.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from shoal.index.stop_words import STOP_WORDS
from shoal.model.words.marks import ways

Way = tuple[int, ...]
Part = TypeVar("Part")
Other = TypeVar("Other")

_ALIKE = 1 / 3
"""The least share of documents of either that two parts have in common (Jaccard)."""
_NAME_WORDS = 2
_NAME_CHARS = 40
_LEAST_CHARS = 3
_NAMELESS = "other"
_STOPPED = frozenset(word for words in STOP_WORDS.values() for word in words)


def shown_ways(of_leaves: Sequence[Way]) -> dict[Way, tuple[Way, ...]]:
    """For each part the parts on the way to it that are worth a step: those with siblings."""
    children: dict[Way, set[Way]] = defaultdict(set)
    for way in of_leaves:
        for end in range(len(way)):
            children[way[:end]].add(way[: end + 1])
    found: dict[Way, tuple[Way, ...]] = {}
    for way in of_leaves:
        steps: tuple[Way, ...] = ()
        for end in range(1, len(way) + 1):
            if len(children[way[: end - 1]]) > 1 or (end == len(way) and not steps):
                steps = (*steps, way[:end])
            if steps:
                found[way[:end]] = steps
    return found


def telling(words: Sequence[str], most: int) -> list[str]:
    """Those that a person would call it by."""
    good = [
        word
        for word in words
        if not word.isdigit()
        and word not in _STOPPED
        and (len(word) >= _LEAST_CHARS or not word.isascii())
    ]
    return list(dict.fromkeys(good))[:most]


def names(
    parts: Sequence[Way], words: Mapping[Way, Sequence[str]], kept: Mapping[Way, str]
) -> dict[Way, str]:
    """Each another; those that are `kept` first."""
    found = dict(kept)
    taken = set(kept.values())
    for part in parts:
        if part in found:
            continue
        plain = "-".join(words.get(part, ())[:_NAME_WORDS])[:_NAME_CHARS] or _NAMELESS
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}-{number}"
        found[part] = name
        taken.add(name)
    return found


def matched(now: Mapping[Part, set[int]], before: Mapping[Other, set[int]]) -> dict[Part, Other]:
    """Which part of before each part of now is; those with most in common first."""
    of_document: dict[int, list[Other]] = defaultdict(list)
    for old, documents in before.items():
        for document in documents:
            of_document[document].append(old)
    alike: list[tuple[float, int, int, Part, Other]] = []
    order = {old: number for number, old in enumerate(before)}
    for place, (part, documents) in enumerate(now.items()):
        common = Counter(old for each in documents for old in of_document.get(each, ()))
        for old, shared in common.items():
            share = shared / (len(documents) + len(before[old]) - shared)
            if share >= _ALIKE:
                alike.append((-share, place, order[old], part, old))
    found: dict[Part, Other] = {}
    taken: set[Other] = set()
    for _, _, _, part, old in sorted(alike, key=lambda each: each[:3]):
        if part not in found and old not in taken:
            found[part] = old
            taken.add(old)
    return found


def parts_before(marks: Sequence[str]) -> dict[str, set[int]]:
    """The documents of each part of the tree before, by the way that each document has."""
    found: dict[str, set[int]] = defaultdict(set)
    for document, mark in enumerate(marks):
        for way in ways(mark):
            found[way.rpartition("/")[2]].add(document)
    return dict(found)
