"""How does a scheme without HTTP answer? As HTTP would have: a head made here, and a body.

So every later room reads one shape. A directory becomes a page of links, which is how a tree of
files is crawled like a site.
"""

from collections.abc import Iterable
from email.utils import formatdate
from html import escape
from mimetypes import MimeTypes
from typing import NamedTuple

from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched

HTML = "text/html; charset=utf-8"

_TYPES = MimeTypes(filenames=())  # the built-in table: the same on every machine, never changed


class Content(NamedTuple):
    body: bytes
    media_type: str
    modified: float | None = None
    """Unix seconds."""
    etag: str = ""
    cut: bool = False


def media_type(name: str) -> str:
    """By the ending of a file's name; a compressed file is what it is, not what is inside."""
    kind, encoding = _TYPES.guess_type(name, strict=False)
    if encoding or not kind:
        return "application/gzip" if encoding == "gzip" else "application/octet-stream"
    return kind


def http_date(unix_seconds: float) -> str:
    return formatdate(unix_seconds, usegmt=True)


def succeeded(content: Content, started: float, ended: float, address: str = "") -> Fetched:
    headers = [("content-type", content.media_type), *_validators(content)]
    if not content.cut:
        headers.insert(1, ("content-length", str(len(content.body))))
    return Fetched(
        Outcome.OK,
        status=200,
        started=started,
        ended=ended,
        address=address,
        headers=headers,
        head=_head("200 OK", headers),
        body=content.body,
        cut=content.cut,
        note=f"The body was cut after {len(content.body):,} bytes." if content.cut else "",
    )


def unchanged(content: Content, started: float, ended: float, address: str = "") -> Fetched:
    headers = _validators(content)
    return Fetched(
        Outcome.UNCHANGED,
        status=304,
        started=started,
        ended=ended,
        address=address,
        headers=headers,
        head=_head("304 Not Modified", headers),
    )


def listing(title: str, links: Iterable[tuple[str, str]]) -> bytes:
    """A page of (URL, name) links, which leads to documents and is none itself."""
    shown = escape(title)
    items = "".join(f'<li><a href="{escape(url)}">{escape(name)}</a>\n' for url, name in links)
    head = f'<!doctype html>\n<meta name="robots" content="noindex">\n<title>{shown}</title>\n'
    page = f"{head}<h1>{shown}</h1>\n<ul>\n{items}</ul>\n"
    return page.encode("utf-8", "replace")


def _validators(content: Content) -> list[tuple[str, str]]:
    validators = []
    if content.modified is not None:
        validators.append(("last-modified", http_date(content.modified)))
    if content.etag:
        validators.append(("etag", content.etag))
    return validators


def _head(status: str, headers: list[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{name.title()}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
