"""What does a reader find out about a page, beside what it says? Its classes, its place in trees.

Models are read where `shoal classes train` and `shoal tree make` put them, and again when they have
changed: no crawl has to be started anew for it. One that can't be read marks nothing; `shoal
classes show` and `shoal tree show` say why.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.errors import DamagedError
from shoal.layout.classes import ClassesPlace, unpacked
from shoal.layout.trees import tree_place, unpacked_tree
from shoal.learn.page_classes import PageClasses, page_parts
from shoal.model.compression import unzstd
from shoal.model.content import content_text
from shoal.model.document import Document
from shoal.model.words.marks import CLASS, TREE, Value, joined

_OF_TREES = ("text",)
"""Parts that say what a page is about."""


class ClassMarker:
    """Gives pages their classes."""

    def __init__(self, data: bytes) -> None:
        """Raises DamagedError."""
        learned = unpacked(data)
        self._classes = PageClasses.from_bytes(learned.model)
        self._accept = learned.report.accept

    def of(self, parts: Mapping[str, str]) -> str:
        """The value of the mark: empty where no class is likely enough."""
        if not parts.get("text"):
            return ""
        return joined(Value(*each) for each in self._classes.classify(parts, self._accept))


class TreeMarker:
    """Gives pages their place in the tree."""

    def __init__(self, data: bytes) -> None:
        """Raises DamagedError."""
        tree = unpacked_tree(data)
        self._leaves = tree.leaves
        self._model = PageClasses.from_bytes(tree.model)

    def of(self, parts: Mapping[str, str]) -> str:
        """The value of the mark; empty only where there is no text."""
        if not parts.get("text") or not self._leaves:
            return ""
        place = self._model.likeliest(tree_parts(parts))
        return joined([Value(self._leaves[min(place, len(self._leaves) - 1)])])


Marker = ClassMarker | TreeMarker


def tree_parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {name: parts[name] for name in _OF_TREES if name in parts}


class PageMarks:
    def __init__(self, directory: Path) -> None:
        self._places: list[tuple[str, ClassesPlace, type[Marker]]] = [
            (CLASS, ClassesPlace(directory), ClassMarker),
            (TREE, tree_place(directory), TreeMarker),
        ]
        self._stamps = [(0, 0)] * len(self._places)
        self._markers: list[Marker | None] = [None] * len(self._places)

    @property
    def folder(self) -> Path:
        """Where it reads."""
        return self._places[0][1].folder

    def add_to(self, documents: Sequence[Document], url: str) -> None:
        self._refresh()
        if not any(self._markers):
            return
        for document in documents:
            text = unzstd(document.text).decode() if document.text else ""
            content = content_text(text, document.line_scores) or text
            parts = page_parts(url, document.title, document.headings, content)
            found = [
                (name, marker.of(parts))
                for (name, _, _), marker in zip(self._places, self._markers, strict=True)
                if marker is not None
            ]
            document.marks = [*document.marks, *found]

    def _refresh(self) -> None:
        for number, (_, place, kind) in enumerate(self._places):
            stamp = place.stamp()
            if stamp == self._stamps[number]:
                continue
            self._stamps[number], self._markers[number] = stamp, None
            try:
                self._markers[number] = kind(place.path.read_bytes())
            except (OSError, DamagedError):
                self._markers[number] = None
