"""How does real HTML become a closed web? Pages are chosen by following their links, then each link
is made to lead to a chosen page or nowhere.

Nothing else of a page is touched. A link to a page on another address becomes absolute, a link
out of the set keeps its text and loses its `href` (it is renamed, so the page keeps its size).
Chosen are the first pages in breadth-first order from each start, so that all of them can be
reached by plain `a` elements: the only kind of link that every crawler follows. The outcome
depends on the files alone.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from benchmarks.packages import Documentation

_MOST_BYTES = 200_000
"""A few change logs and indexes are larger; with them the mean would say little."""
_PLAIN_NAME = re.compile(r"[\w./-]+", re.ASCII)
# What looks like a tag in a script or a comment is none; it is matched first and left alone.
_TAG = re.compile(
    rb"""<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->"""
    rb"""|<(a|area|link|iframe|frame)(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)>""",
    re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(
    rb"""(?<=[\s"'/])(href|src)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE
)
# Pages that send a crawler elsewhere or forbid it something: crawlers differ in how they take it.
_SPECIAL = re.compile(
    rb"""<base\s|<meta[^>]*(http-equiv\s*=\s*["']?refresh|name\s*=\s*["']?robots)""",
    re.IGNORECASE,
)
_FOLLOWED = (b"a", b"area")
_NOWHERE = "http://nowhere.invalid"


class Reference(NamedTuple):
    path: str
    """The page it leads to, from the root of the tree; empty when it leads out of it."""
    plain: bool
    """Whether it spells that path as it is, so that it can be left alone on one host."""
    fragment: str


class Page(NamedTuple):
    path: str
    body: bytes

    def follows(self) -> Iterator[str]:
        """The paths that any crawler would follow, in order."""
        for tag in _tags(self.body):
            if tag[1].lower() not in _FOLLOWED or b"nofollow" in tag[2].lower():
                continue
            for reference in _REFERENCE.finditer(tag[2]):
                if path := resolve(self.path, reference[3]).path:
                    yield path


def _tags(body: bytes) -> Iterator[re.Match[bytes]]:
    return (tag for tag in _TAG.finditer(body) if tag[1])


def resolve(base: str, written: bytes) -> Reference:
    text = unescape(written.decode("latin-1").strip("\"'")).strip()
    try:
        parts = urlsplit(urljoin(_NOWHERE + base, text))
    except ValueError:
        return Reference("", False, "")
    if f"{parts.scheme}://{parts.netloc}" != _NOWHERE or parts.query or "?" in text:
        return Reference("", False, "")
    path = unquote(parts.path)
    path += "index.html" if path.endswith("/") else ""
    return Reference(path, path == parts.path, parts.fragment)


def choose(documentation: Documentation, count: int) -> tuple[list[str], dict[str, Page]]:
    """Up to `count` pages that are linked together, and the starts from which all are reached."""
    pages = _Shelf(documentation.root)
    walks = [pages.walk(start) for start in documentation.starts]
    in_turn = (page for turn in zip_longest(*walks) for page in turn if page is not None)
    chosen = {page.path: page for page in islice(in_turn, count)}
    starts = [path for start in documentation.starts if (path := pages.path(start)) in chosen]
    return starts, chosen


class _Shelf:
    """Reads pages, each once: a second path to the same bytes is not another page."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._met: set[str] = set()
        self._digests: set[bytes] = set()

    def path(self, file: Path) -> str:
        return "/" + file.relative_to(self._root).as_posix()

    def walk(self, start: Path) -> Iterator[Page]:
        """Breadth first, without what an earlier walk has met."""
        reached = [self.path(start)]
        for path in reached:
            page = self._take(path)
            if page is not None:
                yield page
                reached += dict.fromkeys(page.follows())

    def _take(self, path: str) -> Page | None:
        if path in self._met:
            return None
        self._met.add(path)
        file = self._root / path[1:]
        if not path.endswith((".html", ".htm")) or not _PLAIN_NAME.fullmatch(path):
            return None
        if ".." in path or file.is_symlink() or not file.is_file():
            return None
        body = file.read_bytes()
        digest = hashlib.sha256(body).digest()
        if digest in self._digests or not _is_usable(body):
            return None
        self._digests.add(digest)
        return Page(path, body)


def _is_usable(body: bytes) -> bool:
    if not 0 < len(body) <= _MOST_BYTES or b"\0" in body or _SPECIAL.search(body):
        return False
    return sorted(_as_written(body)) == sorted(_as_parsed(body))


def _as_written(body: bytes) -> Iterator[str]:
    for tag in _tags(body):
        for reference in _REFERENCE.finditer(tag[2]):
            yield unescape(reference[3].decode("latin-1").strip("\"'")).strip()


def _as_parsed(body: bytes) -> Iterator[str]:
    """What a browser's parser finds: a page that we would misread is left out."""
    for node in LexborHTMLParser(body.decode("latin-1")).css("a, area, link, iframe, frame"):
        for name in ("href", "src"):
            if (value := node.attributes.get(name)) is not None:
                yield value.strip()


def close(page: Page, address_of: Callable[[str], str]) -> bytes:
    """The page with every link inside the set; `address_of` a path is empty outside it."""
    own = address_of(page.path)

    def mend(reference: re.Match[bytes]) -> bytes:
        path, plain, fragment = resolve(page.path, reference[3])
        address = address_of(path)
        if not address:
            return b"data-outside" + reference[2] + reference[3]
        if address == own and plain:
            return reference[0]
        tail = f"#{fragment}" if fragment else ""
        target = f"http://{address}{path}{tail}".encode("latin-1")
        return reference[1] + reference[2] + b'"' + target + b'"'

    return _TAG.sub(
        lambda tag: _REFERENCE.sub(mend, tag[0]) if tag[1] else tag[0],
        page.body,
    )
