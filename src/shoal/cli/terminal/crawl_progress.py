"""What is the crawl doing? A live line on a terminal, one log line a minute otherwise.

Both say the same: fetched, ok / unchanged / errors, pages/s, queued, hosts active and waiting,
bytes, duplicates, the projected end, and why it is idle.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Protocol, Self

from shoal.cli.terminal.status_report import troubles
from shoal.cli.terminal.wording import clock_time, count, duration, size
from shoal.clock import iso
from shoal.closing import Closing
from shoal.layout.snapshot import Live, Snapshot

LOG_SECONDS = 60.0


def live_lines(counts: dict[str, int], live: Live) -> list[str]:
    """What happened, where it works, and why it is not faster (or that it is stopping)."""
    asked = min(live.in_flight, live.sites_with_work)  # a host has one request at a time
    queued = max(0, counts.get("queued", 0) - live.in_flight - live.reading)
    made_of = f"{live.fetched:,} ok / {live.unchanged:,} unchanged / {live.failed:,} errors"
    work = [
        f"{live.fetched + live.unchanged:,} fetched ({made_of})",
        f"{live.pages_per_second:.1f} pages/s",
        f"{queued:,} queued",
    ]
    places = [
        f"{count(asked, 'host')} active, {live.sites_with_work - asked:,} waiting",
        size(live.bytes),
        count(counts.get("fetched/duplicate", 0), "duplicate"),
    ]
    if live.projected_end is not None and not live.stopping:
        left = max(0.0, live.projected_end - live.written)
        at = clock_time(live.projected_end, live.written)
        places.append(f"ends about {at} (in {duration(left)})")
    lines = [" · ".join(work), " · ".join(places)]
    if live.stopping:
        pages = live.in_flight + live.reading
        lines.append(f"stopping: {live.stopping}; {count(pages, 'page')} still in flight")
    elif live.idle:
        lines.append(f"idle: {live.idle}")
    if live.trouble:
        lines.append(f"no good answer from {troubles(live.trouble)}")
    return lines


def memory_line(live: Live) -> str:
    """What takes memory and has a bound; empty where the crawl does not say."""
    facts = []
    if live.body_memory:
        held = f"{size(live.body_bytes)} of {size(live.body_memory)}"
        facts.append(f"{held} for bodies that arrive or wait for a reader")
    if live.index_memory:
        facts.append(f"{size(live.index_bytes)} of {size(live.index_memory)} for the index process")
    return f"memory: {' · '.join(facts)}" if facts else ""


class Progress(Protocol):
    """Told of the crawl once a second, from its event loop."""

    def watch(self, snapshot: Snapshot) -> None: ...
    def note(self, text: str) -> None:
        """Something a person should read now."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class _Shown(Closing):
    """What every way of showing progress has: something to close, or nothing."""

    def __init__(self) -> None:
        self._open = ExitStack()

    def close(self) -> None:
        self._open.close()


class OnTerminal(_Shown):
    def __init__(self) -> None:
        super().__init__()
        from shoal.cli.terminal.screen import LiveLine

        self._line = self._open.enter_context(LiveLine())

    def watch(self, snapshot: Snapshot) -> None:
        if snapshot.live is not None:
            self._line.draw(live_lines(snapshot.counts, snapshot.live))

    def note(self, text: str) -> None:
        self._line.above(text)


class InLog(_Shown):
    """Plain lines with their time: one at the start, one a minute, what is noted, and one when a
    seed's host does not answer."""

    def __init__(self, every_seconds: float = LOG_SECONDS) -> None:
        super().__init__()
        self._every_seconds = every_seconds
        self._next_s = 0.0
        self._told: set[str] = set()

    def watch(self, snapshot: Snapshot) -> None:
        now_s = time.monotonic()
        if snapshot.live is None:
            return
        silent = {each.host for each in snapshot.live.trouble}
        if now_s < self._next_s and silent <= self._told:
            return
        self._told |= silent
        self._next_s = now_s + self._every_seconds
        self._log(live_lines(snapshot.counts, snapshot.live))

    def note(self, text: str) -> None:
        self._log([text])

    def _log(self, lines: Sequence[str]) -> None:
        from shoal.cli.terminal.screen import remark

        remark(f"{iso(time.time())} {'; '.join(lines)}")


class InSilence(_Shown):
    def watch(self, snapshot: Snapshot) -> None:
        """Nothing is shown."""

    def note(self, text: str) -> None:
        """Nothing is said."""


def progress(*, quiet: bool, terminal: bool) -> Progress:
    if quiet:
        return InSilence()
    return OnTerminal() if terminal else InLog()
