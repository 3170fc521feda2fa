"""Which documents are examples of which classes? Folders of files, or a list of pages.

A folder of folders is a hierarchy as it stands: the class of a file is the way to its folder. A
list has lines `science/biology<TAB>URL` of pages that the collection has; `-` is the class of pages
that are of none. A document that is named under several classes has all of them.
"""

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.tablets import owner_of
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.learn.page_classes import MOST_LEVELS, page_parts
from shoal.model.content import content_text
from shoal.model.digest import text_digest
from shoal.model.record import Struct
from shoal.model.words.marks import VALUE_CHARS, plain
from shoal.worker.converting import Converter

MOST_EXAMPLES = 100_000
_MOST_LIST_BYTES = 64 << 20
_NONE = "-"
_TEXT_CHARS = 100_000
"""Of one example."""
_MOST_NAMED = 10
"""Folders without an example that are named."""
_AT_ONCE = 50
"""Pages that are asked of the collection at a time."""
_FEW = 0.02
"""Fewer that stand under several classes are rather mistakes than examples of all of them."""


class Example(Struct):
    classes: list[str]
    parts: dict[str, str]
    folder: str = ""
    """What it stands in: alike within."""


@dataclass
class Examples:
    """What was found, and what a person should know of it."""

    found: list[Example] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    source: str = ""


def examples_of(tree: str | Path, place: str) -> Examples:
    """Raises UsageError where there is nothing to learn from."""
    path = Path(tree)
    if path.is_dir():
        examples = _of_folder(path)
    elif path.is_file():
        examples = _of_list(path, place)
    else:
        raise UsageError(f"{tree} is no folder of folders, and no file with a list of pages")
    examples.source = str(path)
    _settle(examples)
    return examples


def _of_folder(tree: Path) -> Examples:
    examples = Examples()
    files = [each for each in _files(tree) if each.parent != tree]
    if not files:
        raise UsageError(
            f"{tree} has no folders with files: each folder is a class, and its files are examples"
        )
    if len(files) > MOST_EXAMPLES:
        examples.notes.append(f"only the first {MOST_EXAMPLES:,} of {len(files):,} files are used")
    unread = 0
    with Converter(content="model") as converter:
        for file, said in converter.convert_all(files[:MOST_EXAMPLES]):
            text = content_text(said.text, said.document.line_scores) or said.text
            name = _class_name("/".join(file.parent.relative_to(tree).parts))
            if not text.strip() or not name:
                unread += 1
                continue
            headings = said.document.headings
            parts = page_parts("", said.title, headings, text[:_TEXT_CHARS])
            examples.found.append(Example([name], parts))
    if unread:
        examples.notes.append(f"{unread:,} files have no text and are left out")
    empty = _without_examples(tree, examples)
    if empty:
        more = f" and {len(empty) - _MOST_NAMED:,} more" if len(empty) > _MOST_NAMED else ""
        examples.notes.append(f"no example is in {', '.join(empty[:_MOST_NAMED])}{more}")
    return examples


def _without_examples(tree: Path, examples: Examples) -> list[str]:
    """The folders that would be classes, and in which no file has text."""
    known = {name for example in examples.found for name in example.classes}
    found = []
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        way = Path(folder).relative_to(tree).parts
        if way and (files or not folders) and _class_name("/".join(way)) not in known:
            found.append("/".join(way))
    return found


def _files(tree: Path) -> Iterator[Path]:
    """In the order of their names; nothing hidden, nothing through links out of the tree."""
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _class_name(way: str) -> str:
    """A way down, in one spelling; empty when it is none."""
    parts = [plain(part) for part in unicodedata.normalize("NFC", way).split("/")]
    return "/".join([part for part in parts if part][:MOST_LEVELS])[:VALUE_CHARS].strip("/ ")


