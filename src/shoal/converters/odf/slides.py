"""What do the pages of a presentation or drawing say? Title, shapes, comments, speaker's notes.

A slide's title is a heading. What the master of a slide adds (its own texts, footers) is written
once, as an aside; places that nobody filled in ("Click to add text") show only in the program.
"""

from collections.abc import Iterator

from shoal.converters.odf.text import TextWalk
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named

_FIELDS = frozenset({"date-time", "page-number", "header", "footer"})
_FOOTERS = ("header-decl", "footer-decl")
_NOT_SHOWN = frozenset({"notes", "forms", "par", "seq", "animations", "settings", "layer-set"})


class Slides:
    def __init__(self, walk: TextWalk, writer: Writer) -> None:
        self._walk = walk
        self._writer = writer
        self._said: set[str] = set()
        """What is an aside already."""
        self._has_opening = False

    def write(self, body: Element, masters: Element | None) -> None:
        used: list[str] = []
        number = 0
        for page in body:
            if local(page) != "page":
                continue
            number += 1
            self._walk.source = number
            self._page(page, number)
            master = attribute(page, "master-page-name")
            if master and master not in used:
                used.append(master)
        self._walk.source = -1
        for declared in named(body, *_FOOTERS):
            self._once(all_text(declared))
        if masters is not None:
            for master_page in named(masters, "master-page"):
                if attribute(master_page, "name") in used:
                    self._master(master_page)

    def _page(self, page: Element, number: int) -> None:
        title = next((shape for shape in _shapes(page) if _class(shape) == "title"), None)
        if title is not None:
            self._writer.heading(self._walk.flat(title), self._level(page), source=number)
        for shape in _shapes(page):
            if shape is not title:
                if local(shape) == "annotation":
                    self._walk.aside(self._walk.flat(shape))
                else:
                    self._walk.shape(shape)
        for notes in page:
            if local(notes) == "notes":
                for shape in _shapes(notes):
                    if local(shape) != "page-thumbnail":
                        self._walk.aside(self._walk.flat(shape))

    def _level(self, page: Element) -> int:
        """A slide with a subtitle opens the talk: the others are its parts."""
        is_opening = any(_class(shape) == "subtitle" for shape in _shapes(page))
        self._has_opening = self._has_opening or is_opening
        return 2 if self._has_opening and not is_opening else 1

    def _master(self, master: Element) -> None:
        for shape in _shapes(master):
            kind = _class(shape)
            is_footer = kind == "footer" and next(named(shape, "footer"), None) is None
            if not kind or is_footer:
                self._once("".join(run.text for run in self._walk.flat(shape)))

    def _once(self, text: str) -> None:
        text = " ".join(text.split())
        if text and text not in self._said:
            self._said.add(text)
            self._walk.aside([Run(text)])


def _shapes(page: Element) -> Iterator[Element]:
    for shape in page:
        name = local(shape)
        if not name or name in _NOT_SHOWN or attribute(shape, "placeholder") == "true":
            continue
        if local(page) == "master-page" or _class(shape) not in _FIELDS:
            yield shape


def _class(shape: Element) -> str:
    return attribute(shape, "class")
