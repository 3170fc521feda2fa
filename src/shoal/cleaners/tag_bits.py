"""Which tokens does the textbook see? One bit for each: 1 is a tag, 0 a word.

After Croft, Metzler and Strohman, section 3.8. A word is a run of letters and digits; scripts that
put no spaces between words (Han, kana, Thai and its neighbours) count by the character, or a whole
sentence would weigh as little as "OK". Tags that only format text are tokens with a 0 bit. Links
are not among them, though they stand in text as well: menus consist of them. Scripts, style
sheets, comments and declarations are no tokens.
"""

import re
from array import array
from collections.abc import Iterator
from html import unescape
from itertools import accumulate

from shoal.cleaners.tokens import HtmlTokenKind, tokens

Range = tuple[int, int]

_UNSPACED = (
    "\u0e00-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    "\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0970-\u0dff\u200c\u200d"
"""Vowels and accents that are written onto letters: parts of a word, though not `\\w`."""
_REFERENCE = r"&#?\w{1,32}+;"
_WORD = re.compile(
    rf"(?:[^\W{_UNSPACED}][{_MARKS}]*+|{_REFERENCE}[{_MARKS}]*+)++|(?!\W)[{_UNSPACED}]"
)
_PIECE = re.compile(rf"{_REFERENCE}|[^&]++")
_SPACED = re.compile(rf"(?:[^\W{_UNSPACED}]|[{_MARKS}])++")

_FONT = (
    "abbr acronym b bdi bdo big blink br cite code del dfn em font i ins kbd mark nobr q rp rt "
    "ruby s samp small span strike strong sub sup time tt u var wbr"
)
_HEADINGS = "h1 h2 h3 h4 h5 h6"
_TABLES = "table caption col colgroup tbody td tfoot th thead tr"
FORMATTING = frozenset(f"{_FONT} {_HEADINGS} {_TABLES}".split())
"""Font changes, headings and tables, as the textbook says."""


class Bits:
    """A page as the textbook's sequence of tokens, each with its place in the source."""

    def __init__(self, html: str) -> None:
        self.bits = bytearray()
        """b: 1 for a tag, 0 for a word or a tag that formats."""
        self.is_word = bytearray()
        self.starts = array("L")
        self.ends = array("L")
        for kind, name, start, end in tokens(html):
            if kind == HtmlTokenKind.TEXT:
                for span in _words(html, start, end):
                    self._add(0, 1, *span)
            elif kind != HtmlTokenKind.OTHER:
                self._add(name not in FORMATTING, 0, start, end)

    def _add(self, bit: int, is_word: int, start: int, end: int) -> None:
        self.bits.append(bit)
        self.is_word.append(is_word)
        self.starts.append(start)
        self.ends.append(end)

    def __len__(self) -> int:
        return len(self.bits)

    @property
    def tags(self) -> int:
        return sum(self.bits)

    @property
    def words(self) -> int:
        return sum(self.is_word)

    def cumulative(self) -> "array[int]":
        """The document slope curve: how many of the first n tokens are tags, from n = 0 on."""
        return array("L", accumulate(self.bits, initial=0))

    def ranges(self, blocks: list[Range]) -> list[Range]:
        """The source of blocks of tokens [i, j], each from its first word to its last; none where
        a block has no word."""
        found = []
        for i, j in blocks:
            first = self.is_word.find(1, i, j + 1)
            if first >= 0:
                last = self.is_word.rfind(1, i, j + 1)
                found.append((self.starts[first], self.ends[last]))
        return found


def _words(html: str, start: int, end: int) -> Iterator[Range]:
    for word in _WORD.finditer(html, start, end):
        if "&" in word[0]:
            yield from _referred_words(html, *word.span())
        else:
            yield word.span()


def _referred_words(html: str, start: int, end: int) -> Iterator[Range]:
    """Within letters and character references, of which `&eacute;` is a letter, `&nbsp;` a space
    and `&#20013;` a word of its own."""
    begun = start
    for piece in _PIECE.finditer(html, start, end):
        text = unescape(piece[0])
        if _SPACED.fullmatch(text):
            continue
        if begun < piece.start():
            yield begun, piece.start()
        if text[0].isalnum():
            yield piece.span()
        begun = piece.end()
    if begun < end:
        yield begun, end
