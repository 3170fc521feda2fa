"""What becomes of a picture, style or script that a page needs? It is asked for once, and no page.

It waits on the level of wishes, in every crawl, so that it comes right behind its page; a person's
wish comes before it. Whoever links to it as to a page makes it one: then it is asked for again, to
be read. What is a page already, stored or waiting, is archived as that.
"""

from shoal.frontier.outcome.queue_order import URGENT
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import UrlRow
from shoal.model.cell import to_ms
from shoal.model.link import Link, LinkSource
from shoal.model.outcome import State
from shoal.model.visit import VisitKind

QUEUED = f"{State.QUEUED}/{VisitKind.REQUISITE}"
"""What those that wait are counted under."""


def mark(url: UrlRow, due_ms: int, now: float) -> int:
    """It is about to wait, from when on: never before a wish, which is due at once."""
    if url.kind is not VisitKind.REQUISITE or url.state is not State.QUEUED:
        return due_ms
    url.reason, url.priority = str(VisitKind.REQUISITE), URGENT
    return due_ms or to_ms(now)


def turn(url: UrlRow, link: Link, origin: Provenance) -> bool:
    """Whether a known URL is now to be asked for as what the link says."""
    is_needed, is_one = link.source is LinkSource.REQUISITE, url.kind is VisitKind.REQUISITE
    if is_needed and (is_one or not url.can_reopen):
        return False
    url.kind = VisitKind.REQUISITE if is_needed else VisitKind.PAGE
    url.state, url.reason, url.source = State.QUEUED, "", link.source
    url.depth, url.hops, url.found_from = origin.depth, origin.hops, origin.found_from
    url.priority = URGENT if link.source is LinkSource.SUBMIT else link.priority
    url.etag = url.last_modified = ""  # a 304 would hide what it says
    return True
