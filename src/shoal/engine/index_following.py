"""How does the index follow a crawl that runs? A child process takes in what the change log says,
and what it has taken in is forgotten there."""

from shoal.indexer.index_child import IndexChild
from shoal.layout.index_state import is_behind
from shoal.layout.layout import Layout
from shoal.ports import Table
from shoal.store.change_log import ChangeLog

_FORGOTTEN_AT_ONCE = 5_000


class IndexFollowing:
    def __init__(self, layout: Layout, table: Table, log: ChangeLog, memory: int) -> None:
        self._layout = layout
        self._child = IndexChild(layout, memory)
        self._is_started = False
        self._table = table
        self._log = log

    def start(self) -> None:
        self._is_started = True
        self._child.start()

    def start_patiently(self) -> None:
        """It hears of all that is written (`hurry`), and need not look by itself; while nothing is,
        it need not be there."""
        self._child.is_patient = True
        self._start_if_behind()

    def _start_if_behind(self) -> None:
        if not self._is_started and is_behind(self._layout, self._table):
            self.start()

    @property
    def problem(self) -> str:
        """Why not everything is indexed."""
        return self._child.problem

    def indexed(self) -> tuple[int, bool, int]:
        """How many pages the index has, whether that is all, and how many documents inside
        others."""
        state = self._child.state
        return state.pages, state.position >= self._log.last, state.inside

    def resident(self) -> int:
        """Bytes of memory that its process takes now."""
        return self._child.resident()

    @property
    def position(self) -> int:
        """How far it has come in the log."""
        return self._child.state.position

    def hurry(self, at_most: int | None = None) -> None:
        """What somebody waits for is taken in at once; more than `at_most` comes in its turn, which
        costs less."""
        awaited = self._log.take_awaited()
        if awaited and not self._is_started:
            self.start()
        if at_most is None or len(awaited) <= at_most:
            self._child.hurry(awaited)
        else:
            self._child.stir()

    def forget(self) -> None:
        """Changes that the index has."""
        if self._child.state.position:
            batch = self._table.batch()
            self._log.forget(batch, self._child.state.position, _FORGOTTEN_AT_ONCE)
            self._table.write(batch)

    async def finish(self) -> None:
        if self._child.is_patient:
            self._start_if_behind()
        await self._child.finish()
        self.forget()
