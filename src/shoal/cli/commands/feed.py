"""`shoal feed add`, `list`, `remove`, `opml` and `show`: which feeds are polled, and what one
says."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import (
    Assign,
    Dir,
    Json,
    Output,
    Resolve,
    argument,
    feed_app,
    option,
)

if TYPE_CHECKING:
    from typing import BinaryIO

    from shoal.control.feeds import Added
    from shoal.model.listings.feed import Feed, Item

_MAX_TIME = "2m"
_SHOWN = 5
Named = Annotated[
    list[str],
    argument("URL|FILE.opml|-", "Feeds, or a list of feeds in OPML; -: from standard input."),
]


@feed_app.command("add")
def feed_add(feeds: Named, given_dir: Dir = None, json: Json = False) -> None:
    """Poll feeds from now on.

    Feeds that pages announce are polled anyway, by a crawl that goes on for ever (feeds.follow).
    """
    from shoal.control.feeds import add_feeds
    from shoal.layout.layout import place_of

    _tell(add_feeds(place_of(given_dir), feeds, _standard_input(feeds)), "polled", json=json)


@feed_app.command("remove")
def feed_remove(feeds: Named, given_dir: Dir = None, json: Json = False) -> None:
    """Poll feeds no more; what they brought stays.

    Not even if pages announce them.
    """
    from shoal.control.feeds import remove_feeds
    from shoal.layout.layout import place_of

    _tell(
        remove_feeds(place_of(given_dir), feeds, _standard_input(feeds)),
        "polled no more",
        json=json,
    )


def _standard_input(feeds: list[str]) -> "BinaryIO | None":
    return sys.stdin.buffer if "-" in feeds else None


def _tell(done: "Added", what: str, *, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    if json:
        screen.json(done)
        return
    when = "the running crawl is told" if done.running else "from the next crawl on"
    if len(done.urls) <= _SHOWN:
        for url in done.urls:
            screen.say(f"{url} is {what}; {when}.")
    else:
        screen.say(f"{count(len(done.urls), 'feed')} are {what}; {when}.")
    for url in done.left_out[:_SHOWN]:
        screen.remark(f"left out, since it is no URL of the web: {url}")
    if len(done.left_out) > _SHOWN:
        screen.remark(f"left out: {len(done.left_out) - _SHOWN:,} more")


@feed_app.command("list")
def feed_list(given_dir: Dir = None, json: Json = False) -> None:
    """Every feed: when it was asked, and will be."""
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.control.feeds import feeds_of

    with reading(given_dir) as collection:
        lines = feeds_of(collection)
    if json:
        screen.json(lines)
        return
    if not lines:
        screen.remark("No feed is polled: shoal feed add URL")
    else:
        columns = ["feed", "title", "asked", "next", "status", "pushed until", "note"]
        rows = (
            (
                line.url,
                line.title,
                line.polled or "never",
                line.next,
                str(line.status or ""),
                line.pushed_until,
                line.problem,
            )
            for line in lines
        )
        screen.table(columns, rows, numbers=["status"])
    tell_waiting(given_dir)


@feed_app.command("opml")
def feed_opml(output: Output = "-", given_dir: Dir = None) -> None:
    """All feeds as a list in OPML, for other readers."""
    from shoal.cli.places import reading
    from shoal.cli.terminal.export_files import destination
    from shoal.control.feeds import opml_of

    with reading(given_dir) as collection:
        text = opml_of(collection)
    with destination(output) as out:
        out.write(text.encode())


@feed_app.command("show")
def feed_show(
    named: Annotated[str, argument("URL|FILE", "A feed: its URL, or a file.")],
    max_time: Annotated[
        str, option("--max-time", "TIME", f"Wait for a site this long at most ({_MAX_TIME}).")
    ] = _MAX_TIME,
    resolve: Resolve = None,
    assign: Assign = None,
    given_dir: Dir = None,
    json: Json = False,
) -> int:
    """What a feed says: itself, and its items.

    A URL is asked for as politely as by a crawl, robots.txt first.
    """
    from shoal.access.opening import settings_at
    from shoal.cli.settings_flags import assignments, resolutions
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.quantities import seconds
    from shoal.control.feeds import as_dict, view_file, view_url
    from shoal.layout.layout import place_of

    if "://" not in named and Path(named).is_file():
        found = view_file(Path(named))
    else:
        place = place_of(given_dir)
        settings = {**resolutions(resolve or []), **assignments(assign or [])}
        config = settings_at(place, settings, os.environ)
        found = view_url(named, place, config, seconds(max_time, "--max-time"))
    if json:
        screen.json(as_dict(found))
    elif found.form:
        _show(found)
    if found.problem:
        screen.remark(f"{named}: {found.problem}.")
    return 0 if found.form else 1


def _show(found: "Feed") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, duration

    whole = sum(item.is_whole for item in found.items)
    facts = {
        "form": found.form,
        "page": found.url,
        "language": found.language,
        "hub": ", ".join(found.hubs),
        "itself": found.self_url,
        "asked": f"every {duration(found.ttl_seconds)}" if found.ttl_seconds else "",
        "skips": _skips(found),
        "items": f"{count(len(found.items), 'item')}, {whole:,} with the whole article",
    }
    screen.say(found.title or "(no title)", strong=True)
    for name, value in facts.items():
        if value:
            screen.say(f"  {name:<9} {value}")
    if found.items:
        screen.table(["date", "title", "url", "text"], (_cells(each) for each in found.items))


def _skips(found: "Feed") -> str:
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    hours = [f"{hour}:00" for hour in found.skip_hours]
    return ", ".join([*hours, *(days[day] for day in found.skip_days)])


def _cells(item: "Item") -> tuple[str, str, str, str]:
    from shoal.cli.terminal.wording import count

    text = "whole" if item.is_whole else "part" if item.content else ""
    files = count(len(item.enclosures), "file") if item.enclosures else ""
    return (
        item.published or item.updated,
        item.title,
        item.url or item.guid,
        ", ".join(filter(None, (text, files))),
    )
