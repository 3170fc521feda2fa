"""`shoal crawl`: start a crawl or go on with it, show what it does, end it well."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal import cycles
from shoal.cli.options import Assign, Dir, Json, Quiet, Resolve, app, argument, flag, option

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.cli.terminal.crawl_progress import Progress
    from shoal.config import Config
    from shoal.engine.revisit_settings import Selection
    from shoal.engine.running import RunningCrawl
    from shoal.engine.summary import Summary
    from shoal.layout.layout import Layout
    from shoal.model.link import Link


@app.command()
def crawl(
    seeds: Annotated[
        list[str] | None,
        argument("SEED", "URLs to start from; a file of URLs as @FILE, or - for standard input."),
    ] = None,
    sitemap: Annotated[
        list[str] | None,
        option("--sitemap", "URL", "Fetch what this sitemap names, too; repeatable."),
    ] = None,
    given_dir: Dir = None,
    max_pages: Annotated[
        str | None, option("--max-pages", "N|none", "Stop when so many pages are fetched.")
    ] = None,
    max_depth: Annotated[
        str | None, option("--max-depth", "N", "No deeper than this; a seed has depth 1.")
    ] = None,
    max_time: Annotated[
        str | None, option("--max-time", "TIME", "Stop after this long: 90s, 15m, 2h.")
    ] = None,
    max_bytes: Annotated[
        str | None, option("--max-bytes", "SIZE", "Stop when so much was received: 500MB.")
    ] = None,
    min_free_disk: Annotated[
        str | None, option("--min-free-disk", "SIZE", "Stop when less disk than this is free.")
    ] = None,
    delay: Annotated[
        str | None,
        option("--delay", "SECONDS", "Wait at a host after each response (3; 1 at least outside)."),
    ] = None,
    scope: Annotated[
        str | None,
        option("--scope", "host|domain|prefix|any", "Which links are followed (host)."),
    ] = None,
    include: Annotated[
        list[str] | None,
        option("--include", "REGEX", "Fetch only URLs that match one of these; repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        option("--exclude", "REGEX", "Fetch no URL that matches one of these; repeatable."),
    ] = None,
    rules: Annotated[
        str | None, option("--rules", "FILE|documents|wikipedia", "A rules file, or a ready set.")
    ] = None,
    order: Annotated[
        str | None,
        option("--order", "breadth|depth|priority|importance", "Which URL is next (breadth)."),
    ] = None,
    about: Annotated[
        str | None, option("--about", "WORDS", "By importance: what pages should be about.")
    ] = None,
    topic: Annotated[
        str | None, option("--topic", "NAME", "By importance: first what leads to this topic.")
    ] = None,
    weights: Annotated[
        str | None,
        option("--weights", "content=N,popularity=N,location=N", "By importance: what counts."),
    ] = None,
    popularity: Annotated[
        str | None,
        option("--popularity", "shares|links|rank", "By importance: how links are counted."),
    ] = None,
    stop_when: Annotated[
        str | None,
        option("--stop-when", "N|none", "Stop when N pages of at least --value are fetched."),
    ] = None,
    value: Annotated[
        str | None, option("--value", "0..1", "From which value on a page counts for it (0.5).")
    ] = None,
    agent: Annotated[
        str | None, option("--agent", "TEXT", "The whole User-Agent, in place of Shoal's.")
    ] = None,
    contact: Annotated[
        str | None, option("--contact", "URL|MAIL", "Where whoever runs a site can reach you.")
    ] = None,
    workers: Annotated[
        str | None, option("--workers", "N", "Requests in flight at once, over all hosts (64).")
    ] = None,
    children: Annotated[
        str | None, option("--children", "N", "Processes that read pages (one per core but one).")
    ] = None,
    keep: Annotated[
        str | None, option("--keep", "raw|text|none", "What is kept of a page (raw).")
    ] = None,
    resolve: Resolve = None,
    allow_private: Annotated[
        bool, flag("--allow-private", "Public pages may lead to private addresses.")
    ] = False,
    assign: Assign = None,
    forever: Annotated[
        bool, flag("--forever", "Go on without end: new pages, and stored ones as they change.")
    ] = False,
    once: Annotated[
        bool, flag("--once", "One pass, though the collection's settings say without end.")
    ] = False,
    shadow: Annotated[
        bool, flag("--shadow", "Gather apart; `shoal shadow apply` makes it the collection.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Crawl a site, or go on with a crawl.

    The same command again resumes it: nothing is lost, nothing is fetched twice. The flags of the
    first crawl are kept in the collection's shoal.toml; those of a later one hold for it alone.
    """
    from shoal.access.opening import settings_at
    from shoal.cli.settings_flags import assignments, resolutions, typed
    from shoal.engine.seeds import seeds_of, with_whole_paths
    from shoal.errors import UsageError
    from shoal.layout.layout import Layout, is_cluster_place, place_of, shadowed_directory

    place = place_of(given_dir)
    words = {
        "crawl.max_pages": max_pages,
        "crawl.max_depth": max_depth,
        "crawl.max_time": max_time,
        "crawl.max_bytes": max_bytes,
        "crawl.min_free_disk": min_free_disk,
        "politeness.delay": delay,
        "crawl.scope": scope,
        "crawl.rules": rules,
        "crawl.order": order or ("importance" if topic else None),
        "crawl.about": about,
        "crawl.topic": topic,
        "crawl.weights": weights,
        "crawl.popularity": popularity,
        "crawl.stop_when": stop_when,
        "crawl.value": value,
        "agent.agent": agent,
        "agent.contact": contact,
        "crawl.workers": workers,
        "crawl.children": children,
        "crawl.keep": keep,
    }
    overrides: dict[str, object] = {
        **typed(words),
        "crawl.include": tuple(include or ()) or None,
        "crawl.exclude": tuple(exclude or ()) or None,
        "fetch.allow_private": "yes" if allow_private else None,
        "crawl.forever": "yes" if forever else "no" if once else None,
        **resolutions(resolve or ()),
        **assignments(assign or ()),
    }
    if forever and once:
        raise UsageError("--forever and --once can't be had together")
    config = settings_at(place, with_whole_paths(overrides), os.environ)
    if is_cluster_place(place):
        from shoal.cli.commands.cluster import run_and_tell
        from shoal.fleet.cluster_run import must_have_ray, seeds_for

        if shadow:
            shadowed_directory(place)
        must_have_ray()
        found = seeds_for(place, seeds or (), config, sitemap or ())
        return run_and_tell(place, config, found, json=json, quiet=quiet)
    directory = Path(place)
    Layout(directory).must_be_free()
    is_named = seeds or sitemap or config.crawl.seeds
    if given_dir is not None and not is_named and not directory.exists():
        Layout(directory).must_exist()  # there is nothing to go on with: it was misspelt
    links = seeds_of(seeds or (), config, directory, sitemap or ())
    job = Job(directory, config, links)
    if shadow:
        from shoal.maintenance.shadow import prepare

        apart, links = prepare(directory, links)
        job = Job(directory, config, links, apart)
    return crawl_and_tell(job, json=json, quiet=quiet)


