"""What is a page's content, and what its frame? Read in this process, by any method.

`shoal.clean` (cleaning.py) reads in a child process, which is the way for pages of strangers; this
is for those who measure, and for pages that a browser has drawn already.
"""

from pathlib import Path

from shoal.cleaners import visual
from shoal.cleaners.cleaners import DEFAULT, cleaner_for
from shoal.converters.html.html import read_blocks, read_text
from shoal.converters.limits import DEFAULT_LIMITS
from shoal.fetch.render import Renderer
from shoal.files.cleaned import Cleaned as Cleaned
from shoal.files.cleaned import Found
from shoal.model.content import Content, content_of


def content(
    html: str, url: str = "", method: str = DEFAULT, model: str | Path | None = None
) -> Cleaned:
    """Tell a page's content from its frame. `url` is what its links are resolved by; `model` is
    another model than the one that Shoal brings with it."""
    html = html.replace("\0", "")
    if method == "visual":
        return _drawn(html, url)
    cleaner = cleaner_for(method, None if model is None else Path(model))
    return _cleaned(html, url, cleaner.content(html))


def _drawn(html: str, url: str) -> Cleaned:
    with Renderer() as renderer:
        rendered = renderer.render(html, url)
    return _cleaned(
        rendered.html, url, content_of(visual.content(rendered), "visual"), rendered.problem
    )


def _cleaned(html: str, url: str, found: Content, problem: str = "") -> Cleaned:
    title, text, shades = read_text(html, DEFAULT_LIMITS, found)
    return Cleaned(
        Found(title, text, shades, found.method),
        lambda: read_blocks(html, url, DEFAULT_LIMITS, found),
        problem=problem,
    )
