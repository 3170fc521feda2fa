"""What becomes of what a person says of a topic? It is written down, and learned from at once.

Said twice it does no harm: an order may be carried out again after a kill.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from shoal import faults
from shoal.clock import Clock
from shoal.config import Config
from shoal.errors import UsageError
from shoal.frontier.frontier import DiskFrontier
from shoal.layout.snapshot import Standing
from shoal.layout.topics import (
    delete_label,
    delete_topic,
    labels_of,
    learned_of,
    model_file,
    put_label,
    put_learned,
    put_topic,
    topic_of,
    topics_of,
    write_model,
)
from shoal.model.compression import unzstd
from shoal.model.link import Link, LinkSource
from shoal.model.principal import PUBLIC
from shoal.model.urls.rowkey import row_key
from shoal.model.words.topic import (
    MOST_LABELS,
    MOST_TOPICS,
    Label,
    Topic,
    example_part,
)
from shoal.ports import Table
from shoal.sources.inbox import MakeTopic, RemoveTopic, Teach
from shoal.store.pages import PageStore

if TYPE_CHECKING:
    from shoal.engine.topics.topical import TopicalCrawl
    from shoal.learn.topic import TopicModel

_MOST_TITLE = 300


def topical(
    table: Table, store: PageStore, directory: Path, config: Config
) -> "TopicalCrawl | None":
    """What a crawl for a topic learns; None for another one, which loads nothing that learns."""
    name, explore = config.crawl.topic, config.crawl.explore
    if not name or config.crawl.order != "importance":
        return None
    from shoal.engine.topics.topical import TopicalCrawl  # noqa: PLC0415 - numpy

    return TopicalCrawl(table, store, directory, name, explore)


class TopicDesk:
    def __init__(  # noqa: PLR0913 - where it is written, and who learns
        self,
        table: Table,
        store: PageStore,
        frontier: DiskFrontier,
        directory: Path,
        clock: Clock,
        crawl: "TopicalCrawl | None",
    ) -> None:
        """`crawl`: what the crawl at hand learns, if it is for a topic."""
        self._table, self._store, self._frontier = table, store, frontier
        self._directory, self._clock = directory, clock
        self._crawl = crawl
        self._unlearned: set[str] = set()
        """Topics of which something was said since they were learned."""
        self._changed: set[str] = set()
        """Topics by which stored pages are to be judged anew."""

    def take(self, command: MakeTopic | Teach | RemoveTopic) -> None:
        match command:
            case MakeTopic(name, words):
                self._make(name, words)
            case Teach():
                self._teach(command)
            case RemoveTopic(name):
                self._remove(name)

    def begin(self) -> None:
        """A crawl begins. The files of models may be gone, or older than what is known: a table
        was restored, a process killed. Pages that a person named before they were known are
        fetched first."""
        for topic in topics_of(self._table):
            self._look_up(topic.name)
            if self._crawl is None or self._crawl.name != topic.name:
                write_model(self._directory, topic.name, self._model(topic).to_bytes())
        if self._crawl is not None:
            if topic_of(self._table, self._crawl.name) is None:
                name = self._crawl.name
                raise UsageError(f"there is no topic {name}: shoal topic make {name} --words WORDS")
            self._crawl.take_labels()
            self._crawl.look_again(self._frontier)
            self._fetch(sorted(self._crawl.wanted))

    def tend(self, *, is_last: bool = False) -> None:
        """A few times a second, while a crawl runs."""
        self._learn()
        if self._crawl is not None:
            self._crawl.tend(self._frontier)
            if is_last:
                self._crawl.keep()

    def standing(self, *, at_rest: bool) -> Standing | None:
        return None if self._crawl is None else self._crawl.standing(at_rest=at_rest)

    def finish(self) -> None:
        """Judge the stored pages by what was said at rest; a crawl does it beside its visits."""
        self._learn()
        changed, self._changed = self._changed, set()
        if not changed:
            return
        from shoal.engine.topics.again import Judge, marking_again  # noqa: PLC0415 - numpy
        from shoal.layout.topic_models import Pages  # noqa: PLC0415 - numpy
        from shoal.learn.topic import TopicModel  # noqa: PLC0415 - numpy

        for name in changed:
            topic = topic_of(self._table, name)
            model = TopicModel() if topic is None else self._model(topic)
            for _ in marking_again(self._store, Judge(name, model, Pages())):
                pass

    def _make(self, name: str, words: str) -> None:
        known = topic_of(self._table, name)
        if known is None and len(list(topics_of(self._table))) >= MOST_TOPICS:
            return
        made = self._clock.now() if known is None else known.made
        batch = self._table.batch()
        put_topic(batch, Topic(name, words, made))
        self._table.write(batch)
        self._unlearned.add(name)

    def _teach(self, command: Teach) -> None:
        name, url = command.topic, command.url
        if topic_of(self._table, name) is None:
            return
        batch = self._table.batch()
        if command.answer == "unsaid":
            delete_label(batch, name, url)
        else:
            known = {label.url for label in labels_of(self._table, name)}
            if url not in known and len(known) >= MOST_LABELS:
                return
            title, text = command.title[:_MOST_TITLE], example_part(command.text)
            is_yes = command.answer == "yes"
            put_label(batch, name, Label(url, is_yes, title, text, self._clock.now()))
        self._table.write(batch)
        faults.point("topic.said")
        self._unlearned.add(name)

    def _look_up(self, name: str) -> None:
        """Examples that were to be fetched first may be stored by now: another crawl took them, or
        this one, which was killed before it knew what they say."""
        batch, found = self._table.batch(), False
        for label in labels_of(self._table, name):
            document = None if label.is_known else self._store.read(row_key(label.url), PUBLIC)
            if document is not None and document.text:
                text = unzstd(document.text).decode("utf-8", "replace")
                label.title, label.text = document.title[:_MOST_TITLE], example_part(text)
                put_label(batch, name, label)
                found = True
        if found:
            self._table.write(batch)

    def _remove(self, name: str) -> None:
        batch = self._table.batch()
        delete_topic(self._table, batch, name)
        self._table.write(batch)
        model_file(self._directory, name).unlink(missing_ok=True)
        self._changed.add(name)
        if self._crawl is not None and self._crawl.name == name:
            self._crawl.take_labels()

    def _learn(self) -> None:
        """Once, however much was said: a folder of files is as many labels."""
        unlearned, self._unlearned = self._unlearned, set()
        for name in sorted(unlearned):
            topic = topic_of(self._table, name)
            if topic is None:
                continue
            self._look_up(name)
            if self._crawl is not None and self._crawl.name == name:
                self._crawl.take_labels()
                self._crawl.look_again(self._frontier)
                self._fetch(sorted(self._crawl.wanted))
            else:
                write_model(self._directory, name, self._model(topic).to_bytes())
            self._changed.add(name)

    def _model(self, topic: Topic) -> "TopicModel":
        from shoal.layout.topic_models import Pages, made_model  # noqa: PLC0415 - numpy

        known = learned_of(self._table, topic.name)
        labels = labels_of(self._table, topic.name)
        model = made_model(Pages(), topic, labels, known.ordinary)
        batch = self._table.batch()
        known.model = model.to_bytes()
        put_learned(batch, topic.name, known)
        self._table.write(batch)
        return model

    def _fetch(self, urls: list[str]) -> None:
        links = [Link(url, row_key(url), priority=1.0, source=LinkSource.SUBMIT) for url in urls]
        self._frontier.add(links)
