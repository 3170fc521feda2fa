"""How is a command given to a collection? To the crawl that runs on it, or else carried out at
once.

Only one process writes to a table. While a crawl runs the order goes into its inbox, which it
looks into once a second; while none does, the collection is opened, changed and closed. Between the
look at the lock and the opening a crawl may start: then the inbox is right after all. Those for a
cluster are handed out by its coordinator (cluster_commands.py), while it runs or at the next start.
"""

import difflib
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from shoal.access.opening import is_there, open_collection, settings_at
from shoal.collection.report.hosts import host_lines
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.control.cluster_commands import StopAll, TabletCommands, post
from shoal.engine.engine import Engine
from shoal.errors import Busy, CollectionError, UsageError
from shoal.frontier.background.commands import LONGEST_DELAY_SECONDS
from shoal.layout.cluster_status import running_status, status_at
from shoal.layout.layout import Layout, is_cluster_place, is_given_way, is_locked
from shoal.loop import run
from shoal.model.urls.params import ParamRules
from shoal.model.urls.rowkey import site_key
from shoal.model.urls.url import canonical, site_of
from shoal.sources.inbox import (
    AddFeed,
    Command,
    Exclude,
    Inbox,
    Include,
    Mark,
    Pause,
    ReadSitemap,
    RemoveFeed,
    Resume,
    Retry,
    Slow,
    Stop,
    Submit,
)
from shoal.sources.seeds import read_seeds, read_sitemaps
from shoal.worker.fetchers import require_schemes

Place = Path | str
"""A collection's directory, or where a cluster is."""

_POLL_SECONDS = 0.1
_NEAR_HOSTS = 3
_NEAR_REASONS = 8
_MOST_SHOWN = 80
_MARK_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_MARK_CHARS = 300
_MARKS_AT_ONCE = 500
"""Told to a cluster in one order."""
_STATUS = re.compile(r"[1-5][0-9]{2}")


def submit(
    place: Place, words: Sequence[str], sitemaps: Sequence[str] = ()
) -> tuple[list[str], bool]:
    """Fetch these URLs first of their sites, and what these sitemaps name. Returns all of them
    canonical, and whether a crawl runs."""
    config = _config(place)
    params = ParamRules.from_names(config.url.strip, config.url.keep)
    listing = [link.url for link in read_sitemaps(sitemaps, params)]
    pages = [link.url for link in read_seeds(words, None, params) if link.url not in listing]
    require_schemes(pages)
    commands: list[Command] = [*map(ReadSitemap, listing), *map(Submit, pages)]
    return [*listing, *pages], _give(place, config, commands)


def pause(place: Place, host: str, *, paused: bool) -> bool:
    """Ask nothing more of a host, or go on with it. Returns whether a crawl runs."""
    config = _config(place)
    name = host_label(host)
    _require_known(place, name)
    return _give(place, config, [Pause(name) if paused else Resume(name)])


def slow(place: Place, host: str, delay_seconds: float) -> bool:
    """Ask a host less often than the settings say; 0 takes it back. Returns whether a crawl
    runs."""
    config = _config(place)
    name, usual = host_label(host), config.politeness.delay
    if not 0 <= delay_seconds <= LONGEST_DELAY_SECONDS:
        raise UsageError(
            f"the delay must be from 0 to {LONGEST_DELAY_SECONDS:g} s, not {delay_seconds:g}"
        )
    if 0 < delay_seconds < usual:
        raise UsageError(
            f"every host is given {usual:g} s between two requests, one of them can have more "
            "and not less; 0 takes back what it was given"
        )
    _require_known(place, name)
    return _give(place, config, [Slow(name, delay_seconds)])


def exclude(place: Place, host: str, *, excluded: bool) -> bool:
    """Want nothing more of a host, or all of it after all. Returns whether a crawl runs."""
    config = _config(place)
    name = host_label(host)
    _require_known(place, name)
    return _give(place, config, [Exclude(name) if excluded else Include(name)])


def retry(place: Place, reason: str = "", host: str = "") -> bool:
    """Queue again what failed for a reason (`timeout`, `404`; empty: any), at a host or at all.
    Returns whether a crawl runs."""
    config = _config(place)
    reason, name = reason.strip(), host_label(host) if host else ""
    if name:
        _require_known(place, name)
    if reason:
        _require_failed(place, reason)
    return _give(place, config, [Retry(reason, name)])


def has_failed(place: Place) -> bool:
    """Whether there is anything to try again."""
    with open_collection(str(place)) as collection:
        status = collection.status()
    return bool(status.failed)


def mark(place: Place, url: str, marks: Mapping[str, str]) -> bool:
    """Write what was found out about a stored page to its row; an empty value takes it back.
    Returns whether a crawl runs."""
    config = _config(place)
    for name, value in marks.items():
        if not _MARK_NAME.fullmatch(name):
            raise UsageError(
                f"{name[:_MOST_SHOWN]!r} can't be the name of a mark: it must be of lower-case "
                "letters, digits, '_', '.' and '-'"
            )
        if len(value) > _MARK_CHARS or not value.isprintable():
            raise UsageError(f"the mark {name} may have {_MARK_CHARS} printable characters")
    with open_collection(str(place)) as collection:
        page = collection.page(url)
        if page is None:
            raise UsageError(f"{url} is not stored, so it can't be marked")
    return _give(place, config, [Mark(page.url, dict(marks))])


