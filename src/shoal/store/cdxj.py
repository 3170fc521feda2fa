"""Where is a URL in the archive, for other programs? CDXJ: one sorted line per record, on demand.

A line is `SURT TIMESTAMP JSON`, as pywb and its kin read it: they turn a URL into its SURT and look
it up by binary search, so the key follows the Internet Archive's habits (the scheme, `www.` and a
trailing slash left out, escapes and dots undone, lower case, ids of sessions left out, parameters
in order), as the package `surt` makes it, and lines are in the order of their
bytes. The lines are made from the WARC files alone. More of them than fit are sorted in runs on
disk.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from shoal.model.record import Struct, to_json
from shoal.model.urls.rowkey import DEFAULT_PORTS
from shoal.store import archive
from shoal.store.members import Member, members

_HEAD_BYTES = 1 << 20
_LINES_PER_RUN = 200_000
_INDEXED = ("response", "revisit")
_REVISIT_MEDIA_TYPE = "warc/revisit"
_UNKNOWN_MEDIA_TYPE = "unk"
_WWW = re.compile(r"www\d*\.")
_STATUS = re.compile(rb"\S+ +([0-9]{3})(?![0-9])")
_NEST = re.compile(rb"%(?:25)+")
_KEPT = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PATH_SESSIONS = (
    re.compile(r"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$"),
    re.compile(r"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$"),
)
_QUERY_SESSIONS = tuple(
    re.compile(rf"^(.*){session}(?:&(.*))?$")
    for session in (
        *("jsessionid=[0-9a-z]{32}", "phpsessid=[0-9a-z]{32}", "sid=[0-9a-z]{32}"),
        *("aspsessionid[a-z]{8}=[a-z]{24}", "cfid=[^&]+&cftoken=[^&]+"),
    )
)
"""What the Internet Archive leaves out of a key, in lower case."""
_NOT_IN_A_KEY = re.compile(r"[\x00-\x20]")


class Capture(Struct):
    """The JSON of a line. Numbers are written as text, as the tools expect."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str


class Entry(NamedTuple):
    timestamp: str
    """Fourteen digits, UTC."""
    capture: Capture

    @property
    def line(self) -> str:
        return f"{surt(self.capture.url)} {self.timestamp} {to_json(self.capture).decode()}"


Wanted = Callable[[Entry], bool]


def lines(warc_directory: Path, wanted: Wanted | None = None) -> Iterator[str]:
    """The index of all archive files, in the order of `LC_ALL=C sort`."""
    found = entries(warc_directory)
    return in_order(entry.line for entry in found if wanted is None or wanted(entry))


def entries(warc_directory: Path, start: tuple[str, int] = ("", 0)) -> Iterator[Entry]:
    """Every response and revisit, in the order in which they were archived; from a file and an
    offset on."""
    first, first_offset = start
    for path in archive.files(warc_directory):
        if path.name < first:
            continue
        offset = first_offset if path.name == first else 0
        for member in members(path, offset, head_bytes=_HEAD_BYTES):
            entry = _entry(path.name, member)
            if entry is not None:
                yield entry


def surt(url: str) -> str:
    """`https://www.Example.org:8443/A/?b=2&a` is `org,example:8443)/a?a&b=2`."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # brackets or a port that make no sense
        return _NOT_IN_A_KEY.sub(_escaped, url)
    if not host:
        return _NOT_IN_A_KEY.sub(_escaped, url)
    labels = _WWW.sub("", _bare(host), count=1).split(".")
    shown_port = "" if port in (None, DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    query = _query(parts.query)
    tail = f"{_path(parts.path)}{'?' if query else ''}{query}"
    return _NOT_IN_A_KEY.sub(_escaped, f"{','.join(reversed(labels))}{shown_port}){tail}")


def _bare(host: str) -> str:
    return host.replace("..", ".").strip(".")


def _path(path: str) -> str:
    """Unescaped, without dots and empty parts, escaped once, without the id of a session."""
    kept: list[str] = []
    *before, last = _unescaped(path).decode("latin-1").split("/")[1:] or [""]
    for part in (*before, last):
        if part == ".." and kept:
            kept.pop()
        elif part != ".":
            kept.append(part)
    inner = "".join(f"{part}/" for part in kept[:-1] if part)
    whole = _escaped_once(f"/{inner}{kept[-1] if kept else ''}".encode("latin-1")).lower()
    for pattern in _PATH_SESSIONS:
        whole = pattern.sub(r"\1\2", whole)
    return whole[:-1] if whole.endswith("/") and len(whole) > 1 else whole


def _query(query: str) -> str:
    """Unescaped and escaped once, without the ids of sessions, its parameters in order."""
    whole = _escaped_once(_unescaped(query)).lower()
    for pattern in _QUERY_SESSIONS:
        whole = pattern.sub(lambda found: found[1] + (found[2] or ""), whole)
    return "&".join(sorted(whole.split("&"), key=lambda param: param.split("=", 1)))


def _unescaped(text: str) -> bytes:
    """As often as there is something to unescape; a nest of %25 goes at once."""
    data = text.encode("utf-8", "surrogatepass")
    while True:
        plain = unquote_to_bytes(_NEST.sub(b"%", data))
        if plain == data:
            return data
        data = plain


def _escaped_once(data: bytes) -> str:
    return quote_from_bytes(data, safe=_KEPT)


def _escaped(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02x}"


def _entry(filename: str, member: Member) -> Entry | None:
    head, _, block = member.head.partition(b"\r\n\r\n")
    fields = _fields(head)
    timestamp = re.sub(r"\D", "", fields.get("warc-date", ""))[:14]
    url = fields.get("warc-target-uri", "").strip("<>")  # WARC 1.0 had it in brackets
    kind = fields.get("warc-type", "")
    if kind not in _INDEXED or not url or len(timestamp) < 14:
        return None
    http_head = block.partition(b"\r\n\r\n")[0]
    status = _STATUS.match(http_head)
    media_type = _fields(http_head).get("content-type", "").partition(";")[0].strip().lower()
    capture = Capture(
        url=url,
        mime=_REVISIT_MEDIA_TYPE if kind == "revisit" else media_type or _UNKNOWN_MEDIA_TYPE,
        status=status[1].decode() if status else "-",
        digest=fields.get("warc-payload-digest", "-"),
        length=str(member.length),
        offset=str(member.offset),
        filename=filename,
    )
    return Entry(timestamp, capture)


def _fields(head: bytes) -> dict[str, str]:
    found = {}
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, _, value = line.partition(":")
        found[name.strip().lower()] = value.strip()
    return found


def in_order(unsorted: Iterable[str], lines_per_run: int = _LINES_PER_RUN) -> Iterator[str]:
    """Sorted in memory as long as they fit, else merged from sorted runs."""
    rest = iter(unsorted)
    run = sorted(islice(rest, lines_per_run))
    with ExitStack() as files:
        runs: list[Iterator[str]] = []
        while len(run) == lines_per_run:
            file = files.enter_context(TemporaryFile("w+", encoding="utf-8", newline="\n"))
            file.writelines(f"{line}\n" for line in run)
            file.seek(0)
            runs.append(line.removesuffix("\n") for line in file)
            run = sorted(islice(rest, lines_per_run))
        yield from merge(*runs, run)
