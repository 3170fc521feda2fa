"""How is a URL of the queue asked for? As a page or a source, whole or by HEAD.

HEAD comes first where a site has shown that it does not heed conditions (the whole page came though
it had not changed), and as long as its answers to HEAD prove right. Now and then the whole page is
asked for all the same, to see whether they do. A page that was missing is asked for whole, without
conditions: it has left its place among duplicates, and perhaps the index, and is judged anew.
"""

from shoal.frontier.schedule.sites import ActiveSite
from shoal.frontier.state.rows import Entry, SiteRow, UrlRow
from shoal.frontier.state.settings import DEAF_AFTER, MOST_LIES, FrontierSettings
from shoal.model.urls.rowkey import url_of
from shoal.model.visit import SOURCES, Visit

_TESTED_EVERY = 8
"""Visits: one of so many asks for the whole page whatever HEAD would say."""


def visit_of(entry: Entry, url: UrlRow, active: ActiveSite, settings: FrontierSettings) -> Visit:
    was_missing = url.lost or url.missing_ms > 0
    return Visit(
        url_of(entry.row),
        entry.row,
        active.site,
        url.kind,
        depth=url.depth,
        hops=url.hops,
        tries=url.tries,
        level=url.level,
        due_ms=url.due_ms,
        order=url.order,
        etag="" if was_missing else url.etag,
        last_modified="" if was_missing else url.last_modified,
        keep=settings.keep,
        seen_digest=url.digest,
        seen_at=url.body_ms / 1000,
        source=url.source,
        private_ok=active.may_be_private,
        is_first=not url.visits,
        head=settings.head and not was_missing and _asks_head(url, active.row),
    )


def _asks_head(url: UrlRow, site: SiteRow) -> bool:
    return (
        site.deaf >= DEAF_AFTER
        and site.head_lies < MOST_LIES
        and bool(url.digest and (url.etag or url.last_modified))
        and not (url.ask_whole or url.tries or url.kind in SOURCES)
        and url.visits % _TESTED_EVERY != 0
    )
