"""What changes when a topic's model is another one? Its judgement of what was fetched, and the
value of what waits.

A step for each page and for some URLs, so that a crawl goes on meanwhile. What a URL's links show
is taken from the stored anchor texts; only the words around them are not stored, and stay as they
were judged.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.state.rows import SCHEDULE_MARK, after_mark, read_entry
from shoal.frontier.state.worth import Worth
from shoal.layout.topic_models import Pages
from shoal.learn.topic import TopicModel, address_words
from shoal.model.compression import unzstd
from shoal.model.document import Document
from shoal.model.principal import PUBLIC
from shoal.model.urls.rowkey import url_of
from shoal.model.words.marks import TOPIC, Value, joined, values
from shoal.model.words.topic import ON_TOPIC, link_said
from shoal.ports import Batch, Table
from shoal.store.pages import PageStore

_AT_ONCE = 32
"""URLs that wait, in one batch."""
_MOST_LINKS = 32
"""Of those to one URL."""
_NUL = b"\0"
_MOVED = 0.1
"""A chance that has moved by less is not written anew."""


class Judge(NamedTuple):
    """The model of a topic."""

    name: str
    model: TopicModel
    pages: Pages


def judging_again(
    table: Table,
    frontier: DiskFrontier,
    store: PageStore,
    by: Judge,
) -> Iterator[object]:
    near = dict[bytes, float]()
    for row, chance in marking_again(store, by):
        near[row] = chance
        yield row
    evidence = _Evidence(store, by, near)
    waiting = [key for key, _ in table.scan("queue", after_mark(SCHEDULE_MARK))]
    for place in range(0, len(waiting), _AT_ONCE):
        keys = waiting[place : place + _AT_ONCE]
        rows = [read_entry(key.partition(_NUL)[0], key).row for key in keys]
        frontier.change(_weighing(frontier, rows, evidence))
        yield rows


def marking_again(store: PageStore, by: Judge) -> Iterator[tuple[bytes, float]]:
    """Every stored page that everyone may read, and how near it is."""
    rows = [page.row for page in store.stream(b"\x01", None, PUBLIC)]
    for row in rows:
        document = store.read(row, PUBLIC)
        if document is not None and document.text:
            yield row, _mark_again(store, row, document, by)


def _mark_again(store: PageStore, row: bytes, document: Document, by: Judge) -> float:
    """Judge a stored page by a model, and mark it so; returns how near it is."""
    name, model, pages = by
    chance = model.chance(
        pages.of(document.title, unzstd(document.text).decode("utf-8", "replace"))
    )
    known = {each.text: each for each in values(store.marks(row, PUBLIC).get(TOPIC, ""))}
    before = known.pop(name, None)
    if chance >= ON_TOPIC:
        known[name] = Value(name, chance)
    is_same = (before is None) == (name not in known)
    if not is_same or (before is not None and abs(before.chance - chance) > _MOVED):
        batch = store.batch()
        store.mark(batch, row, {TOPIC: joined(known.values())}, time.time())
        store.commit(batch)
    return chance


class _Evidence:
    """What is known of a URL, by the model as it is now."""

    def __init__(self, store: PageStore, by: Judge, near: dict[bytes, float]) -> None:
        self._store, self._near = store, near
        self._pages, self._model = by.pages, by.model

    def change(self, row: bytes, worth: Worth) -> None:
        texts, sources = list[str](), list[float]()
        for source, _, anchor in self._store.anchors(row, PUBLIC):
            texts.extend(anchor.texts)
            if source in self._near:
                sources.append(self._near[source])
            if len(sources) >= _MOST_LINKS:
                break
        address = address_words(url_of(row))
        told = self._model.near_all([self._pages.of("", each) for each in (address, *texts)])
        said = link_said(max(told[1:], default=0.0), 0.0, told[0], max(sources, default=0.0))
        around = worth.about[1:2] or said[1:2]
        worth.about = said[:1] + around + said[2:]
        if sources:
            worth.near, worth.linking = sum(sources), len(sources)


def _weighing(
    frontier: DiskFrontier, rows: Sequence[bytes], evidence: _Evidence
) -> Callable[[Batch, float], None]:
    def work(batch: Batch, now: float) -> None:
        values = frontier.discovery.valuing
        if values is not None:
            for row in rows:
                values.weigh_again(batch, row, partial(evidence.change, row), now)

    return work
