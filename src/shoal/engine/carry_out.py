"""What does an order do? Given to a running crawl, or carried out on a collection that rests."""

from shoal.engine.engine import Engine
from shoal.model.link import Link, Rel, Source
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import canonical, site_of
from shoal.sources.inbox import (
    AddFeed,
    Command,
    Exclude,
    Include,
    Mark,
    Pause,
    ReadSitemap,
    RemoveFeed,
    Resume,
    Retry,
    Slow,
    Submit,
)


def carry_out(engine: Engine, order: Command) -> None:
    """All but what only a running crawl can do (Push, Stop)."""
    match order:
        case Submit(url) | ReadSitemap(url):
            found = canonical(url)
            if found is not None:
                link = Link(found, row_key(found), priority=1.0, source=Source.SUBMIT)
                link.rel = int(Rel.SITEMAP if isinstance(order, ReadSitemap) else Rel.PLAIN)
                engine.frontier.add([link])
        case AddFeed(url) | RemoveFeed(url):
            found = canonical(url)
            if found is not None:
                engine.want_feed(found, wanted=isinstance(order, AddFeed))
        case Retry(reason, host):
            for each in _host_labels(host) if host else [None]:
                engine.frontier.wishes.retry(reason, each)
        case Mark(url, marks):
            engine.mark(url, marks)
        case Pause(host) | Resume(host) | Slow(host) | Exclude(host) | Include(host):
            for label in _host_labels(host):
                _carry_out_at_host(engine, order, label)


def _carry_out_at_host(engine: Engine, order: Command, host: bytes) -> None:
    wishes = engine.frontier.wishes
    match order:
        case Pause() | Resume():
            wishes.pause(host, isinstance(order, Pause))
        case Slow():
            wishes.slow(host, order.delay_seconds)
        case Exclude() | Include():
            wishes.exclude(host, isinstance(order, Exclude))


def _host_labels(host: str) -> list[bytes]:
    url = canonical(host if "://" in host else f"http://{host}/")
    return [] if url is None else [host_of_site(site_key(site_of(url)))]
