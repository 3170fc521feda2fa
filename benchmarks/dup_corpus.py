"""Which documents are copies, which only look alike? A generated corpus that knows.

A copy has the content of its original with up to 10% of its words changed in runs (sentences and
paragraphs rewritten, dropped, added, moved), or up to 5% at scattered places; the page's frame (its
site's words around the content, at most 8% of the page, with a date) changes as well. Changes of 10
to 30% exist and are not judged. Look-alikes share a template that, with the frame, is 20 to 60% of
their words. A seed and a number of documents give the same corpus everywhere; it is made as a
stream, and only what waits to be mixed is in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count
from math import log
from random import Random
from typing import Literal, NamedTuple

Kind = Literal["original", "copy", "lookalike", "alone", "unjudged"]
How = Literal["runs", "scattered", ""]
Tokens = list[str]
Fresh = Callable[[int], Tokens]
"""So many new words of the document's own topic."""

MOST_IN_RUNS = 0.10
MOST_SCATTERED = 0.05
MOST_UNJUDGED = 0.30
LEAST_WORDS, MOST_WORDS = 80, 3000
LEAST_TEMPLATE, MOST_TEMPLATE = 0.20, 0.60
MOST_FRAME = 0.08
_MEDIAN_WORDS, _SIGMA = 350, 0.8
_LEAST_RUN, _MOST_RUN = 5, 120
_MIXED = 4000
"""So many documents wait to be mixed: copies seldom follow each other."""
_MOST_IN_GROUP = 40
_SHARE_OF_ALONE, _SHARE_OF_COPIES = 0.4, 0.3
_SHARE_UNJUDGED = 0.15
_ENDS = (".", "!", "?", "\n")
"""Of sentences and lines."""
_MONTHS = ("January", "March", "April", "June", "August", "October", "November")


class Made(NamedTuple):
    id: str
    site: str
    text: str
    kind: Kind
    of: str
    """The original, for it and its copies; the family, for look-alikes; itself, when alone."""
    how: How
    changed: float
    """A copy's: the share of the content's words. A look-alike's: what is not of the template."""


