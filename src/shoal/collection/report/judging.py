"""Why is a page on a topic? Its chance, and the words that decided.

A topic is made from pages that everyone may read, so what it says of another page tells nothing of
those. What a person said of a page is for the owner alone.
"""

from collections.abc import Iterator

from shoal.collection.view import TabletView
from shoal.errors import DamagedError
from shoal.layout.topic_models import Pages, made_model
from shoal.layout.topics import labels_of, learned_of, topics_of
from shoal.learn.topic import TopicModel, page_parts
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of
from shoal.model.words.topic import ON_TOPIC, judged_part

_MOST_WORDS = 10


class Decisive(Struct, frozen=True):
    word: str
    part: str
    """Where it stands: `title` or `text`."""
    weight: float
    """Above 0: it speaks for the topic."""


class Judgement(Struct, frozen=True):
    """Of one page, by one topic."""

    topic: str
    chance: float
    on_topic: bool
    said: str
    """What a person said of it: `yes`, `no`, or nothing."""
    words: list[Decisive]


def judgements(view: TabletView, row: bytes) -> list[Judgement]:
    """What each topic says of a stored page, and by which words."""
    document = view.store.read(row, view.principal)
    if document is None or not document.text:
        return []
    text, pages = view.store.text(row, view.principal), Pages()
    found = []
    for name, model in _models(view, pages):
        parts = page_parts(document.title, judged_part(text))
        chance = model.chance(pages.of(document.title, text))
        words = [
            Decisive(each.word, each.part, each.weight)
            for each in model.decided(pages.maker, parts, _MOST_WORDS)
        ]
        said = _said(view, name, url_of(row)) if view.principal.everything else ""
        found.append(Judgement(name, chance, chance >= ON_TOPIC, said, words))
    return found


def _said(view: TabletView, name: str, url: str) -> str:
    answers = (label.yes for label in labels_of(view.table, name) if label.url == url)
    return next(("yes" if answer else "no" for answer in answers), "")


def in_words(judged: Judgement) -> str:
    """One sentence for people."""
    for_it = ", ".join(each.word for each in judged.words if each.weight > 0)
    against = ", ".join(each.word for each in judged.words if each.weight < 0)
    place = "on" if judged.on_topic else "off"
    by = [f"for it: {for_it}"] if for_it else []
    by += [f"against it: {against}"] if against else []
    said = f" You said {judged.said}." if judged.said else ""
    return f"It is {place} the topic {judged.topic} ({judged.chance:.2f}); {'; '.join(by)}.{said}"


def _models(view: TabletView, pages: Pages) -> Iterator[tuple[str, TopicModel]]:
    for topic in topics_of(view.table):
        learned = learned_of(view.table, topic.name)
        try:
            yield topic.name, TopicModel.from_bytes(learned.model)
        except DamagedError:
            labels = labels_of(view.table, topic.name)
            yield topic.name, made_model(pages, topic, labels, learned.ordinary)
