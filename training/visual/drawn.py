"""Which pages are fitted on and scored, and how do they look? Each is drawn once and kept.

A kept page is `<id>.drawn` in the working directory, a packed `Rendered`. Remove them after a
change of what the browser is asked for (fetch/boxes.js, fetch/render.py).
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.extract_scores import Page, pages
from shoal.fetch.render import Renderer
from shoal.model.record import pack, unpack
from shoal.model.rendered import Rendered


class DrawnPage(NamedTuple):
    url: str
    type: str
    gold: str
    rendered: Rendered


def drawn(
    data: Path, work: Path, every: int, places: Collection[int], at_most: int | None = None
) -> Iterator[DrawnPage]:
    """Of each `every` pages of wcxb-dev those at these places, from 0 on."""
    work.mkdir(parents=True, exist_ok=True)
    wanted = (page for at, page in enumerate(pages("wcxb-dev", data)) if at % every in places)
    with ExitStack() as opened:
        renderer: Renderer | None = None
        for page in islice(wanted, at_most):
            kept = work / f"{page.id}.drawn"
            if not kept.exists():
                renderer = renderer or opened.enter_context(Renderer())
                _draw(renderer, page, kept)
            yield DrawnPage(page.url, page.type, page.gold, unpack(Rendered, kept.read_bytes()))


def _draw(renderer: Renderer, page: Page, kept: Path) -> None:
    rendered = renderer.render(page.html, page.url)
    if rendered.problem:
        print(f"{page.id}: {rendered.problem}")
    part = kept.with_suffix(".part")  # a run that is stopped leaves no half of a page
    part.write_bytes(pack(rendered))
    part.replace(kept)
