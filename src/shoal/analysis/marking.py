"""How are pages marked that are stored already? Slice by slice, by what a model says of each.

The tablets look at their own pages and answer what has changed; it is written where the table is
written: here, by the crawl that runs, or at the next start of a cluster.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from shoal import faults
from shoal.analysis.class_examples import page_parts_of
from shoal.collection.collection import Collection
from shoal.collection.slices import Slice, cut, in_order
from shoal.collection.view import TabletView
from shoal.control.commands import mark_all
from shoal.layout.classes import ClassesPlace
from shoal.layout.layout import in_directory
from shoal.layout.trees import tree_place
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of
from shoal.model.words.marks import CLASS, facet_values
from shoal.worker.page_marks import ClassMarker, TreeMarker

_PAGE_BYTES = 3_000
"""What looking at a page is taken for, beside its text: an answer looks at some hundred pages."""

Counted = Callable[[int], None]


class Applied(Struct):
    """What became of the pages that are stored."""

    pages: int
    changed: int
    """Whose mark is another than before."""
    waits: bool = False
    """Whether a running crawl, or the next start of a cluster, has yet to write it."""


def mark_stored(collection: Collection, name: str, told: Counted) -> Applied:
    """By the model that the tablets hold."""
    done = Applied(0, 0)

    def changes() -> Iterator[tuple[str, dict[str, str]]]:
        for row, found in in_order(collection.tablets, changed_marks, b"\x01", name):
            done.pages += 1
            told(done.pages)
            if found is not None:
                done.changed += 1
                yield url_of(row), {name: found}

    done.waits = mark_all(collection.place, changes())
    return done


def take_back(collection: Collection, name: str, told: Counted) -> Applied:
    """From all pages that have it."""
    done = Applied(0, 0)

    def changes() -> Iterator[tuple[str, dict[str, str]]]:
        for row, _ in in_order(collection.tablets, marked, b"\x01", name):
            done.pages += 1
            done.changed += 1
            told(done.pages)
            yield url_of(row), {name: ""}

    done.waits = mark_all(collection.place, changes())
    return done


def counted(collection: Collection, name: str) -> Counter[str]:
    """How many pages have each value, and what stands above it; those that who asks may read."""
    found: Counter[str] = Counter()
    for each in collection.tablets.ask_all(pages_of, name):
        found.update(each)
    return found


# --- questions to tablets -------------------------------------------------------------------


def place_of_model(view: TabletView, name: str) -> ClassesPlace:
    directory = view.layout.directory
    return ClassesPlace(directory) if name == CLASS else tree_place(directory)


def hold(view: TabletView, name: str, data: bytes) -> None:
    place_of_model(view, name).write(data)
    faults.point("learned.held")


def forget(view: TabletView, name: str) -> None:
    place_of_model(view, name).remove()


def held(view: TabletView, name: str) -> bytes:
    """Empty where there is none."""
    path = place_of_model(view, name).path
    return path.read_bytes() if path.exists() else b""


def changed_marks(view: TabletView, start: bytes, name: str) -> Slice[str | None]:
    """The mark of each page from a row on; None where it is as before."""
    data = held(view, name)
    marker = ClassMarker(data) if name == CLASS else TreeMarker(data)

    def looked_at() -> Iterator[tuple[bytes, str | None, int]]:
        for page in view.store.stream(start, b"\xff", view.principal):
            document, found = page.document, ""
            if document.text_chars:
                found = marker.of(page_parts_of(view, page.row, page.when))
            before = view.store.marks(page.row, view.principal).get(name, "")
            size = _PAGE_BYTES + document.text_chars
            yield page.row, found if found != before else None, size

    return cut(looked_at())


def marked(view: TabletView, start: bytes, name: str) -> Slice[str | None]:
    """The pages that have a mark."""
    return cut(
        (cell.row, "", _PAGE_BYTES)
        for cell in view.store.cells.scan("mark", start, b"\xff")
        if cell.qualifier == name.encode()
    )


def pages_of(view: TabletView, name: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for cell in view.store.cells.scan("mark", b"\x01", b"\xff"):
        if cell.qualifier == name.encode():
            marks = view.store.marks(cell.row, view.principal)
            found.update(facet_values(name, marks.get(name, "")))
    return dict(found)


def in_command(collection: Collection) -> str:
    """The flag that names it in a hint, for its owner: where it lies is not for others to know."""
    return in_directory(collection.place) if collection.sees_everything() else ""
