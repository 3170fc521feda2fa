"""Whom does a page vote for? Out of its stored links those that count in the graph.

- nofollow, ugc and sponsored links are no votes, nor are those to feeds and sitemaps, which nobody
  reads.
- A page that is only another name of a page passes on all it gets: a redirect has that one link,
  and of a page whose canonical link names another page the rest is left out.
- A page does not vote for itself.

The stored value is a list of OutLink (store/rows.py). Only what is asked for here is decoded:
what stands behind it in an array is skipped. 0.3 µs a link.
"""

from typing import NamedTuple

from shoal.model.link import Rel
from shoal.model.record import Struct, unpack

NO_VOTE = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED | Rel.FEED | Rel.SITEMAP)
_CANONICAL = int(Rel.CANONICAL)
_NAMED = _CANONICAL | int(Rel.REDIRECT)


class _Link(Struct, array_like=True, gc=False):
    """The beginning of a `Link`."""

    url: str
    row: bytes
    text: str = ""
    rel: int = 0


class _OutLink(Struct, array_like=True, gc=False):
    link: _Link
    target: bytes


class Votes(NamedTuple):
    targets: list[bytes]
    """Rows; one may stand there more than once."""
    links: int
    """All that the page has, those without a vote too."""


def votes(row: bytes, stored: bytes) -> Votes:
    """Of the page at `row`, whose cell of out-links is `stored`."""
    found = unpack(list[_OutLink], stored)
    counted = [
        out for out in found if not out.link.rel & NO_VOTE and out.target and out.target != row
    ]
    for out in counted:
        if out.link.rel & _CANONICAL:
            return Votes([each.target for each in counted if each.link.rel & _NAMED], len(found))
    return Votes([out.target for out in counted], len(found))
