"""What is shown where nothing is yet? A form with which a collection begins.

It stands in place of every page for as long as the directory is new or empty. What it sends goes to
/crawl/start, behind the same guard and with the same checks as from the dashboard.
"""

from shoal.control.launching import CrawlCommand, defaults
from shoal.layout.layout import Layout
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import View, wants_json

START = "/crawl/start"


class Begin(Struct):
    place: str
    wish: CrawlCommand
    """What the form starts with."""
    problem: str
    """Why what it asked for was refused."""


def is_of_a_collection(view: View) -> bool:
    """Whether a view has nothing to say, or nobody to order, before there is a collection."""
    if view.method == "POST":
        return view.path != START
    return view.twin or view.path == "/"


def begin(
    site: Site,
    request: Request,
    wish: CrawlCommand | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    """The form; to a program, and to who orders something else, that there is nothing yet."""
    if wants_json(request) or (request.method == "POST" and not problem):
        Layout(site.directory).must_exist()
    page = Begin(site.place, wish or defaults(site.directory), problem)
    return site.answer(request, "begin.html", page, status=status)