def mark_all(place: Place, found: Iterable[tuple[str, Mapping[str, str]]]) -> bool:
    """As `mark`, of many stored pages, with what was computed. Returns whether a running crawl, or
    the next start of a cluster, has yet to write it."""
    config, commands = _config(place), (Mark(url, dict(marks)) for url, marks in found)
    if not is_cluster_place(str(place)):
        return _give(place, config, commands)
    waits = False
    while some := list(islice(commands, _MARKS_AT_ONCE)):
        _give(place, config, some)
        waits = True
    return waits


def poll(place: Place, urls: Sequence[str], *, wanted: bool) -> bool:
    """Poll these feeds from now on, or no more; the first ones make a collection. Returns whether
    a crawl runs."""
    commands = [AddFeed(url) if wanted else RemoveFeed(url) for url in urls]
    return give(place, commands, makes_one=wanted)


def _require_failed(place: Place, reason: str) -> None:
    """A reason that was misspelt would silently bring nothing."""
    with open_collection(str(place)) as collection:
        status = collection.status()
    known = [*status.failed_by_reason, *status.gone_by_status]
    if reason in known or _STATUS.fullmatch(reason):
        return
    there = f"; there is: {', '.join(known[:_NEAR_REASONS])}" if known else " nor otherwise"
    raise UsageError(f"nothing has failed with the reason {reason[:_MOST_SHOWN]!r}{there}")


def _require_known(place: Place, name: str) -> None:
    """A host that was misspelt would go on being asked."""
    sites = [site_key(site_of(f"{scheme}://{name}/")) for scheme in ("http", "https")]
    with open_collection(str(place)) as collection:
        if any(any(collection.tablets.ask_all(knows_site, site)) for site in sites):
            return
        known = [line.host for line in host_lines(collection)]
    if name not in known:
        near = [each for each in known if each.partition(":")[0] == name.partition(":")[0]]
        near = near or difflib.get_close_matches(name, known, n=_NEAR_HOSTS) or known
        more = f" and {len(near) - _NEAR_HOSTS:,} more" if len(near) > _NEAR_HOSTS else ""
        names = f"; it knows {', '.join(near[:_NEAR_HOSTS])}{more}" if near else ""
        raise UsageError(f"the collection does not know the host {name}{names}")


def knows_site(view: TabletView, site: bytes) -> bool:
    return view.frontier.site(site) is not None


def host_label(host: str) -> str:
    """A host as URLs name it, with its port where that is not the usual one."""
    url = canonical(host if "://" in host else f"http://{host}/")
    label = site_of(url).host_label if url is not None else ""
    if not label or (url is not None and "://" not in host and not url.endswith(f"{label}/")):
        raise UsageError(f"{host!r} is not a host; write it like www.example.org or 127.0.0.1:8080")
    return label


def stop(place: Place, patience_seconds: float) -> bool:
    """Ask the running crawl to end, and wait for it. Returns whether it ended in time."""
    if is_cluster_place(str(place)):
        running_status(str(place))
        post(str(place), StopAll())
        return _is_over_within(lambda: status_at(str(place)).running, patience_seconds)
    layout = Layout(Path(place))
    layout.must_exist()
    if not is_locked(layout) or is_given_way(layout):
        raise CollectionError(f"No crawl is running in {place}.")
    inbox = Inbox(layout.inbox)
    name = inbox.post(Stop())
    ended = _is_over_within(lambda: is_locked(layout), patience_seconds)
    if ended:
        inbox.done(name)  # it may have ended by itself, and the next crawl is not meant
    return ended


def _is_over_within(is_running: Callable[[], bool], patience_seconds: float) -> bool:
    """Another process ends: there is no event to wait for."""
    deadline_s = time.monotonic() + patience_seconds
    while is_running():
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def give(place: Place, commands: Sequence[Command], *, makes_one: bool = False) -> bool:
    """Carried out at once, or by the crawl that runs; returns whether one does. `makes_one`: also
    where no collection is yet."""
    is_new = makes_one and not is_cluster_place(str(place))
    config = settings_at(place, {}, os.environ) if is_new else _config(place)
    return _give(place, config, commands)


def _config(place: Place) -> Config:
    if not is_there(place):
        Layout(Path(place)).must_exist()
    return settings_at(place, {}, os.environ)


def _give(place: Place, config: Config, commands: Iterable[Command]) -> bool:
    if is_cluster_place(str(place)):
        post(str(place), TabletCommands(list(commands)))
        return status_at(str(place)).running
    layout = Layout(Path(place))
    if not is_locked(layout):
        try:
            run(_carry_out(layout.directory, config, commands))
        except Busy:
            pass  # a crawl has just started
        else:
            return False
    inbox = Inbox(layout.inbox)
    for command in commands:
        inbox.post(command)
    return True


async def _carry_out(directory: Path, config: Config, orders: Iterable[Command]) -> None:
    engine = Engine(directory, config, at_rest=True)
    try:
        commands = engine.commands()
        for command in orders:
            commands.carry_out(command)
        commands.finish()
        engine.sync()
    finally:
        await engine.close()
