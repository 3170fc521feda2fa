"""Is an item's text the whole article? Told from the item, and from its neighbours.

A mistake costs a request one way, and half an article the other: in doubt it is not whole. A text
is cut when it ends in dots or in an invitation to read on, or when all items of a feed are about
equally short. A place for the content (content:encoded, Atom's content) says that the whole is
meant; a description says so only if it is long and has paragraphs.
"""

import re
from collections.abc import Sequence

from shoal.model.listings.feed import Item
from shoal.sources.feed_html import plain

LEAST_CHARS = 400
"""Of a text in the place for the whole; a note without a title may be shorter."""
LEAST_CHARS_OF_DESCRIPTION = 1_500
LEAST_PARAGRAPHS = 3
_ALIKE_ITEMS = 5
_ALIKE_SHARE = 0.15
_ALIKE_CHARS = 1_200
_LOOKED_AT = 200_000
_END = 160

_CUT = re.compile(
    r"(?:\.\.\.|…|\[…\]|\[\.\.\.\]|\(\.\.\.\)|»|→)\W{0,5}\Z|"
    r"\b(?:read (?:more|on|the (?:rest|full|whole|entire)\b.{0,60})|continue reading\b.{0,100}|"
    r"keep reading|full (?:story|article|text)|(?:click|go) here (?:to|for)\b.{0,60}|"
    r"weiterlesen|mehr lesen|lire (?:la suite|plus)|leer más|seguir leyendo|leggi tutto|"
    r"continua a leggere|lees (?:verder|meer)|läs mer|les mer|læs mere|czytaj (?:dalej|więcej)|"
    r"leia mais|читать далее)\W{0,9}\Z",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"</p\s{0,9}>|<br\s{0,9}/?>\s{0,9}<br|</h[1-6]>|</li>|</div>", re.IGNORECASE)
# What a blog appends to each item, whole or not, would hide the dots before it.
_APPENDED = re.compile(r"\bThe post .{0,400} (?:first appeared|appeared first) on .{0,200}\Z")


def is_whole(item: Item, *, has_content: bool) -> bool:
    """By the item alone. `has_content`: its text stood in the place for the whole."""
    words = plain(item.content[:_LOOKED_AT])
    tail = _APPENDED.sub("", words[-700:]).rstrip()
    if not tail or _CUT.search(tail[-_END:]):
        return False
    if not has_content:
        blocks = len(_BLOCK.findall(item.content[:_LOOKED_AT]))
        return len(words) >= LEAST_CHARS_OF_DESCRIPTION and blocks >= LEAST_PARAGRAPHS
    return len(words) >= LEAST_CHARS or not item.title


def unmark_teasers(items: Sequence[Item]) -> None:
    """Texts that all end after about the same number of characters were cut there."""
    titled = [item for item in items if item.title]
    lengths = sorted(len(plain(item.content[:_LOOKED_AT])) for item in titled)
    if len(lengths) < _ALIKE_ITEMS or lengths[-1] > _ALIKE_CHARS:
        return
    if lengths[-1] - lengths[0] <= _ALIKE_SHARE * lengths[-1]:
        for item in titled:
            item.is_whole = False
