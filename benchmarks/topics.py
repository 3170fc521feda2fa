"""How much sooner does a crawl for a topic find its pages? Replayed on a recorded web, and crawled.

    python -m benchmarks.topics [--pages 100] [--crawls 3]

The web is that of `classes/wikipedia-linux.jsonl.gz` in SHOAL_DATA: articles with their links and
categories. A topic is a category, or those with a word in common; upkeep is left out. Five of its
pages are examples. Breadth first and the topic's own order start at the same page, fetch the same
number, and the examples count for neither. Then thirty answers of a person who knows the truth are
given, and the harvest of the next pages is held against that without answers.

The replay uses what the crawl uses: the page model, the link values, the same clues. `--crawls`
makes real crawls of some topics over loopback, one host, politely, to show that it is honest.
"""

import argparse
import gzip
import json
import os
import re
import tempfile
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

import shoal
from shoal.converters.reader import Reader, ReaderSettings
from shoal.focus.priority import FixedPriority, PrioritySettings
from shoal.focus.scope import CrawlScope, ScopeSettings
from shoal.focus.weighing import words_around
from shoal.learn.features import Features
from shoal.learn.link_value import Clues, LinkValue
from shoal.learn.topic import TopicModel, address_words, page_maker, page_parts
from shoal.model.compression import unzstd
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit
from shoal.model.words.topic import judged_part
from tests.crawl.own_site import own_site

_BASE = "https://en.wikipedia.org"
_START = "/wiki/Linux"
_UPKEEP = re.compile(
    r"articles|CS1|identifiers|Webarchive|Wikipedia|Use (dmy|mdy)|dates|pages|stub|template|"
    r"Commons|Short desc|Living people|disputes|Year of|inventions|Infobox",
    re.IGNORECASE,
)
_IN_COMMON = (
    r"operating system", r"programmers|scientists|alumni|faculty|hackers", r"licen[sc]e",
    r"games?\b", r"processor|computer architecture|instruction set|embedded", r"language",
    r"Unix SUS2008|Standard Unix", r"shells?\b|Text editors", r"Librar|catalog|classification",
    r"protocol|network|Internet", r"Linux distributions", r"standards", r"compan",
    r"History of comput|women", r"video|audio|music|film|television",
)  # fmt: skip
_FEWEST = 12
_EXAMPLES, _ANSWERS, _BEFORE = 5, 30, 60
_USUAL, _DRAWN, _ORDINARY, _COLD = 0.2, 2.0, 200, 0.1
_HREF = re.compile(rb'href="(/wiki/[^"#]*)(#[^"]*)?"|href="[^"]*"')


class Page(NamedTuple):
    words: Features
    links: list[tuple[str, Features, Features, Features]]
    """Where to, and the words of the link, around it, and of its address."""


class Web(NamedTuple):
    pages: dict[str, Page]
    topics: dict[str, frozenset[str]]
    html: dict[str, bytes]


def read(file: Path) -> Web:
    with gzip.open(file) as lines:
        records = [json.loads(line) for line in lines]
    first: dict[str, str] = {}
    for each in records:
        first.setdefault(each["canonical"], each["path"])
    known = {each["path"]: first[each["canonical"]] for each in records}
    maker, found = page_maker(), list[tuple[str, str, str]]()

    def note(_title: str, text: str, links: Sequence[Link]) -> bytes:
        place = 0
        for link in links:
            if link.url.removeprefix(_BASE) in known:
                around, place = words_around(text, link.text, place)
                found.append((known[link.url.removeprefix(_BASE)], link.text, around))
        return b""

    scope = CrawlScope(ScopeSettings("host", [f"{_BASE}/"]))
    reader = Reader(ReaderSettings(scope, FixedPriority(PrioritySettings()), "shoal", weigh=note))
    pages, html = dict[str, Page](), dict[str, bytes]()
    for each in records:
        path = each["path"]
        body = each["html"].encode()
        html[path] = _HREF.sub(
            lambda m: m[0] if m[1] and m[1].decode() in known else b'title=""', body
        )
        if known[path] != path:
            continue
        found.clear()
        url = _BASE + path
        header = [("content-type", "text/html; charset=utf-8")]
        visit = Visit(url, row_key(url), site_key(site_of(url)))
        [page] = reader.read(visit, Fetched(Outcome.OK, 200, headers=header, body=body)).documents
        text = unzstd(page.text).decode()
        links = [
            (to, *(maker.of({"text": words}) for words in (anchor, around, address_words(to))))
            for to, anchor, around in found
            if to != path
        ]
        pages[path] = Page(maker.of(page_parts(page.title, judged_part(text))), links)
    return Web(pages, _topics(records, pages), html)


