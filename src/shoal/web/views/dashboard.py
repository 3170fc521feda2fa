"""/dashboard and /events: how the crawl stands, and how that changes.

The page is complete without a script; static/live.js replaces its numbers and plots with what
/events sends, once a second at most. Every number of the funnel is a link to what it counts.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from shoal.collection.report.sampling import Sample
from shoal.collection.report.sizes import Sizes
from shoal.collection.report.standing import Standing
from shoal.control.launching import CrawlCommand, defaults
from shoal.errors import ShoalError
from shoal.layout.snapshot import Live, Trouble
from shoal.model.record import Struct, to_json
from shoal.web.server.http import Request, Response, StreamingResponse, run_in_threadpool
from shoal.web.server.plots import WINDOW_SECONDS, Plot, plots
from shoal.web.server.series import EVERY_SECONDS, Look, Point
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, number
from shoal.web.views.funnel import Step, counts, funnel, inside

_KEEP_ALIVE_SECONDS = 15.0
_STREAM_SECONDS = 600.0
"""After which a stream ends: who still listens asks again by itself."""
_STILL_SECONDS = 10.0
"""How often a page is told of a collection at which nothing happens."""
_RETRY = b"retry: 1000\n\n"
_LEAST_RELOAD_SECONDS, _MOST_RELOAD_SECONDS = 2, 3600
EVERY = Parameter("every", "Load the page again after so many seconds.", "integer")


class Figures(Struct):
    """What changes from second to second, by the name that the page gives it."""

    state: str
    says: str
    counts: dict[str, int]
    pages_per_second: float
    in_flight: int
    reading: int
    active_sites: int
    ready_sites: int
    sites_with_work: int
    requests: int
    bytes: int


class Update(Struct):
    """One event: how it stands now, and the points since the last event."""

    figures: Figures
    points: list[Point]


class Dashboard(Struct):
    standing: Standing
    figures: Figures
    funnel: Step
    inside: Step
    """Documents inside others."""
    plots: list[Plot]
    points: list[Point]
    """When, pages/s, queued, bytes/s, errors/s; of the last five minutes."""
    trouble: list[Trouble]
    sites: int
    sample: Sample
    sizes: Sizes
    wish: CrawlCommand
    """What the form for a crawl starts with."""
    problem: str
    """Why what it asked for was refused."""
    every: int
    """Seconds after which the page is loaded again without a script; 0: it is not."""


def dashboard_of(
    site: Site, wish: CrawlCommand | None = None, problem: str = "", every: int = 0
) -> Dashboard:
    watching = site.watching
    look = watching.series.latest()
    points = watching.series.points(look.when - WINDOW_SECONDS)
    live = look.status.live
    return Dashboard(
        standing=look.standing,
        figures=figures(look),
        funnel=funnel(look.status),
        inside=inside(look.status),
        plots=plots(points, look.when),
        points=points,
        trouble=[] if live is None else live.trouble,
        sites=look.status.totals.get("sites", 0),
        sample=watching.sample.get(),
        sizes=watching.sizes.get(),
        wish=wish or (CrawlCommand() if site.cluster is not None else defaults(site.directory)),
        problem=problem,
        every=every,
    )


def figures(look: Look) -> Figures:
    status, live = look.status, look.status.live
    return Figures(
        state=look.standing.state,
        says=look.standing.says,
        counts=counts(funnel(status)) | (counts(inside(status)) if status.inside else {}),
        pages_per_second=0.0 if live is None else live.pages_per_second,
        in_flight=_live(live, "in_flight"),
        reading=_live(live, "reading"),
        active_sites=_live(live, "active_sites"),
        ready_sites=_live(live, "ready_sites"),
        sites_with_work=status.totals.get("sites_with_work", 0),
        requests=status.totals.get("requests", 0),
        bytes=status.totals.get("bytes", 0),
    )


def _live(live: Live | None, name: str) -> int:
    return 0 if live is None else int(getattr(live, name))


def dashboard(site: Site, request: Request) -> Response:
    return site.answer(request, "dashboard.html", dashboard_of(site, every=reload_seconds(request)))


def reload_seconds(request: Request) -> int:
    """How often a page wants to be loaded again without a script; 0: it does not."""
    every = number(request, "every", 0, 0, _MOST_RELOAD_SECONDS)
    return max(every, _LEAST_RELOAD_SECONDS) if every else 0


async def events(site: Site, request: Request) -> Response:
    """Server-sent events (WHATWG HTML, 9.2). Ends with the client, or with the server."""
    del request
    series = site.watching.series
    if not series.has_capacity():
        raise Problem(503, "Too many pages are watching; reload this one by hand.")
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(site), 200, headers, "text/event-stream")


async def _stream(site: Site) -> AsyncIterator[bytes]:
    with site.watching.series.listening() as has_capacity, suppress(ShoalError):
        if has_capacity:  # a collection that can't be read ends the stream; the client asks again
            async for event in _events(site):
                yield event


async def _events(site: Site) -> AsyncIterator[bytes]:
    series = site.watching.series
    look = await run_in_threadpool(series.latest)
    yield _event("history", Update(figures(look), series.points(look.when - WINDOW_SECONDS)))
    yield _RETRY
    told, silent_seconds, still_seconds = look, 0.0, 0.0
    until_s = time.monotonic() + _STREAM_SECONDS
    while not site.stopping.is_set() and time.monotonic() < until_s:
        await asyncio.sleep(EVERY_SECONDS)
        look = await run_in_threadpool(series.latest)
        is_news = (look.status, look.standing, look.cluster) != (
            told.status,
            told.standing,
            told.cluster,
        )
        still_seconds = 0.0 if is_news else still_seconds + EVERY_SECONDS
        if look.when > told.when and (is_news or still_seconds >= _STILL_SECONDS):
            yield _event("now", Update(figures(look), series.points(told.when)))
            told, silent_seconds, still_seconds = look, 0.0, 0.0
            continue
        silent_seconds += EVERY_SECONDS
        if silent_seconds >= _KEEP_ALIVE_SECONDS:
            silent_seconds = 0.0
            yield b": nothing new\n\n"


def _event(name: str, value: Update) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + to_json(value) + b"\n\n"


VIEWS = (
    View(
        "/dashboard",
        dashboard,
        "How the crawl stands: one sentence, rates, and counts that add up.",
        parameters=(EVERY,),
        data=Dashboard,
    ),
    View(
        "/events",
        events,
        "The same as it changes: an event `history`, then `now`, once a second at most.",
        twin=False,
        media_type="text/event-stream",
        data=Update,
    ),
)
