"""How is a sitemap written? By sitemaps.org's schema, split at its limits, with an index if needed.

    sitemap.xml                                      up to 50,000 URLs and 50 MiB
    sitemap.xml, sitemap-1.xml, sitemap-2.xml …      an index, and the parts

The entry point has the same name in both cases, so robots.txt names it once. A file that would not
change is not written again: its date is when its list last changed, and stands in the index. Each
file is replaced in one step. Files that others made are not touched: ours bear a mark.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from shoal.errors import UsageError
from shoal.model.compression import gzip_member
from shoal.sources.gunzip import GZIP_MAGIC, gunzipped
from shoal.whole_file import write_whole

MAX_URLS = 50_000
MAX_BYTES = 50 * 1024 * 1024
"""Both the protocol's limits; the second counts what is not compressed."""

_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_MARK = b"<!-- made by shoal sitemap -->"
_MARK_WITHIN_BYTES = 1_000
_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n' + _MARK + b"\n"
_QUOTES = {"'": "&apos;", '"': "&quot;"}
_LAST_SECOND = 253_402_300_799.0
"""Of the year 9999."""


class Line(NamedTuple):
    url: str
    modified: float = 0.0
    """Unix seconds; 0: not told."""
    change_frequency: str = ""


class Written(NamedTuple):
    name: str
    urls: int


class _SitemapFile(NamedTuple):
    body: bytes
    urls: int


@dataclass(frozen=True, slots=True)
class Target:
    directory: Path
    base_url: str
    """Where the directory is seen on the web; ends in a slash."""
    is_gzip: bool = False
    max_urls: int = MAX_URLS
    max_bytes: int = MAX_BYTES

    @property
    def suffix(self) -> str:
        return ".xml.gz" if self.is_gzip else ".xml"

    @property
    def entry_name(self) -> str:
        return f"sitemap{self.suffix}"


def write_sitemaps(lines: Iterable[Line], target: Target) -> list[Written]:
    """All files that make up the sitemap now, the entry point first; older parts are removed."""
    _require_ours(target.directory / target.entry_name)
    parts = _parts(lines, target)
    first, second = next(parts), next(parts, None)
    if not first.urls:
        raise UsageError("there is no page in it, and a sitemap without any is none")
    if second is None:
        written = [_put(first, target.entry_name, target)]
    else:
        below = [
            _put(part, f"sitemap-{number}{target.suffix}", target)
            for number, part in enumerate(chain([first, second], parts), 1)
        ]
        written = [_put(_index(below, target), target.entry_name, target), *below]
    _remove_older(target.directory, {each.name for each in written})
    return written


def is_sitemap_of_ours(path: Path) -> bool:
    """By the mark at its beginning."""
    if not path.name.startswith("sitemap") or not path.name.endswith((".xml", ".xml.gz")):
        return False
    try:
        with path.open("rb") as file:
            start = file.read(_MARK_WITHIN_BYTES)
    except OSError:
        return False
    if start.startswith(GZIP_MAGIC):
        start = b"".join(gunzipped([start], lambda _: None))  # cut here: that it ends is no news
    return _MARK in start[:_MARK_WITHIN_BYTES]


def w3c_date(unix_seconds: float) -> str:
    """To the second, in UTC; empty where no calendar of four digits reaches."""
    if not 0 < unix_seconds <= _LAST_SECOND:
        return ""
    return datetime.fromtimestamp(int(unix_seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _parts(lines: Iterable[Line], target: Target) -> Iterator[_SitemapFile]:
    """As many as the limits ask for; an empty one if there is no line at all."""
    head = _HEAD + f'<urlset xmlns="{_SPACE}">\n'.encode()
    foot = b"</urlset>\n"
    whole = target.max_bytes - len(head) - len(foot)
    held: list[bytes] = []
    room = whole
    for line in lines:
        element = _element("url", line)
        if held and (len(held) == target.max_urls or len(element) > room):
            yield _SitemapFile(b"".join([head, *held, foot]), len(held))
            held, room = [], whole
        held.append(element)
        room -= len(element)
    yield _SitemapFile(b"".join([head, *held, foot]), len(held))


def _index(parts: list[Written], target: Target) -> _SitemapFile:
    elements = [
        _element(
            "sitemap",
            Line(target.base_url + part.name, (target.directory / part.name).stat().st_mtime),
        )
        for part in parts
    ]
    head, foot = f'<sitemapindex xmlns="{_SPACE}">\n'.encode(), b"</sitemapindex>\n"
    return _SitemapFile(b"".join([_HEAD, head, *elements, foot]), len(parts))


def _element(name: str, line: Line) -> bytes:
    """Its parts in the order of the schema."""
    parts = [f"<loc>{escape(line.url, _QUOTES)}</loc>"]
    if modified := w3c_date(line.modified):
        parts.append(f"<lastmod>{modified}</lastmod>")
    if line.change_frequency:
        parts.append(f"<changefreq>{line.change_frequency}</changefreq>")
    return f"<{name}>{''.join(parts)}</{name}>\n".encode()


def _put(part: _SitemapFile, name: str, target: Target) -> Written:
    path = target.directory / name
    _require_ours(path)
    body = gzip_member(part.body, is_plain_text=True) if target.is_gzip else part.body
    if not path.exists() or path.read_bytes() != body:
        write_whole(path, body)
    return Written(name, part.urls)


def _require_ours(path: Path) -> None:
    if path.exists() and not is_sitemap_of_ours(path):
        raise UsageError(
            f"{path} was made by somebody else; move it away, or write elsewhere with --output"
        )


def _remove_older(directory: Path, kept: set[str]) -> None:
    for path in directory.glob("sitemap*.xml*"):
        if path.name not in kept and is_sitemap_of_ours(path):
            path.unlink()
