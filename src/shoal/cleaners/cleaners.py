"""Which way of telling content from its frame is meant? Each by its name.

`model` is the default. It needs the compiled module (_content.c) and reads pages that are too odd
for it as `dom` does; what comes back says which of the two it was.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from shoal.cleaners import dom, slope, window
from shoal.errors import UsageError
from shoal.model.content import NOSCRIPT, Content, content_of
from shoal.ports import Cleaner

native: ModuleType | None
try:
    from shoal.cleaners import _content

    native = _content
except ImportError:  # no compiler was at hand
    native = None

DEFAULT = "model"
METHODS = ("model", "dom", "slope", "window", "visual")
_SHIPPED = Path(__file__).with_name("content.bin")
_ODD_CHARS = 60
"""A page with a body, of which the model sees less than this, was not read as it is meant."""


class Chosen:
    """A method that chooses ranges of the source and weighs nothing."""

    def __init__(self, method: str, choose: Callable[[str], list[tuple[int, int]]]) -> None:
        self._method = method
        self._choose = choose

    def content(self, html: str) -> Content:
        ranges = list(_to_whole_texts(html, self._choose(html)))
        found = content_of(ranges, self._method)
        if "noscript" not in html.lower():
            return found
        marks = bytes(NOSCRIPT * _is_in_noscript(html, start) for start, _ in ranges)
        return found._replace(marks=marks)


def _to_whole_texts(html: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A range that ends between two tags ends at the second: what a text's place is asked of
    (scan.py) knows texts only as a whole."""
    last = 0
    for start, end in ranges:
        tag = html.find("<", end) if html[end - 1 : end] != ">" else end
        whole = len(html) if tag < 0 else tag
        if whole > max(last, start):
            yield max(last, start), whole
            last = whole


def _is_in_noscript(html: str, place: int) -> bool:
    opened = max(html.rfind("<noscript", 0, place), html.rfind("<NOSCRIPT", 0, place))
    closed = max(html.rfind("</noscript", 0, place), html.rfind("</NOSCRIPT", 0, place))
    return opened > closed


class ByModel:
    def __init__(self, native: ModuleType, data: bytes) -> None:
        self._model = native.Model(data)
        self._otherwise = Chosen("dom", dom.content)

    def content(self, html: str) -> Content:
        places, line_scores, marks = self._model.content(html)
        if not line_scores and len(html) > _ODD_CHARS:
            return self._otherwise.content(html)
        return Content("model", places, line_scores, marks)


def cleaner_for(method: str, model: Path | None = None) -> Cleaner:
    """`model`: another file than the one that Shoal brings with it."""
    match method:
        case "model":
            return _by_model(_SHIPPED if model is None else model)
        case "dom":
            return Chosen(method, dom.content)
        case "slope":
            return Chosen(method, slope.content)
        case "window":
            return Chosen(method, window.content)
    raise UsageError(f"{method!r} is no method; there are {', '.join(METHODS)}")


@cache
def _by_model(file: Path) -> Cleaner:
    if native is None:
        return Chosen("dom", dom.content)
    try:
        return ByModel(native, file.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} is no model of content: {error}") from error