def _topics(records: Iterable[Mapping[str, object]], pages: Mapping[str, Page]):
    having = defaultdict[str, set[str]](set)
    for each in records:
        for category in each["categories"]:
            if each["path"] in pages and not _UPKEEP.search(category):
                having[category].add(each["path"])
    found = {name: rows for name, rows in having.items() if len(rows) >= _FEWEST}
    for words in _IN_COMMON:
        match = (rows for name, rows in having.items() if re.search(words, name, re.IGNORECASE))
        found[words] = set().union(*match)
    return {name: frozenset(rows) for name, rows in found.items() if len(rows) >= _FEWEST}


def breadth_first(web: Web, examples: Sequence[str], most: int) -> list[str]:
    known, queue, order = {_START, *examples}, deque([_START]), list[str]()
    while queue and len(order) < most:
        page = queue.popleft()
        order.append(page)
        for to, *_ in web.pages[page].links:
            if to not in known:
                known.add(to)
                queue.append(to)
    return order


class Waiting:
    """What is known of a page that waits."""

    def __init__(self) -> None:
        self.shown = [-0.5, -0.5, -0.5]
        self.by = list[str]()
        self.warmth = self.hub = 0.0


class Replay:
    """A crawl for a topic without a network, a page at a time."""

    def __init__(self, web: Web, examples: Sequence[str], explore: float) -> None:
        self._web, self._explore = web, explore
        self.yes, self.no = list(examples), list[str]()
        self._random = Random(1)
        self.values = LinkValue()
        self.order, self.chances = list[str](), dict[str, float]()
        self._known, self._waiting = {_START, *examples}, dict[str, Waiting]()
        self._ordinary, self._warmth = list[str](), dict[str, float]()
        self._hubs = defaultdict[str, tuple[float, int]](lambda: (0.0, 0))
        self._rest, self._due = 0.0, 8
        self._make()
        self._fetch(_START)

    def answer(self, truth: frozenset[str], count: int) -> None:
        """A person says of the last pages that seemed to be on topic whether they are."""
        best = sorted(self.order, key=lambda page: -self.chances[page])
        for page in [page for page in best if page not in self.yes][:count]:
            (self.yes if page in truth else self.no).append(page)
        self._make()

    def run(self, most: int) -> list[str]:
        while len(self.order) < most and self._waiting:
            self._rest += self._explore
            names = list(self._waiting)
            if self._rest >= 1:
                self._rest -= 1
                self._fetch(self._random.choice(names))
            else:
                self._fetch(max(names, key=lambda name: self.values.score(self._clues(name))))
        return self.order

    def _make(self) -> None:
        pages, said = self._web.pages, {*self.yes, *self.no}
        usual = [pages[name].words for name in self._ordinary if name not in said]
        groups = [[pages[name].words for name in each] for each in (self.yes, self.no)]
        self._model = TopicModel.made(*groups, usual)
        self.chances = {name: self._model.chance(pages[name].words) for name in self.order}
        for waiting in self._waiting.values():
            waiting.shown = [-0.5, -0.5, -0.5]
        for name in self.order:
            self._show(name)

    def _usual(self) -> float:
        return (sum(self.chances.values()) + _DRAWN * _USUAL) / (len(self.chances) + _DRAWN)

    def _clues(self, name: str) -> Clues:
        waiting, usual = self._waiting[name], self._usual()
        near = [self.chances[page] for page in waiting.by]
        together = (sum(near) + _DRAWN * usual) / (len(near) + _DRAWN)
        return Clues(*waiting.shown, together, max(near), usual, usual, waiting.hub, waiting.warmth)

    def _fetch(self, name: str) -> None:
        pages, waiting = self._web.pages, self._waiting.get(name)
        chance = self._model.chance(pages[name].words)
        cooled = 0.0
        if waiting is not None:
            self.values.learn(self._clues(name), chance)
            cooled = waiting.warmth / 2
            for page in waiting.by[:8]:
                total, count = self._hubs[page]
                self._hubs[page] = (total + chance, count + 1)
            del self._waiting[name]
        self.order.append(name)
        self.chances[name], self._warmth[name] = chance, max(chance, cooled)
        self._remember(name)
        total, count = self._hubs[name]
        hub = (total + _DRAWN * self._usual()) / (count + _DRAWN)
        for to, *_ in pages[name].links:
            if to not in self._known:
                self._known.add(to)
                self._waiting[to] = Waiting()
            if (link := self._waiting.get(to)) is not None:
                link.by.append(name)
                warm = self._warmth[name]
                link.warmth = max(link.warmth, warm if warm >= _COLD else 0.0)
                link.hub = max(link.hub, hub)
        self._show(name)
        if len(self.order) >= self._due:
            self._due = int(1.5 * self._due) + 1
            self._make()

    def _remember(self, name: str) -> None:
        if len(self._ordinary) < _ORDINARY:
            self._ordinary.append(name)
        elif self._random.random() < _ORDINARY / len(self.order):
            self._ordinary[self._random.randrange(_ORDINARY)] = name

    def _show(self, name: str) -> None:
        links = [link for link in self._web.pages[name].links if link[0] in self._waiting]
        near = self._model.near_all([words for link in links for words in link[1:]])
        for place, (to, *_) in enumerate(links):
            for at, each in enumerate(near[3 * place : 3 * place + 3]):
                shown = self._waiting[to].shown
                shown[at] = max(shown[at], min(1.5, each))


