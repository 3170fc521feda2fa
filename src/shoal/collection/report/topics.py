"""Which topics are there, and what was said of them? The owner alone is told: pages that were
named may be such as not everyone reads any more."""

from typing import NamedTuple

from shoal.collection.collection import Collection
from shoal.collection.report.judging import Decisive
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.layout.topic_models import Pages, made_model
from shoal.layout.topics import labels_of, learned_of, topic_of, topics_of
from shoal.learn.topic import page_parts
from shoal.model.record import Struct
from shoal.model.words.topic import Label, topic_name

_BRIEF = 80


class TopicLine(Struct, frozen=True):
    name: str
    words: str
    yes: int
    no: int
    waiting: int
    """Examples that are to be fetched first."""


class Shown(Struct, frozen=True):
    """A topic, with all that was said of it."""

    name: str
    words: str
    labels: list[Label]
    speak_for_it: list[Decisive]


class _Known(NamedTuple):
    line: TopicLine
    labels: list[Label]


def topic_lines(collection: Collection) -> list[TopicLine]:
    return [known.line for known in _all_known(collection)]


def _all_known(collection: Collection) -> list[_Known]:
    """What was said is the same on every tablet."""
    answers = collection.tablets.ask_all(_known)
    found = {known.line.name: known for tablet in answers for known in tablet}
    return [found[name] for name in sorted(found)]


def _known(view: TabletView) -> list[_Known]:
    view.must_see_all()
    found = []
    for topic in topics_of(view.table):
        labels = labels_of(view.table, topic.name)
        known = [label for label in labels if label.is_known]
        yes = sum(label.yes for label in known)
        line = TopicLine(topic.name, topic.words, yes, len(known) - yes, len(labels) - len(known))
        found.append(_Known(line, [_brief(each) for each in labels]))
    return found


def topic_line(collection: Collection, name: str) -> TopicLine:
    """Of a topic that must be there."""
    name = topic_name(name)
    lines = {line.name: line for line in topic_lines(collection)}
    if name in lines:
        return lines[name]
    there = f"; there is: {', '.join(lines)}" if lines else ""
    raise UsageError(f"there is no topic {name}{there}: shoal topic make {name} --words WORDS")


def _brief(label: Label) -> Label:
    """Without its words, but for its title."""
    return Label(label.url, label.yes, label.title or label.text[:_BRIEF], "", label.when)


def shown_topic(collection: Collection, name: str) -> Shown:
    name = topic_line(collection, name).name
    known = next(each for each in _all_known(collection) if each.line.name == name)
    return Shown(name, known.line.words, known.labels, topic_words(collection, name))


def topic_words(collection: Collection, name: str, most: int = 30) -> list[Decisive]:
    """The words that speak most for a topic, as far as pages that were chosen have them."""
    return collection.tablets.ask(0, _words, topic_line(collection, name).name, most)


def _words(view: TabletView, name: str, most: int) -> list[Decisive]:
    view.must_see_all()
    topic = topic_of(view.table, name)
    if topic is None:
        return []
    labels, pages = labels_of(view.table, name), Pages()
    model = made_model(pages, topic, labels, learned_of(view.table, name).ordinary)
    found = dict[str, Decisive]()
    chosen = (page_parts(each.title, each.text) for each in labels if each.yes)
    for parts in ({"text": topic.words}, *chosen):
        for each in model.decided(pages.maker, parts, most):
            if each.weight > 0:
                known = found.get(each.word)
                if known is None or known.weight < each.weight:
                    found[each.word] = Decisive(each.word, each.part, each.weight)
    return sorted(found.values(), key=lambda each: (-each.weight, each.word))[:most]
