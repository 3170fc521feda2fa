"""How many pages may this tablet count? As many as it was granted of the limit on all of them.

What is under way keeps its place, so a grant that is taken back ends where that would end. Workers
that wait for a site come back without one and ask again whether there is room.
"""

from shoal.engine.engine import Engine
from shoal.engine.limits import pages_of
from shoal.engine.running import RunningCrawl
from shoal.frontier.frontier import DiskFrontier


class PageShare:
    def __init__(self, engine: Engine, frontier: DiskFrontier, running: RunningCrawl) -> None:
        self._engine = engine
        self._frontier = frontier
        self._running = running
        self._turn = 0
        self.granted = engine.limits.granted = 0

    def take(self, given: tuple[int, int]) -> int:
        """Pages in all, and whose turn it is: a grant that was overtaken by a later one is none.
        Returns what holds."""
        most, turn = given
        if turn <= self._turn:
            return self.granted
        before, report = self.granted, self._engine.report()
        least = pages_of(self._engine.counts) + report.in_flight + report.unfinished
        self._turn, self.granted = turn, max(most, least)
        self._engine.limits.granted = self.granted
        if self.granted < before:
            self._frontier.waiters.recall()
        self._running.look_again()
        return self.granted
