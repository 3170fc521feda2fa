"""What if a page is no longer there? It is asked for again, and kept for a while.

A 404 may be an accident, and so may a redirect that calls itself temporary: the page stays in the
index for some days, is asked for again after gaps that grow fourfold, and is given up when it was
missing long enough and often enough. A 410 and a permanent redirect are the owner's word. A site
that does not answer says nothing about its pages: they stay, and are tried again after gaps that
double up to a week.
"""

from dataclasses import dataclass
from http import HTTPStatus

from shoal.frontier.state.rows import UrlRow
from shoal.model.cell import to_ms
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched

_DAY_SECONDS = 86_400.0
_FOR_GOOD = (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT)
_FOUND = (Outcome.OK, Outcome.UNCHANGED, Outcome.EMPTY_ANSWER)
_SURE_AFTER = 3
"""Visits that did not find a page, before it is given up."""
_MOST_MISSES = 8
_MOST_NEVER_SEEN = 3
"""A URL that was never there is asked for so often."""
_GROWS = 4.0
_MOST_GROWTHS = 20
"""Any more of them is longer than the longest, and in the end no number."""
_SLACK_SECONDS = 1.0
_FIRST_GAP = 12.0
"""In shortest intervals: an hour by default."""
_LONGEST_GAP_SECONDS = 7 * _DAY_SECONDS


@dataclass(frozen=True)
class MissingSettings:
    keep_seconds: float = 7 * _DAY_SECONDS
    shortest_seconds: float = 300.0
    longest_seconds: float = 90 * _DAY_SECONDS
    asks_again: bool = False
    """Whether the crawl is a steady one."""


def is_found(outcome: Outcome) -> bool:
    return outcome in _FOUND


def note_missing(url: UrlRow, fetched: Fetched, now: float, settings: MissingSettings) -> None:
    """Whether the page is there, and since when it is not."""
    if is_found(fetched.outcome):
        url.misses = url.missing_ms = 0
        url.lost = False
        return
    if not fetched.requested:
        return
    url.misses += 1
    was_there = url.fetched_ms > 0
    match fetched.outcome:
        case Outcome.GONE:
            url.lost = True
        case Outcome.REDIRECT if fetched.status in _FOR_GOOD:
            url.lost = True
        case Outcome.MISSING | Outcome.REDIRECT:
            url.missing_ms = url.missing_ms or to_ms(now)
            missing_seconds = now - url.missing_ms / 1000
            is_sure = url.misses >= _SURE_AFTER and missing_seconds >= settings.keep_seconds
            # Nothing to wait for is told apart: in milliseconds the miss may be ahead of now.
            url.lost = is_sure or not (was_there and settings.keep_seconds)


def ask_again_at(
    url: UrlRow, outcome: Outcome, now: float, settings: MissingSettings
) -> float | None:
    """When a page that was not found is asked for again; None: never."""
    first, misses = _FIRST_GAP * settings.shortest_seconds, max(1, url.misses)
    was_there = url.fetched_ms > 0
    match outcome:
        case Outcome.GONE:
            return None
        case Outcome.REDIRECT if url.status in _FOR_GOOD:
            gap = settings.longest_seconds / 3
        case Outcome.MISSING | Outcome.REDIRECT:
            if url.lost and misses > (_MOST_MISSES if was_there else _MOST_NEVER_SEEN):
                return None
            least = first if was_there else max(first, _DAY_SECONDS)
            gap = least * _GROWS ** min(misses - 1, _MOST_GROWTHS)
            kept_seconds = url.missing_ms / 1000 + settings.keep_seconds + _SLACK_SECONDS - now
            if not url.lost and kept_seconds > 0:  # what is kept is asked for when that is over
                gap = min(gap, kept_seconds)
        case _ if not url.visits:
            return None  # nobody was ever asked: it may not be had
        case Outcome.REFUSED:
            gap = settings.longest_seconds / 3
        case _:
            gap = min(first * 2.0 ** min(misses - 1, _MOST_GROWTHS), _LONGEST_GAP_SECONDS)
    return now + min(gap, settings.longest_seconds)
