"""What can a Python program do with Shoal? The same as the command line, with the same words.

Plain functions, usable in a script, and in a notebook whose event loop is already running. What
only some of them need is imported when they are called.
"""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from shoal.access.opening import is_there, open_collection, opened, settings_at
from shoal.clock import SystemClock
from shoal.config import Config
from shoal.config.values import Setting, SettingKind, described, read_value
from shoal.control.controls import Collection
from shoal.engine import preflight
from shoal.engine.revisit_settings import Selection, for_refresh, selection_of
from shoal.engine.running import Summary, Watch, crawl_into
from shoal.engine.seeds import seeds_of, with_whole_paths
from shoal.errors import UsageError
from shoal.layout.layout import Layout, is_cluster_place, place_of
from shoal.loop import run
from shoal.model.link import Link
from shoal.model.principal import OWNER, Principal
from shoal.model.urls.partition import DEFAULT_TABLETS

if TYPE_CHECKING:
    from shoal.control.site_map import SiteMap
    from shoal.fleet.coordinator import Watch as ClusterWatch
    from shoal.layout.cluster_file import ClusterFile
    from shoal.layout.cluster_status import ClusterStatus
    from shoal.repartition.repartition import Moved, Progress


def crawl(  # noqa: PLR0913 - the flags of the command, by name
    *seeds: str | Iterable[str],
    sitemaps: str | Iterable[str] = (),
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    max_pages: int | None = None,
    max_depth: int | None = None,
    max_time: float | str | None = None,
    delay: float | None = None,
    scope: str | None = None,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    rules: str | Path | None = None,
    order: str | None = None,
    keep: str | None = None,
    agent: str | None = None,
    contact: str | None = None,
    workers: int | None = None,
    forever: bool = False,
    settings: Mapping[str, object] | None = None,
    watch: Watch | None = None,
) -> Summary:
    """Crawl into a collection, or go on with it. `settings` takes any setting by its dotted
    name; a seed is what `shoal crawl` takes, or a list of these. `sitemaps` are URLs of sitemaps,
    beside or in place of seeds. With `forever` it returns when it is stopped: by `max_time`, or by
    `shoal stop` from elsewhere."""
    if not isinstance(forever, bool):
        raise UsageError(f"forever must be True or False, not {described(forever)}")
    place = place_of(dir)
    overrides: dict[str, object] = {
        "crawl.max_pages": max_pages,
        "crawl.max_depth": max_depth,
        "crawl.max_time": max_time,
        "politeness.delay": delay,
        "crawl.scope": scope,
        "crawl.include": tuple(_words("include", include)) or None,
        "crawl.exclude": tuple(_words("exclude", exclude)) or None,
        "crawl.rules": None if rules is None else str(rules),
        "crawl.order": order,
        "crawl.keep": keep,
        "agent.agent": agent,
        "agent.contact": contact,
        "crawl.workers": workers,
        "crawl.forever": "yes" if forever else None,
        **(settings or {}),
    }
    config = settings_at(place, with_whole_paths(overrides), os.environ)
    words = [word for each in seeds for word in _words("a seed", each)]
    listed = _words("sitemaps", sitemaps)
    if is_cluster_place(place):
        from shoal.fleet.cluster_run import seeds_for

        return _run_cluster(place, config, seeds_for(place, words, config, listed))
    directory = Path(place)
    links = seeds_of(words, config, directory, listed)
    return run(_crawl(directory, config, links, watch))


async def _crawl(
    directory: Path,
    config: Config,
    links: list[Link],
    watch: Watch | None,
    selection: Selection | None = None,
) -> Summary:
    await preflight.check(config, links, directory)
    return await crawl_into(directory, config, links, watch=watch, selection=selection)


def _run_cluster(
    place: str, config: Config, links: list[Link], selection: Selection | None = None
) -> Summary:
    """On this machine; `run_cluster` runs it on others."""
    from shoal.fleet import cluster_run

    run(preflight.check(config, links, Path(place)))
    began = time.monotonic()
    status = cluster_run.run_cluster(place, config, links, selection=selection)
    with open_collection(place) as collection:
        return cluster_run.summary_of(status, collection.status(), time.monotonic() - began)


def refresh(  # noqa: PLR0913 - the flags of the command, by name
    site: str = "",
    *,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    older: float | str | None = None,
    changed_first: bool = False,
    max_time: float | str | None = None,
    settings: Mapping[str, object] | None = None,
    watch: Watch | None = None,
) -> Summary:
    """Ask for stored pages again: all, or those of a part of the collection (a URL prefix, a host,
    a suffix) and those last visited so long ago or more: `older` in seconds, or '7d'."""
    place = place_of(dir)
    if not is_there(place):
        Layout(Path(place)).must_exist()
    overrides: dict[str, object] = {"crawl.max_time": max_time, **(settings or {})}
    config = for_refresh(settings_at(place, overrides, os.environ))
    now = SystemClock().now()
    age = None if older is None else _seconds("older", older)
    chosen = selection_of(site, age, now, changed_first=changed_first)
    if is_cluster_place(place):
        return _run_cluster(place, config, [], chosen)
    return run(_crawl(Path(place), config, [], watch, chosen))


