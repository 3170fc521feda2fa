"""Which converter reads which media type? The table of formats; a distribution adds to it.

A built-in converter is imported when its first file comes. An entry point of group
`shoal.converters` is named by its media type and points at a `Converter`; it goes before ours, so
that a better reader of a format can take a built-in one's place.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Self

from shoal.converters import text
from shoal.converters.context import Converter
from shoal.converters.formats import by_media_type
from shoal.converters.html import html
from shoal.converters.sniff.sniff import is_textual
from shoal.errors import UsageError

GROUP = "shoal.converters"


class Registry:
    def __init__(self, added: Mapping[str, Converter] | None = None) -> None:
        self._converters: dict[str, Converter] = {"text/html": html.convert, **(added or {})}

    @classmethod
    def installed(cls) -> Self:
        """The built-in converters, and those of the distributions installed here."""
        added: dict[str, Converter] = {}
        for point in entry_points(group=GROUP):
            try:
                added[point.name.lower()] = point.load()
            except Exception as error:  # any fault of foreign code, at import
                raise UsageError(
                    f"The converter for {point.name} ({point.value}) can't be loaded: {error}. "
                    "Repair or uninstall its distribution."
                ) from error
        return cls(added)

    def converter(self, media_type: str) -> Converter | None:
        """None when nobody here can read it."""
        found = self._converters.get(media_type)
        if found is not None:
            return found
        known = by_media_type(media_type)
        if known is None:
            return text.convert if is_textual(media_type) else None
        module, _, function = known.converter.partition(":")
        converter: Converter = getattr(import_module(f"shoal.converters.{module}"), function)
        self._converters[media_type] = converter
        return converter
