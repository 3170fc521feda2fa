"""/crawl/…: start a crawl from the page, change it, stop it, hand it URLs.

What was typed is checked as on the command line; a refusal is shown in the form, with what was
typed still in it.
"""

from shoal.control import commands, launching
from shoal.control.launching import CrawlCommand
from shoal.errors import ShoalError, UsageError
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, form_text, sentence, wants_json
from shoal.web.views.begin import START, begin
from shoal.web.views.dashboard import dashboard_of

_PATIENCE_SECONDS = 30.0
_MOST_SEED_CHARS = 50_000
_COUNT = "a whole number"
_WISH = (
    Parameter("seeds", "URLs to start from, a line each; none: go on.", must_be="URLs of the web"),
    Parameter("max_pages", "Stop when so many pages are fetched.", must_be=_COUNT),
    Parameter("max_depth", "No deeper than this; a seed has depth 1.", must_be=_COUNT),
    Parameter("scope", "Which links are followed.", one_of=("host", "domain", "prefix", "any")),
    Parameter(
        "delay",
        "Seconds at a host between a response and the next request.",
        must_be="a time that its seeds' hosts can be asked by",
    ),
    Parameter("contact", "Where whoever runs a site can reach you.", must_be="a URL or a mail"),
    Parameter("max_bytes", "Stop when so much was received.", must_be="a size"),
    Parameter("forever", "yes: go on without end, and ask for stored pages again."),
)


def start(site: Site, request: Request) -> Response:
    command = _command(request)
    try:
        with site.watching.starting:
            launching.start(site.directory, command)
    except ShoalError as error:
        return _refused(site, request, command, error)
    return site.done(request, "/dashboard", "The crawl has started.")


def change(site: Site, request: Request) -> Response:
    """A running crawl keeps its settings: another goes on in its place."""
    command = _command(request)
    try:
        launching.checked(site.directory, command)
        if site.watching.is_running() and not commands.stop(site.directory, _PATIENCE_SECONDS):
            says = "The crawl was asked to end and still finishes what is in flight; try again."
            return site.done(request, "/dashboard", says)
        with site.watching.starting:
            launching.start(site.directory, command)
    except ShoalError as error:
        return _refused(site, request, command, error)
    return site.done(request, "/dashboard", "The crawl goes on with these settings.")


def stop(site: Site, request: Request) -> Response:
    commands.stop(site.directory, 0)
    says = "The crawl was asked to end; it finishes what is in flight."
    return site.done(request, "/dashboard", says)


def submit(site: Site, request: Request) -> Response:
    words = form_text(request, "urls", _MOST_SEED_CHARS).split()
    if not words:
        raise UsageError("name at least one URL")
    urls = [launching.web_url(word) for word in words]
    taken, is_running = commands.submit(site.place, urls)
    what = "1 URL is" if len(taken) == 1 else f"{len(taken):,} URLs are"
    how = "handed to the running crawl." if is_running else "queued for the next crawl."
    return site.done(request, form_text(request, "back") or "/dashboard", f"{what} {how}")


def _command(request: Request) -> CrawlCommand:
    return CrawlCommand(
        seeds=form_text(request, "seeds", _MOST_SEED_CHARS).split(),
        max_pages=form_text(request, "max_pages", 40).strip(),
        max_depth=form_text(request, "max_depth", 40).strip(),
        scope=form_text(request, "scope", 40).strip(),
        delay=form_text(request, "delay", 40).strip(),
        contact=form_text(request, "contact", 300).strip(),
        max_bytes=form_text(request, "max_bytes", 40).strip(),
        forever=form_text(request, "forever", 5).strip() == "yes",
    )


def _refused(site: Site, request: Request, command: CrawlCommand, error: ShoalError) -> Response:
    status = 400 if isinstance(error, UsageError) else 409
    if wants_json(request):
        raise Problem(status, sentence(str(error)))
    if not site.has_begun():
        return begin(site, request, command, str(error), status)
    page = dashboard_of(site, command, problem=str(error))
    return site.answer(request, "dashboard.html", page, status=status)


VIEWS = (
    View(START, start, "Start a crawl, or go on with it.", "POST", _WISH, only="collection"),
    View(
        "/crawl/change",
        change,
        "Stop the crawl and go on with other settings.",
        "POST",
        _WISH,
        only="collection",
    ),
    View("/crawl/stop", stop, "Ask the running crawl to end well.", "POST", only="collection"),
    View(
        "/crawl/submit",
        submit,
        "Fetch these URLs next, in the running crawl or the next.",
        "POST",
        (
            Parameter("urls", "URLs, a line each.", required=True, must_be="URLs of the web"),
            Parameter("back", "The page of ours to go back to."),
        ),
    ),
)
