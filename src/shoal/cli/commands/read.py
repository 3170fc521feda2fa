"""`shoal status`, `urls`, `explain`, `show` and `export`: what is in a collection, and why."""

import sys
import time
from pathlib import Path
from typing import Annotated, Literal

from shoal.cli.options import (
    At,
    Dir,
    Json,
    Output,
    Since,
    Url,
    Where,
    WhereArgument,
    app,
    argument,
    flag,
    option,
)

State = Literal[
    "queued", "fetched", "unchanged", "redirect", "gone", "excluded", "failed", "source", "inside"
]
Form = Literal["urls", "jsonl", "warc", "cdxj"]


@app.command()
def status(
    runs: Annotated[bool, flag("--runs", "The crawls that were made, the newest first.")] = False,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """How it stands: counts that add up, and the running crawl."""
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.crawl_progress import live_lines, memory_line
    from shoal.cli.terminal.status_report import run_lines, state_in_words, status_lines
    from shoal.cli.terminal.wording import program
    from shoal.model.record import to_json

    with reading(given_dir) as collection:
        found, is_cluster = collection.status(), collection.tablets.count > 1
        made = collection.runs() if runs else []
    if runs:
        if json:
            screen.stream(to_json(each) + b"\n" for each in made)
            return
        for line in run_lines(made):
            screen.say(line)
        return
    if json:
        screen.json(found)
        return
    screen.say(f"{found.directory}: {state_in_words(found)}")
    for line in status_lines(found):
        screen.say(line)
    if found.live is not None:
        screen.say()
        by = "all tablets" if is_cluster else f"process {found.live.pid}"
        screen.say(f"This crawl ({by}):")
        counts = {"queued": found.queued + found.in_flight}
        counts["fetched/duplicate"] = found.fetched_by_fate.get("duplicate", 0)
        for line in filter(None, (*live_lines(counts, found.live), memory_line(found.live))):
            screen.say(f"  {line}")
    screen.say(f"Any of these: {program()} urls --state STATE [--reason REASON]")
    if is_cluster:
        screen.say(f"Its machines and tablets: {program()} cluster status {found.directory}")
        tell_waiting(given_dir)


@app.command()
def urls(
    where: WhereArgument = "",
    state: Annotated[
        State | None, option("--state", "STATE", "Only URLs in this state, as status names it.")
    ] = None,
    reason: Annotated[
        str | None, option("--reason", "REASON", "Only these, such as robots, 404 or duplicate.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Every known URL and its state: the lists behind `status`."""
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import one_line
    from shoal.collection.export.export import known_urls
    from shoal.model.record import to_json

    with reading(given_dir) as collection:
        lines = (
            line
            for line in known_urls(collection.tablets, where, state)
            if reason is None or reason in (line.reason, _category(line.reason))
        )
        if json:
            written = screen.stream(to_json(line) + b"\n" for line in lines)
        else:
            written = screen.stream(
                f"{line.url}\t{line.state}\t{one_line(line.reason)}\n".encode() for line in lines
            )
    if not written:
        which = " in that state or for that reason" if state or reason else ""
        screen.remark(f"No URL{f' of {where}' if where else ''} is known{which}.")


def _category(reason: str) -> str:
    """What a reason is counted under; `status` calls it other when there is none."""
    return reason.partition(":")[0] or "other"


@app.command()
def explain(url: Url, given_dir: Dir = None, json: Json = False) -> None:
    """Why a URL was taken, or not.

    How it was found, the rule that admits or refuses it, the line of robots.txt, its visits, what
    was taken from it, and when it is due.
    """
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen

    with reading(given_dir) as collection:
        found = collection.explain(url)
    if json:
        screen.json(found)
        return
    screen.say(found.url)
    screen.say(found.verdict, strong=True)
    screen.say()
    for line in found.lines:
        screen.say(f"  {line.topic:<11}{line.says}")


@app.command()
def show(
    url: Url,
    text: Annotated[bool, flag("--text", "Its content as plain text.")] = False,
    whole: Annotated[bool, flag("--whole", "All of its text: menus, footers and all.")] = False,
    html: Annotated[
        bool, flag("--html", "Its cached copy: clean HTML, whatever its format.")
    ] = False,
    markdown: Annotated[bool, flag("--markdown", "The same as Markdown.")] = False,
    raw: Annotated[
        bool, flag("--raw", "Its body, byte for byte, content encoding undone.")
    ] = False,
    links: Annotated[bool, flag("--links", "Its links: target, anchor text.")] = False,
    anchors: Annotated[bool, flag("--anchors", "Who links to it: source, anchor text.")] = False,
    marks: Annotated[
        bool, flag("--marks", "What was found out about it: people, places, classes, your marks.")
    ] = False,
    history: Annotated[bool, flag("--history", "Its visits, the newest first.")] = False,
    headers: Annotated[bool, flag("--headers", "The head of its response.")] = False,
    mail: Annotated[
        bool, flag("--mail", "Of a mail: who wrote to whom, attachments, folders, thread.")
    ] = False,
    at: At = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """What is stored of a page: a summary, or one part."""
    from shoal.cli.places import reading
    from shoal.cli.terminal import page_report as showing
    from shoal.cli.terminal.wording import to_time
    from shoal.errors import UsageError

    parts = {
        "text": text,
        "whole": whole,
        "html": html,
        "markdown": markdown,
        "raw": raw,
        "links": links,
        "anchors": anchors,
        "marks": marks,
        "history": history,
        "headers": headers,
        "mail": mail,
    }
    asked = [name for name, given in parts.items() if given]
    if len(asked) > 1:
        raise UsageError(f"ask for one at a time: --{' or --'.join(asked)}")
    when = None if at is None else to_time(at, "--at", time.time())
    with reading(given_dir) as collection:
        showing.show(collection, url, asked[0] if asked else "summary", when, json=json)


@app.command()
def export(
    form: Annotated[Form, argument("urls|jsonl|warc|cdxj", "What to write.")],
    where: Where = "",
    since: Since = None,
    output: Output = "-",
    parts: Annotated[
        str | None, option("--parts", "DIR", "A file for each tablet, written at the same time.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Write it out: URLs, pages as JSON lines, or the archive."""
    from shoal.cli.places import reading
    from shoal.cli.terminal.export_files import destination
    from shoal.cli.terminal.screen import remark
    from shoal.cli.terminal.wording import count, to_time
    from shoal.collection.export.export import Export, write, write_parts
    from shoal.errors import UsageError

    after = None if since is None else to_time(since, "--since", time.time())
    if parts is not None and output != "-":
        raise UsageError("name one place to write to: --output or --parts")
    if form == "warc" and parts is None and output == "-" and sys.stdout.isatty():
        raise UsageError("a WARC file is no text for a terminal; name a file with --output")
    wanted = Export(form, where, after, json)
    with reading(given_dir) as collection:
        if parts is not None:
            written = sum(write_parts(collection.tablets, wanted, Path(parts)))
        else:
            with destination(output) as out:
                written = write(collection.tablets, wanted, out)
    if not written:
        remark("Nothing matches: nothing was written.")
    elif parts is not None or output != "-":
        noun = {"warc": "record", "jsonl": "page", "urls": "URL", "cdxj": "line"}[form]
        remark(f"{count(written, noun)} written to {parts or output}.")