class Language:
    """Words made of syllables, used as often as real words are, by topics with phrases."""

    def __init__(self, seed: int, words: int = 24000, topics: int = 64) -> None:
        draw = Random(f"language {seed}")
        self.words = _words(draw, words)
        common = self.words[: words // 8]
        zipf = list(accumulate(1 / (rank + 2.7) for rank in range(words)))
        general = draw.choices(self.words, cum_weights=zipf, k=30000)
        idioms = [" ".join(draw.choices(general, k=draw.randint(3, 6))) for _ in range(400)]
        self._topics: list[Tokens] = []
        for _ in range(topics):
            own = draw.sample(self.words[len(common) :], 1500)
            terms = [" ".join(draw.choices([*own, *common[:300]], k=3)) for _ in range(100)]
            self._topics.append(
                general
                + draw.choices(own, cum_weights=zipf[: len(own)], k=9000)
                + _weighted(draw, idioms, 900)
                + _weighted(draw, terms, 500)
            )

    def topic(self, draw: Random) -> Tokens:
        """What is drawn from when one writes about it: words and phrases, each as often as used."""
        return self._topics[min(int(draw.expovariate(4 / 64)), len(self._topics) - 1)]


def prose(draw: Random, pool: Tokens, words: int) -> Tokens:
    """Sentences and paragraphs, a word each with what follows it: `fish.` ends a sentence."""
    tokens = " ".join(draw.choices(pool, k=words)).split()[:words]
    if not tokens:
        return tokens
    end = -1
    for length in draw.choices(range(5, 28), k=words // 5 + 1):
        if end + 1 < words:
            tokens[end + 1] = tokens[end + 1].capitalize()
        end += length
        if end >= words - 5:
            break
        tokens[end] += ".\n\n" if draw.random() < 0.2 else "."
    tokens[-1] += ".\n\n"
    return tokens


def changed_in_runs(draw: Random, tokens: Tokens, words: int, fresh: Fresh) -> Tokens:
    """`words` of them rewritten, dropped, added or moved, whole sentences where that is enough."""
    tokens = tokens.copy()
    while words > 0:
        length = min(words, draw.randint(_LEAST_RUN, _MOST_RUN))
        if words - length < _LEAST_RUN:
            length = words
        start = draw.randrange(max(1, len(tokens) - length))
        start = _sentence_start(tokens, start, length)
        end = _sentence_end(tokens, start, length)
        words -= max(1, end - start)
        run = tokens[start:end]
        what = draw.choice(("rewrite", "drop", "add", "move"))
        if what == "rewrite":
            tokens[start:end] = fresh(len(run))
        elif what == "add":
            tokens[start:start] = fresh(len(run))
        else:
            del tokens[start:end]
        if what == "move":
            place = _sentence_start(tokens, draw.randrange(max(1, len(tokens))), len(tokens))
            tokens[place:place] = run
    return tokens


def changed_at_places(draw: Random, tokens: Tokens, words: int, fresh: Fresh) -> Tokens:
    """`words` of them replaced, dropped or inserted, each at a place of its own."""
    tokens = tokens.copy()
    places = sorted(draw.sample(range(len(tokens)), words), reverse=True)
    for place, new in zip(places, fresh(words), strict=True):
        what = draw.random()
        if what < 0.6:
            tokens[place] = new
        elif what < 0.8:
            del tokens[place]
        else:
            tokens.insert(place, new)
    return tokens


class _Site(NamedTuple):
    name: str
    head: Tokens
    foot: Tokens

    def framed(self, draw: Random, content: Tokens, frame_words: int) -> str:
        """The content as this site shows it; a short page has less around it."""
        words = max(frame_words - 3, 0)
        head, foot = self.head[: words // 2], self.foot[: words - words // 2]
        date = f"{draw.randint(1, 28)} {draw.choice(_MONTHS)} {draw.randint(1999, 2025)}"
        around = [*head, date, "\n\n"] if frame_words >= 3 else []
        return " ".join([*around, *content, *foot]).replace("\n ", "\n")


class _Maker:
    """Makes groups of documents; `generate` mixes them."""

    def __init__(self, seed: int, documents: int) -> None:
        self._draw = Random(f"corpus {seed}")
        self._language = Language(seed)
        self._ids = count(1)
        self._sites = [self._site(number) for number in range(max(8, documents // 100))]

    def alone(self) -> list[Made]:
        content = prose(self._draw, self._language.topic(self._draw), self._length())
        return [self._made(self._any_site(), content, "alone", "", "", 0.0)]

    def copies(self) -> list[Made]:
        """An original and its copies, on its own site and on others."""
        draw, pool = self._draw, self._language.topic(self._draw)
        content, home = prose(draw, pool, self._length()), self._any_site()
        stays = draw.choice((0.0, 0.5, 1.0))
        made = [self._made(home, content, "original", "", "", 0.0)]
        size = _zipf(draw, _MOST_IN_GROUP)
        while len(made) < size:
            how: How = "runs" if draw.random() < 0.6 else "scattered"
            most = MOST_IN_RUNS if how == "runs" else MOST_SCATTERED
            kind: Kind = "unjudged" if draw.random() < _SHARE_UNJUDGED else "copy"
            low, high = (0.0, most) if kind == "copy" else (MOST_IN_RUNS, MOST_UNJUDGED)
            words = int(draw.uniform(low, high) * len(content))
            change = changed_in_runs if how == "runs" else changed_at_places
            copy = change(draw, content, words, lambda most: prose(draw, pool, most))
            site = home if draw.random() < stays else self._any_site()
            share = words / len(content)
            made.append(self._made(site, copy, kind, made[0].id, how, share))
        return made

    def lookalikes(self) -> list[Made]:
        """Documents of one template, on one site or on several."""
        draw, pool = self._draw, self._language.topic(self._draw)
        segment, slot = draw.choice(((2, 2), (7, 3), (6, 40), (25, 25), (90, 60), (400, 200)))
        template = prose(draw, self._language.topic(draw), draw.randint(30, 500))
        cut = _cut(draw, template, segment)
        sites = [self._any_site() for _ in range(draw.choice((1, 1, 2, 6)))]
        centre = draw.uniform(LEAST_TEMPLATE, MOST_TEMPLATE)
        name, made = f"family {next(self._ids)}", []
        for _ in range(1 + _zipf(draw, _MOST_IN_GROUP)):
            share = min(max(draw.gauss(centre, 0.05), LEAST_TEMPLATE + 0.01), MOST_TEMPLATE - 0.01)
            words = max(round(len(template) / share), LEAST_WORDS)
            around = min(self._frame_words(words), int(MOST_TEMPLATE * words) - len(template))
            own = prose(draw, pool, max(words - len(template) - around, 10))
            content = _filled(draw, cut, own, slot)
            rest = 1 - (len(template) + around) / (len(content) + around)
            site = draw.choice(sites)
            made.append(self._made(site, content, "lookalike", name, "", rest, around))
        return made

    def _made(  # noqa: PLR0913 - a row of the corpus
        self,
        site: _Site,
        content: Tokens,
        kind: Kind,
        of: str,
        how: How,
        changed: float,
        frame_words: int | None = None,
    ) -> Made:
        number = str(next(self._ids))
        if frame_words is None:
            frame_words = self._frame_words(len(content))
        text = site.framed(self._draw, content, frame_words)
        return Made(number, site.name, text, kind, of or number, how, changed)

    def _frame_words(self, words: int) -> int:
        return int(self._draw.uniform(0.02, MOST_FRAME) * words)

    def _length(self) -> int:
        while True:
            words = round(self._draw.lognormvariate(log(_MEDIAN_WORDS), _SIGMA))
            if LEAST_WORDS <= words <= MOST_WORDS:
                return words

    def _any_site(self) -> _Site:
        return self._draw.choice(self._sites)

    def _site(self, number: int) -> _Site:
        pool = self._language.topic(self._draw)
        name = f"{self._language.words[number % 5000]}{number}.example"
        half = int(MOST_FRAME * MOST_WORDS) // 2
        return _Site(name, prose(self._draw, pool, half), prose(self._draw, pool, half))


def generate(seed: int, documents: int) -> Iterator[Made]:
    """The corpus in the order in which it is met: copies and look-alikes stand apart."""
    draw, maker = Random(f"order {seed}"), _Maker(seed, documents)
    waiting: list[Made] = []
    made = {"alone": 0, "copies": 0, "lookalikes": 0}
    while (total := sum(made.values())) < documents:
        if made["alone"] <= _SHARE_OF_ALONE * total:
            kind, new = "alone", maker.alone()
        elif made["copies"] <= _SHARE_OF_COPIES * total:
            kind, new = "copies", maker.copies()
        else:
            kind, new = "lookalikes", maker.lookalikes()
        new = new[: documents - total]
        made[kind] += len(new)
        waiting += new
        while len(waiting) > _MIXED:
            yield _taken(draw, waiting)
    while waiting:
        yield _taken(draw, waiting)


def _taken(draw: Random, waiting: list[Made]) -> Made:
    place = draw.randrange(len(waiting))
    waiting[place], waiting[-1] = waiting[-1], waiting[place]
    return waiting.pop()


def _words(draw: Random, number: int) -> Tokens:
    """Different words; the first ones, which are used most, are short."""
    onsets = ["", *"bcdfghklmnprstvwz", "br", "ch", "cl", "fl", "gr", "pl", "sh", "st", "th", "tr"]
    vowels = [*"aeiou", "ai", "ea", "ee", "io", "ou"]
    codas = ["", "", "", *"dlmnrst", "ck", "nd", "ng", "nt", "rs", "st"]
    found: dict[str, None] = {}
    while len(found) < number:
        most = 1 if len(found) < 150 else 2 if len(found) < 2500 else 4
        syllables = draw.randint(1 if len(found) < 2500 else 2, most)
        parts = [draw.choice(each) for _ in range(syllables) for each in (onsets, vowels, codas)]
        found.setdefault("".join(parts))
    return list(found)


def _weighted(draw: Random, choices: Sequence[str], number: int) -> Tokens:
    weights = [1 / (rank + 2) for rank in range(len(choices))]
    return draw.choices(choices, weights, k=number)


def _zipf(draw: Random, most: int) -> int:
    sizes = range(2, most + 1)
    return draw.choices(sizes, [size**-2 for size in sizes])[0]


def _sentence_start(tokens: Tokens, start: int, within: int) -> int:
    """The next one, if it is near."""
    for place in range(start, min(start + within, len(tokens))):
        if place == 0 or tokens[place - 1].rstrip(" ").endswith(_ENDS):
            return place
    return start


def _sentence_end(tokens: Tokens, start: int, within: int) -> int:
    """The last one within so many words, if there is any; else all of those words."""
    last = min(start + within, len(tokens))
    for place in range(last, start + _LEAST_RUN, -1):
        if tokens[place - 1].rstrip(" ").endswith(_ENDS):
            return place
    return last


def _cut(draw: Random, tokens: Tokens, length: int) -> list[Tokens]:
    """Pieces of about so many words."""
    pieces, start = [], 0
    while start < len(tokens):
        end = start + max(1, round(length * draw.uniform(0.5, 1.5)))
        pieces.append(tokens[start:end])
        start = end
    return pieces


def _filled(draw: Random, template: list[Tokens], own: Tokens, slot: int) -> Tokens:
    """The template's pieces with a document's own words between and behind them."""
    content: Tokens = []
    slots = iter(_cut(draw, own, slot))
    for piece in template:
        content += piece
        content += next(slots, [])
    for rest in slots:
        content += rest
    return content
