"""`shoal sitemap`: what a sitemap says, and sitemaps made of a folder."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Assign, Dir, Json, Resolve, app, argument, flag, option

if TYPE_CHECKING:
    from shoal.control.sitemaps import Entry, SitemapView
    from shoal.files.sitemap_making import Made, Making

_MAX_TIME = "2m"
_EXTRA_CHARS = 60


@app.command("sitemap")
def sitemap_command(
    sitemap: Annotated[str, argument("URL|FILE", "A sitemap: its URL in full, or a file.")] = "",
    urls: Annotated[bool, flag("--urls", "Print its URLs alone, a line each.")] = False,
    make: Annotated[
        str | None, option("--make", "FOLDER", "Write sitemaps of the pages in a folder.")
    ] = None,
    base: Annotated[
        str | None, option("--base", "URL", "Where that folder is seen: http://www.example.com/")
    ] = None,
    output: Annotated[
        str | None, option("--output", "FOLDER", "Where to write them; without it in the folder.")
    ] = None,
    gzip: Annotated[bool, flag("--gzip", "Write them compressed.")] = False,
    take_all: Annotated[
        bool, flag("--all", "Name styles, scripts, pictures and fonts too.")
    ] = False,
    max_time: Annotated[
        str, option("--max-time", "TIME", f"Wait for a site this long at most ({_MAX_TIME}).")
    ] = _MAX_TIME,
    resolve: Resolve = None,
    assign: Assign = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """What a sitemap says; with --make, write one.

    Reads XML, indexes, plain text and feeds, compressed or not. A URL is asked for as politely as
    by a crawl. --make writes sitemaps of a folder with the files' dates, and with how often they
    change, as far as that shows from run to run.
    """
    from shoal.errors import UsageError
    from shoal.files.sitemap_making import Making

    if make is not None:
        if sitemap or urls:
            raise UsageError("--make writes a sitemap, and reads none; give one of the two")
        if base is None:
            raise UsageError("--make needs --base, where the folder is seen on the web")
        asked = Making(Path(make), base, Path(output) if output else None, gzip, take_all)
        _make(asked, json=json)
        return
    if not sitemap:
        raise UsageError("name a sitemap (its URL or a file), or a folder with --make")
    if base is not None or output is not None or gzip or take_all:
        raise UsageError("--base, --output, --gzip and --all go with --make")
    found = _read(sitemap, given_dir, max_time, resolve or [], assign or [])
    _show(found, urls=urls, json=json)


def _read(
    named: str, given_dir: str | None, max_time: str, resolve: list[str], assign: list[str]
) -> "SitemapView":
    from shoal.access.opening import settings_at
    from shoal.cli.settings_flags import assignments, resolutions
    from shoal.cli.terminal.quantities import seconds
    from shoal.control.sitemaps import view_file, view_url
    from shoal.errors import UsageError
    from shoal.layout.layout import place_of

    if "://" not in named:
        if Path(named).is_dir():
            make = f"shoal sitemap --make {named} --base URL"
            raise UsageError(f"{named} is a folder; to write a sitemap of it: {make}")
        if not Path(named).is_file():
            raise UsageError(f"{named} is no file here, and no URL written in full")
        return view_file(Path(named))
    place = place_of(given_dir)
    config = settings_at(place, {**resolutions(resolve), **assignments(assign)}, os.environ)
    return view_url(named, place, config, seconds(max_time, "--max-time"))


def _show(found: "SitemapView", *, urls: bool, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    if json:
        screen.json(found)
    elif urls:
        screen.stream(f"{url}\n".encode() for url in found.urls())
    elif found.entries:
        columns = ["url", "modified", "changes", "priority", "also"]
        rows = (
            (
                each.url,
                each.last_modified,
                each.change_frequency,
                f"{each.priority:g}",
                _extras(each),
            )
            for each in found.entries
        )
        screen.table(columns, rows, numbers=["priority"])
    if found.problem:
        screen.remark(f"{found.url}: {found.problem}.")
    if found.entries and not json:
        noun = "sitemap" if found.form == "index" else "URL"
        screen.remark(f"{count(len(found.entries), noun)} ({found.form}).")


def _extras(entry: "Entry") -> str:
    from shoal.cli.terminal.wording import count

    languages = " ".join(each.language for each in entry.alternates)
    parts = [
        count(len(entry.images), "image") if entry.images else "",
        count(len(entry.videos), "video") if entry.videos else "",
        f"news: {entry.news.title}" if entry.news is not None else "",
        f"in {languages}" if languages else "",
    ]
    return ", ".join(filter(None, parts))[:_EXTRA_CHARS]


def _make(asked: "Making", *, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.files.sitemap_making import make_sitemaps

    made = make_sitemaps(asked, time.time())
    if json:
        screen.json(made)
    else:
        _tell_made(made)


def _tell_made(made: "Made") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, parts

    for file in made.files:
        is_index = len(made.files) > 1 and file is made.files[0]
        screen.say(f"{file.name}: {count(file.urls, 'sitemap' if is_index else 'URL')}")
    screen.say(f"changes: {parts(made.frequencies, ', ')}")
    for line in made.left_out:
        screen.remark(f"left out: {line}")
    news = {"changed": made.changed, "new": made.added, "gone": made.removed}
    screen.remark(f"Since the last run: {parts(news, ', ') or 'nothing'}.")
    screen.remark(f"For robots.txt: Sitemap: {made.url}")
