"""What is learned of a world: classes, a tree, a topic; the same lessons in each.

They are given when the same public documents are there, with what is private between them; what
comes later is marked as it comes. Who teaches also names, by mistake, what not everyone may read.
"""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shoal.access.opening import open_collection
from shoal.analysis import classes, trees
from shoal.collection.collection import Collection
from shoal.collection.report.topics import shown_topic, topic_lines, topic_words
from shoal.control import topics
from shoal.errors import UsageError

TOPIC = "reef"
CRAWL_FOR_IT = {"crawl.topic": TOPIC, "crawl.order": "importance"}
CLASSES = ("sea/reef", "sea/wreck", "land")
_SIGNS = ("coral", "captain")
_NAMED, _REFUSED = 5, 2


def teach(place: Path, public: Sequence[tuple[str, str]], private: Sequence[str]) -> None:
    """URL and words of each document that everyone may read."""
    _teach_classes(place, public, private)
    trees.make(place, leaves=6)
    yes = [url for url, said in public if _SIGNS[0] in said][:_NAMED]
    topics.make(place, TOPIC, topics.Examples("coral kelp reef", yes), lambda _: ("", ""))
    topics.teach(
        place, TOPIC, [url for url, said in public if _SIGNS[0] not in said][:_REFUSED], "no"
    )
    for url in private[:_NAMED]:
        with contextlib.suppress(UsageError):  # it may not be an example; elsewhere it is unknown
            topics.teach(place, TOPIC, [url], "no")


def parts_of(place: Path) -> list[str]:
    with open_collection(place) as collection:
        return [line.way for line in trees.lines(collection)]


def _teach_classes(place: Path, public: Sequence[tuple[str, str]], private: Sequence[str]) -> None:
    said = [(_class_of(text), url) for url, text in public]
    said += [(CLASSES[at % len(CLASSES)], url) for at, url in enumerate(private)]
    lines = place.with_name(f"{place.name}-classes.txt")
    lines.write_text("".join(f"{name}\t{url}\n" for name, url in said), "utf-8")
    classes.train(lines, place, accept=0.3)


def _class_of(text: str) -> str:
    known = (name for name, sign in zip(CLASSES, _SIGNS, strict=False) if sign in text)
    return next(known, CLASSES[-1])


LEARNED: dict[str, Callable[[Collection, Sequence[str]], Any]] = {
    "judged by classes": lambda c, urls: [classes.of_page(c, url) for url in urls],
    "tree": lambda c, _: trees.lines(c),
    "classes": lambda c, _: classes.tree(c),
    "explained": lambda c, urls: [c.explain(url).topics for url in urls],
    "topics": lambda c, _: topic_lines(c),
    "topic": lambda c, _: shown_topic(c, TOPIC),
    "words of it": lambda c, _: topic_words(c, TOPIC),
    "marks": lambda c, urls: [c.marks(url) for url in urls],
}
"""What is told of it, asked of all pages or of some."""
