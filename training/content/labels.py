"""Which words does a piece have, and how much of it is content by what its page's makers say?

Gold is text without places. A piece's share of content is how many of its words are in a longest
common subsequence of page and gold, or, if that is more, how many of its runs of four words stand
anywhere in the gold: a text that stands twice is only once in the subsequence. Where only phrases
are given that must and must not be there, a piece is labelled by one that stands in it, or in which
it stands; the others are unknown.
"""

import re
from collections.abc import Sequence
from html import unescape

from shoal.cleaners.tokens import HtmlTokenKind, tokens
from training.content.alignment import in_common

UNKNOWN = -1.0
_WORD = re.compile(r"\w+")
_RUN_WORDS = 4
_WORDS_FOR_RUNS = 8
"""Shorter pieces have too few runs to tell."""
_SHORTEST_CHARS = 8
_SHORTEST_IN_PHRASE_CHARS = 20
"""Pieces up to these are common words that stand in other places too."""
_DROPPED = frozenset(
    {"datalist", "iframe", "noembed", "noframes", "object", "script", "select", "style", "svg"}
    | {"template", "textarea", "title"}
)
"""What these hold is no text of the piece."""
_APART = frozenset({"br", "div", "img", "li", "p", "td"})
"""Tags that end a word; the others that stand within a piece only format."""


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def text_of(source: str) -> str:
    """What a piece says, given its source."""
    if "<" not in source:
        return unescape(source)
    parts = []
    dropped = ""
    for token in tokens(source):
        if dropped:
            if token.kind is HtmlTokenKind.END and token.name == dropped:
                dropped = ""
        elif token.kind is HtmlTokenKind.TEXT:
            parts.append(source[token.start : token.end])
        elif token.name in _APART:
            parts.append(" ")
        elif token.kind is HtmlTokenKind.START and token.name in _DROPPED:
            dropped = "" if source.endswith("/>", token.start, token.end) else token.name
    return unescape("".join(parts))


def shares_by_gold(pieces: Sequence[Sequence[str]], gold: Sequence[str]) -> list[float]:
    """The share of each piece, given its words, that is content."""
    found = [0] * len(pieces)
    owners = [number for number, words in enumerate(pieces) for _ in words]
    for place in in_common([word for words in pieces for word in words], gold):
        found[owners[place]] += 1
    runs = set(_runs(gold))
    shares = []
    for words, count in zip(pieces, found, strict=True):
        share = count / max(1, len(words))
        if len(words) >= _WORDS_FOR_RUNS:
            own = _runs(words)
            share = max(share, sum(run in runs for run in own) / len(own))
        shares.append(share)
    return shares


def shares_by_phrases(
    pieces: Sequence[Sequence[str]], wanted: Sequence[str], unwanted: Sequence[str]
) -> list[float]:
    """1 for content, 0 for none, UNKNOWN where no phrase tells; what is wanted is wanted."""
    shares = [UNKNOWN] * len(pieces)
    texts = [" ".join(words) for words in pieces]
    for phrases, share in ((unwanted, 0.0), (wanted, 1.0)):
        for phrase in filter(None, (" ".join(words_of(each)) for each in phrases)):
            for number, text in enumerate(texts):
                if _is_told(text, phrase):
                    shares[number] = share
    return shares


def _is_told(text: str, phrase: str) -> bool:
    if len(text) < _SHORTEST_CHARS:
        return False
    return phrase in text or (len(text) > _SHORTEST_IN_PHRASE_CHARS and text in phrase)


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(_RUN_WORDS)), strict=False))
