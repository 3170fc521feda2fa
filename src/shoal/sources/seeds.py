"""Where does a crawl start? What a person typed becomes seeds.

A word is a URL, a host as people write it (`example.org/x`), a local file or directory, or a list
of URLs, one a line: `-` is the standard input and `@FILE` a file; a file whose first line is a URL
is taken for a list without the `@`, and `file:///…` always means the file itself. What is none of
these is refused before anything is fetched, with the fix that is nearest: a misspelt seed that is
skipped would end in a collection of something else. An empty file is refused too, and binary data
whose name does not say that it is a document.
"""

import difflib
import mimetypes
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO
from urllib.parse import unquote_to_bytes

from shoal.config.values import described
from shoal.errors import UsageError
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.urls.params import DEFAULT, ParamRules
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import MAX_RAW, MAX_URL, canonical, is_ip, seen_key, site_of

SEED_PRIORITY = 0.5
SITEMAP_PRIORITY = 0.9
"""As of those that a robots.txt names: before pages."""

_WEB = ("http", "https")
_SCHEMES = (*_WEB, "ftp", "file")
_MISSPELT = 0.75
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?![0-9])")
_BARE = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\\\[\]]+)(?::(?P<port>[0-9]+))?(?:[/?#].*)?", re.DOTALL
)
_AUTHORITY = re.compile(r"https?:/*([^/?#]*)|[^:]*:(?://([^/?#]*))?", re.IGNORECASE)
_FILE_ENDINGS = (".html", ".htm", ".txt", ".pdf", ".xml", ".json", ".csv", ".warc", ".gz")
_LISTED_URL = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_COMMENT = re.compile(r"(?:\A|\s)#.*", re.DOTALL)


def read_seeds(
    words: Iterable[str], stdin: TextIO | None = None, params: ParamRules = DEFAULT
) -> list[Link]:
    """The seeds that the words name, in order, each once."""
    found: dict[str, Link] = {}
    for word in words:
        for url in _urls_of(word, stdin, params):
            link = Link(url, row_key(url), priority=SEED_PRIORITY, source=LinkSource.SEED)
            found.setdefault(seen_key(url), link)
    return list(found.values())


def read_sitemaps(words: Iterable[str], params: ParamRules = DEFAULT) -> list[Link]:
    """The sitemaps that the words name, in order."""
    found: dict[str, Link] = {}
    for word in words:
        url = named_url(word, params)
        if site_of(url).scheme not in _WEB:
            raise UsageError(f"a sitemap is read from http or https, not from {described(url)}")
        if seen_key(url) in found:
            raise UsageError(f"the sitemap {described(url)} is named twice; once is enough")
        link = Link(url, row_key(url), priority=SITEMAP_PRIORITY, source=LinkSource.SEED)
        link.rel = int(Rel.SITEMAP)
        found[seen_key(url)] = link
    return list(found.values())


def _urls_of(word: str, stdin: TextIO | None, params: ParamRules) -> Iterator[str]:
    if word == "-":
        if stdin is None:
            raise UsageError("'-' reads URLs from the standard input, but there is none here")
        yield from _listed(stdin, "the standard input", params)
    elif word.startswith("@"):
        yield from _list_file(Path(word[1:]), params)
    elif word and _is_there(Path(word)):
        path = Path(word)
        if path.is_dir() or (path.is_file() and not _looks_like_list(path)):
            yield _file_url(path)
        else:
            yield from _list_file(path, params)
    else:
        try:
            yield seed_url(word.strip(), params)
        except ValueError as error:
            raise UsageError(str(error)) from None


def _list_file(path: Path, params: ParamRules) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            yield from _listed(stream, path.name, params)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"the list of URLs {described(str(path))} can't be read: {why}") from None


def _listed(stream: TextIO, name: str, params: ParamRules) -> Iterator[str]:
    number, is_empty = 0, True
    while line := stream.readline(MAX_RAW + 1):
        number += 1
        if len(line) > MAX_RAW:
            raise UsageError(f"{name}, line {number}: longer than {MAX_RAW:,} characters")
        text = _COMMENT.sub("", line).strip()
        if not text:
            continue
        is_empty = False
        try:
            yield seed_url(text, params)
        except ValueError as error:
            raise UsageError(f"{name}, line {number}: {error}") from None
    if is_empty:
        raise UsageError(f"{name} names no URL; write one a line")


