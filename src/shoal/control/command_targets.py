"""Which tablets does an order concern? That of the page or the host that it names, or all."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from shoal.model.urls.partition import Homes
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import canonical
from shoal.sources.inbox import (
    AddFeed,
    Command,
    Mark,
    Order,
    Push,
    ReadSitemap,
    RemoveFeed,
    Retry,
    Stop,
    Submit,
    Unreadable,
)


def tablets_of(order: Order, homes: Homes) -> Iterable[int]:
    match order:
        case Stop() | Unreadable():
            return ()  # it was meant for a crawl that has ended
        case Push(feed_url=url) | Mark(url) | AddFeed(url) | RemoveFeed(url):
            return (homes.of(row_key(url)),)
        case Submit(url) | ReadSitemap(url):
            return (homes.of(row_key(url)),)
        case Retry(host=""):
            return range(homes.tablets)
        case _:
            host = canonical(order.host if "://" in order.host else f"http://{order.host}/")
            return () if host is None else (homes.of(row_key(host)),)


def by_tablet(orders: Sequence[Command], tablets: int) -> Mapping[int, list[Command]]:
    """What each tablet is to be told."""
    homes, told = Homes(tablets), defaultdict[int, list[Command]](list)
    for order in orders:
        for tablet in tablets_of(order, homes):
            told[tablet].append(order)
    return told
