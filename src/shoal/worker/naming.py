"""How are stored texts read for names? As pages are: in child processes with limits, one by one.

A text was anybody's page, so what reads it may die of it: then that text has no marks, and the next
one another child.
"""

import asyncio
from collections.abc import Iterable

from shoal.clock import SystemClock
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.naming.names import marker
from shoal.understand.cage.cage import Places
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for

_FACTORY = "shoal.worker.naming:make"
_LANGUAGE = "content-language"
Marks = list[tuple[str, str]]


class Namer:
    """In the child: a visit whose body is a text and whose answer is its marks."""

    def __init__(self) -> None:
        self._marks_of = marker()
        self.places = Places()

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        text = "" if archive_only else fetched.body.decode("utf-8", "replace")
        return Understood([Document(marks=self._marks_of(text, fetched.header(_LANGUAGE)))])


def make(_config: bytes) -> Namer:
    return Namer()


class Names:
    """Children that look for names, for as long as it is open."""

    def __init__(self, processes: int) -> None:
        self._pool = Pool(command_for(_FACTORY), b"", processes, ChildLimits(), SystemClock())

    async def of_all(self, texts: Iterable[tuple[str, str]]) -> list[Marks]:
        """The marks of each (text, language)."""
        return list(await asyncio.gather(*(self._of(text, language) for text, language in texts)))

    async def _of(self, text: str, language: str) -> Marks:
        visit = Visit("", b"", b"", VisitKind.INJECTED, keep=Keep.NONE)
        body = text.encode("utf-8", "replace")
        asked = Fetched(Outcome.OK, 200, headers=[(_LANGUAGE, language)], body=body)
        understood = await self._pool.understand(visit, asked)
        return understood.documents[0].marks if understood.documents else []

    async def close(self) -> None:
        await self._pool.close()
