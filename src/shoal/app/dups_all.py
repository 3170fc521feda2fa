"""What does a cluster say twice? All pairs of near-duplicates among the pages of all tablets.

What is compared of a text is its sketch, about a kilobyte: tablets make the sketches of their pages
side by side, and they are searched in one place (dedupe/discovery.py), in row order, so that the
answer is that of one collection. Methods that need the words themselves get the texts.
"""

from collections.abc import Iterator

from shoal.app.collection import Collection
from shoal.app.deduping import Comparison, Method, text_sketch
from shoal.app.dups import cuts
from shoal.app.named_texts import NamedPair, NamedSketches, NamedTexts
from shoal.app.page import Page
from shoal.app.slices import Slice, cut, in_order
from shoal.app.tablets import Tablets
from shoal.app.where import key_range
from shoal.config import Dedupe
from shoal.dedupe.discovery import Progress
from shoal.model.rowkey import url_of


def duplicate_pairs_all(  # noqa: PLR0913 - the flags of the command, by name
    tablets: Tablets,
    where: str = "",
    *,
    method: Method = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
) -> Iterator[NamedPair]:
    """`duplicate_pairs` over all tablets."""
    by = Comparison(method, resemblance, bits, differing)
    return search_all(tablets, by, where, progress).pairs()


def duplicate_clusters_all(  # noqa: PLR0913 - the flags of the command, by name
    tablets: Tablets,
    where: str = "",
    *,
    method: Method = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
) -> Iterator[list[str]]:
    """`duplicate_clusters` over all tablets."""
    by = Comparison(method, resemblance, bits, differing)
    return search_all(tablets, by, where, progress).clusters()


def search_all(
    tablets: Tablets, by: Comparison, where: str = "", progress: Progress | None = None
) -> NamedSketches | NamedTexts:
    """`search` of dups.py, over the stored texts of all tablets."""
    start, end = key_range(where)
    by, admits = cuts(by, tablets.ask(0, dedupe_settings))
    if by.method == "default":
        sketches = in_order(tablets, sketch_slice, start, end, by.n or 3)
        named = ((url_of(row), sketch) for row, sketch in sketches)
        return NamedSketches(named, by, progress, admits)
    texts = ((url_of(row), text) for row, text in in_order(tablets, text_slice, start, end))
    return NamedTexts(texts, by, progress, admits)


# --- questions ------------------------------------------------------------------------------


def dedupe_settings(collection: Collection) -> Dedupe:
    return collection.config.dedupe


def sketch_slice(collection: Collection, start: bytes, end: bytes, n: int) -> Slice[bytes]:
    """Of the content of every stored page that has any."""
    made = (
        (page.stored.row, text_sketch(page.text, n)) for page in _with_text(collection, start, end)
    )
    return cut((row, sketch, len(sketch)) for row, sketch in made)


def text_slice(collection: Collection, start: bytes, end: bytes) -> Slice[str]:
    read = ((page.stored.row, page.text) for page in _with_text(collection, start, end))
    return cut((row, text, len(text)) for row, text in read)


def _with_text(collection: Collection, start: bytes, end: bytes) -> Iterator[Page]:
    for stored in collection.store.stream(start, end, collection.principal):
        if stored.document.text_chars:
            yield Page(collection, stored)
