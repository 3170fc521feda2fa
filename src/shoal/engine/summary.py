"""How did a crawl end, and what came of it?"""

from dataclasses import dataclass

from shoal.engine.recovery import Recovered
from shoal.layout.snapshot import Status, Trouble


@dataclass(frozen=True)
class Summary:
    """How a crawl ended."""

    status: Status
    seconds: float
    reason: str
    """`finished`, or what stopped it."""
    waiting_later: int
    """URLs that wait at hosts which must be left alone for longer than the crawl is patient."""
    recovered: Recovered
    """What an earlier process left undone, and was put right at the start."""
    reconsidered: int
    trouble: list[Trouble]
    """The first few hosts that did not answer at the end, and why."""
    unanswered: bool
    """Nothing was ever fetched, because no seed's host answered."""
    index_problem: str = ""
    """Why not everything is indexed."""
    again: int = 0
    """Visits of this run to pages that had been visited before; of these:"""
    changed: int = 0
    missing: int = 0
    """gone or moved;"""
    again_failed: int = 0
    left: int = 0
    """Pages that a refresh chose and could not ask for: the next one chooses them anew."""

    @property
    def finished(self) -> bool:
        return self.reason == "finished"
