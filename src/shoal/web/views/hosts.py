"""/sites: every host, what it is doing, and a word with it: pause, slow, exclude, and back."""

from shoal.collection.report.host_table import MOST_PAGES, SORTS, HostPage, host_page
from shoal.control import commands
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, form_text, number, text

_STATES = ("ready", "waits", "down", "paused", "excluded", "done")
_HOST = Parameter(
    "host", "A host as /sites names it.", required=True, must_be="a host that is known"
)
_SECONDS = Parameter(
    "seconds", "At least this long between two requests; 0: as set.", must_be="a time in seconds"
)
_BACK = Parameter("back", "The page of ours to go back to.")


class SitesPage(Struct):
    table: HostPage
    sort: str
    name: str
    state: str
    sorts: tuple[str, ...]
    states: tuple[str, ...]
    least_delay_seconds: float
    """What every host is given between two requests."""


def sites(site: Site, request: Request) -> Response:
    sort = text(request, "sort", 40) or "waiting"
    name, state = text(request, "name", 300).strip(), text(request, "state", 40)
    if state and state not in _STATES:
        raise Problem(400, f"There is no such state of a site; there are: {', '.join(_STATES)}.")
    page = number(request, "page", 1, 1, MOST_PAGES)
    with site.reading() as collection:
        table = host_page(collection, sort, page, name, state)
        delay = collection.config.politeness.delay
    shown = SitesPage(table, sort, name, state, tuple(SORTS), _STATES, delay)
    return site.answer(request, "sites.html", shown)


def pause(site: Site, request: Request) -> Response:
    host = form_text(request, "host", 300)
    told = commands.pause(site.place, host, paused=True)
    return _done(site, request, f"{host} is paused", told)


def resume(site: Site, request: Request) -> Response:
    host = form_text(request, "host", 300)
    told = commands.pause(site.place, host, paused=False)
    return _done(site, request, f"{host} goes on", told)


def slow(site: Site, request: Request) -> Response:
    host, given = form_text(request, "host", 300), form_text(request, "seconds", 40)
    try:
        seconds = float(given or 0)
    except ValueError:
        raise Problem(400, "The delay must be a number of seconds.") from None
    told = commands.slow(site.place, host, seconds)
    often = f"once in {seconds:g} s at most" if seconds else "as often as the settings allow"
    return _done(site, request, f"{host} is asked {often}", told)


def exclude(site: Site, request: Request) -> Response:
    host = form_text(request, "host", 300)
    told = commands.exclude(site.place, host, excluded=True)
    return _done(site, request, f"{host} is excluded", told)


def include(site: Site, request: Request) -> Response:
    host = form_text(request, "host", 300)
    told = commands.exclude(site.place, host, excluded=False)
    return _done(site, request, f"{host} is wanted again", told)


def _done(site: Site, request: Request, says: str, is_running: bool) -> Response:
    later = " from the next crawl on." if site.cluster is not None else "."
    when = "; the running crawl is told." if is_running else later
    return site.done(request, form_text(request, "back") or "/sites", says + when)


VIEWS = (
    View(
        "/sites",
        sites,
        "Every site: its state, what waits, what was fetched, its delay and why it waits.",
        parameters=(
            Parameter("sort", f"One of: {', '.join(SORTS)}.", one_of=tuple(SORTS)),
            Parameter("name", "Only hosts whose name contains this."),
            Parameter("state", f"One of: {', '.join(_STATES)}.", one_of=_STATES),
            Parameter("page", "From 1 on.", "integer"),
        ),
        data=SitesPage,
    ),
    View("/sites/pause", pause, "Ask nothing more of a host.", "POST", (_HOST, _BACK)),
    View("/sites/resume", resume, "Go on with a paused host.", "POST", (_HOST, _BACK)),
    View(
        "/sites/slow",
        slow,
        "Ask a host less often than the others.",
        "POST",
        (_HOST, _SECONDS, _BACK),
    ),
    View("/sites/exclude", exclude, "Want nothing more of a host.", "POST", (_HOST, _BACK)),
    View("/sites/include", include, "Go on with an excluded host.", "POST", (_HOST, _BACK)),
)
