"""What can a Python program do with Shoal? The same as the command line, with the same words.

Plain functions, usable in a script, and in a notebook whose event loop is already running.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from shoal.app import preflight
from shoal.app.collection import Collection
from shoal.app.fetchers import require_schemes
from shoal.app.layout import Layout, directory_of
from shoal.app.opening import open_reading
from shoal.app.refreshing import Selection, for_refresh, selection_of
from shoal.app.running import Summary, Watch, crawl_into
from shoal.clock import SystemClock
from shoal.config import Config, load
from shoal.config.values import Kind, Setting, described, read_value
from shoal.errors import UsageError
from shoal.focus.rules import ready_sets
from shoal.model.link import Link
from shoal.model.params import ParamRules
from shoal.model.principal import OWNER, Principal
from shoal.sources.seeds import read_seeds, read_sitemaps

Result = TypeVar("Result")

TO_START = "crawl with: shoal cluster start {place} URL"
"""What to do with a cluster where a crawl is asked for."""
TO_REFRESH = "ask for its pages again with: shoal cluster start {place} --forever"


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
    directory = directory_of(dir, TO_START)
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
    config = load(directory, with_whole_paths(overrides), os.environ)
    words = [word for each in seeds for word in _words("a seed", each)]
    links = seeds_of(words, config, directory, _words("sitemaps", sitemaps))
    return run(_crawl(directory, config, links, watch))


async def _crawl(
    directory: Path, config: Config, links: list[Link], watch: Watch | None
) -> Summary:
    await preflight.check(config, links, directory)
    return await crawl_into(directory, config, links, watch=watch)


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
    directory = directory_of(dir, TO_REFRESH)
    Layout(directory).must_exist()
    overrides: dict[str, object] = {"crawl.max_time": max_time, **(settings or {})}
    config = for_refresh(load(directory, overrides, os.environ))
    now = SystemClock().now()
    age = None if older is None else _seconds("older", older)
    chosen = selection_of(site, age, now, changed_first=changed_first)
    return run(_refresh(directory, config, chosen, watch))


async def _refresh(
    directory: Path, config: Config, chosen: Selection, watch: Watch | None
) -> Summary:
    await preflight.check(config, [], directory)
    return await crawl_into(directory, config, [], watch=watch, selection=chosen)


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
    found = read_value(Setting(name, Kind.SECONDS, default=None, help=""), given, name)
    return float(found) if isinstance(found, int | float) else 0.0


def with_whole_paths(overrides: Mapping[str, object]) -> dict[str, object]:
    """A rules file is found again from wherever the crawl goes on; a ready set is a name."""
    rules = overrides.get("crawl.rules")
    if isinstance(rules, str) and rules not in ready_sets() and Path(rules).is_file():
        return {**overrides, "crawl.rules": str(Path(rules).resolve())}
    return dict(overrides)


def open(  # noqa: A001 - shoal.open reads well
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    principal: Principal = OWNER,
) -> Collection:
    """A collection, for reading. Also while a crawl is writing to it. A cluster is opened as if it
    were one: what is read of it is asked in the same words (`Whole`)."""
    return cast(
        Collection, open_reading(dir, principal)
    )  # who opens a cluster knows that it is one


def seeds_of(
    given: Iterable[str], config: Config, directory: Path, sitemaps: Iterable[str] = ()
) -> list[Link]:
    """The sitemaps and seeds on the command line, else the seeds of the settings; none are needed
    to go on."""
    params = ParamRules.from_names(config.url.strip, config.url.keep)
    listing = read_sitemaps(sitemaps, params)
    names = list(given) or ([] if listing else list(config.crawl.seeds))
    if not names and not listing and not Layout(directory).exists():
        raise UsageError(
            "Nothing to crawl: name at least one URL, as in: shoal crawl https://example.org/"
        )
    links = read_seeds(names, sys.stdin, params)
    require_schemes(link.url for link in links)
    return [*listing, *links]  # a URL that is both is a sitemap


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, also where an event loop is running already (a notebook): then in a
    thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _with_fast_loop(work)
    box: list[Result | BaseException] = []

    def in_thread() -> None:
        try:
            box.append(_with_fast_loop(work))
        except BaseException as error:  # noqa: BLE001 - carried over to the calling thread
            box.append(error)

    thread = threading.Thread(target=in_thread, name="shoal")
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]


def _with_fast_loop(work: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        return runner.run(work)


def fast_loop() -> Any:
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - not to be had on every platform
    except ImportError:
        return None
    return new_event_loop
