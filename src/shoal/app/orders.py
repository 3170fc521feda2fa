"""How is an order given to a collection? To the crawl that runs on it, or else carried out at once.

Only one process writes to a table. While a crawl runs the order goes into its inbox, which it
looks into once a second; while none does, the collection is opened, changed and closed. Between the
look at the lock and the opening a crawl may start: then the inbox is right after all.
"""

import difflib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from shoal.app.api import run
from shoal.app.collection import Collection
from shoal.app.engine import Engine
from shoal.app.fetchers import require_schemes
from shoal.app.hosts import host_lines
from shoal.app.layout import Layout, is_locked
from shoal.app.running import carry_out
from shoal.config import Config, load
from shoal.errors import Busy, CollectionError, UsageError
from shoal.model.params import ParamRules
from shoal.model.url import canonical, site_of
from shoal.sources.inbox import Command, Inbox, Pause, Resume, Stop, Submit
from shoal.sources.seeds import read_seeds

_POLL_SECONDS = 0.1
_NEAR_HOSTS = 3


def submit(directory: Path, words: Sequence[str]) -> tuple[list[str], bool]:
    """Fetch these URLs first of their sites. Returns them canonical, and whether a crawl runs."""
    config = _config(directory)
    params = ParamRules.from_names(config.url.strip, config.url.keep)
    urls = [link.url for link in read_seeds(words, None, params)]
    require_schemes(urls)
    return urls, _give(directory, config, [Submit(url) for url in urls])


def pause(directory: Path, host: str, *, paused: bool) -> bool:
    """Ask nothing more of a host, or go on with it. Returns whether a crawl runs."""
    config = _config(directory)
    name = host_label(host)
    _require_known(directory, name)
    return _give(directory, config, [Pause(name) if paused else Resume(name)])


def _require_known(directory: Path, name: str) -> None:
    """A host that was misspelt would go on being asked."""
    with Collection(directory) as collection:
        known = [line.host for line in host_lines(collection)]
    if name not in known:
        near = [each for each in known if each.partition(":")[0] == name.partition(":")[0]]
        near = near or difflib.get_close_matches(name, known, n=_NEAR_HOSTS) or known
        names = f"; it knows {', '.join(near[:_NEAR_HOSTS])}" if near else ""
        raise UsageError(f"the collection does not know the host {name}{names}")


def host_label(host: str) -> str:
    """A host as URLs name it, with its port where that is not the usual one."""
    url = canonical(host if "://" in host else f"http://{host}/")
    label = site_of(url).host_label if url is not None else ""
    if not label or (url is not None and "://" not in host and not url.endswith(f"{label}/")):
        raise UsageError(f"{host!r} is not a host; write it like www.example.org or 127.0.0.1:8080")
    return label


def stop(directory: Path, patience_seconds: float) -> bool:
    """Ask the running crawl to end, and wait for it. Returns whether it ended in time."""
    layout = Layout(directory)
    layout.must_exist()
    if not is_locked(layout):
        raise CollectionError(f"No crawl is running in {directory}.")
    inbox = Inbox(layout.inbox)
    name = inbox.post(Stop())
    ended = _is_unlocked_within(layout, patience_seconds)
    if ended:
        inbox.done(name)  # it may have ended by itself, and the next crawl is not meant
    return ended


def _is_unlocked_within(layout: Layout, patience_seconds: float) -> bool:
    """The lock is another process's: there is no event to wait for."""
    deadline_s = time.monotonic() + patience_seconds
    while is_locked(layout):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _config(directory: Path) -> Config:
    Layout(directory).must_exist()
    return load(directory, {}, os.environ)


def _give(directory: Path, config: Config, orders: Sequence[Command]) -> bool:
    layout = Layout(directory)
    if not is_locked(layout):
        try:
            run(_carry_out(directory, config, orders))
        except Busy:
            pass  # a crawl has just started
        else:
            return False
    inbox = Inbox(layout.inbox)
    for order in orders:
        inbox.post(order)
    return True


async def _carry_out(directory: Path, config: Config, orders: Sequence[Command]) -> None:
    engine = Engine(directory, config)
    try:
        for order in orders:
            carry_out(engine, order)
        engine.sync()
    finally:
        await engine.close()
