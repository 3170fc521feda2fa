"""/failures: what could not be had, by cause, and another try."""

from shoal.control import commands
from shoal.layout.snapshot import Trouble
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, form_text

_WORDS = {
    "timeout": "no answer in time",
    "connect": "no connection",
    "dns": "the name is not known",
    "tls": "no secure connection",
    "busy": "the server is busy (429, 503)",
    "server error": "a fault of the server (5xx)",
    "forbidden": "the server refuses (403)",
    "unauthorized": "a login is wanted (401)",
    "client error": "the server does not understand (4xx)",
    "broken answer": "the answer broke off",
    "bad redirect": "a redirect that leads nowhere",
    "404": "not found",
    "410": "gone for good",
}


class Cause(Struct):
    reason: str
    about: str
    count: int
    href: str
    """The URLs."""


class Failures(Struct):
    failed: int
    causes: list[Cause]
    gone: list[Cause]
    """Not failures, but answers: the page is not there."""
    trouble: list[Trouble]


def failures_of(site: Site) -> Failures:
    status = site.watching.series.latest().status
    live = status.live

    def cause(state: str, reason: str, count: int) -> Cause:
        about = _WORDS.get(reason, "")
        return Cause(reason, about, count, path("/urls", state=state, reason=reason))

    return Failures(
        failed=status.failed,
        causes=[cause("failed", reason, n) for reason, n in status.failed_by_reason.items()],
        gone=[cause("gone", reason, n) for reason, n in status.gone_by_status.items()],
        trouble=[] if live is None else live.trouble,
    )


def failures(site: Site, request: Request) -> Response:
    return site.answer(request, "failures.html", failures_of(site))


def retry(site: Site, request: Request) -> Response:
    reason, host = form_text(request, "reason", 200), form_text(request, "host", 300)
    is_running = commands.retry(site.place, reason, host)
    what = f"What failed ({reason})" if reason else "What failed"
    when = "; the running crawl is told." if is_running else " in the next crawl."
    back = form_text(request, "back") or "/failures"
    return site.done(request, back, f"{what} is fetched again{when}")


VIEWS = (
    View("/failures", failures, "What could not be had, by cause.", data=Failures),
    View(
        "/failures/retry",
        retry,
        "Queue again what failed.",
        "POST",
        (
            Parameter(
                "reason",
                "A cause or a status, as /failures names it; empty: any failure.",
                must_be="a cause that is counted",
            ),
            Parameter("host", "Only what failed at this host.", must_be="a host that is known"),
            Parameter("back", "The page of ours to go back to."),
        ),
    ),
)
