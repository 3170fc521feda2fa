"""/urls: the lists behind the numbers. Known URLs by state, reason and host, a page at a time."""

from shoal.collection.report.url_list import (
    ANSWERED,
    IN_FLIGHT,
    INSIDE,
    MOST_ON_A_PAGE,
    UrlLine,
    Wanted,
    url_page,
)
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, number, text

_STATES = (*map(str, State), INSIDE, ANSWERED, IN_FLIGHT)


class UrlsPage(Struct):
    state: str
    reason: str
    where: str
    urls: list[UrlLine]
    looked_at: int
    """Rows that were read for it."""
    next: str
    """Where the list goes on; empty at its end."""
    first: str
    """Its first page; empty when this is it."""
    states: tuple[str, ...]


def urls(site: Site, request: Request) -> Response:
    wanted = Wanted(
        state=text(request, "state", 40),
        reason=text(request, "reason", 200),
        where=text(request, "where").strip(),
    )
    cursor = text(request, "cursor", 20_000)
    most = number(request, "limit", 50, 1, MOST_ON_A_PAGE)
    with site.reading() as collection:
        found = url_page(collection, wanted, cursor, most)

    def list_path(cursor: str = "") -> str:
        same = {"state": wanted.state, "reason": wanted.reason, "where": wanted.where}
        return path("/urls", **same, limit=most if most != 50 else "", cursor=cursor)

    page = UrlsPage(
        state=wanted.state,
        reason=wanted.reason,
        where=wanted.where,
        urls=found.urls,
        looked_at=found.looked_at,
        next=list_path(found.next) if found.next else "",
        first=list_path() if cursor else "",
        states=_STATES,
    )
    return site.answer(request, "urls.html", page)


VIEWS = (
    View(
        "/urls",
        urls,
        "Known URLs by state, reason and place: the lists behind the numbers.",
        parameters=(
            Parameter("state", f"One of: {', '.join(_STATES)}.", one_of=_STATES),
            Parameter("reason", "As it is counted: timeout, scope, 404, duplicate …"),
            Parameter("where", "A host, a domain, a URL prefix or a suffix such as .edu."),
            Parameter(
                "cursor", "Where to go on, as the page before says.", pattern="([0-9a-f]{2})+"
            ),
            Parameter("limit", f"URLs on a page, {MOST_ON_A_PAGE} at most.", "integer"),
        ),
        data=UrlsPage,
    ),
)
