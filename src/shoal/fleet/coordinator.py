"""Who watches over a running cluster? One loop, in the process that started it. It decides nothing
that would be lost with it.

Every second it asks all tablets how they are, writes that down for people, does what people ordered
(drain, rebalance, stop), starts over what failed, and sees when nobody has anything left to do. If
it dies, tablets die with it, and the same command goes on from durable storage.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from shoal.cluster.fleet import Fleet
from shoal.cluster.objects import Objects, StoreFault
from shoal.cluster.placement import moves_away, moves_to_balance
from shoal.cluster.quiescence import Look, Quiet
from shoal.config import Config
from shoal.control.cluster_commands import ClusterCommands, Drain, Rebalance, TabletCommands
from shoal.control.command_targets import by_tablet
from shoal.counters import Counts
from shoal.engine.limits import pages_of, passed_of, valuable_enough
from shoal.errors import CollectionError, ShoalError
from shoal.fleet.page_grants import Counted, PageGrants
from shoal.layout.cluster_status import ClusterStatus, Move, TabletReport, write_status

_LOOK_SECONDS = 1.0
_MOST_FAILURES = 5
"""Failures of one tablet before it is given up."""
_FORGIVEN_SECONDS = 600.0
"""When a tablet has run for as long as that, its failures are forgotten."""
_END_SECONDS = 600.0
_MOVE_SECONDS = 300.0
_MOST_MOVES_TOLD = 200
_OBEY_SECONDS = 20.0
_KEPT_SECONDS = 600.0
"""An order for a tablet that does not answer is given up then."""

Watch = Callable[[ClusterStatus], None]


class Coordinator:
    def __init__(
        self,
        fleet: Fleet,
        objects: Objects,
        status: ClusterStatus,
        config: Config,
        watch: Watch | None = None,
    ) -> None:
        self._fleet = fleet
        self._objects = objects
        self._commands = ClusterCommands(objects)
        self._config = config
        self._watch = watch
        self._status = status
        self._reports: list[TabletReport | None] = [None] * status.tablets
        self._quiet = Quiet()
        self._failures = [(0, 0.0)] * status.tablets
        """How many, and when the last one was."""
        self._last_seen = [(0, "", 0.0)] * status.tablets
        """Of each tablet: epoch, machine, and when it was last seen running."""
        self._drained: set[str] = set()
        self._tried: dict[str, float] = {}
        """Commands that not all tablets have carried out, and since when it is tried."""
        self._stopping = ""
        self._grants: PageGrants | None = None
        if config.crawl.max_pages is not None:
            counted = [pages_of(Counts(report.counts)) for report in status.reports]
            self._grants = PageGrants(config.crawl.max_pages, counted, status.grants)
        self._started = status.started = time.time()

    def stop(self, reason: str) -> None:
        """From a signal handler, or another thread."""
        self._stopping = self._stopping or reason

    def run(self) -> ClusterStatus:
        """Until nothing is left to do, a limit is reached, or somebody stops it."""
        for number in range(self._status.tablets):
            self._fleet.start(number)
        try:
            self._forget_commands()
            while not self._stopping:
                self._look()
                if self._quiet.is_over([_look_at(each) for each in self._reports]):
                    return self._finish("finished", "finish")
                self._carry_out_commands()
                if reason := self._reached():
                    self.stop(reason)
                elif self._grants is not None:
                    self._grants.renew([_counted_by(each) for each in self._reports], self._grant)
                time.sleep(_LOOK_SECONDS)
            return self._finish(self._stopping, "stop", self._stopping)
        except ShoalError as error:
            self._status.ended = str(error)
            raise
        finally:
            self._status.running = False
            self._tell()

    # --- looking ----------------------------------------------------------------------------

    def _look(self) -> None:
        found = self._fleet.call_all("report")
        for number, report in enumerate(found):
            if report is not None:
                self._note(number, report)
        self._reports = found
        self._status.machines = self._fleet.machines()
        self._status.draining = sorted(self._drained)
        self._tell()

    def _note(self, number: int, report: TabletReport) -> None:
        report.counts = report.counts or self._status.reports[number].counts  # while it opens
        self._status.reports[number] = report
        if report.state == "failed":
            failures, last = self._failures[number]
            failures = failures + 1 if time.time() - last < _FORGIVEN_SECONDS else 1
            self._failures[number] = (failures, time.time())
            if failures >= _MOST_FAILURES:
                raise CollectionError(f"Tablet {number} fails again and again: {report.problem}")
            self._fleet.restart(number)
        if report.state != "running":
            return
        epoch, before, when = self._last_seen[number]
        now, machine = time.time(), report.who.partition("/")[0]
        if epoch and report.epoch != epoch:
            move = Move(number, before, machine, report.epoch, now, now - when)
            self._status.moves = [*self._status.moves, move][-_MOST_MOVES_TOLD:]
        self._last_seen[number] = (report.epoch, machine, now)

    def _tell(self) -> None:
        self._status.written = time.time()
        with suppress(StoreFault):  # the next one says it all
            write_status(self._objects, self._status)
        if self._watch is not None:
            self._watch(self._status)

    def _reached(self) -> str:
        crawl, counts = self._config.crawl, self._status.counts
        if crawl.max_pages is not None and pages_of(counts) >= crawl.max_pages:
            return f"the limit of {crawl.max_pages:,} pages is reached (--max-pages)"
        if crawl.stop_when is not None and passed_of(counts, crawl.value) >= crawl.stop_when:
            return valuable_enough(crawl.stop_when, crawl.value)
        if crawl.max_bytes is not None and counts["total/bytes"] >= crawl.max_bytes:
            return f"the limit of {crawl.max_bytes:,} bytes is reached (--max-bytes)"
        if crawl.max_time is not None and time.time() - self._started >= crawl.max_time:
            return f"the limit of {crawl.max_time:g} seconds is reached (--max-time)"
        return ""

    def _grant(self, grants: list[int], turn: int) -> list[int | None]:
        """Written down first: whoever takes over must know what may have been used."""
        known = grants if self._grants is None else self._grants.granted
        self._status.grants = [max(pair) for pair in zip(grants, known, strict=True)]
        self._tell()
        return self._fleet.call_all("grant", grants, turn)

    # --- ending -----------------------------------------------------------------------------

    def _finish(self, reason: str, method: str, *given: str) -> ClusterStatus:
        """Let every tablet end by itself: what it has is indexed, made durable, and left."""
        deadline = time.monotonic() + _END_SECONDS
        self._status.ended = reason
        while time.monotonic() < deadline:
            self._fleet.call_all(method, *given)  # again: one may have been started again meanwhile
            found = self._fleet.call_all("report")
            for number, report in enumerate(found):
                self._status.reports[number] = report or self._status.reports[number]
            self._tell()
            if all(report is not None and report.state == "done" for report in found):
                return self._status
            for number, report in enumerate(found):
                if report is not None and report.state == "failed":
                    self._note(number, report)
            time.sleep(_LOOK_SECONDS / 2)
        raise CollectionError("Some tablets did not end; start the cluster again to go on.")

    # --- what people want -------------------------------------------------------------------

    def _forget_commands(self) -> None:
        """Those that an earlier run was given for its machines and did not live to see."""
        with suppress(StoreFault):
            for key, command in self._commands.take():
                if not isinstance(command, TabletCommands):
                    self._commands.done(key)

    def _carry_out_commands(self) -> None:
        with suppress(StoreFault):  # they are still there when it answers again
            self._carry_out_each()

    def _carry_out_each(self) -> None:
        for key, command in self._commands.take():
            at = {number: machine for number, (_, machine, _) in enumerate(self._last_seen)}
            machines = [each.name for each in self._fleet.machines() if each.alive]
            match command:
                case Drain():
                    self._drained.add(command.machine)
                    self._move(moves_away(at, machines, sorted(self._drained)))
                case Rebalance():
                    free = [each for each in machines if each not in self._drained]
                    self._move(moves_to_balance(at, free))
                case TabletCommands():
                    if not self._hand_out(key, command) and self._is_kept(key):
                        continue  # again in a second: each order can be repeated
                case _:
                    self.stop("asked to stop")
            self._commands.done(key)

    def _hand_out(self, key: str, command: TabletCommands) -> bool:
        """Whether all tablets that it concerns have carried it out, and made that durable."""
        done = True
        for number, commands in by_tablet(command.commands, self._status.tablets).items():
            try:
                self._fleet.call(number, "carry_out", commands, key, seconds=_OBEY_SECONDS)
            except Exception:  # noqa: BLE001 - it moves, or has died: it is told again
                done = False
        return done

    def _is_kept(self, key: str) -> bool:
        """Whether a command is worth another try."""
        now = time.monotonic()
        return now < self._tried.setdefault(key, now) + _KEPT_SECONDS

    def _move(self, moves: list[tuple[int, str]]) -> None:
        """One after another, each as short as it can be: the old owner leaves, the new one need not
        wait for its lease."""
        for number, machine in moves:
            self._ask(number, "stop", "it moves")
            deadline = time.monotonic() + _MOVE_SECONDS
            while time.monotonic() < deadline:
                report = self._ask(number, "report")
                if report is None or report.is_over:
                    break
                time.sleep(_LOOK_SECONDS / 10)
            self._fleet.end(number)
            self._fleet.start(number, machine)
            self._look()  # the others go on meanwhile, which is no pause of theirs

    def _ask(self, number: int, method: str, *given: str) -> TabletReport | None:
        """None when its machine or its process is gone: then there is nobody to wait for."""
        try:
            answer: TabletReport | None = self._fleet.call(number, method, *given)
        except Exception:  # noqa: BLE001 - whatever a fleet raises then
            return None
        return answer


def _counted_by(report: TabletReport | None) -> Counted | None:
    if report is None or report.state != "running":
        return None
    return Counted(pages_of(Counts(report.counts)), report.idle, report.granted)


def _look_at(report: TabletReport | None) -> Look | None:
    if report is None or report.state != "running":
        return None
    return Look(report.epoch, report.idle, report.outbox, report.sent, report.taken)