def _of_list(path: Path, place: str) -> Examples:
    examples, wanted = Examples(), _listed(path)
    if len(wanted) > MOST_EXAMPLES:
        examples.notes.append(f"only the first {MOST_EXAMPLES:,} of {len(wanted):,} pages are used")
    missing = private = 0
    with open_collection(place) as collection:
        urls = iter(islice(wanted, MOST_EXAMPLES))
        while some := list(islice(urls, _AT_ONCE)):
            told = _told(collection, some)
            missing += len(some) - len(told)
            private += sum(page.is_private for page in told.values())
            for url, page in told.items():
                if not page.is_private:
                    names = [name for name in wanted[url] if name != _NONE]
                    examples.found.append(Example(names, page.parts, page.folder))
    if missing:
        examples.notes.append(f"{missing:,} pages are not stored, or have no text")
    if private:
        examples.notes.append(
            f"{private:,} pages are left out: not everyone may read them, and everyone sees classes"
        )
    return examples


def _listed(path: Path) -> dict[str, dict[str, None]]:
    """The classes of each URL, in their order."""
    if path.stat().st_size > _MOST_LIST_BYTES:
        raise UsageError(f"{path} is longer than {_MOST_LIST_BYTES:,} bytes; use a shorter list")
    wanted: dict[str, dict[str, None]] = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, tab, url = line.partition("\t")
        known = _NONE if name.strip() == _NONE else _class_name(name)
        if not tab or not known or not url.strip():
            raise UsageError(f"line {number} of {path} is not a class, a tab and a URL")
        wanted.setdefault(url.strip(), {})[known] = None
    if not wanted:
        raise UsageError(f"{path} names no page: its lines are a class, a tab and a URL")
    return wanted


def _told(collection: Collection, urls: list[str]) -> "dict[str, PageText]":
    """What these pages are judged by, in the order in which they are named."""
    tablets = collection.tablets
    given: list[list[str]] = [[] for _ in range(tablets.count)]
    for url in urls:
        given[owner_of(tablets, collection.row(url))].append(url)
    answers = tablets.ask_each(texts_of, [(each,) for each in given])
    told = {url: page for answer in answers for url, page in answer.items()}
    return {url: told[url] for url in urls if url in told}


class PageText(Struct):
    parts: dict[str, str]
    folder: str
    is_private: bool = False


def texts_of(view: TabletView, urls: list[str]) -> dict[str, PageText]:
    """What these pages are judged by; those that have no text are not there."""
    found = {}
    for url in urls:
        stored = view.store.page(view.row(url), view.principal)
        if stored is None or not stored.document.text_chars:
            continue
        found[url] = PageText(
            page_parts_of(view, stored.row, stored.when),
            folder_of(stored.url),
            bool(stored.document.readers),
        )
    return found


def page_parts_of(view: TabletView, row: bytes, when: float) -> dict[str, str]:
    stored = view.store.page(row, view.principal, when)
    if stored is None:
        return page_parts("", "", "", "")
    document, text = stored.document, view.store.text(row, view.principal, when)
    content = content_text(text, document.line_scores) or text
    return page_parts(stored.url, document.title, document.headings, content[:_TEXT_CHARS])


def folder_of(url: str) -> str:
    """The site with the first folder on it: what stands there is alike."""
    host, _, path = url.partition("//")[2].partition("/")
    return f"{host}/{path.partition('/')[0]}" if "/" in path else host


def _settle(examples: Examples) -> None:
    """The same text is one example of all its classes, if that is meant; else it stays as it is,
    and contradicts itself."""
    by_text: dict[str, list[Example]] = {}
    for each in examples.found:
        by_text.setdefault(text_digest("\n".join(each.parts.values()).encode()), []).append(each)
    names = {name for each in examples.found for name in each.classes}
    if not examples.found or not names:
        raise UsageError(f"{examples.source} has no example with text that can be learned from")
    if len(names) == 1 and all(each.classes for each in examples.found):
        raise UsageError(
            f"all examples are of one class, {next(iter(names))}: give another class to tell it "
            "from, such as a folder of other documents"
        )
    several = [same for same in by_text.values() if len({tuple(each.classes) for each in same}) > 1]
    listed = sum(len(each.classes) > 1 for each in examples.found)
    if not several:
        return
    if len(several) + listed < _FEW * len(by_text):
        examples.notes.append(
            f"{len(several):,} texts stand in more than one class; such contradictions are not "
            "believed much"
        )
        return
    merged = []
    for same in by_text.values():
        classes = dict.fromkeys(name for each in same for name in each.classes)
        merged.append(Example(list(classes), same[0].parts, same[0].folder))
    examples.found = merged
