"""/feeds: which feeds are followed, when each is asked, and which are pushed by a hub."""

from shoal.collection.report.feed_table import MOST_PAGES, FeedState, feed_page
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, number


class FeedsPage(Struct):
    feeds: list[FeedState]
    page: int
    has_more: bool
    callback: str
    """Where hubs are told to call; empty: all feeds are polled."""


def feeds(site: Site, request: Request) -> Response:
    page = number(request, "page", 1, 1, MOST_PAGES)
    with site.reading() as collection:
        found = feed_page(collection, page)
        callback = collection.config.feeds.callback if collection.sees_everything() else ""
    shown = FeedsPage(found.feeds, found.page, found.has_more, callback)
    return site.answer(request, "feeds.html", shown)


VIEWS = (
    View(
        "/feeds",
        feeds,
        "Every feed: its title, its last poll and the next, until when it is pushed.",
        parameters=(Parameter("page", "From 1 on.", "integer"),),
        data=FeedsPage,
    ),
)
