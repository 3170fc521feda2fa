"""Is this text content, and what is seen of it? The texts of a drawn page, labelled by its gold.

A text is content when more than half of its runs of three words stand in the gold; one of one or
two words, when the gold has them beside each other. What is seen is what the shipped code sees: the
features are its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from shoal.cleaners.tokens import HtmlTokenKind, tokens
from shoal.cleaners.visual import box_spans
from shoal.cleaners.visual_features import features
from shoal.cleaners.visual_tree import block_tree
from shoal.model.rendered import Rendered
from training.visual.drawn import DrawnPage

_WORD = re.compile(r"\w+")
_RUN = 3
_PAGE_WEIGHT = 100.0
_LENGTH_POWER = 0.7
"""Every page weighs the same; in a page long texts weigh more, but less than by their length."""
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd"}
    | {"label", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "tt", "u"}
    | {"var", "wbr"}
)


class Text(NamedTuple):
    seen: dict[str, float]
    is_content: bool
    weight: float


def texts(page: DrawnPage) -> list[Text]:
    rendered = page.rendered
    root = block_tree(rendered)
    if root is None:
        return []
    own = _own_sources(rendered)
    gold = _words(page.gold)
    singles, pairs, runs = set(gold), set(pairwise(gold)), set(_runs(gold))
    labelled = []
    for leaf, seen in features(rendered, root):
        words = _words(plain(own.get(leaf.box.number, [])))
        if len(words) >= _RUN:
            is_content = 2 * sum(run in runs for run in _runs(words)) > len(words) - _RUN + 1
        elif len(words) == 2:
            is_content = (words[0], words[1]) in pairs
        else:
            is_content = words[:1] != [] and words[0] in singles
        if words:
            labelled.append(Text(seen, is_content, len(words) ** _LENGTH_POWER))
    whole = sum(text.weight for text in labelled)
    return [text._replace(weight=_PAGE_WEIGHT * text.weight / whole) for text in labelled]


def plain(sources: Iterable[str]) -> str:
    """What these pieces of HTML say; a tag ends a word unless it only formats."""
    parts = []
    for source in sources:
        drawings = 0  # what a drawing is called is no text of the page
        for token in tokens(source):
            if token.name == "svg":
                drawings += 1 if token.kind is HtmlTokenKind.START else -1
            if token.kind is HtmlTokenKind.TEXT and drawings <= 0:
                parts.append(unescape(source[token.start : token.end]))
            elif token.name not in _INLINE:
                parts.append(" ")
        parts.append(" ")
    return "".join(parts)


def _own_sources(rendered: Rendered) -> dict[int, list[str]]:
    """For each box the pieces of the source that are in it and in no box inside it."""
    spans = box_spans(rendered.html)
    inside: dict[int, list[int]] = defaultdict(list)
    for box in rendered.boxes:
        if box.number in spans:
            inside[box.parent].append(box.number)
    own = {}
    for number, (start, end) in spans.items():
        pieces, position = [], start
        for child in inside[number]:
            pieces.append(rendered.html[position : spans[child][0]])
            position = spans[child][1]
        own[number] = [*pieces, rendered.html[position:end]]
    return own


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(_RUN)), strict=False))
