"""/graph: what pages and sites are worth by the links to them, and a button to work it out
again."""

from shoal.access.opening import graph_place
from shoal.analysis.ranking import Ranking, ranking
from shoal.control.launching import log_tail
from shoal.layout.layout import Layout
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.ranking import RANK_LOG
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, number

_LAST_LINES = 5


class GraphPage(Struct):
    ranking: Ranking | None
    computing: bool
    said: list[str]
    """The last lines of the last computation that was started here."""


def graph(site: Site, request: Request) -> Response:
    top = number(request, "top", 20, 1, 200)
    page = GraphPage(
        ranking=ranking(site.place, top),
        computing=site.watching.ranks.is_running(),
        said=log_tail(Layout(graph_place(site.place)), RANK_LOG, _LAST_LINES),
    )
    return site.answer(request, "graph.html", page)


def compute(site: Site, request: Request) -> Response:
    site.watching.ranks.start(site.place)
    return site.done(request, "/graph", "The ranks are being computed; reload in a while.")


VIEWS = (
    View(
        "/graph",
        graph,
        "Pages and sites by their rank in the link graph.",
        parameters=(Parameter("top", "How many of each.", "integer"),),
        data=GraphPage,
    ),
    View("/graph/compute", compute, "Compute the ranks anew.", "POST"),
)
