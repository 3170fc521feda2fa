"""What is a view? A path, who answers there, and what may be asked: routes and OpenAPI are made
out of the same table (routes.py), so that neither can say what the other does not.

A handler is a plain function `(site, request) -> Response` that runs in a thread, or a coroutine
function for what stays open (a stream of events). What cannot be answered is raised as a `Problem`
or any `ShoalError`: it becomes a page, or JSON, with one sentence.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.errors import ShoalError
from shoal.web.server.http import Request, Response

if TYPE_CHECKING:
    from shoal.web.server.site import Site

HEALTH = "/health"
"""The one view that is open without a token."""
MOST_TEXT_CHARS = 4000
"""Of one parameter; what is longer is refused."""

_INTEGER = re.compile(r"-?[0-9]{1,300}")
_SWITCHES = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)

Handler = Callable[["Site", Request], Response | Awaitable[Response]]
ParameterKind = Literal["string", "integer", "boolean"]


class Problem(ShoalError):
    """Why there is no answer, in one sentence, and the status that says so to programs."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status


@dataclass(frozen=True)
class Parameter:
    """Of the query; of the form when the view's method is POST."""

    name: str
    about: str
    kind: ParameterKind = "string"
    required: bool = False
    one_of: tuple[str, ...] = ()
    """All that it may be, beside empty."""
    pattern: str = ""
    """What it must match as a whole."""


@dataclass(frozen=True)
class View:
    path: str
    handler: Handler
    summary: str
    method: Literal["GET", "POST"] = "GET"
    parameters: tuple[Parameter, ...] = ()
    twin: bool = True
    """Whether the same stands as JSON at the path with `.json` behind it."""
    media_type: str = "text/html"
    data: type | None = None
    """What the JSON twin consists of, or each event of a stream, for OpenAPI."""
    leads_elsewhere: bool = False
    """Whether its answer is another address; that of a POST always is."""
    for_readers: bool = False
    """Whether everyone who may read something here may ask; else the owner alone."""
    only: Literal["", "collection", "cluster"] = ""
    """What it is a view of; empty: of both."""


def must_fit(view: View, given: Iterable[tuple[str, str]]) -> None:
    """Refuses what the description of a view does not allow; what only its handler understands is
    left to it."""
    told: dict[str, list[str]] = {}
    for name, value in given:
        told.setdefault(name, []).append(value)
    for each in view.parameters:
        values = told.get(each.name, [])
        if len(values) > 1:
            raise Problem(400, f"{each.name} is given more than once.")
        if each.kind == "integer" and values and not _INTEGER.fullmatch(values[0]):
            raise Problem(400, f"{each.name} must be a whole number.")
        if each.pattern and values and values[0] and not re.fullmatch(each.pattern, values[0]):
            raise Problem(400, f"{each.name} is not understood.")
        if each.kind == "boolean" and values and values[0].lower() not in _SWITCHES:
            raise Problem(400, f"{each.name} must be true or false.")


def text(request: Request, name: str, most: int = MOST_TEXT_CHARS) -> str:
    """A parameter of the query; empty when it is not given."""
    return _bounded(name, request.query_params.get(name, ""), most)


def number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A whole number of the query, brought into its bounds; what is none is refused."""
    given = text(request, name, 400)
    return default if not given else min(most, max(least, _whole(name, given)))


def switch(request: Request, name: str) -> bool:
    return _SWITCHES.get(text(request, name, 40).lower(), False)


def form(request: Request) -> Mapping[str, str]:
    """The fields of a POST; its CSRF token was checked before the handler was called."""
    fields: Mapping[str, str] = request.state.form
    return fields


def form_text(request: Request, name: str, most: int = MOST_TEXT_CHARS) -> str:
    return _bounded(name, form(request).get(name, ""), most)


def wants_json(request: Request) -> bool:
    return request.url.path.endswith(".json") or request.url.path == HEALTH


def sentence(text: str) -> str:
    """What an error says, as a sentence of a page."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _bounded(name: str, given: str, most: int) -> str:
    if len(given) > most:
        raise Problem(400, f"{name} is longer than {most:,} characters.")
    return given.replace("\x00", "")


def _whole(name: str, given: str) -> int:
    try:
        return int(given)
    except ValueError:
        raise Problem(400, f"{name} must be a whole number.") from None
