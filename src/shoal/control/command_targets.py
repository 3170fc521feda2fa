"""Which tablets does a command concern? That of the page or the host that it names, or all."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from shoal.model.urls.partition import Owners
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import canonical
from shoal.sources.inbox import (
    AddFeed,
    AddSource,
    Command,
    GiveWay,
    LookAtSource,
    MakeTopic,
    Mark,
    Push,
    ReadSitemap,
    RemoveFeed,
    RemoveSource,
    RemoveTopic,
    Retry,
    Stop,
    StoredCommand,
    Submit,
    Teach,
    Unreadable,
)


def tablets_of(command: StoredCommand, owners: Owners) -> Iterable[int]:
    match command:
        case Stop() | GiveWay() | Unreadable():
            return ()  # it was meant for a crawl that has ended
        case AddSource() | RemoveSource() | LookAtSource():
            return ()  # a cluster has no sources
        case Push(feed_url=url) | Mark(url) | AddFeed(url) | RemoveFeed(url):
            return (owners.of(row_key(url)),)
        case Submit(url) | ReadSitemap(url):
            return (owners.of(row_key(url)),)
        case Retry(host="") | MakeTopic() | Teach() | RemoveTopic():
            return range(owners.tablets)
        case _:
            host = canonical(command.host if "://" in command.host else f"http://{command.host}/")
            return () if host is None else (owners.of(row_key(host)),)


def by_tablet(commands: Sequence[Command], tablets: int) -> Mapping[int, list[Command]]:
    """What each tablet is to be told."""
    owners, told = Owners(tablets), defaultdict[int, list[Command]](list)
    for command in commands:
        for tablet in tablets_of(command, owners):
            told[tablet].append(command)
    return told
