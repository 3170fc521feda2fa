"""Which fetcher serves which scheme? A registry: what is built in, and what is installed beside it.

A distribution adds a scheme by an entry point in the group `shoal.fetchers`: its name is the
scheme, its value a callable that takes the `Clock` and returns a `Fetcher`. It is loaded when the
scheme is first asked for. Whatever such a fetcher does wrong costs that visit, not the crawl.
"""

from collections.abc import Mapping
from importlib.metadata import entry_points

from shoal.clock import Clock
from shoal.fetch.guard import NamelessError
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.ports import Fetcher

GROUP = "shoal.fetchers"

MAX_NOTE_CHARS = 200


class Schemes:
    """A Fetcher for every scheme it knows. What is built in can't be replaced from outside."""

    def __init__(self, built_in: Mapping[str, Fetcher], clock: Clock) -> None:
        self._clock = clock
        self._fetchers = dict(built_in)
        self._faulty: dict[str, str] = {}
        self._installed = {
            found.name: found
            for found in entry_points(group=GROUP)
            if found.name not in self._fetchers
        }

    def names(self) -> list[str]:
        return sorted({*self._fetchers, *self._installed})

    async def fetch(self, visit: Visit) -> Fetched:
        started = self._clock.now()
        scheme = visit.url.partition(":")[0].lower()
        fetcher = self._fetchers.get(scheme)
        if fetcher is None:
            found = self._load(scheme)
            if isinstance(found, str):
                return Fetched(Outcome.NO_SCHEME, started=started, ended=started, note=found)
            fetcher = found
        try:
            fetched = await fetcher.fetch(visit)
        except NamelessError:
            raise
        except Exception as error:  # noqa: BLE001 - anyone's code may run here; the crawl goes on
            return self._broken(f"The fetcher for {scheme} failed: {_in_words(error)}", started)
        if not isinstance(fetched, Fetched):
            return self._broken(f"The fetcher for {scheme} did not return a Fetched.", started)
        return fetched

    async def close(self) -> None:
        for fetcher in {id(fetcher): fetcher for fetcher in self._fetchers.values()}.values():
            await fetcher.close()

    def _load(self, scheme: str) -> Fetcher | str:
        """The installed fetcher for a scheme, or why there is none."""
        if scheme in self._faulty:
            return self._faulty[scheme]
        entry = self._installed.get(scheme)
        if entry is None:
            return f"No fetcher is installed for {scheme[:40]} URLs."
        try:
            fetcher: Fetcher = entry.load()(self._clock)
        except Exception as error:  # noqa: BLE001 - likewise
            fault = f"The fetcher for {scheme} could not be loaded: {_in_words(error)}"
            self._faulty[scheme] = fault
            return fault
        self._fetchers[scheme] = fetcher
        return fetcher

    def _broken(self, note: str, started: float) -> Fetched:
        return Fetched(Outcome.BROKEN, started=started, ended=self._clock.now(), note=note)


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:MAX_NOTE_CHARS]
