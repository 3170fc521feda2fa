"""Which page is meant, and how is it written? Shared by `convert`, `clean`, `slope` and `dups`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shoal.collection.view import Page
    from shoal.files.cleaned import Cleaned
    from shoal.worker.conversion import Conversion

To = Literal["html", "text", "markdown", "json"]


@contextmanager
def file_or_page(name: str, given_dir: str | None) -> Iterator["Path | Page"]:
    """A file, or a stored page while its collection is open."""
    from shoal.cli.places import reading
    from shoal.cli.terminal.page_report import stored

    if "://" in name:
        with reading(given_dir) as collection:
            yield stored(collection, name)
        return
    yield file_named(name)


def file_named(name: str) -> Path:
    from shoal.errors import UsageError

    path = Path(name)
    if not path.exists():
        raise UsageError(f"{name} is no file here, and no URL written in full")
    return path


def rendered(found: "Conversion | Cleaned", to: To, named: dict[str, str]) -> bytes:
    """`named`: what stands first in JSON, to tell documents apart."""
    from shoal.model.record import to_json

    match to:
        case "html":
            return found.html.encode()
        case "markdown":
            return found.markdown.encode()
        case "json":
            return to_json({**named, **found.as_dict()}) + b"\n"
    return found.text.encode() + b"\n" if found.text else b""


def is_utf_8() -> bool:
    """Whether standard output can show more than ASCII."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def write_picture(name: str, flag: str, data: bytes) -> None:
    from shoal.errors import UsageError
    from shoal.whole_file import write_whole

    try:
        write_whole(Path(name), data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{flag} {name} can't be written: {reason}") from error