class Line(NamedTuple):
    name: str
    size: int
    breadth: float
    topical: float
    without: float
    taught: float


def replayed(web: Web, name: str, most: int) -> Line:
    truth = web.topics[name]
    examples = Random(0).sample(sorted(truth), _EXAMPLES)

    def harvest(order: Sequence[str]) -> float:
        return sum(page in truth for page in order) / max(1, len(order))

    breadth = harvest(breadth_first(web, examples, most))
    topical = harvest(Replay(web, examples, 0.1).run(most))
    untaught, taught = Replay(web, examples, 0.1), Replay(web, examples, 0.1)
    for each in (untaught, taught):
        each.run(_BEFORE)
    taught.answer(truth, _ANSWERS)
    rest = [harvest(each.run(_BEFORE + most)[_BEFORE:]) for each in (untaught, taught)]
    return Line(name, len(truth), breadth, topical, *rest)


def crawled(web: Web, name: str, most: int) -> tuple[float, float]:
    """Breadth first and for the topic, by real crawls."""
    truth = web.topics[name]
    examples = Random(0).sample(sorted(truth), _EXAMPLES)
    settings = {"politeness.delay_factor": 0.0, "sitemaps.use": "no", "index.follow": "no"}
    found = list[float]()
    with own_site() as site, tempfile.TemporaryDirectory() as folder:
        for path, body in web.html.items():
            site.put(path, body)
        for topic in ("", "topic"):
            place = Path(folder) / (topic or "breadth")
            if topic:
                pages = [site.url(path) for path in examples]
                shoal.make_topic(topic, pages=pages, dir=place)
            shoal.crawl(
                site.url(_START), dir=place, topic=topic or None, delay=0.02, workers=1,
                max_pages=most + (_EXAMPLES if topic else 0), settings=settings,
            )  # fmt: skip
            with shoal.open(place) as corpus:
                paths = {page.url.removeprefix(site.origin) for page in corpus.pages()}
            found.append(len((paths & truth) - set(examples)) / most)
    return found[0], found[1]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_AsItIs)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--crawls", type=int, default=3)
    given = parser.parse_args(words)
    web = read(Path(os.environ["SHOAL_DATA"]) / "classes" / "wikipedia-linux.jsonl.gz")
    lines = []
    print(f"{'breadth':>8}{'topic':>8}{'times':>7}{'next':>8}{'taught':>8}{'times':>7}  topic")
    for name in sorted(web.topics):
        line = replayed(web, name, given.pages)
        lines.append(line)
        _say(line)
    _sum_up(lines)
    for name in sorted(web.topics)[:: max(1, len(web.topics) // max(1, given.crawls))]:
        if given.crawls:
            breadth, topical = crawled(web, name, given.pages)
            print(f"{breadth:8.3f}{topical:8.3f}{_times(topical, breadth)}  crawled: {name}")


def _say(line: Line) -> None:
    first = f"{line.breadth:8.3f}{line.topical:8.3f}{_times(line.topical, line.breadth)}"
    then = f"{line.without:8.3f}{line.taught:8.3f}{_times(line.taught, line.without)}"
    print(f"{first}{then}  {line.name} ({line.size})", flush=True)


def _times(more: float, less: float) -> str:
    return f"{more / less:7.2f}" if less else f"{'':7}"


def _sum_up(lines: Sequence[Line]) -> None:
    ratios = [line.topical / line.breadth for line in lines if line.breadth]
    figures = (mean(each) for each in zip(*(line[2:] for line in lines), strict=True))
    total = Line("all", len(lines), *figures)
    _say(total)
    print(
        f"{len(ratios)} topics that breadth first finds at all: {mean(ratios):.2f} times as much "
        f"in the mean, at least 1.5 times for {mean(each >= 1.5 for each in ratios):.0%}, less "
        f"than .9 for {sum(each < 0.9 for each in ratios)}"
    )


class _AsItIs(argparse.RawDescriptionHelpFormatter):
    pass


if __name__ == "__main__":
    main()
