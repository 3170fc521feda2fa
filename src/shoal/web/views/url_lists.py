"""/urls: the lists behind the numbers. Known URLs by state, reason, host and text, sorted by
address, state or time, a page at a time.

It opens with the pages that the collection has: most URLs that are known lead elsewhere.
"""

from shoal.collection.report.url_list import (
    ANSWERED,
    IN_FLIGHT,
    INSIDE,
    MOST_ON_A_PAGE,
    SORTS,
    STORED,
    UrlLine,
    Wanted,
    url_page,
)
from shoal.errors import UsageError
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, number, text

_ANY = "any"
_STATES = (STORED, *map(str, State), INSIDE, ANSWERED, IN_FLIGHT, _ANY)
_LINES = 50


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
    text: str
    sort: str
    sorts: dict[str, str]
    """Where the same list stands in each order."""


def urls(site: Site, request: Request) -> Response:
    reason = text(request, "reason", 200)
    state = text(request, "state", 40) or (_ANY if reason else STORED)
    sort = text(request, "sort", 40) or SORTS[0]
    if sort not in SORTS:
        raise UsageError(f"{sort!r} is no order of a list; there are: {', '.join(SORTS)}")
    wanted = Wanted(
        state="" if state == _ANY else state,
        reason=reason,
        where=text(request, "where").strip(),
        text=text(request, "text", 200).strip(),
        sort=sort,
    )
    cursor = text(request, "cursor", 20_000)
    most = number(request, "limit", _LINES, 1, MOST_ON_A_PAGE)
    with site.reading() as collection:
        found = url_page(collection, wanted, cursor, most)

    def list_path(cursor: str = "", sort: str = sort) -> str:
        return path(
            "/urls",
            state=state,
            reason=wanted.reason,
            where=wanted.where,
            text=wanted.text,
            sort=sort if sort != SORTS[0] else "",
            limit=most if most != _LINES else "",
            cursor=cursor,
        )

    page = UrlsPage(
        state=state,
        reason=wanted.reason,
        where=wanted.where,
        urls=found.urls,
        looked_at=found.looked_at,
        next=list_path(found.next) if found.next else "",
        first=list_path() if cursor else "",
        states=_STATES,
        text=wanted.text,
        sort=sort,
        sorts={each: list_path(sort=each) for each in SORTS},
    )
    return site.answer(request, "urls.html", page)


VIEWS = (
    View(
        "/urls",
        urls,
        "Known URLs by state, reason, place and text: the lists behind the numbers.",
        parameters=(
            Parameter(
                "state",
                f"One of: {', '.join(_STATES)}. Without it: {STORED}, or with a reason {_ANY}.",
                one_of=_STATES,
            ),
            Parameter("reason", "As it is counted: timeout, scope, 404, duplicate …"),
            Parameter(
                "where",
                "A host, a domain, a URL prefix or a suffix such as .edu.",
                must_be="a place that a row can have",
            ),
            Parameter("text", "What the address has in it, in capitals or not."),
            Parameter(
                "sort",
                "By address, by state, or by time, newest first.",
                one_of=SORTS,
            ),
            Parameter(
                "cursor",
                "Where to go on, as the page before says.",
                pattern="[0-9A-Za-z_-]{2,8000}",
                must_be="one that a list gave",
            ),
            Parameter("limit", f"URLs on a page, {MOST_ON_A_PAGE} at most.", "integer"),
        ),
        data=UrlsPage,
    ),
)
