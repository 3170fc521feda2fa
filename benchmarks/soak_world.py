"""A web of any size that takes no room: every page follows from its host's and its own number.

Host beside host on loopback addresses; on each a tree of pages, so that all can be reached, with
links across. Some URLs have moved, some are gone, some are a page's printed copy, byte for byte;
some links lead where robots.txt forbids to go. The names are such as people give, so no rule
against traps (docs/traps.md) has to be switched off for it, and each page has a text of its own.
"""

import random
import re
from enum import IntEnum
from typing import NamedTuple

SECTIONS = ("reefs", "rivers", "lakes", "harbours", "tides", "nets", "boats", "maps")
SPECIAL_EVERY = 16
"""Of so many pages, one each names a moved, a missing, a printed and a forbidden URL."""
ROBOTS = b"User-agent: *\nDisallow: /private/\n"

_WORDS = (
    "water coral current school fin scale depth light colour season island captain storm anchor "
    "market evening child letter garden kitchen window mountain road village river stone question "
    "answer music winter summer morning slowly often never always between under above beside old "
    "new small great quiet early late red green blue finds keeps makes follows leaves carries"
)
_SENTENCES = 1024
_SENTENCE_BITS = 10
_PARAGRAPHS = 3
_SENTENCES_EACH = 4
_CHANCE_LINKS = 3
"""Within the host, and as many to others."""
_PATH = re.compile(rb"/([a-z]+)/page-(0|[1-9][0-9]{0,8})\.html")
_ADDRESSES_IN_A_ROW = 250
_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)
_64_BITS = (1 << 64) - 1


class Kind(IntEnum):
    """What is at a URL."""

    PAGE = 0
    PRINT = 1
    MOVED = 2
    GONE = 3
    PRIVATE = 4


_DIRECTORIES = {Kind.PRINT: "print", Kind.MOVED: "moved", Kind.GONE: "old", Kind.PRIVATE: "private"}
_KINDS = {directory.encode(): kind for kind, directory in _DIRECTORIES.items()}
_NAMED_BY = {3: Kind.MOVED, 7: Kind.GONE, 11: Kind.PRINT, 15: Kind.PRIVATE}
"""Which special URL a page names, by its number modulo SPECIAL_EVERY."""


class Size(NamedTuple):
    hosts: int
    pages: int
    """On each host."""
    port: int


def address(host: int) -> str:
    row, place = divmod(host, _ADDRESSES_IN_A_ROW)
    return f"127.{43 + (row >> 8)}.{row & 255}.{1 + place}"


class World:
    def __init__(self, size: Size) -> None:
        self.size = size
        self._origins = [f"http://{address(host)}:{size.port}" for host in range(size.hosts)]
        draw, words = random.Random(1), _WORDS.split()
        self._sentences = [
            " ".join(draw.choices(words, k=draw.randint(8, 14))).capitalize() + "."
            for _ in range(_SENTENCES)
        ]

    def seeds(self, count: int) -> list[str]:
        return [origin + "/" for origin in self._origins[:count]]

    def url(self, host: int, kind: Kind, page: int) -> str:
        if kind is Kind.PAGE and page == 0:
            return self._origins[host] + "/"
        directory = _DIRECTORIES.get(kind) or SECTIONS[page % len(SECTIONS)]
        return f"{self._origins[host]}/{directory}/page-{page}.html"

    def find(self, path: bytes) -> tuple[Kind, int] | None:
        """What a path names; None if nobody ever wrote such a link."""
        if path == b"/":
            return Kind.PAGE, 0
        found = _PATH.fullmatch(path)
        if found is None:
            return None
        directory, page = found[1], int(found[2])
        if page >= self.size.pages:
            return None
        kind = _KINDS.get(directory, Kind.PAGE)
        if kind is not Kind.PAGE:
            return (kind, page) if _NAMED_BY.get(page % SPECIAL_EVERY) is kind else None
        named = page > 0 and directory.decode() == SECTIONS[page % len(SECTIONS)]
        return (kind, page) if named else None

    def moved_to(self, host: int, page: int) -> str:
        chance = self._chance(host, page, 1)
        return self.url(chance % self.size.hosts, Kind.PAGE, (chance >> 32) % self.size.pages)

    def links(self, host: int, page: int) -> list[str]:
        """Its parent and children, and some that chance chose, here and elsewhere."""
        hosts, pages = self.size.hosts, self.size.pages
        near = [2 * page + 1, 2 * page + 2] + ([(page - 1) // 2] if page else [])
        here, there = self._chance(host, page, 2), self._chance(host, page, 3)
        for _ in range(_CHANCE_LINKS):
            near.append((here >> 24) % pages)
            here = here * _MIX[0] & _64_BITS
        urls = [self.url(host, Kind.PAGE, each) for each in near if each < pages]
        for _ in range(_CHANCE_LINKS):
            urls.append(
                self.url((there >> 40) % hosts, Kind.PAGE, (there >> 16 & 0xFFFFFF) % pages)
            )
            there = there * _MIX[0] & _64_BITS
        special = _NAMED_BY.get(page % SPECIAL_EVERY)
        if special is not None:
            urls.append(self.url(host, special, page))
        if page == 0:
            urls += [
                self._origins[each] + "/" for each in (2 * host + 1, 2 * host + 2) if each < hosts
            ]
        return urls

    def page(self, host: int, page: int) -> bytes:
        text = []
        for part in range(_PARAGRAPHS):
            chance = self._chance(host, page, 4 + part)
            chosen = (chance >> _SENTENCE_BITS * n for n in range(_SENTENCES_EACH))
            words = " ".join([self._sentences[each % _SENTENCES] for each in chosen])
            text.append(f"<p>{words}</p>\n")
        links = "\n".join(
            [
                f'<li><a href="{url}">{self._sentences[len(url) * 7 + n][:24]}</a>'
                for n, url in enumerate(self.links(host, page))
            ]
        )
        title = f"{SECTIONS[page % len(SECTIONS)].capitalize()} {page} of host {host}"
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head>\n<body><h1>{title}</h1>\n{''.join(text)}<ul>\n{links}\n</ul></body></html>\n"
        ).encode()

    def _chance(self, host: int, page: int, turn: int) -> int:
        """64 bits that look drawn and are always the same (the steps of SplitMix64)."""
        mixed = (host * self.size.pages + page) * 16 + turn
        mixed = (mixed + 1) * _MIX[0] & _64_BITS
        mixed = (mixed ^ mixed >> 30) * _MIX[1] & _64_BITS
        return mixed ^ mixed >> 31
