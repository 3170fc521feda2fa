"""Who keeps subscriptions alive? A thread of `shoal serve` that asks hubs, and asks again.

It looks which feeds name a hub, subscribes to those, renews each when three quarters of its lease
have passed, and takes leave of what is no longer wanted. A hub that does not answer is asked later
each time; until one does the feed is polled as if there were none, so there is nothing to fall back
to. A hub's URL comes from outside: at a private address it is asked only if the feed is at one.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from shoal.clock import Clock, SystemClock
from shoal.collection.report.feed_table import feeds_at
from shoal.collection.view import TabletView
from shoal.config import Config, load
from shoal.errors import ShoalError, UsageError
from shoal.fetch.http import HttpFetcher
from shoal.fetch.post import Posted, post_form
from shoal.frontier.schedule.politeness import is_public
from shoal.layout.subscriptions import MOST_SUBSCRIPTIONS, Subscriptions
from shoal.maintenance.background_thread import Beside
from shoal.model.urls.rowkey import site_key
from shoal.model.urls.url import site_of
from shoal.sources.subscription import (
    TRIES,
    Plan,
    Standing,
    Subscription,
    Wanted,
    answered,
    asking,
    gone,
    leaving,
    plan,
)
from shoal.sources.websub import discover, hub_url, subscribing, unsubscribing
from shoal.worker.fetchers import http_fetcher, resolver

_LOOK_SECONDS = 15.0
_LOOK_SHARE = 0.02
"""Of its time that the thread may spend on reading feeds: where there are very many, it looks less
often."""
_ASK_SECONDS = 30.0
_BETWEEN_ASKS_SECONDS = 1.0
"""At one hub's host."""
_HUBS_AT_ONCE = 8
_MOST_ASKS = 200
"""In one look; the others are due at the next."""
_CANCEL_LOOK_SECONDS = 0.1


class _Ask(NamedTuple):
    subscription: Subscription
    private_ok: bool


class Keeper(Beside):
    """`with Keeper(directory):` it goes on in a thread until the end of the block."""

    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        super().__init__("websub")
        self._directory = directory
        self._clock = clock or SystemClock()
        self._subscriptions = Subscriptions(directory)
        self._spent_seconds = 0.0

    async def look(self) -> None:
        """Do what is due."""
        config = load(self._directory, {}, os.environ)
        base = callback_base(config)
        if not base and not self._subscriptions.all():
            return
        with self._subscriptions.keeping() as is_ours:
            if is_ours:
                started = time.monotonic()
                due = self._due(base)
                self._spent_seconds = time.monotonic() - started
                await self._ask_all(config, due)

    def _due(self, base: str) -> list[_Ask]:
        now, known = self._clock.now(), self._subscriptions.all()
        with TabletView(self._directory) as collection:
            wanted = list(islice(wanted_feeds(collection), MOST_SUBSCRIPTIONS)) if base else []
            todo = plan(wanted, known, base, now)
            for name in todo.forget:
                self._subscriptions.forget(name)
            asked = [*todo.ask, *todo.unsubscribe, *self._left(todo, now)]
            for feed, hub in todo.new[: max(0, MOST_SUBSCRIPTIONS - len(known))]:
                if len(asked) >= _MOST_ASKS:
                    break
                asked.append(self._subscriptions.add(feed.feed_url, feed.topic, hub, base))
            return [
                _Ask(each, is_private(collection, each.feed_url)) for each in asked[:_MOST_ASKS]
            ]

    def _left(self, todo: Plan, now: float) -> Iterator[Subscription]:
        for each in todo.leave:
            left = self._subscriptions.change(each.id, partial(leaving, now=now))
            if left is not None and left.standing is Standing.LEAVING:
                yield left

    async def _ask_all(self, config: Config, asks: list[_Ask]) -> None:
        by_hub: dict[str, list[_Ask]] = {}
        for each in asks:
            # By host: a feed can name any number of addresses there.
            by_hub.setdefault(site_of(each.subscription.hub).host_label, []).append(each)
        if not by_hub:
            return
        names = resolver(config, self._clock)
        http = http_fetcher(config, names, self._clock)
        room = asyncio.Semaphore(_HUBS_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                for these in by_hub.values():
                    group.create_task(self._ask_hub(http, these, room))
        finally:
            await http.close()
            await names.close()

    async def _ask_hub(self, http: HttpFetcher, asks: list[_Ask], room: asyncio.Semaphore) -> None:
        """One after the other; one that does not answer is not asked on."""
        async with room:
            for place, each in enumerate(asks):
                if place:
                    await asyncio.sleep(_BETWEEN_ASKS_SECONDS)
                if not await self._ask(http, each):
                    return

    async def _ask(self, http: HttpFetcher, ask: _Ask) -> bool:
        """Whether the hub answered, whatever it said."""
        now, name = self._clock.now(), ask.subscription.id
        has_left = ask.subscription.standing is Standing.LEAVING
        if has_left and ask.subscription.failures >= TRIES:
            self._subscriptions.change(name, partial(gone, now=now))
            return True
        # Written before it is sent: the hub may come back to verify while it is being asked.
        found = self._subscriptions.change(name, partial(asking, now=now))
        if found is None:
            return True
        fields = (
            unsubscribing(found.topic, found.callback)
            if has_left
            else subscribing(found.topic, found.callback, found.secret)
        )
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                posted = await post_form(http, found.hub, fields, private_ok=ask.private_ok)
        except TimeoutError:
            posted = Posted(0, f"It did not answer within {_ASK_SECONDS:g} s.")
        self._subscriptions.change(
            name, partial(answered, problem=posted.problem, asked=found.asked)
        )
        return posted.status != 0

    def _run(self) -> None:
        while not self._over.is_set():
            with suppress(ShoalError):  # a collection that is being replaced, a wrong setting
                asyncio.run(self._look_until_over())
            self._over.wait(max(_LOOK_SECONDS, self._spent_seconds / _LOOK_SHARE))

    async def _look_until_over(self) -> None:
        looking = asyncio.create_task(self.look())
        while not looking.done():
            await asyncio.wait({looking}, timeout=_CANCEL_LOOK_SECONDS)
            if self._over.is_set():
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)
                return
        looking.result()


def callback_base(config: Config) -> str:
    """Where hubs reach us; empty: nowhere, feeds are polled."""
    given = config.feeds.callback.strip()
    base = hub_url(given) if given else ""
    if base is None or "?" in base or "@" in base:
        raise UsageError(
            f"feeds.callback must be an address such as https://me.example.org/, not {given!r:.80}"
        )
    return base


def wanted_feeds(collection: TabletView) -> Iterator[Wanted]:
    """The feeds that name a hub, and that nobody removed."""
    for _, feed in feeds_at(collection):
        topic, hubs = discover(feed.row.hubs, feed.row.self_url, feed.url)
        if hubs:
            yield Wanted(feed.url, topic, hubs)


def is_private(collection: TabletView, feed_url: str) -> bool:
    """Whether a feed is where a person let us ask a private address, and was found at one."""
    site = collection.frontier.site(site_key(site_of(feed_url)))
    return site is not None and site.row.private_ok and not is_public(site.clock.address)
