"""Several tablets in one process, as threads, with a pipe between them that a test may disturb."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.cluster.quiescence import Look, Quiet
from shoal.engine.seeds import seeds_of
from shoal.fleet.cluster_run import per_tablet
from shoal.fleet.tablet import Tablet
from shoal.fleet.tablet_spec import TabletSpec
from shoal.layout.cluster_file import config_of
from shoal.layout.cluster_status import TabletReport
from shoal.model.messages import Delivery, Receipt

PATIENCE_SECONDS = 60.0


class Fleet:
    def __init__(
        self,
        place: str,
        seeds: Sequence[str],
        settings: Mapping[str, object],
        count: int,
        *,
        lease: float = 10.0,
        work: Path | None = None,
        checkpoint: float = 1.0,
    ) -> None:
        self.config = per_tablet(config_of(place, dict(settings), {}), count)
        self.seeds = seeds_of(seeds, self.config, Path("/nowhere")) if seeds else []
        self.specs = [
            TabletSpec(place, number, count, f"test:{number}", lease, checkpoint, str(work or ""))
            for number in range(count)
        ]
        self.tablets: list[Tablet | None] = [None] * count
        self.deliveries = 0
        self.disturb: Callable[[Delivery, Callable[[Delivery], Receipt]], Receipt] | None = None

    async def pipe(self, delivery: Delivery) -> Receipt:
        tablet = self.tablets[delivery.target]
        assert tablet is not None
        self.deliveries += 1
        if self.disturb is not None:
            return await asyncio.to_thread(self.disturb, delivery, tablet.deliver)
        return await tablet.deliver_async(delivery)

    def start(self, number: int) -> Tablet:
        tablet = Tablet(self.specs[number], self.config, self.seeds, self.pipe)
        self.tablets[number] = tablet
        tablet.start()
        return tablet

    def reports(self) -> list[TabletReport]:
        return [tablet.report() for tablet in self.tablets if tablet is not None]

    def wait_until_quiet(self) -> None:
        quiet, deadline = Quiet(), time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            reports = self.reports()
            bad = [each for each in reports if each.state in ("failed", "fenced")]
            assert not bad, bad[0].problem
            if quiet.is_over([look_of(each) for each in reports]):
                return
            time.sleep(0.2)
        raise AssertionError([(r.number, r.state, r.idle, r.outbox) for r in self.reports()])

    def finish(self) -> None:
        for tablet in self.tablets:
            if tablet is not None:
                tablet.finish()
        for tablet in self.tablets:
            if tablet is not None:
                tablet.join(PATIENCE_SECONDS)
        for report in self.reports():
            assert report.state == "done", report.problem

    def close(self) -> None:
        for tablet in self.tablets:
            if tablet is not None and not tablet.report().is_over:
                tablet.stop("the test is over")
        for tablet in self.tablets:
            if tablet is not None:
                tablet.join(PATIENCE_SECONDS)


def look_of(report: TabletReport) -> Look:
    return Look(report.epoch, report.idle, report.outbox, report.sent, report.taken)


@contextmanager
def crawling(fleet: Fleet) -> Iterator[Fleet]:
    try:
        for number in range(len(fleet.specs)):
            fleet.start(number)
        yield fleet
    finally:
        fleet.close()
