"""What does a visit teach, and when is the next one? The Refresher port.

Whether a page changed is decided by its content: its digest, and when that differs how much of it
is as before. When it changed, Last-Modified may tell, against the server's own Date; a page's own
date of its last update where there is no header. Then its rate is estimated again, with what is
known of pages like it, and the price of a visit gives the interval.

What pages like it do, and the price, stand in the table and are written in the batch of the visit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import exp

from shoal.freshness.price import Limits, Price, PriceState
from shoal.freshness.priors import Group, Priors, groups_of
from shoal.freshness.promises import http_seconds, promised_seconds
from shoal.freshness.rate import estimate, observe
from shoal.model.cell import to_ms
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.digest import seeded_number
from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import url_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch, Table

MINOR = 0.95
"""So much of the content as before: a minor change."""
GROUP_KEY = b"\x00rate\x00"
PRICE_KEY = b"\x00price"
_MOST_GROUPS = 50_000
_MOST_PROMISED_SECONDS = 86_400.0
_MOST_DATE_CHARS = 64
_MOST_YEARS_SECONDS = 30 * 365.25 * 86_400


@dataclass(frozen=True)
class RefreshSettings:
    limits: Limits
    minor_counts: bool = True
    plans: bool = False
    """Whether pages are given a date for their next visit: in a steady crawl."""


class PageRefresher:
    def __init__(
        self,
        table: Table,
        settings: RefreshSettings,
        weight_of: Callable[[bytes], float] = lambda _row: 1.0,
        budget_of: Callable[[int], float] = lambda _pages: 1.0,
    ) -> None:
        """`budget_of`: visits per second, when so many pages are planned for."""
        self._table = table
        self._settings = settings
        self._weight_of = weight_of
        stored = table.get("site", PRICE_KEY)
        state = PriceState() if stored is None else unpack(PriceState, stored)
        self._budget_of = budget_of
        self.price = Price(state, settings.limits, budget_of(state.pages))
        self._groups: dict[str, Group] = {}
        self._changed: dict[str, Group] = {}
        self._priors = Priors(self._group, self._put_group)

    # --- what a visit teaches -----------------------------------------------------------------

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        history: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        history = history or ChangeHistory()
        change = self._change(visit, fetched, understood, resemblance, history)
        told = _since_change(fetched, understood)
        if change is not Change.UNKNOWN:
            changed = change is Change.MAJOR or (
                change is Change.MINOR and self._settings.minor_counts
            )
            interval = fetched.ended - history.seen_ms / 1000
            observe(history, interval, changed=changed, since_change_seconds=told)
            if changed:
                history.changed_ms = to_ms(fetched.ended)
        elif not history.seen_ms and told is not None:  # it was quiet since, and changed then
            history.dated += 1.0
            history.quiet_seconds += told
        if understood.documents:
            document = understood.documents[0]
            # An injected text is not the page's: what the page says is not known yet.
            is_page = visit.kind is VisitKind.PAGE
            history.content_digest = document.content_digest if is_page else ""
            history.media_type = document.media_type
        history.seen_ms = to_ms(fetched.ended)
        history.promised_seconds = promised_seconds(fetched)
        return history, change

    def _change(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        history: ChangeHistory,
    ) -> Change:
        if not history.seen_ms or visit.kind is not VisitKind.PAGE:
            return Change.UNKNOWN
        if fetched.outcome is Outcome.UNCHANGED:
            return Change.NONE
        if not understood.documents or fetched.outcome is not Outcome.OK:
            return Change.UNKNOWN
        document = understood.documents[0]
        # The digest may be that of another page which has this body by now.
        is_own = visit.seen_url in ("", visit.url)
        if is_own and visit.seen_digest and document.body_digest == visit.seen_digest:
            return Change.NONE
        if not history.content_digest:
            return Change.UNKNOWN
        if document.content_digest == history.content_digest:
            return Change.NONE
        return Change.MINOR if resemblance >= MINOR else Change.MAJOR

    # --- when the next one is -----------------------------------------------------------------

    def plan(self, batch: Batch, row: bytes, history: ChangeHistory, now: float) -> float | None:
        if not self._settings.plans:
            return None
        keys = groups_of(url_of(row), history.media_type)
        found = estimate(history, self._priors.prior_for(keys))
        if history.observed or history.dated:
            before = (history.log_rate, history.log_rate_sd) if history.counted else None
            self._priors.learn(keys, before, (found.mean, found.sd))
            history.counted = True
        history.log_rate, history.log_rate_sd = found.mean, found.sd
        history.weight = self._weight_of(row)
        is_new = not history.interval_seconds
        self.price.budget_per_second = self._budget_of(self.price.state.pages + is_new)
        history.interval_seconds = self.price.plan(
            found, history.weight, history.interval_seconds or None, history.price
        )
        history.price = self.price.state.price
        self._write(batch)
        wait = history.interval_seconds * (1.0 if history.observed else _spread(row))
        return max(history.seen_ms / 1000 + max(wait, _promise(history)), now)

    def forget(self, batch: Batch, history: ChangeHistory) -> None:
        """The page is given up: nothing is planned for it from then on."""
        if history.interval_seconds:
            self.price.forget(history.interval_seconds, history.price)
            history.interval_seconds = history.price = 0.0
            self._write(batch)

    def _group(self, key: str) -> Group | None:
        group = self._groups.get(key)
        if group is None:
            group = stored_group(self._table, key)
            if group is not None:
                self._groups[key] = group
        return group

    def _put_group(self, key: str, group: Group) -> None:
        self._groups[key] = self._changed[key] = group

    def _write(self, batch: Batch) -> None:
        for key, group in self._changed.items():
            batch.put("site", GROUP_KEY + key.encode(), pack(group))
        self._changed.clear()
        batch.put("site", PRICE_KEY, pack(self.price.state))
        if len(self._groups) > _MOST_GROUPS:
            self._groups.clear()


def stored_group(table: Table, key: str) -> Group | None:
    """What is known of a group of pages, also for those who only read."""
    stored = table.get("site", GROUP_KEY + key.encode())
    return None if stored is None else unpack(Group, stored)


def _spread(row: bytes) -> float:
    """From a half to one and a half: pages that were found together do not come back together."""
    return 0.5 + (seeded_number(row, 0) >> 11) / (1 << 53)


def _promise(history: ChangeHistory) -> float:
    """How long the server promised no change, unless it was seen to break its word."""
    if history.changes and exp(history.log_rate) * history.promised_seconds > 1:
        return 0.0
    return min(history.promised_seconds, _MOST_PROMISED_SECONDS)


def _since_change(fetched: Fetched, understood: Understood) -> float | None:
    """Seconds from the last change that the server or the page tells, to the visit."""
    if fetched.outcome is not Outcome.OK:
        return None
    when = http_seconds(fetched.header("last-modified"))
    now = http_seconds(fetched.header("date")) or fetched.ended
    if when is None and understood.documents:
        when, now = _iso_date(understood.documents[0].modified), fetched.ended
    since = None if when is None else now - when
    return since if since is not None and 1.0 <= since < _MOST_YEARS_SECONDS else None


def _iso_date(text: str) -> float | None:
    try:
        when = datetime.fromisoformat(text[:_MOST_DATE_CHARS]) if text else None
    except ValueError:
        return None
    if when is None:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
