"""How does each host stand? Ready, left alone until a time, paused or down, and why."""

import time
from collections.abc import Iterable, Iterator

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.frontier.schedule.credit import behind_in_words
from shoal.frontier.state.rows import HostRow, Robots
from shoal.frontier.state.view import SiteView
from shoal.layout.snapshot import Trouble
from shoal.model.record import Struct


class HostLine(Struct):
    host: str
    site: str
    state: str
    """`done`, `ready`, `waits`, `paused`, `excluded` or `down`."""
    ready_at: str
    """Until when it is left alone; empty when it may be asked now."""
    waiting: int
    fetched: int
    failed: int
    delay_seconds: float
    robots: str
    address: str
    note: str


def host_lines(collection: Collection) -> Iterator[HostLine]:
    """One per site (scheme, host and port), in row order."""
    now_ms = time.time() * 1000
    usual_ms = collection.config.politeness.delay * 1000
    for view in collection.hosts():
        yield _line(view, now_ms, usual_ms)


def in_trouble(views: Iterable[SiteView]) -> Iterator[Trouble]:
    """Hosts whose last answers were failures, each once: `connect: …`, `dns: …`, `busy: 503`."""
    told = set()
    for view in views:
        if view.clock.failures and view.clock.note and view.host not in told:
            told.add(view.host)
            yield Trouble(view.name, view.clock.note)


def _line(view: SiteView, now_ms: float, usual_ms: float) -> HostLine:
    row, clock = view.row, view.clock
    is_later = clock.next_ms > now_ms and not (clock.paused or view.excluded)
    return HostLine(
        host=view.name,
        site=view.origin,
        state=_state(view, is_later=is_later),
        ready_at=iso(clock.next_ms / 1000) if is_later and row.waiting else "",
        waiting=view.waiting,
        fetched=view.fetched,
        failed=view.failed,
        delay_seconds=(view.delay_ms or usual_ms) / 1000,
        robots=str(row.robots),
        address=clock.address,
        note=clock.note or _slowed(clock) or (behind_in_words(view.credit) if row.waiting else ""),
    )


def _slowed(clock: HostRow) -> str:
    return f"slowed down to {clock.own_delay_ms / 1000:g} s by hand" if clock.own_delay_ms else ""


def _state(view: SiteView, *, is_later: bool) -> str:
    if view.excluded:
        return "excluded"
    if view.clock.paused:
        return "paused"
    if not view.row.waiting:
        return "done"
    if is_later and (view.clock.failures or view.row.robots is Robots.UNREACHABLE):
        return "down"
    return "waits" if is_later else "ready"
