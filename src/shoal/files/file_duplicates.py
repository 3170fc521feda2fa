"""Which files of a folder say nearly the same? Any folder, without a collection.

Files are read as `shoal convert` reads them, in child processes with limits, a few ahead of what is
compared; a folder is walked as it is read. What has no text is told, and left out.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from shoal.errors import UsageError
from shoal.files.cleaned import cleaned_of
from shoal.files.named_texts import Named, NameWithin
from shoal.worker.conversion import Conversion
from shoal.worker.converting import Converter

Skipped = Callable[[str, str], None]
"""The name of a document without a text, and why."""


def file_texts(folder: Path, skipped: Skipped | None = None) -> Iterator[Named]:
    """The content of every document in a folder, by its name."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    return _texts(folder, skipped or _tell_nobody)


def _texts(folder: Path, skipped: Skipped) -> Iterator[Named]:
    with Converter(content="model") as converter:
        for path, found in converter.convert_all(_below(folder)):
            for each in (found, *found.inside):
                name = _shown(path)
                if each.name:
                    name = NameWithin(f"{name}: {each.name}")
                text = _content(each)
                if text:
                    yield name, text
                elif each.problem or not found.inside:
                    skipped(name, each.problem or "It has no text.")


def _content(found: Conversion) -> str:
    cleaned = cleaned_of(found)
    return cleaned.text or cleaned.whole_text


def _shown(path: Path) -> str:
    """A name that is no UTF-8 could neither be printed nor put into JSON."""
    return os.fsencode(path).decode("utf-8", "replace")


def _below(folder: Path) -> Iterator[Path]:
    """Folder by folder, in order; links are not followed, so that it ends."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _tell_nobody(_name: str, _why: str) -> None:
    """Remarks that nobody asked for."""
