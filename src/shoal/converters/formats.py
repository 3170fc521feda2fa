"""Which file types are there, and who reads each? One table, looked up by type and by name.

A row is one file type; its converter is imported when the first such file comes. The media type is
the registered one, or what programs use; `also` are other names for the same bytes.
"""

from functools import cache
from typing import NamedTuple

from shoal.converters.formats_data import DATA
from shoal.converters.formats_media import MEDIA
from shoal.converters.formats_office import OFFICE


class Format(NamedTuple):
    id: str
    name: str
    media_type: str
    extensions: tuple[str, ...]
    converter: str
    """`module:function` below shoal.converters."""
    engine: str
    """What reads it: `Shoal`, or the library or program that does the work."""
    also: tuple[str, ...]
    is_text: bool
    """Whether its bytes are characters."""
    family: str
    """What its bytes begin like, where many formats begin alike: `zip`, `ole`, `iwork`."""


@cache
def all_formats() -> tuple[Format, ...]:
    return tuple(_format(row) for row in (*OFFICE, *DATA, *MEDIA))


def _format(row: tuple[str, ...]) -> Format:
    ident, name, media_type, extensions, converter, *more = row
    marks = set(more[0].split()) if more else set()
    also = tuple(mark for mark in marks if "/" in mark)
    engine = next((mark[3:] for mark in marks if mark.startswith("by=")), "Shoal")
    family = next((mark for mark in marks if mark in ("zip", "ole", "iwork")), "")
    return Format(
        ident,
        name,
        media_type,
        tuple(extensions.split()),
        converter,
        engine.replace("_", " "),
        also,
        "text" in marks,
        family,
    )


@cache
def _by_media_type() -> dict[str, Format]:
    found: dict[str, Format] = {}
    for each in all_formats():
        for name in (each.media_type, *each.also):
            found.setdefault(name, each)
    return found


@cache
def _by_extension() -> dict[str, Format]:
    found: dict[str, Format] = {}
    for each in all_formats():
        for extension in each.extensions:
            found.setdefault(extension, each)
    return found


def by_media_type(media_type: str) -> Format | None:
    return _by_media_type().get(media_type)


def by_name(name: str) -> Format | None:
    """By the ending of a file's name, the longest that is known (`.fb2.zip` before `.zip`)."""
    parts = name.lower().rpartition("/")[2].split(".")
    table = _by_extension()
    for first in range(1, len(parts)):
        found = table.get(".".join(parts[first:]))
        if found is not None:
            return found
    return table.get(f"/{parts[0]}") if len(parts) == 1 else None


def canonical(media_type: str) -> str:
    """The name under which we know a media type; itself when we do not."""
    found = _by_media_type().get(media_type)
    return media_type if found is None else found.media_type
