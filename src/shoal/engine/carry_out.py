"""What does a command do? Given to a running crawl, or carried out on a collection that rests."""

from collections.abc import Mapping
from functools import partial

from shoal.clock import Clock
from shoal.engine.source_schedule import DiskSourceSchedule
from shoal.engine.topics.desk import TopicDesk
from shoal.frontier.frontier import DiskFrontier
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.feed import feed_key
from shoal.model.record import pack
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import canonical, site_of
from shoal.sources.inbox import (
    AddFeed,
    Command,
    Exclude,
    Include,
    MakeTopic,
    Mark,
    Pause,
    ReadSitemap,
    RemoveFeed,
    RemoveTopic,
    Resume,
    Retry,
    Slow,
    Submit,
    Teach,
)
from shoal.store.pages import PageStore


class CommandHandler:
    def __init__(
        self,
        frontier: DiskFrontier,
        store: PageStore,
        desk: DiskSourceSchedule,
        topics: TopicDesk,
        clock: Clock,
    ) -> None:
        self._frontier = frontier
        self._store = store
        self._desk = desk
        self._topics = topics
        self._clock = clock

    def carry_out(self, command: Command) -> None:
        """All but what only a running crawl can do (Push, Stop)."""
        match command:
            case Submit(url) | ReadSitemap(url):
                found = canonical(url)
                if found is not None:
                    link = Link(found, row_key(found), priority=1.0, source=LinkSource.SUBMIT)
                    link.rel = int(Rel.SITEMAP if isinstance(command, ReadSitemap) else Rel.PLAIN)
                    self._frontier.add([link])
            case AddFeed(url) | RemoveFeed(url):
                found = canonical(url)
                if found is not None:
                    self._want_feed(found, wanted=isinstance(command, AddFeed))
            case Retry(reason, host):
                for each in _host_labels(host) if host else [None]:
                    self._frontier.commands.retry(reason, each)
            case MakeTopic() | Teach() | RemoveTopic():
                self._topics.take(command)
            case Mark(url, marks):
                self._mark(url, marks)
            case Pause(host) | Resume(host) | Slow(host) | Exclude(host) | Include(host):
                for label in _host_labels(host):
                    self._carry_out_at_host(command, label)

    def finish(self) -> None:
        """Do all that is left of what takes many batches; a crawl does it beside its visits."""
        self._frontier.commands.finish()
        self._topics.finish()

    def _carry_out_at_host(self, command: Command, host: bytes) -> None:
        commands = self._frontier.commands
        match command:
            case Pause() | Resume():
                commands.pause(host, isinstance(command, Pause))
            case Slow():
                commands.slow(host, command.delay_seconds)
            case Exclude() | Include():
                commands.exclude(host, isinstance(command, Exclude))

    def _want_feed(self, url: str, *, wanted: bool) -> None:
        """Poll a feed from now on, or no more; said twice it does no harm."""
        row = self._store.find(url)
        feed = self._desk.feed(row)
        feed.removed = not wanted
        known = self._frontier.urls.read(row)
        if wanted and known is not None and known.source is not LinkSource.NAMED_FEED:
            feed.seen = b""  # what it had named may have been refused
        batch = self._store.batch()
        batch.put("site", feed_key(row), pack(feed))
        self._store.commit(batch)
        link = Link(url, row, rel=int(Rel.FEED), priority=1.0, source=LinkSource.NAMED_FEED)
        self._frontier.change(partial(self._frontier.schedules.want_feed, link, wanted))

    def _mark(self, url: str, marks: Mapping[str, str]) -> None:
        """Write what was found out about a page to its row, and tell those who follow."""
        batch = self._store.batch()
        self._store.mark(batch, self._store.find(url), marks, self._clock.now())
        self._store.commit(batch)


def _host_labels(host: str) -> list[bytes]:
    url = canonical(host if "://" in host else f"http://{host}/")
    return [] if url is None else [host_of_site(site_key(site_of(url)))]
