"""How does anyone get at a page's content? `shoal.clean`: HTML in, what it is about out.

Read in a child process with limits and without a network, as in a crawl; but a page that is to be
drawn is drawn by Chromium, whose processes are children of their own.
"""

from pathlib import Path

from shoal.cleaners.cleaners import DEFAULT, METHODS
from shoal.collection.view import Page
from shoal.errors import UsageError
from shoal.files.cleaned import Cleaned, cleaned_of
from shoal.files.page_source import file_source, page_source, stored_source
from shoal.worker.converting import Converter

HTML = "text/html; charset=utf-8"


def clean(
    html: str | bytes | Path | Page, url: str | None = None, *, method: str = DEFAULT
) -> Cleaned:
    """`shoal.clean`."""
    if method not in METHODS:
        raise UsageError(f"{method!r} is no method; there are {', '.join(METHODS)}")
    if method == "visual":
        return _drawn(html, url or "")
    with Converter(processes=1, content=method) as converter:
        if isinstance(html, Page):
            declared = dict(html.headers).get("content-type", "")
            found = converter.convert(html.body, media_type=declared, url=url or html.url)
        elif isinstance(html, str):
            _require_source(html)
            body = html.encode("utf-8", "replace")
            found = converter.convert(body, media_type=HTML, url=url or "")
        else:
            found = converter.convert(html, url=url or "")
    return cleaned_of(found)


def _require_source(html: str) -> None:
    """A name in place of a source would be its own content, and nobody would notice."""
    is_name = "<" not in html and len(html.split()) == 1
    if is_name and ("://" in html or Path(html[:255]).suffix):
        raise UsageError(
            f"{html[:80]!r} is no HTML: for a file give a Path, for a stored page the Page"
        )


def _drawn(html: str | bytes | Path | Page, url: str) -> Cleaned:
    from shoal.files.content import content  # noqa: PLC0415 - it loads a browser's library

    match html:
        case Page():
            return content(stored_source(html), url or html.url, "visual")
        case Path():
            return content(file_source(html), url, "visual")
        case bytes():
            return content(page_source(html), url, "visual")
    return content(html, url, "visual")
