"""What is in a collection, roughly? Status codes, types and ages of some of its URLs.

The frontier counts states and reasons, not these: they are read from the rows. A small collection
is read whole; of a large one a bounded number of URLs of sites that are drawn at random, and
whoever shows the result says so.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from shoal.collection.view import TabletView
from shoal.frontier.state.rows import UrlRow
from shoal.model.document import Document
from shoal.model.link import LinkSource
from shoal.model.outcome import State
from shoal.model.record import Struct

MOST_URLS = 5_000
_MOST_SECONDS = 1.0
_SITES_DRAWN = 200
_SITES_LOOKED_AT = 20_000
_MOST_KINDS = 30
_NO_STATUS = "no answer"
_DAY_SECONDS = 86_400
_AGES = (
    ("under an hour", 3600),
    ("under a day", _DAY_SECONDS),
    ("1 to 7 days", 7 * _DAY_SECONDS),
    ("7 to 30 days", 30 * _DAY_SECONDS),
    ("30 to 90 days", 90 * _DAY_SECONDS),
)
_OLDER = "more than 90 days"
_UNKNOWN_TYPE = "unknown"


class Sample(Struct):
    looked_at: int
    discovered: int
    is_whole: bool
    """Whether all URLs were looked at."""
    statuses: dict[str, int]
    """Of the last answer to each URL that was asked for, most frequent first."""
    media_types: dict[str, int]
    ages: dict[str, int]
    """How long ago each stored page was last fetched, youngest first."""
    mean_age_days: float


def sample(collection: TabletView, tablets: int = 1) -> Sample:
    """With its share of what is looked at in all, when it is one of so many tablets."""
    collection.must_see_all()
    most = -(-MOST_URLS // tablets)
    discovered = collection.frontier.counts().discovered
    statuses: Counter[str] = Counter()
    media_types: Counter[str] = Counter()
    ages: Counter[str] = Counter()
    age_seconds, now, looked_at = 0.0, time.time(), 0
    deadline_s = time.monotonic() + _MOST_SECONDS
    for row, url in islice(some_urls(collection, discovered, most), most):
        if time.monotonic() > deadline_s:
            break
        looked_at += 1
        if url.visits and url.source is not LinkSource.INJECT:  # no server answered
            statuses[str(url.status) if url.status else _NO_STATUS] += 1
        if url.state not in (State.FETCHED, State.UNCHANGED) or not url.fetched_ms:
            continue
        document = _document(collection, row)
        if document is not None:
            media_types[document.media_type or _UNKNOWN_TYPE] += 1
        age = max(0.0, now - url.fetched_ms / 1000)
        age_seconds += age
        ages[_age_class(age)] += 1
    return Sample(
        looked_at=looked_at,
        discovered=discovered,
        is_whole=looked_at >= discovered,
        statuses=dict(statuses.most_common(_MOST_KINDS)),
        media_types=dict(media_types.most_common(_MOST_KINDS)),
        ages={name: ages[name] for name in (*(name for name, _ in _AGES), _OLDER)},
        mean_age_days=age_seconds / max(1, ages.total()) / _DAY_SECONDS,
    )


def some_urls(
    collection: TabletView, discovered: int, most: int = MOST_URLS
) -> Iterator[tuple[bytes, UrlRow]]:
    """All of them if they are few, else some of sites that are drawn at random. Documents inside
    others are no URLs."""
    view = collection.frontier
    if discovered <= most:
        yield from _discovered(view.urls(b"", None))
        return
    sites = [each.site for each in islice(view.sites(), _SITES_LOOKED_AT)]
    drawn = random.sample(sites, min(_SITES_DRAWN, len(sites)))
    share = -(-most // max(1, len(drawn)))
    for site in drawn:
        yield from islice(_discovered(view.urls(site, site + b"\xff")), share)


def _discovered(urls: Iterator[tuple[bytes, UrlRow]]) -> Iterator[tuple[bytes, UrlRow]]:
    return ((row, url) for row, url in urls if not url.inside)


def _document(collection: TabletView, row: bytes) -> Document | None:
    page = collection.store.page(row, collection.principal)
    return None if page is None else page.document


def _age_class(seconds: float) -> str:
    return next((name for name, below in _AGES if seconds < below), _OLDER)
