"""How does a cluster look to a person? A line while it runs, tables when it is asked about."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from shoal.cli.terminal import screen
from shoal.cli.terminal.wording import count, duration, program, size
from shoal.clock import iso

if TYPE_CHECKING:
    from shoal.fleet.coordinator import Coordinator
    from shoal.layout.cluster_status import ClusterStatus
    from shoal.repartition.repartition import Moved

_LOG_SECONDS = 10.0
_MOVES_SHOWN = 10


def line_of(status: "ClusterStatus") -> str:
    counts, reports = status.counts, status.reports
    pages = counts.total("fetched/") + counts["unchanged"]
    rate = sum(report.pages_per_second for report in reports if report.state == "running")
    at_work = sum(1 for report in reports if report.state == "running" and not report.idle)
    machines = sum(1 for each in status.machines if each.alive)
    return " · ".join(
        (
            f"{pages:,} fetched",
            f"{rate:.1f} pages/s",
            f"{counts['queued']:,} queued",
            f"{at_work:,} of {count(status.tablets, 'tablet')} at work",
            count(machines, "machine"),
            f"{status.outbox:,} on their way",
            size(counts["total/bytes"]),
        )
    )


class Shown:
    """The line, on standard error: redrawn on a terminal, now and then elsewhere."""

    def __init__(self, *, quiet: bool, terminal: bool) -> None:
        self._quiet = quiet
        self._live = screen.LiveLine() if terminal and not quiet else None
        self._told = 0.0

    def watch(self, status: "ClusterStatus") -> None:
        if self._live is not None:
            self._live.draw([line_of(status)])
        elif not self._quiet and time.monotonic() - self._told >= _LOG_SECONDS:
            self._told = time.monotonic()
            screen.remark(line_of(status))

    def note(self, text: str) -> None:
        if not self._quiet:
            screen.remark(text)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)


class Stopping:
    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._coordinator: Coordinator | None = None
        self.signal = 0

    def started(self, coordinator: "Coordinator", fleet: object) -> None:
        del fleet
        self._coordinator = coordinator
        if self.signal:
            coordinator.stop("interrupted")

    def on(self, came: int, frame: FrameType | None) -> None:
        del frame
        if self.signal:
            raise KeyboardInterrupt
        self.signal = came
        self._shown.note("Stopping: what is in flight is finished and stored; again: at once.")
        if self._coordinator is not None:
            self._coordinator.stop("interrupted")


@contextmanager
def stopping_on_signals(shown: Shown) -> Iterator[Stopping]:
    stopping = Stopping(shown)
    signals = (signal.SIGINT, signal.SIGTERM)
    before: list[Any] = []
    if threading.current_thread() is threading.main_thread():
        before = [signal.signal(each, stopping.on) for each in signals]
    try:
        yield stopping
    finally:
        for each, old in zip(signals, before, strict=False):
            signal.signal(each, old)


def tell_ending(status: "ClusterStatus", came: int, *, json: bool, quiet: bool) -> int:
    from shoal.cli.terminal.status_report import asked_again

    if json:
        screen.json(status)
    elif not quiet:
        counts = status.counts
        pages = counts.total("fetched/") + counts["unchanged"]
        says = "Finished" if status.ended == "finished" else f"Stopped: {status.ended.rstrip('.')}"
        screen.say(
            f"{says}. {count(pages, 'page')} fetched, {counts['queued']:,} queued, "
            f"in {count(status.tablets, 'tablet')}; {count(len(status.moves), 'move')}."
        )
        again = status.again
        if again.pages:
            screen.say(asked_again(again.pages, again.changed, again.missing, again.failed))
        screen.say(
            f"See: {program()} status --dir {status.place}; "
            f"{program()} search --dir {status.place} WORDS"
        )
    return 128 + came if came else 0


def tell_status(status: "ClusterStatus") -> None:
    from shoal.collection.report.cluster_standing import state_of

    ended = status.ended.rstrip(".")
    state = "runs" if status.running else f"is at rest{f': {ended}' if ended else ''}"
    screen.say(f"{status.place}, {count(status.tablets, 'tablet')}, {state}.", strong=True)
    screen.say(line_of(status))
    held = Counter(report.who.partition("/")[0] for report in status.reports if report.who)
    if status.machines:
        screen.table(
            ("machine", "address", "cores", "tablets", ""),
            [
                (
                    each.name,
                    each.address,
                    f"{each.cores:g}",
                    str(held[each.name]),
                    _remark_on(each.name, status) if each.alive else "gone",
                )
                for each in status.machines
            ],
        )
    screen.table(
        ("tablet", "epoch", "machine", "state", "fetched", "queued", "outbox", "durable"),
        [
            (
                str(report.number),
                str(report.epoch),
                report.who.partition("/")[0],
                report.problem or ("idle" if report.idle else state_of(status, report.number)),
                f"{sum(v for k, v in report.counts.items() if k.startswith('fetched/')):,}",
                f"{report.counts.get('queued', 0):,}",
                f"{report.outbox:,}",
                iso(report.last_durable) if report.last_durable else "",
            )
            for report in status.reports
        ],
    )
    for move in status.moves[-_MOVES_SHOWN:]:
        screen.say(
            f"{iso(move.when)}: tablet {move.tablet} moved from {move.before or '?'} to {move.now} "
            f"(epoch {move.epoch}), a pause of {duration(move.pause_seconds)}."
        )


def _remark_on(machine: str, status: "ClusterStatus") -> str:
    return "drained" if machine in status.draining else ""


def step_teller() -> Callable[[str], None]:
    """What is being done, at most once a second."""
    last = 0.0

    def told(doing: str) -> None:
        nonlocal last
        if time.monotonic() - last >= 1.0:
            last = time.monotonic()
            screen.remark(doing)

    return told


def tell_moved(moved: "Moved", where: str, hint: str) -> None:
    screen.say(
        f"{count(moved.urls, 'URL')} and {count(moved.records, 'record')} of the archive "
        f"({size(moved.archive_bytes)}) are in {where} now, in {count(moved.tablets, 'tablet')}."
    )
    screen.say(f"Go on with: {hint}")
