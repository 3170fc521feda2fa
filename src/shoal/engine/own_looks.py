"""How is a collection, or a tablet at rest, opened to look at its sources, or to forget one?"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.config import Config
from shoal.engine.engine import Engine
from shoal.engine.own_documents import Taking
from shoal.engine.own_sources import OwnSources, Tell
from shoal.errors import UsageError
from shoal.indexer.indexing import make_anew
from shoal.layout.identity import TabletIdentity
from shoal.layout.sources import rows
from shoal.model.source import SourceRow

_MOST_ANEW, _ANEW_SHARE = 20_000, 20
"""Documents that are left, for the index to be made anew when others are forgotten: so many, and so
many for each of those."""


class Forgotten(NamedTuple):
    documents: int
    is_wiped: bool
    """Whether their words have left the index's files, too."""


class Looked(NamedTuple):
    taking: Taking
    rows: list[SourceRow]
    problem: str
    """Why not everything is indexed."""


class Tablet(NamedTuple):
    """Of a cluster at rest, that sources are read into."""

    directory: Path
    identity: TabletIdentity
    home: Path
    """Where the cluster stands, which is never read itself."""


def _open(place: Path | Tablet, config: Config) -> tuple[Engine, Path]:
    if isinstance(place, Tablet):
        engine = Engine(place.directory, config, at_rest=True, identity=place.identity)
        return engine, place.home
    return Engine(place, config, at_rest=True), place


async def look_at(  # noqa: PLR0913 - what to look at, how long, and who is told
    place: Path | Tablet,
    config: Config,
    added: Sequence[bytes | SourceRow] = (),
    *,
    forever: bool = False,
    tell: Tell | None = None,
    started: Callable[[OwnSources], None] | None = None,
) -> Looked:
    """Open a collection, add sources, look at these (or at all), and go on if that is wanted."""
    engine, home = _open(place, config)
    try:
        sources = OwnSources(engine, home)
        if started is not None:
            started(sources)
        for each in added:
            sources.add(each)
        names = [each if isinstance(each, bytes) else each.name for each in added]
        await sources.run(names or None, forever=forever, tell=tell)
        found = [row for row in rows(engine.table) if not added or row.name in names]
        return Looked(sources.taking, found, sources.problem)
    finally:
        await engine.close()


async def remove_source(place: Path | Tablet, config: Config, path: bytes) -> Forgotten:
    """Forget a source, with its documents, also what is left of them in files."""
    engine, home = _open(place, config)
    try:
        if all(each.name != path for each in rows(engine.table)):
            raise UsageError(f"{os.fsdecode(path)} is no source of this collection")
        gone = await OwnSources(engine, home).remove(path)
    finally:
        await engine.close()
    directory = place.directory if isinstance(place, Tablet) else place
    return Forgotten(gone, not gone or make_anew(directory, _MOST_ANEW + _ANEW_SHARE * gone))