def _looks_like_list(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            text = stream.read(MAX_RAW)
    except OSError as error:
        shown = described(str(path))
        raise UsageError(f"the file {shown} can't be read: {error.strerror}") from None
    if not text.strip():
        raise UsageError(f"the file {described(str(path))} is empty: it names no URL")
    lines = (_COMMENT.sub("", line).strip() for line in text.splitlines())
    if _LISTED_URL.fullmatch(next(filter(None, lines), "")):
        return True
    if "\0" in text and mimetypes.guess_type(path.name)[0] is None:
        shown = described(str(path))
        raise UsageError(
            f"the file {shown} is neither a list of URLs nor a document that its name tells"
        )
    return False


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (OSError, ValueError):  # a name that is too long, or holds a NUL, is no file either
        return False
    return True


def _file_url(path: Path) -> str:
    """With a slash at the end of a directory, because scope and relative links go by it."""
    real = path.resolve()
    url = canonical(real.as_uri() + ("/" if real.is_dir() and real.name else ""))
    if url is None:
        raise UsageError(f"the path {described(str(path))} is too long for a URL")
    return url


def named_url(word: str, params: ParamRules = DEFAULT) -> str:
    """The URL that one word means, as a seed would: a file that is here, else `seed_url`."""
    path = Path(word)
    try:
        is_file = word and not _SCHEME.match(word) and _is_there(path)
        return _file_url(path) if is_file else seed_url(word.strip(), params)
    except ValueError as error:
        is_path = not _SCHEME.match(word) and ("/" in word or word.startswith("."))
        hint = "; a file that has gone is named by file:///…" if is_path else ""
        raise UsageError(f"{error}{hint}") from None


def gone_path(word: str) -> bytes:
    """The whole path that a word is, of what can't be reached here; empty: it is no such path. A
    link at its end is not followed: it may lead nowhere."""
    if not word or _SCHEME.match(word) or "\0" in word or _is_there(Path(word)):
        return b""
    path = Path(word).absolute()
    return os.path.normpath(os.fsencode(path.parent.resolve() / path.name))


def seed_url(text: str, params: ParamRules = DEFAULT) -> str:
    """The canonical URL that a person meant; a ValueError says what is wrong, and the fix."""
    scheme = _SCHEME.match(text)
    if scheme is None:
        return _from_bare(text, params)
    name, rest = scheme[1].lower(), text[scheme.end() :]
    if name not in _SCHEMES:
        meant = difflib.get_close_matches(name, ("https", "http"), n=1, cutoff=_MISSPELT)
        if meant:
            fix = f"{meant[0]}://{rest.lstrip('/')}"
            raise ValueError(f"{described(text)} is no URL; did you mean {described(fix)}?")
        if not rest.startswith("//"):
            raise ValueError(f"{described(text)} can't be crawled; write a URL such as https://…")
    url = canonical(text, rules=params)
    site = site_of(url) if url else None
    if url is None or site is None or not (site.host or site.scheme == "file"):
        raise ValueError(f"{described(text)} is no URL: {_fault(text)}")
    return _as_directory(url) if site.scheme == "file" and not site.host else url


def _as_directory(url: str) -> str:
    path = Path(os.fsdecode(unquote_to_bytes(url.removeprefix("file://"))))
    is_directory = _is_there(path) and path.is_dir()
    return f"{url}/" if is_directory and not url.endswith("/") else url


def _from_bare(text: str, params: ParamRules) -> str:
    bare = _BARE.fullmatch(text)
    shown = described(text)
    if bare is None:
        raise ValueError(f"{shown} is no URL; {_advice(text)}")
    if text.startswith((".", "~")):
        raise ValueError(f"there is no file or directory {shown}")
    host, port = bare["host"].lower(), bare["port"]
    if is_ip(host) or host == "localhost" or host.endswith(".localhost") or port == "80":
        scheme = "http"  # nobody has a certificate for these
    elif "." not in host:
        raise ValueError(f"{shown} is no URL and no file here; for a host write http://{text}")
    elif text.lower().endswith(_FILE_ENDINGS) and host == text.lower():
        raise ValueError(f"there is no file {shown} here; for a host write https://{text}")
    else:
        scheme = "https"
    url = canonical(f"{scheme}://{text}", rules=params)
    if url is None or not site_of(url).host:
        raise ValueError(f"{shown} is no URL: {_fault(f'{scheme}://{text}')}")
    return url


def _advice(text: str) -> str:
    if not text.strip():
        return "write one such as https://example.org/"
    if text.startswith("/"):
        return "and there is no such file or directory"
    if re.fullmatch(r"[^\s@/]+@[^\s@/]+", text):
        return f"it looks like a mail address; did you mean https://{text.partition('@')[2]}/?"
    if re.search(r"\s", text):
        return "one URL at a time; a space within one is written %20"
    return f"did you mean {described('https://' + text.lstrip(':/'))}?"


def _fault(text: str) -> str:
    authority = _AUTHORITY.match(text)
    host = (authority[1] or authority[2] or "") if authority else ""
    port = re.search(r":([0-9]+)\Z", host)
    if not host:
        return "it names no host"
    if port and int(port[1][:9]) > 65535:
        return "its port is above 65,535"
    if len(text) > MAX_URL:
        return f"it is longer than {MAX_URL:,} characters"
    return f"{described(host)} is no host name"
