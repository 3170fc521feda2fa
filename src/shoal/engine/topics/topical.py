"""Which URL leads to more of a topic? What a topical crawl learns, page by page.

Each page that is fetched was judged by its child; its judgement is the answer to what was expected
of the links that led there, and the value of links is moved by it (learn/link_value.py). What is
known of a URL stands in its row (`Worth`): the best that links to it show, how near the pages are
that link to it, how long ago the crawl was on topic. What is known of sites, folders and hubs
stands here, bounded, and is kept with what was learned.

A share of the fetches explores: a URL is taken of those that nobody would have chosen, so that what
was learned is put to the test where it says no.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from time import thread_time

from shoal.engine.topics.again import Judge, judging_again
from shoal.errors import DamagedError
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.outcome.queue_order import value_of
from shoal.frontier.state.rows import SCHEDULE_MARK, after_mark, read_entry
from shoal.frontier.state.worth import Worth
from shoal.layout.snapshot import Standing
from shoal.layout.topic_models import Pages, made_model
from shoal.layout.topics import (
    labels_of,
    learned_of,
    progress_of,
    put_label,
    put_learned,
    put_progress,
    topic_of,
    write_model,
)
from shoal.learn.link_value import Clues, LinkValue
from shoal.model.compression import unzstd
from shoal.model.document import Understood
from shoal.model.urls.rowkey import site_of_key, url_of
from shoal.model.words.topic import (
    ON_TOPIC,
    Label,
    Learned,
    Progress,
    Topic,
    example_part,
    said_of,
)
from shoal.ports import Table
from shoal.store.pages import PageStore

_ORDINARY = 200
"""Pages of the crawl that nobody chose, which the model is made with."""
_FIRST_MADE, _GROWTH = 8, 1.5
"""Pages after which it is made anew, and how many times as many until the next time."""
_COOLING = 0.5
_COLD = 0.1
"""Below that a page is no way to others: three pages off topic, one behind the other."""
_DRAWN = 2.0
"""So many usual pages stand against the record of a few."""
_MOST_PLACES = 20_000
_MOST_LOOKED_AT = 20_000
_KEPT_PAGES = 50
"""After so many, what was learned of links is written down."""
_MOST_LINKERS = 8
_WAITING_KNOWN = 256
_MOST_FOLDER_CHARS = 200
_OVER = object()
_EXPLORED = 0.9
_SLICE_SECONDS = 0.05
"""Of CPU, for looking again at what waits."""


class Record:
    """What pages of some places were worth, drawn to what all were."""

    def __init__(self, stored: dict[str, tuple[float, int]] | None = None) -> None:
        self._known = dict(stored or {})

    def note(self, place: str, worth: float) -> None:
        total, count = self._known.pop(place, (0.0, 0))
        self._known[place] = (total + worth, count + 1)
        if len(self._known) > _MOST_PLACES:
            del self._known[next(iter(self._known))]

    def of(self, place: str, usual: float) -> float:
        total, count = self._known.get(place, (0.0, 0))
        return (total + _DRAWN * usual) / (count + _DRAWN)

    def stored(self) -> dict[str, tuple[float, int]]:
        return self._known


class TopicalCrawl:
    """The LearnedContent of one topic."""

    def __init__(
        self, table: Table, store: PageStore, directory: Path, name: str, explore: float
    ) -> None:
        self._table, self._store, self._directory = table, store, directory
        self.name = name
        self._explore = explore
        self._random = Random(1)
        self._pages = Pages()
        self._ordinary = list(learned_of(table, name).ordinary)
        progress = progress_of(table, name)
        self._read = self._kept = progress.read
        self._on = progress.on
        self._record = Record(progress.places)
        self._hubs = Record()
        self._warmth: dict[bytes, float] = {}
        self._values = _values(progress.links)
        self._due = _FIRST_MADE
        while self._due <= self._read:
            self._due = int(self._due * _GROWTH) + 1
        self._rest = 0.0
        self._waiting: list[bytes] = []
        self._seen_waiting = 0
        self._explored: set[bytes] = set()
        self._again: Iterator[object] | None = None
        self._arrived: list[Label] = []
        self.take_labels()

    # --- what was said of it ----------------------------------------------------------------

    def take_labels(self) -> None:
        """A person said something: the model is made anew, and files and rows with it."""
        self._was_told = True
        self._topic = topic_of(self._table, self.name) or Topic(self.name)
        self._labels = labels_of(self._table, self.name)
        self.wanted = {label.url for label in self._labels if not label.is_known}
        """Examples that are to be fetched first."""
        self._make()

    def _make(self) -> None:
        self.model = made_model(self._pages, self._topic, self._labels, self._ordinary)
        self._is_kept, self._is_stale = False, True
        write_model(self._directory, self.name, self.model.to_bytes())

    def keep(self) -> None:
        """What was learned survives a kill from now on. What people said does so anyway."""
        batch = self._table.batch()
        for label in self._arrived:
            put_label(batch, self.name, label)
        self._arrived = []
        if not self._is_kept and topic_of(self._table, self.name) is not None:
            put_learned(batch, self.name, Learned(self.model.to_bytes(), self._ordinary))
            self._is_kept = True
        if self._read != self._kept:
            learned = Progress(self._values.to_bytes(), self._read, self._record.stored(), self._on)
            put_progress(batch, self.name, learned)
            self._kept = self._read
        self._table.write(batch)

    def look_again(self, frontier: DiskFrontier) -> None:
        """Judge anew, in slices, what was fetched and what waits: the model is another one."""
        by = Judge(self.name, self.model, self._pages)
        self._is_stale = self._was_told = False
        self._again = judging_again(self._table, frontier, self._store, by)

    # --- the order of the crawl -------------------------------------------------------------

    def content(self, row: bytes, worth: Worth) -> float:
        own = said_of(worth.about)[4]
        if worth.about[4:5] != b"\0" and worth.about:
            return own
        if row in self._explored:
            return _EXPLORED
        return self._values.value(self._clues(row, worth))

    def linked(self, row: bytes, worth: Worth, finder: bytes, about: bytes) -> None:
        source = said_of(about)[3]
        worth.near += source
        worth.linking += 1
        warm = max(source, self._warmth.get(finder, 0.0))
        worth.warmth = max(worth.warmth, warm if warm >= _COLD else 0.0)
        worth.hub = max(worth.hub, self._hubs.of(url_of(finder), self._usual))
        if worth.linking == 1:
            self._know_waiting(row)

    def judged(self, row: bytes, worth: Worth, understood: Understood) -> None:
        chance = said_of(understood.about)[4]
        if worth.linking:
            self._values.learn(self._clues(row, worth), chance)
            for linker in self._store.linking.linking_to(row, _MOST_LINKERS):
                self._hubs.note(url_of(linker), chance)
        self._explored.discard(row)
        self._read += 1
        self._on += chance >= ON_TOPIC
        self._rest += self._explore
        for place in ("", *_places(row)):
            self._record.note(place, chance)
        self._warmth[row] = max(chance, worth.warmth * _COOLING)
        if len(self._warmth) > _MOST_PLACES:
            del self._warmth[next(iter(self._warmth))]
        self._take_example(row, understood)
        if self._read >= self._due:
            self._due = int(self._read * _GROWTH) + 1
            self._make()

    @property
    def _usual(self) -> float:
        return self._record.of("", 0.2)

    def _clues(self, row: bytes, worth: Worth) -> Clues:
        anchor, around, url, best, _ = said_of(worth.about)
        usual = self._usual
        site, folder = _places(row)
        of_site = self._record.of(site, usual)
        return Clues(
            anchor,
            around,
            url,
            (worth.near + _DRAWN * usual) / (worth.linking + _DRAWN),
            best,
            of_site,
            self._record.of(folder, of_site),
            worth.hub,
            worth.warmth,
        )

    def _take_example(self, row: bytes, understood: Understood) -> None:
        """Into the ordinary pages, each with the same chance; or it is one that was waited for."""
        document = understood.documents[0] if understood.documents else None
        if document is None or not document.text:
            return
        url = url_of(row)
        count = self._read
        is_kept = len(self._ordinary) < _ORDINARY or self._random.random() < _ORDINARY / count
        if url not in self.wanted and not is_kept:
            return
        text = unzstd(document.text).decode("utf-8", "replace")
        example = (document.title, example_part(text))
        if url in self.wanted:
            self.wanted.discard(url)
            for label in self._labels:
                if label.url == url:
                    label.title, label.text = example
                    self._arrived.append(label)
            self._due, self._was_told = 0, True
        elif len(self._ordinary) < _ORDINARY:
            self._ordinary.append(example)
        else:
            self._ordinary[self._random.randrange(_ORDINARY)] = example

    def standing(self, *, at_rest: bool) -> Standing:
        """For people; at rest also what waits."""
        best = None
        if at_rest:
            entries = islice(self._table.scan("queue", after_mark(SCHEDULE_MARK)), _MOST_LOOKED_AT)
            found = (read_entry(key.partition(b"\0")[0], key) for key, _ in entries)
            best = max((value_of(each.order) for each in found if each.level), default=None)
        return Standing(self.name, self._read, self._on, best)

    # --- beside the visits ------------------------------------------------------------------

    def tend(self, frontier: DiskFrontier) -> None:
        """A few times a second: what arrived is written, some URLs are explored, and some of what
        was judged by an earlier model is judged again."""
        if self._arrived or not self._is_kept or self._read >= self._kept + _KEPT_PAGES:
            self.keep()
        self._explore_some(frontier)
        if self._is_stale and (self._again is None or self._was_told):
            self.look_again(frontier)
        deadline = thread_time() + _SLICE_SECONDS
        while self._again is not None and thread_time() < deadline:
            if next(self._again, _OVER) is _OVER:
                self._again = None

    def _know_waiting(self, row: bytes) -> None:
        """Some of what waits, each with the same chance."""
        self._seen_waiting += 1
        if len(self._waiting) < _WAITING_KNOWN:
            self._waiting.append(row)
        elif self._random.random() < _WAITING_KNOWN / self._seen_waiting:
            self._waiting[self._random.randrange(_WAITING_KNOWN)] = row

    def _explore_some(self, frontier: DiskFrontier) -> None:
        while self._rest >= 1.0 and self._waiting:
            row = self._waiting.pop(self._random.randrange(len(self._waiting)))
            self._explored.add(row)
            if frontier.raise_url(row, _EXPLORED):
                self._rest -= 1.0
            else:
                self._explored.discard(row)
        self._rest = min(self._rest, 5.0)


def _places(row: bytes) -> tuple[str, str]:
    """The site of a row, and the folder in it: what stands before the last slash but the site's
    own."""
    site = site_of_key(row).decode("utf-8", "replace")
    path = row.decode("utf-8", "replace")[len(site) :]
    return site, f"{site}{path.rpartition('/')[0][:_MOST_FOLDER_CHARS]}/"


def _values(stored: bytes) -> LinkValue:
    try:
        return LinkValue.from_bytes(stored) if stored else LinkValue()
    except DamagedError:
        return LinkValue()
