"""What do drawings say? Charts, diagrams and the alternative texts of pictures.

The same DrawingML stands in all Office formats: a chart is a part with its titles, series and
categories (the newer kind, chartex, has its own names), a SmartArt diagram a part with a tree of
points.
"""

import re
from collections.abc import Iterator

from shoal.converters.ooxml.blocks import Paragraph, Piece
from shoal.converters.ooxml.ooxml import Parts, Relation, first
from shoal.converters.writer import Run
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Tag

_MAX_CATEGORIES = 200
_MAX_DEPTH = 20
_MACHINE_MADE = re.compile(r"\s*Description automatically generated.*$", re.DOTALL)
_FILE = re.compile(r"^(?:\S+\.\w{2,4}|[A-Za-z]:\\.*|\w+://\S*|cid:.*)$")


def alt_text(properties: Element) -> str:
    """Of a picture's properties; a file's name says nothing."""
    text = attribute(properties, "descr") or attribute(properties, "alt")
    text = _MACHINE_MADE.sub("", text).strip()
    return "" if _FILE.match(text) else text


def caption(text: str) -> list[Piece]:
    return [Paragraph([Run(text)], Tag.CAPTION)] if text else []


def graphic(element: Element, parts: Parts, relations: dict[str, Relation]) -> Iterator[Piece]:
    """What the charts and diagrams within an element show."""
    for each in named(element, "chart", "relIds"):
        is_chart = local(each) == "chart"
        relation = relations.get(attribute(each, "id" if is_chart else "dm"))
        root = parts.root(relation.target) if relation and not relation.outside else None
        if root is not None:
            yield from chart(root) if is_chart else diagram(root)


def chart(root: Element) -> Iterator[Piece]:
    for title in named(root, "title"):
        yield from caption(" ".join(all_text(each) for each in named(title, "p")))
    names: list[str] = []
    categories: list[str] = []
    for series in named(root, "ser", "series"):
        label = first(series, "tx")
        if label is not None:
            names += [all_text(each).strip() for each in named(label, "v")]
    for held in named(root, "cat", "strDim"):
        kinds = ("v",) if local(held) == "cat" else ("pt",)
        categories += [all_text(each).strip() for each in named(held, *kinds)]
        if len(categories) > _MAX_CATEGORIES * 10:
            break
    for words in (names, categories):
        shown = list(dict.fromkeys(filter(None, words)))[:_MAX_CATEGORIES]
        yield from caption(", ".join(shown))
    for rich in named(root, "dLbl", "userShapes"):
        yield from caption(" ".join(all_text(each) for each in named(rich, "p")))


def diagram(root: Element) -> Iterator[Piece]:
    """Its points as a list, in the order of its tree."""
    points = {attribute(each, "modelId"): each for each in named(root, "pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    held: set[str] = set()
    for link in named(root, "cxn"):
        if attribute(link, "type") in ("", "parOf"):
            order = attribute(link, "srcOrd")
            place = int(order) if order.isdecimal() else 0
            child = attribute(link, "destId")
            below.setdefault(attribute(link, "srcId"), []).append((place, child))
            held.add(child)
    waiting = [(each, 0) for each in reversed(list(points)) if each not in held]
    seen: set[str] = set()
    while waiting:
        name, depth = waiting.pop()
        if name in seen or name not in points:
            continue
        seen.add(name)
        text = first(points[name], "t")
        if text is not None and attribute(points[name], "type") in ("", "node", "asst"):
            for paragraph in named(text, "p"):
                words = "".join(all_text(each) for each in named(paragraph, "t"))
                yield Paragraph([Run(words)], Tag.ITEM, max(1, depth))
        if depth < _MAX_DEPTH:
            children = sorted(below.get(name, []), reverse=True)
            waiting += [(child, depth + 1) for _, child in children]
