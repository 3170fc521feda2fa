"""Which real pages are copies of each other? Pages of SHOAL_DATA and variants made of them.

Pages are taken with their menus and footers left in, as a crawler without noise removal sees them,
and from sites of which there are several pages first: those share a frame and are no copies. Each
page has two variants of three: edits in runs of up to 10% of its words, edits at scattered places
of up to 5%, and another site's frame in place of its own, up to 10%. New words are other pages'. A
page whose content nearly is that of another page of its site is left out, for nobody has judged it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.dup_corpus import (
    LEAST_WORDS,
    MOST_IN_RUNS,
    MOST_SCATTERED,
    Fresh,
    How,
    Made,
    Tokens,
    changed_at_places,
    changed_in_runs,
)
from benchmarks.extract_scores import SETS, Page, domain, pages
from shoal.files.content import content

BASES = 300
MOST_BASE_WORDS = 6000
_MOST_OF_A_SITE = 8
_LEAST_CHANGED = 0.01
_SHINGLE = 5
_SAME_CONTENT = 0.5
_MOST_UNSPACED = 0.02
_TOKEN = re.compile(r"\w+\W*")
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff]")
"""Thai and its neighbours, Han, kana, Hangul: what is one word there everybody counts otherwise."""


class Base(NamedTuple):
    id: str
    site: str
    tokens: Tokens
    """Of the whole text: a word each, with all that stands before the next."""
    shingles: frozenset[tuple[str, ...]]
    """Of the content."""


def missing(data: Path) -> str:
    """Why there are no variants here; empty if there are."""
    absent = [file for file, _ in SETS.values() if not (data / file).is_file()]
    return f"{data} lacks {', '.join(absent)} (SHOAL_DATA says where)" if absent else ""


def variants(data: Path, seed: int = 1, number: int = BASES) -> Iterator[Made]:
    """Every page, each followed by its two variants."""
    chosen = bases(data, number)
    draw = Random(f"variants {seed}")
    for base in chosen:
        others = [each for each in chosen if each.site != base.site]
        yield Made(base.id, base.site, "".join(base.tokens), "original", base.id, "", 0.0)
        for kind in draw.sample(("runs", "scattered", "framed"), 2):
            how: How = "scattered" if kind == "scattered" else "runs"
            most = MOST_SCATTERED if how == "scattered" else MOST_IN_RUNS
            words = max(1, int(draw.uniform(_LEAST_CHANGED, most) * len(base.tokens)))
            share = words / len(base.tokens)
            made = Made(f"{base.id} {kind}", base.site, "", "copy", base.id, how, share)
            if kind == "framed":
                host = draw.choice(others)
                yield made._replace(site=host.site, text="".join(_framed(base, host, words)))
            else:
                change = changed_in_runs if how == "runs" else changed_at_places
                tokens = change(draw, base.tokens, words, _words_of(draw, others))
                yield made._replace(text="".join(tokens))


def bases(data: Path, number: int = BASES) -> list[Base]:
    """Of sites with several pages first, a few of each; the same ones every time."""
    addresses: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in SETS:
        for page in pages(name, data):
            addresses[domain(page.fold_key)].append((name, page.id))
    order = sorted(addresses, key=lambda site: (len(addresses[site]) == 1, _mark(site)))
    few = [address for site in order for address in sorted(addresses[site])[:_MOST_OF_A_SITE]]
    # Half as many again, for those that are too short or are there twice.
    wanted = set(few[: number * 3 // 2])
    read: defaultdict[str, list[Base]] = defaultdict(list)
    for name in SETS:
        for page in pages(name, data):
            if (name, page.id) not in wanted:
                continue
            base = _base(name, page)
            if _is_fit(base, read[base.site]):
                read[base.site].append(base)
    return [base for site in order for base in read.get(site, [])][:number]


def _base(name: str, page: Page) -> Base:
    found = content(page.html, page.url, "dom")
    words = _WORD.findall(found.text.lower())
    shingles = frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))
    site = domain(page.fold_key)
    return Base(f"{name}/{page.id}", site, _TOKEN.findall(f"{found.whole_text} "), shingles)


def _is_fit(base: Base, known: Sequence[Base]) -> bool:
    if not LEAST_WORDS <= len(base.tokens) <= MOST_BASE_WORDS:
        return False
    text = "".join(base.tokens)
    if len(_UNSPACED.findall(text)) > _MOST_UNSPACED * len(text):
        return False
    return all(_resemblance(base, other) < _SAME_CONTENT for other in known)


def _resemblance(one: Base, other: Base) -> float:
    both = len(one.shingles & other.shingles)
    either = len(one.shingles | other.shingles)
    return both / either if either else 1.0


def _framed(base: Base, host: Base, words: int) -> Tokens:
    """The first and last words, where menus and footers are, are another site's."""
    head = words // 2
    foot = len(base.tokens) - (words - head)
    return [*host.tokens[:head], *base.tokens[head:foot], *host.tokens[head - words :]]


def _words_of(draw: Random, others: Sequence[Base]) -> Fresh:
    """What other pages say, as much as is wanted."""

    def fresh(wanted: int) -> Tokens:
        found: Tokens = []
        while len(found) < wanted:
            tokens = draw.choice(others).tokens
            start = draw.randrange(len(tokens))
            found += tokens[start : start + wanted - len(found)]
        return found

    return fresh


def _mark(site: str) -> bytes:
    """An order of sites that is neither the alphabet's nor the sets'."""
    return blake2b(site.encode(), digest_size=8).digest()
