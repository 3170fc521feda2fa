"""What did a visit come to? One word for each request, so that their sum is the requests made.

`status` counts visits by these words beside the states of URLs: a state says what a page is, these
say what was done to find out.
"""

from shoal.model.change_history import Change
from shoal.model.outcome import Outcome
from shoal.model.visit import OF_SITE, SOURCES, Fetched, Visit

AGAIN = ("changed", "unchanged", "gone", "moved", "failed")
"""Of visits to pages that had been visited before."""
RESULTS = ("first", *AGAIN, "head", "source", "robots")


def result_of(visit: Visit, fetched: Fetched, change: Change) -> str:
    if visit.kind in OF_SITE:
        return "robots"
    if visit.kind in SOURCES:
        return "source"
    if visit.is_first:
        return "first"
    match fetched.outcome:
        case Outcome.CHANGED:
            return "head"  # it said that the page changed: it is asked for whole
        case Outcome.REDIRECT:
            return "moved"
        case Outcome.MISSING | Outcome.GONE:
            return "gone"
        case Outcome.OK | Outcome.UNCHANGED | Outcome.EMPTY_ANSWER:
            return "changed" if change in (Change.MINOR, Change.MAJOR) else "unchanged"
    return "failed"
