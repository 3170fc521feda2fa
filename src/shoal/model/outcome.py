"""How did a fetch end? One table of outcomes, with a row for every HTTP status of RFC 9110.

The world's faults are values, never exceptions. What follows from an outcome (how long to wait, how
many tries, whether the site is to blame, what the page's state becomes) stands in `TREATMENT` and
nowhere else.
"""

from enum import StrEnum
from http import HTTPStatus
from typing import NamedTuple


class State(StrEnum):
    """Where a URL stands. Every known URL is in exactly one; `Counts` adds them up."""

    QUEUED = "queued"
    FETCHED = "fetched"
    UNCHANGED = "unchanged"  # what an older release left: by now such a page stays fetched
    REDIRECT = "redirect"
    GONE = "gone"
    EXCLUDED = "excluded"
    FAILED = "failed"
    SOURCE = "source"  # a sitemap or a feed that was read: no page


ANSWERED = (State.FETCHED, State.UNCHANGED, State.REDIRECT, State.GONE, State.SOURCE)


class Outcome(StrEnum):
    # answers
    OK = "ok"
    UNCHANGED = "unchanged"
    CHANGED = "changed"  # as a HEAD says: it is asked for whole
    REDIRECT = "redirect"
    MISSING = "missing"
    GONE = "gone"
    EMPTY_ANSWER = "no content"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    BAD_REQUEST = "client error"
    BUSY = "busy"
    SERVER_ERROR = "server error"
    ODD_STATUS = "odd status"
    # no answer
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    BROKEN = "broken answer"
    DROPPED = "dropped"  # a kept connection was closed instead: it is asked again on a new one
    TOO_LARGE = "headers too large"
    BAD_REDIRECT = "bad redirect"
    NO_SCHEME = "no fetcher"
    PRIVATE = "private address"
    # not asked
    REFUSED = "refused"
    CANCELLED = "cancelled"


class Treatment(NamedTuple):
    state: State
    """What the page becomes when its tries are used up."""
    tries: int
    """How often one URL is asked in all."""
    wait: float
    """Seconds before the second try; doubled for each further one."""
    blames_site: bool
    """Counts towards the site's back-off; an answer that does not blame forgives it."""


TREATMENT: dict[Outcome, Treatment] = {
    Outcome.OK: Treatment(State.FETCHED, 1, 0, False),
    Outcome.UNCHANGED: Treatment(State.FETCHED, 1, 0, False),
    Outcome.CHANGED: Treatment(State.QUEUED, 1, 0, False),
    Outcome.REDIRECT: Treatment(State.REDIRECT, 1, 0, False),
    Outcome.MISSING: Treatment(State.GONE, 1, 0, False),
    Outcome.GONE: Treatment(State.GONE, 1, 0, False),
    Outcome.EMPTY_ANSWER: Treatment(State.FETCHED, 1, 0, False),
    Outcome.UNAUTHORIZED: Treatment(State.FAILED, 1, 0, False),
    Outcome.FORBIDDEN: Treatment(State.FAILED, 1, 0, False),
    Outcome.BAD_REQUEST: Treatment(State.FAILED, 1, 0, False),
    Outcome.BUSY: Treatment(State.FAILED, 5, 0, True),  # the host's own clock decides when
    Outcome.SERVER_ERROR: Treatment(State.FAILED, 3, 10, True),
    Outcome.ODD_STATUS: Treatment(State.FAILED, 1, 0, False),
    Outcome.DNS: Treatment(State.FAILED, 3, 5, True),
    Outcome.CONNECT: Treatment(State.FAILED, 3, 5, True),
    Outcome.TLS: Treatment(State.FAILED, 2, 10, True),
    Outcome.TIMEOUT: Treatment(State.FAILED, 3, 10, True),
    Outcome.BROKEN: Treatment(State.FAILED, 2, 10, True),
    Outcome.DROPPED: Treatment(State.QUEUED, 1, 0, False),  # no try of the page's: see core.py
    Outcome.TOO_LARGE: Treatment(State.FAILED, 1, 0, True),
    Outcome.BAD_REDIRECT: Treatment(State.FAILED, 1, 0, False),
    Outcome.NO_SCHEME: Treatment(State.EXCLUDED, 1, 0, False),
    Outcome.PRIVATE: Treatment(State.EXCLUDED, 1, 0, False),
    Outcome.REFUSED: Treatment(State.EXCLUDED, 1, 0, False),
    Outcome.CANCELLED: Treatment(State.QUEUED, 1, 0, False),
}

STATUS: dict[int, Outcome] = {
    # 1xx never ends a request; a final one is a broken answer.
    **dict.fromkeys((100, 101, 102, 103), Outcome.BROKEN),
    **dict.fromkeys((200, 201, 202, 203, 206), Outcome.OK),
    **dict.fromkeys((204, 205), Outcome.EMPTY_ANSWER),
    # 300 without a Location is read as a page, see `of_status`.
    **dict.fromkeys((300, 301, 302, 303, 307, 308), Outcome.REDIRECT),
    304: Outcome.UNCHANGED,
    305: Outcome.ODD_STATUS,  # Use Proxy: deprecated, never obeyed
    **dict.fromkeys((400, 405, 406, 409, *range(411, 419), 421, 422), Outcome.BAD_REQUEST),
    **dict.fromkeys((424, 426, 428, 431, 505, 510), Outcome.BAD_REQUEST),
    501: Outcome.BAD_REQUEST,  # the method is not supported: asking again gives the same
    **dict.fromkeys((401, 407), Outcome.UNAUTHORIZED),
    **dict.fromkeys((402, 403, 423, 451), Outcome.FORBIDDEN),
    511: Outcome.FORBIDDEN,  # a captive portal: nothing of the site's is behind it
    404: Outcome.MISSING,
    408: Outcome.TIMEOUT,
    410: Outcome.GONE,
    **dict.fromkeys((425, 429, 503), Outcome.BUSY),
    **dict.fromkeys((500, 502, 504, 506, 507, 508), Outcome.SERVER_ERROR),
}

_BY_CLASS = {
    1: Outcome.BROKEN,
    2: Outcome.OK,
    3: Outcome.ODD_STATUS,
    4: Outcome.BAD_REQUEST,
    5: Outcome.SERVER_ERROR,
}


def of_status(status: int, has_location: bool = True) -> Outcome:
    """The outcome of a final HTTP status; unknown ones count as their class (RFC 9110, 15)."""
    outcome = STATUS.get(status) or _BY_CLASS.get(status // 100, Outcome.ODD_STATUS)
    if outcome is Outcome.REDIRECT and not has_location:
        return Outcome.OK if status == HTTPStatus.MULTIPLE_CHOICES else Outcome.BAD_REDIRECT
    return outcome