@dataclass(frozen=True)
class Job:
    """A crawl that is ready to start."""

    directory: Path
    config: "Config"
    links: list["Link"]
    shadow: "Layout | None" = None
    """Where it is gathered apart; None: in the collection itself."""
    selection: "Selection | None" = None
    """The stored pages that are asked for again; None: new ones."""


@dataclass(frozen=True)
class Ended:
    """How it ended; without a summary when it was stopped at once."""

    summary: "Summary | None"
    exit_code: int


def crawl_and_tell(job: Job, *, json: bool, quiet: bool) -> int:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.resuming import command_to_go_on, raised_limits

    cycles.look_rarely()  # this process does nothing else
    ended = run(job, quiet=quiet)
    summary, apart = ended.summary, job.shadow is not None
    if summary is None:
        if not quiet:
            again = command_to_go_on(job.directory, job.config, {}, shadow=apart)
            screen.remark(f"Stopped at once. Go on with: {again}")
        return ended.exit_code
    if job.selection is not None and not summary.again and summary.finished and not quiet:
        screen.remark("No stored page is meant: nothing was asked (see --site and --older).")
    if json:
        screen.json(summary)
    elif not quiet:
        raised = raised_limits(job.config, summary)
        again = command_to_go_on(job.directory, job.config, raised, shadow=apart)
        _tell_ending(job, summary, again)
    if summary.finished and summary.unanswered:
        from shoal.cli.terminal.status_report import troubles
        from shoal.errors import ShoalError

        raise ShoalError(f"No page was fetched, no seed answers: {troubles(summary.trouble)}.")
    return ended.exit_code


def _tell_ending(job: Job, summary: "Summary", again: str) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.status_report import ending
    from shoal.cli.terminal.wording import program
    from shoal.layout.layout import in_directory

    for line in ending(summary, job.directory, again, is_refresh=job.selection is not None):
        screen.say(line)
    if job.shadow is not None:
        apply = f"{program()} shadow apply{in_directory(job.directory)}"
        screen.say(f"Gathered apart; apply with: {apply}")


def run(job: Job, *, quiet: bool) -> Ended:
    """Crawl to the end, showing progress on standard error and minding Ctrl-C."""
    import asyncio

    from shoal import loop
    from shoal.cli.terminal.crawl_progress import progress
    from shoal.cli.terminal.interrupts import Interrupts
    from shoal.cli.terminal.status_report import recovery_lines

    with progress(quiet=quiet, terminal=sys.stderr.isatty()) as shown:
        interrupts, inside = Interrupts(shown.note), list[str]()

        def started(running: "RunningCrawl") -> None:
            doing = "Crawling into" if job.selection is None else "Refreshing"
            line = f"{doing} {job.directory}; Ctrl-C stops it, {goes_on(job.config)}."
            if inside:
                more = f" and {len(inside) - 1:,} more" if len(inside) > 1 else ""
                line += f" Asked at a private address, as you named it: {inside[0]}{more}."
            shown.note(line)
            for line in recovery_lines(running.recovered):
                shown.note(line)
            interrupts.started(running)

        async def work() -> "Summary":
            with interrupts.caught():
                return await _crawl(job, shown, started, inside)

        try:
            summary = loop.run(work())
        except asyncio.CancelledError:
            return Ended(None, interrupts.exit_code)
        return Ended(summary, interrupts.exit_code)


def goes_on(config: "Config") -> str:
    """What the same command does when it is given again. A limit counts all pages of the
    collection, not those of one run."""
    most = config.crawl.max_pages
    if most is None:
        return "the same command goes on"
    return f"the same command goes on to {most:,} pages, `--max-pages none` beyond"


async def _crawl(
    job: Job, shown: "Progress", started: "Callable[[RunningCrawl], None]", inside: list[str]
) -> "Summary":
    """`inside` is told the hosts that were named and are at private addresses."""
    from shoal.engine import preflight
    from shoal.engine.running import crawl_into

    await preflight.check(job.config, job.links, job.directory)
    inside += await preflight.private_hosts(job.config, job.links)
    return await crawl_into(
        job.shadow or job.directory,
        job.config,
        job.links,
        watch=shown.watch,
        started=started,
        selection=job.selection,
    )
