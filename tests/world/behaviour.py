"""How can a host or a page misbehave?

Each behaviour is a small value that says one thing; several may hold for one request: waits add
up, the first answer wins, the last fault shapes the bytes, manners add up. Every behaviour can be
limited to the first `times` requests (counted per host or per URL), to `every` second or third one
(a page that flaps), to a share of them, or to a time of the world's clock; the dice are a function
of the seed, the URL and the attempt, so a run can be repeated whatever the order of arrival.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """What all behaviours share: how often they happen."""

    times: int | None = None
    probability: float = 1.0
    per: Literal["host", "url"] = "host"
    every: int = 1
    after_seconds: float = 0.0
    until_seconds: float | None = None


@dataclass(frozen=True)
class Latency(Behaviour):
    """Wait before answering: the seconds, and up to the jitter more."""

    seconds: float
    jitter_seconds: float = 0.0


# --- answers


@dataclass(frozen=True)
class Status(Behaviour):
    """Answer with this status; Retry-After as seconds, or as a date if `dated`."""

    code: int
    retry_after_seconds: int | None = None
    dated: bool = False


@dataclass(frozen=True)
class Redirect(Behaviour):
    """Send elsewhere: `to` is the Location as sent; `{target}` in it is the path asked for."""

    to: str
    code: int = 302


@dataclass(frozen=True)
class Chain(Behaviour):
    """So many redirects (`?hop=1`, `?hop=2`, …, relative) before the page itself."""

    hops: int
    code: int = 302


@dataclass(frozen=True)
class Loop(Behaviour):
    """Redirects that lead back to where they began, over so many URLs."""

    length: int = 2
    code: int = 302


@dataclass(frozen=True)
class Gone(Behaviour):
    """Not there any more; `after_seconds` says from when on."""

    code: int = 410


@dataclass(frozen=True)
class ContentType(Behaviour):
    """The same bytes under another (wrong) media type; empty: no Content-Type at all."""

    media_type: str


# --- manners: what a server says of its pages


@dataclass(frozen=True)
class Validators(Behaviour):
    """What ETag and Last-Modified are worth, and whether conditions are heard at all.

    `none` sends no such field, `new` another one each time, `stuck` for ever that of the original.
    """

    etag: Literal["true", "none", "new", "stuck"] = "true"
    last_modified: Literal["true", "none", "new", "stuck"] = "true"
    conditions: bool = True


@dataclass(frozen=True)
class Head(Behaviour):
    """How HEAD is answered when not as GET would be: 405, as if nothing ever changed, or 404."""

    answer: Literal["refused", "stuck", "missing"]


@dataclass(frozen=True)
class FrameClock(Behaviour):
    """A line with the time of day in the page's frame, later at each request.

    The bytes are never the same again, and ETag and Last-Modified follow the bytes.
    """

    where: Literal["header", "footer"] = "footer"


@dataclass(frozen=True)
class Header(Behaviour):
    """One more header field, such as Cache-Control."""

    name: str
    value: str


# --- faults of the wire


@dataclass(frozen=True)
class Hang(Behaviour):
    """Accept, read the request, send so many bytes of the answer, then nothing, ever."""

    after_bytes: int = 0


@dataclass(frozen=True)
class Drip(Behaviour):
    """Send the body slowly."""

    bytes_per_second: float


@dataclass(frozen=True)
class Endless(Behaviour):
    """A body without length or end."""

    bytes_per_second: float = 5_000_000.0


@dataclass(frozen=True)
class EndlessHeaders(Behaviour):
    """Header lines without end."""

    bytes_per_second: float = 5_000_000.0


@dataclass(frozen=True)
class Reset(Behaviour):
    """Reset the connection (RST) after so many bytes of the body; None: before any answer."""

    after_bytes: int | None = 100


@dataclass(frozen=True)
class WrongLength(Behaviour):
    """Content-Length off by so many bytes: above 0 promises too much, below 0 too little."""

    by: int


@dataclass(frozen=True)
class Chunked(Behaviour):
    """The body in chunks, as it should be (RFC 9112, section 7.1)."""

    chunk_bytes: int = 1_000


@dataclass(frozen=True)
class BadChunks(Behaviour):
    """A chunk that is fine, then one whose size is not a number."""


@dataclass(frozen=True)
class Http09(Behaviour):
    """The body alone: no status line, no headers."""


@dataclass(frozen=True)
class Bomb(Behaviour):
    """A gzip body that unpacks to so many bytes."""

    unpacked_bytes: int = 1_000_000_000


@dataclass(frozen=True)
class Close(Behaviour):
    """Close the connection after the answer, saying so."""


Manner = Validators | Head | FrameClock | Header
Answering = Status | Redirect | Chain | Loop | Gone
Fault = (
    Hang
    | Drip
    | Endless
    | EndlessHeaders
    | Reset
    | WrongLength
    | Chunked
    | BadChunks
    | Http09
    | Bomb
    | Close
)

_KINDS: dict[str, type[Behaviour]] = {
    kind.__name__: kind
    for kind in (
        Latency,
        Status,
        Redirect,
        Chain,
        Loop,
        Gone,
        ContentType,
        Validators,
        Head,
        FrameClock,
        Header,
        Hang,
        Drip,
        Endless,
        EndlessHeaders,
        Reset,
        WrongLength,
        Chunked,
        BadChunks,
        Http09,
        Bomb,
        Close,
    )
}


def to_json(behaviour: Behaviour) -> dict[str, Any]:
    return {"kind": type(behaviour).__name__, **asdict(behaviour)}


def from_json(fields: dict[str, Any]) -> Behaviour:
    values = {name: value for name, value in fields.items() if name != "kind"}
    return _KINDS[fields["kind"]](**values)