def _words(name: str, given: object) -> list[str]:
    """One string is one word, not its letters."""
    if isinstance(given, str):
        return [given]
    found = list(given) if isinstance(given, Iterable) else [given]
    words = [each for each in found if isinstance(each, str)]
    if len(words) < len(found):
        raise UsageError(f"{name} must be a string or a list of strings, not {given!r}")
    return words


def _seconds(name: str, given: object) -> float:
    found = read_value(Setting(name, SettingKind.SECONDS, default=None, help=""), given, name)
    return float(found) if isinstance(found, int | float) else 0.0


def open(  # noqa: A001 - shoal.open reads well
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    principal: Principal = OWNER,
) -> Collection:
    """A collection, for reading, also while a crawl writes to it. A cluster is opened as if it
    were in one directory."""
    return Collection(*opened(dir, principal))


# --- a site, and what leaves ---------------------------------------------------------------


_MAP_SECONDS = 600.0


def map_site(
    site: str,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    max_seconds: float = _MAP_SECONDS,
) -> "SiteMap":
    """All URLs of a site that are known without fetching its pages."""
    from shoal.control.site_map import map_site as map_into

    place = place_of(dir)
    return map_into(site, place, settings_at(place, {}, os.environ), max_seconds)


def export_jsonl(
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """Stored pages as JSON lines. Returns how many."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("jsonl", where, since), out)


def export_warc(
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """The archived records of the stored pages, each once. Returns how many."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("warc", where, since), out)


def export_cdxj(
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """An index of the archive's own files. Returns how many lines."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("cdxj", where, since), out)


# --- clusters ------------------------------------------------------------------------------


def create_cluster(place: str | Path, tablets: int = DEFAULT_TABLETS) -> "ClusterFile":
    """Make an empty cluster: in a directory that all machines share, or at s3://bucket/prefix."""
    from shoal.layout import cluster_file

    return cluster_file.create(str(place), tablets)


def run_cluster(  # noqa: PLR0913 - the flags of the command, by name
    place: str | Path,
    *seeds: str | Iterable[str],
    address: str = "",
    nodes: int = 1,
    lease: float = 15.0,
    checkpoint: float = 60.0,
    work: str | Path = "",
    settings: Mapping[str, object] | None = None,
    watch: "ClusterWatch | None" = None,
) -> "ClusterStatus":
    """Crawl with a cluster until nothing is left to do, or go on with it: at the `address` of a
    running Ray cluster, else on this machine. `settings` takes any setting by its dotted name."""
    from shoal.fleet import cluster_run
    from shoal.layout import cluster_file

    where = str(place)
    cluster_file.read(where)
    config = cluster_file.config_of(where, with_whole_paths(settings or {}), dict(os.environ))
    words = [word for each in seeds for word in ([each] if isinstance(each, str) else each)]
    links = cluster_run.seeds_for(where, words, config)
    run(preflight.check(config, links, Path(where)))
    how = cluster_run.Running(address, nodes, lease, checkpoint, str(work))
    return cluster_run.run_cluster(where, config, links, how, watch=watch)


def cluster_status(place: str | Path) -> "ClusterStatus":
    """How a cluster stands: its machines and tablets, what is on its way, what has moved."""
    from shoal.layout.cluster_status import status_at

    return status_at(str(place))


def stop_cluster(place: str | Path) -> None:
    """Ask a running cluster to end well."""
    from shoal.control.cluster_commands import StopAll, post
    from shoal.layout.cluster_status import running_status

    running_status(str(place))
    post(str(place), StopAll())


def split(
    dir: str | Path,  # noqa: A002 - the flag's own name
    place: str | Path,
    tablets: int = DEFAULT_TABLETS,
    told: "Progress | None" = None,
) -> "Moved":
    """Make a cluster out of a collection at rest, which stays as it is."""
    from shoal.repartition import split_and_merge

    return split_and_merge.split(Path(dir), str(place), tablets, told)


def merge(
    place: str | Path,
    dir: str | Path,  # noqa: A002 - the flag's own name
    told: "Progress | None" = None,
) -> "Moved":
    """Make one collection, in a new directory, out of a cluster at rest, which stays as it is."""
    from shoal.repartition import split_and_merge

    return split_and_merge.merge(str(place), Path(dir), told)
