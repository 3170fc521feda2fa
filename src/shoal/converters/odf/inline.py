"""What stands in a paragraph of an OpenDocument? Runs of text, and what hangs on it.

Notes, comments, frames and shapes are anchored in the midst of the text; they are kept apart, to be
written after it. Fields give the text that they showed last. Hidden text is left out.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.converters.odf.styles import Styles
from shoal.converters.writer import Run
from shoal.converters.xml import Element, attribute, local

_MAX_DEPTH = 60
_MAX_SPACES = 200
_SHAPE_NAMES = (
    "frame text-box image object object-ole custom-shape rect ellipse circle line polyline polygon"
    " regular-polygon path connector caption measure g control scene plugin"
)
SHAPES = frozenset(_SHAPE_NAMES.split())
_APART = SHAPES | {"note", "footnote", "endnote", "annotation", "table"}
_NO_TEXT_WORDS = (
    "tracked-changes ruby-text script bookmark bookmark-start bookmark-end event-listeners"
    " annotation-end change change-start change-end soft-page-break desc"
)
_NO_TEXT = frozenset(_NO_TEXT_WORDS.split())
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(slots=True)
class Inline:
    runs: list[Run] = field(default_factory=list)
    apart: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


@dataclass(slots=True, frozen=True)
class _Look:
    bold: bool
    href: str = ""
    depth: int = 0


class InlineReader:
    def __init__(self, styles: Styles, formula: Callable[[Element], str]) -> None:
        self._styles = styles
        self._formula = formula

    def read(self, paragraph: Element, *, bold: bool = False) -> Inline:
        found = Inline()
        self._take(paragraph, _Look(bold), found)
        return found

    def _take(self, element: Element, look: _Look, found: Inline) -> None:
        if element.text:
            found.runs.append(Run(str(element.text), look.bold, look.href))
        if look.depth < _MAX_DEPTH:
            for child in element:
                self._child(child, look, found)
                if child.tail:
                    found.runs.append(Run(str(child.tail), look.bold, look.href))

    def _child(self, child: Element, look: _Look, found: Inline) -> None:
        name = local(child)
        if name == "s":
            count = attribute(child, "c")
            spaces = int(count) if count.isdecimal() and len(count) < 6 else 1
            found.runs.append(Run(" " * min(spaces, _MAX_SPACES), look.bold, look.href))
        elif name in ("tab", "tab-stop"):
            found.runs.append(Run("\t", look.bold, look.href))
        elif name == "line-break":
            found.runs.append(Run("\n", look.bold, look.href))
        elif name in _APART:
            formula = self._formula(child)
            if formula:
                found.runs.append(Run(formula, look.bold, look.href))
            else:
                found.apart.append(child)
        elif name not in _NO_TEXT and not self._is_hidden(name, child):
            self._take(child, self._look(name, child, look), found)

    def _look(self, name: str, child: Element, look: _Look) -> _Look:
        bold, href = look.bold, look.href
        if name == "span":
            own = self._styles.bold("text", attribute(child, "style-name"))
            bold = bold if own is None else own
        elif name == "a":
            href = _outward(attribute(child, "href")) or href
        return _Look(bold, href, look.depth + 1)

    def _is_hidden(self, name: str, child: Element) -> bool:
        if name == "span":
            return self._styles.hidden("text", attribute(child, "style-name"))
        return name == "hidden-text" and attribute(child, "is-hidden") == "true"


def _outward(href: str) -> str:
    """Links are relative to the package, as if it were a folder; those within it lead nowhere."""
    if href.startswith("../"):
        return href[3:]
    return href if href.startswith("/") or _ABSOLUTE.match(href) else ""
