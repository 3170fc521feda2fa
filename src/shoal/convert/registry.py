"""Which converter reads which media type? One table; a distribution adds to it by entry point.

An entry point of group `shoal.converters` is named by its media type and points at a `Converter`.
It goes before ours, so that a better reader of a format can take a built-in one's place.
"""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Self

from shoal.convert import html, text
from shoal.convert.context import Converter
from shoal.convert.sniff import is_textual
from shoal.errors import UsageError

GROUP = "shoal.converters"

_BUILT_IN: Mapping[str, Converter] = {
    "text/html": html.convert,
    "application/xhtml+xml": html.convert,
    "application/vnd.wap.xhtml+xml": html.convert,
}


class Registry:
    def __init__(self, added: Mapping[str, Converter] | None = None) -> None:
        self._converters = {**_BUILT_IN, **(added or {})}

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
        return text.convert if found is None and is_textual(media_type) else found
