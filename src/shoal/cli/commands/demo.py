"""`shoal demo`: a crawl of the bundled little web, then a look at what it brought. Offline."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Json, Quiet, app, option

if TYPE_CHECKING:
    from shoal.cli.commands.crawl import Ended
    from shoal.collection.collection import Collection

DEMO_DIRECTORY = Path("demo-corpus")
_DELAY_SECONDS = 0.2
_PAGES_SHOWN = 12
_ANCHORS_OF = "http://www.reef.example/species/clownfish.html"
_SEARCHED = "fish that live with anemones"
_LONGEST_TITLE = 44


@app.command()
def demo(
    given_dir: Annotated[
        Path | None, option("--dir", "DIR", f"Where to put the collection (./{DEMO_DIRECTORY}).")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """See all of it on a bundled little web, offline.

    A web of seven hosts on tropical fish is served on this machine and crawled; then the pages,
    the counts, a refusal, some anchor texts and a search are shown. The collection stays.
    """
    from shoal.access.opening import open_collection
    from shoal.cli.terminal import screen
    from shoal.layout.layout import Layout

    directory = given_dir or DEMO_DIRECTORY
    was_there = Layout(directory).exists()
    if was_there and not quiet:
        screen.remark(f"{directory} has a collection already: this goes on with it.")
    ended = _crawl(directory, quiet=quiet or json)
    if ended.summary is None or ended.exit_code:
        return ended.exit_code
    if json:
        screen.json(ended.summary)
    elif not quiet:
        with open_collection(directory) as collection:
            _tour(collection, ended, directory)
    return 0


def _crawl(directory: Path, *, quiet: bool) -> "Ended":
    from shoal.cli.commands.crawl import Job, run
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.config import load
    from shoal.demo import serve
    from shoal.engine.seeds import seeds_of

    with ExitStack() as stack:
        web = stack.enter_context(serve())
        if not quiet:
            hosts = count(len(web.resolve), "host")
            screen.remark(f"A little web on tropical fish is served on {hosts} of this machine.")
        overrides: dict[str, object] = {
            "crawl.scope": "any",
            "index.follow": "yes",
            "politeness.delay": _DELAY_SECONDS,
            "politeness.rate": len(web.resolve) / _DELAY_SECONDS,
            **{f"resolve.{host}": address for host, address in web.resolve.items()},
        }
        config = load(directory, overrides, os.environ)
        return run(Job(directory, config, seeds_of(web.seeds, config, directory)), quiet=quiet)


def _tour(collection: "Collection", ended: "Ended", directory: Path) -> None:
    from shoal.cli.terminal.screen import say
    from shoal.cli.terminal.status_report import status_lines
    from shoal.cli.terminal.wording import duration, program

    if ended.summary is None:
        return
    say(f"The crawl took {duration(ended.summary.seconds)}. Every URL is in one count:")
    for line in status_lines(ended.summary.status):
        say(f"  {line}")
    _list_pages(collection)
    _explain_one(collection)
    _show_anchors(collection)
    _search(collection)
    say()
    say("The collection stays. Try on it:", strong=True)
    for command in (
        "search 'coral reef' --explain",
        "serve --open",
        f"show {_ANCHORS_OF} --text",
        "urls --state fetched --reason noindex",
        "urls --state excluded --reason robots",
        "rank",
        "dups",
        "export jsonl --where www.reef.example",
    ):
        say(f"  {program()} {command} --dir {directory}")


def _list_pages(collection: "Collection") -> None:
    from shoal.cli.terminal.screen import say, table
    from shoal.cli.terminal.wording import count, one_line, size

    pages = list(collection.pages())
    step = max(1, len(pages) // _PAGES_SHOWN)
    say()
    say(f"{count(len(pages), 'page')} are stored; some of them:", strong=True)
    rows = []
    for page in pages[::step][:_PAGES_SHOWN]:
        known = dict(collection.urls(page.url)).get(page.url)
        rows.append(
            [
                page.url,
                one_line(page.title, _LONGEST_TITLE),
                size(page.document.decoded_bytes),
                str(known.depth) if known is not None else "",
            ]
        )
    table(["page", "title", "size", "depth"], rows, numbers=["size", "depth"])


def _explain_one(collection: "Collection") -> None:
    from shoal.cli.terminal.screen import say
    from shoal.model.outcome import State

    refused = (
        url for url, row in collection.urls(state=State.EXCLUDED) if row.reason.startswith("robots")
    )
    url = next(refused, None)
    if url is None:
        return
    found = collection.explain(url)
    say()
    say(f"Why was {url} not taken? (shoal explain)", strong=True)
    say(f"  {found.verdict}")
    for line in found.lines:
        say(f"  {line.topic:<11}{line.says}")


def _show_anchors(collection: "Collection") -> None:
    from shoal.cli.terminal.screen import say, table
    from shoal.cli.terminal.wording import program

    anchors = collection.anchors(_ANCHORS_OF)
    say()
    say(f"What do others call {_ANCHORS_OF}? ({program()} show --anchors)", strong=True)
    table(["from", "anchor text"], [list(pair) for pair in anchors[:6]])


def _search(collection: "Collection") -> None:
    from shoal.cli.terminal.screen import say
    from shoal.cli.terminal.wording import program

    say()
    say(f"Which pages are about this? ({program()} search '{_SEARCHED}')", strong=True)
    for number, result in enumerate(collection.search(_SEARCHED, limit=3), 1):
        say(f"  {number}. {result.title or result.url}")
        say(f"     {result.url}")
        say(f"     {result.text}")
