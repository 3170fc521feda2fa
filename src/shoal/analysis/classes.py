"""Which classes are the pages of? They are learned, given to every page, and taken back.

What is learned is put where the child processes of a crawl look, so that pages are marked as they
come; those that are stored already are marked here, slice by slice. A page's classes are the mark
`class` (model/words/marks.py): learning anew replaces it, removing the classes takes it back. In a
cluster each tablet has the file, and tells its own pages.
"""

from pathlib import Path

from shoal.access.opening import open_collection
from shoal.analysis.class_examples import examples_of, page_parts_of
from shoal.analysis.class_training import explained, learned
from shoal.analysis.marking import (
    Applied,
    Counted,
    counted,
    forget,
    held,
    hold,
    in_command,
    mark_stored,
    take_back,
)
from shoal.collection.collection import Collection
from shoal.collection.view import TabletView
from shoal.errors import CollectionError, UsageError
from shoal.layout.classes import ClassReport, LearnedClasses, packed, unpacked
from shoal.layout.layout import place_of
from shoal.learn.page_classes import PageClasses
from shoal.model.record import Struct
from shoal.model.words.marks import CLASS

MOST_SHOWN_WORDS = 10


class Trained(Struct):
    """What was learned, and what became of the pages that are stored."""

    report: ClassReport
    applied: Applied


class ClassCount(Struct):
    """A class, or what stands above some, in the tree."""

    name: str
    pages: int = 0
    """Of those that who asks may read."""
    examples: int = 0
    words: list[str] = []


class ClassShare(Struct):
    """Why a page is of a class, or might be."""

    name: str
    chance: float
    words: list[tuple[str, str, float]] = []
    """Part, word, and how much it says for the class (above 0) or against it."""


def train(
    tree: str | Path,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    accept: float = 0.5,
    told: Counted | None = None,
) -> Trained:
    """`shoal.train_classes`: learn, then mark what is stored."""
    if not 0 < accept <= 1:
        raise UsageError(f"accept is a chance, above 0 and at most 1, not {accept}")
    place = place_of(dir)
    with open_collection(place) as collection:
        found = learned(examples_of(tree, place), accept)
        collection.tablets.ask_all(hold, CLASS, packed(found))
    return Trained(found.report, apply(dir, told))


def apply(
    dir: str | Path | None = None,  # noqa: A002 - as above
    told: Counted | None = None,
) -> Applied:
    """`shoal.apply_classes`: mark the pages that are stored already."""
    place = place_of(dir)
    with open_collection(place) as collection:
        if learned_at(collection) is None:
            raise no_classes(collection)
        return mark_stored(collection, CLASS, told or _silent)


def remove(
    dir: str | Path | None = None,  # noqa: A002 - as above
    told: Counted | None = None,
) -> Applied:
    """`shoal.remove_classes`: forget what was learned, and take the marks back."""
    place = place_of(dir)
    with open_collection(place) as collection:
        collection.tablets.ask_all(forget, CLASS)
        return take_back(collection, CLASS, told or _silent)


def report(dir: str | Path | None = None) -> ClassReport:  # noqa: A002 - as above
    """`shoal.class_report`: how good what was learned is."""
    with open_collection(dir) as collection:
        found = learned_at(collection)
    if found is None:
        raise no_classes(collection)
    return found.report


def no_classes(collection: Collection) -> CollectionError:
    return CollectionError(
        "No classes were learned here; learn some with: shoal classes train TREE"
        + in_command(collection)
    )


def tree(collection: Collection) -> list[ClassCount]:
    """`shoal.class_tree`: all classes and what stands above them, with how many pages each has."""
    found = learned_at(collection)
    known = {} if found is None else {line.name: line for line in found.report.classes}
    lines = {name: ClassCount(name, pages) for name, pages in counted(collection, CLASS).items()}
    for name, line in known.items():
        here = lines.setdefault(name, ClassCount(name))
        here.examples, here.words = line.examples, line.words
    for name in list(lines):
        parts = name.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            lines.setdefault(above, ClassCount(above))
    return [lines[name] for name in sorted(lines, key=lambda each: each.split("/"))]


def of_page(collection: Collection, url: str, most: int = 3) -> list[ClassShare]:
    """`shoal.page_classes`: the likeliest classes of a page, with the words that decided."""
    found = learned_at(collection)
    if found is None:
        raise no_classes(collection)
    page = collection.page(url)
    if page is None:
        raise UsageError(f"{url} is not stored")
    parts = collection.ask(page.url, parts_of_page)
    chances = PageClasses.from_bytes(found.model).chances(parts)
    likely = sorted(chances.items(), key=lambda each: (-each[1], each[0]))[:most]
    return [ClassShare(name, chance, _said(found, parts, name)) for name, chance in likely]


def _said(found: LearnedClasses, parts: dict[str, str], name: str) -> list[tuple[str, str, float]]:
    try:
        return explained(found.model, parts, name, MOST_SHOWN_WORDS)
    except KeyError:
        return []  # it stands above classes that have no level of their own


def learned_at(collection: Collection) -> LearnedClasses | None:
    """What was learned for a collection, as its first tablet has it."""
    data = collection.tablets.ask(0, held, CLASS)
    return unpacked(data) if data else None


def parts_of_page(view: TabletView, url: str) -> dict[str, str]:
    stored = view.store.page(view.row(url), view.principal)
    return {} if stored is None else page_parts_of(view, stored.row, stored.when)


def _silent(_: int) -> None:
    pass
