"""What does a tablet say of its documents, for a tree to be made of them?"""

import zlib

from shoal.analysis.class_examples import page_parts_of
from shoal.collection.slices import Slice, cut
from shoal.collection.view import TabletView
from shoal.learn.words import WordCounter, named
from shoal.model.document import Fate
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of
from shoal.model.words.marks import TREE, values
from shoal.worker.page_marks import tree_parts

_FEATURE_BYTES = 4_000
"""Of a document of the sample: the first thousand, of four bytes each."""
_ROW_BYTES = 100
_UNSHOWN = (Fate.NOINDEX, Fate.DROPPED)
"""A page whose site forbids it, a list of a folder, a page off the topic."""


class Sampled(Struct):
    """A document of the sample."""

    keys: bytes
    values: bytes
    title: str
    url: str
    before: str
    """The way that it has in the tree before."""


def rows_with_text(view: TabletView, start: bytes, own: bool) -> Slice[None]:
    """Of the documents that everyone may read, or of all; not of such as no search may show."""
    return cut(
        (page.row, None, _ROW_BYTES)
        for page in view.store.stream(start, b"\xff", view.principal)
        if page.document.text_chars
        and page.document.fate not in _UNSHOWN
        and not page.document.rules.noindex
        and (own or not page.document.readers)
    )


def sampled(view: TabletView, rows: list[bytes]) -> list[Sampled]:
    counter, found = WordCounter(), []
    for row in rows:
        page = view.store.page(row, view.principal)
        if page is None:
            found.append(Sampled(b"", b"", "", url_of(row), ""))
            continue
        parts = tree_parts(page_parts_of(view, row, page.when))
        given = tuple((text, zlib.crc32(name.encode()), 1.0) for name, text in parts.items())
        keys, weights = counter.count(given)
        before = values(view.store.marks(row, view.principal).get(TREE, ""))
        found.append(
            Sampled(
                keys[:_FEATURE_BYTES],
                weights[:_FEATURE_BYTES],
                page.document.title,
                page.url,
                before[0].text if before else "",
            )
        )
    return found


def words_of_rows(view: TabletView, rows: list[bytes], keys: list[int]) -> dict[int, str]:
    """The words that stand for these numbers, as far as these documents have them."""
    wanted, found = set(keys), dict[int, str]()
    for row in rows:
        page = view.store.page(row, view.principal)
        if page is None:
            continue
        for name, text in tree_parts(page_parts_of(view, row, page.when)).items():
            for key, word in named(text, zlib.crc32(name.encode()), pairs=False):
                if key in wanted:
                    found.setdefault(key, word)
    return found
