"""The machines of a coordinator, in one process: names, and tablets that run as threads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.cluster.fleet import Machine
from shoal.config import Config
from shoal.engine.seeds import seeds_of
from shoal.fleet.cluster_run import per_tablet
from shoal.fleet.tablet import Tablet
from shoal.fleet.tablet_spec import TabletSpec
from shoal.model.messages import Delivery, Receipt

PATIENCE_SECONDS = 60.0


class Threads:
    """The Fleet port."""

    def __init__(self, place: Path, count: int, config: Config, seeds: Sequence[str]) -> None:
        self._place = place
        self._config = config
        self._seeds = seeds_of(seeds, config, Path("/nowhere")) if seeds else []
        self._tablets: list[Tablet | None] = [None] * count
        self.names = ["a", "b"]
        self.started: list[tuple[int, str]] = []
        self.lease = 10.0
        self.is_silent = False

    def machines(self) -> list[Machine]:
        return [Machine(name, f"host-{name}") for name in self.names]

    def start(self, number: int, machine: str = "", but_not: Sequence[str] = ()) -> None:
        free = [name for name in self.names if name not in but_not]
        name = machine or free[number % len(free)]
        self.started.append((number, name))
        count = len(self._tablets)
        spec = TabletSpec(
            str(self._place),
            number,
            count,
            f"{name}/{number}",
            lease=self.lease,
            are_pages_granted=self._config.crawl.max_pages is not None,
        )
        tablet = Tablet(spec, per_tablet(self._config, count), self._seeds, self._pipe)
        self._tablets[number] = tablet
        tablet.start()

    def end(self, number: int) -> None:
        tablet = self._tablets[number]
        if tablet is not None:
            tablet.stop("its process is ended")
            tablet.join(PATIENCE_SECONDS)
        self._tablets[number] = None

    def restart(self, number: int) -> None:
        self.end(number)
        self.start(number)

    def call_all(self, method: str, *given: Any, seconds: float = 10.0) -> list[Any]:
        del seconds
        if self.is_silent:
            return [None] * len(self._tablets)
        return [
            None if tablet is None else getattr(tablet, method)(*given) for tablet in self._tablets
        ]

    def call(self, number: int, method: str, *given: Any, seconds: float = 60.0) -> Any:
        del seconds
        return getattr(self._tablets[number], method)(*given)

    def close(self) -> None:
        for number in range(len(self._tablets)):
            self.end(number)

    async def _pipe(self, delivery: Delivery) -> Receipt:
        tablet = self._tablets[delivery.target]
        if tablet is None:
            raise ConnectionError("it is nowhere")
        return await tablet.deliver_async(delivery)
