"""/store, /freshness, /duplicates, /runs, /log: what a collection holds, how old it is, what it
says twice, which crawls made it, and what they said."""

from shoal.collection.report.freshness import Freshness
from shoal.collection.report.repeats import Repeats
from shoal.collection.report.sampling import Sample
from shoal.collection.report.sizes import Sizes
from shoal.control.launching import log_tail
from shoal.layout.layout import Layout
from shoal.layout.runs import MOST_RUNS, Run
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.plots import Plot
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, number
from shoal.web.views.trends import trends


class StorePage(Struct):
    sizes: Sizes
    sample: Sample
    pages: int
    totals: dict[str, int]


class FreshnessPage(Struct):
    freshness: Freshness
    sample: Sample
    trends: list[Plot]
    """Freshness, age and time since the last fetch, over time."""


class DuplicatesPage(Struct):
    duplicates: int
    """Pages that another stands for."""
    repeats: Repeats


class RunsPage(Struct):
    runs: list[Run]
    """The newest first."""


class LogPage(Struct):
    lines: list[str]
    """Oldest first."""
    path: str


def store(site: Site, request: Request) -> Response:
    watching = site.watching
    status = watching.series.latest().status
    pages = status.fetched + status.unchanged
    page = StorePage(watching.sizes.get(), watching.sample.get(), pages, status.totals)
    return site.answer(request, "store.html", page)


def freshness(site: Site, request: Request) -> Response:
    watching = site.watching
    found = watching.freshness.get()
    page = FreshnessPage(found, watching.sample.get(), trends(found.over_time))
    return site.answer(request, "freshness.html", page)


def duplicates(site: Site, request: Request) -> Response:
    status = site.watching.series.latest().status
    count = status.fetched_by_fate.get("duplicate", 0)
    return site.answer(
        request, "duplicates.html", DuplicatesPage(count, site.watching.repeats.get())
    )


def runs(site: Site, request: Request) -> Response:
    with site.reading() as collection:
        found = collection.runs()
    return site.answer(request, "runs.html", RunsPage(found[:MOST_RUNS]))


def log(site: Site, request: Request) -> Response:
    most = number(request, "lines", 200, 1, 1000)
    layout = Layout(site.directory)
    page = LogPage(log_tail(layout, most_lines=most), str(layout.log))
    return site.answer(request, "log.html", page)


VIEWS = (
    View("/store", store, "Room on the disk, status codes and types.", data=StorePage),
    View(
        "/freshness",
        freshness,
        "How fresh and how old pages are.",
        data=FreshnessPage,
    ),
    View(
        "/duplicates",
        duplicates,
        "Groups of near-duplicates, URLs that say nothing new, mirrors.",
        data=DuplicatesPage,
    ),
    View("/runs", runs, "The crawls that were made, and why each ended.", data=RunsPage),
    View(
        "/log",
        log,
        "What crawls said that were started from this page.",
        parameters=(Parameter("lines", "How many of the last ones.", "integer"),),
        data=LogPage,
        only="collection",
    ),
)
