"""How does the collection stand, in words? Counts that add up, and how each of them is listed."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal.cli.terminal.wording import count, duration, one_line, parts, program, size
from shoal.clock import iso
from shoal.engine.recovery import Recovered
from shoal.engine.summary import Summary
from shoal.layout.following import Following
from shoal.layout.layout import in_directory
from shoal.layout.runs import Run
from shoal.layout.snapshot import Status, Trouble

_WIDTH = 10
_AT_THE_MARGIN = ("discovered", "fetched", "gone", "inside")
_LITTLE = 0.15
"""Who waits for less than this waits for nothing much."""


def status_lines(status: Status) -> Iterator[str]:
    """Discovered is the sum of the five below it; two of them are sums themselves. Documents inside
    others are no URLs, and have a line of their own."""
    answered = {
        "fetched": status.fetched,
        "unchanged": status.unchanged,
        "redirect": status.redirect,
        "gone": status.gone,
        "source": status.source - status.requisites,
        "requisite": status.requisites,
    }
    rows = [
        ("discovered", status.discovered, ""),
        ("queued", status.queued, ""),
        ("in flight", status.in_flight, ""),
        ("answered", status.answered, parts(answered)),
        ("excluded", status.excluded, parts(status.excluded_by_reason)),
        ("failed", status.failed, parts(status.failed_by_reason)),
        ("fetched", status.fetched, parts(status.fetched_by_fate)),
        ("gone", status.gone, parts(_by_status(status.gone_by_status))),
        ("inside", status.inside, parts(status.inside_by_fate)),
        ("left", status.inside_gone, ""),
    ]
    widest = max(
        len(f"{number:,}") for number in (sum(status.visits.values()), *(n for _, n, _ in rows))
    )
    for name, number, made_of in rows:
        label = name if name in _AT_THE_MARGIN else f"  {name}"
        line = f"{label:<{_WIDTH + 2}} {number:>{widest},}"
        if number or name in ("discovered", "queued"):
            yield f"{line}  = {made_of}" if made_of else line
    for name, visits in (("visits", status.visits), ("last run", status.last_visits)):
        if number := sum(visits.values()):
            yield f"{name:<{_WIDTH + 2}} {number:>{widest},}  = {parts(visits)}"
    yield " · ".join((_totals(status.totals), *_in_the_index(status)))
    if status.rank_mass is not None:
        pages = count(status.rank_mass_pages, "page")
        yield (
            f"At least {status.rank_mass:.1%} of the weight that links from the seeds lead to is "
            f"fetched (of the links of {pages}; `shoal rank` looks again)."
        )
    yield from _topic_lines(status)


def _topic_lines(status: Status) -> Iterator[str]:
    """How a crawl for a topic stands, and what would help when links run out."""
    topic = status.topic
    if topic is None:
        return
    yield f"{topic.on_topic:,} of {count(topic.pages, 'page')} on the topic {topic.name}."
    if status.running or (topic.best is not None and topic.best >= _LITTLE):
        return
    why = (
        "No link waits" if topic.best is None else f"What waits promises little ({topic.best:.2f})"
    )
    yield (
        f"{why}: more seeds, a wider --scope, pages of your own ({program()} submit URL), other "
        f"words ({program()} topic make {topic.name} --words WORDS) or more yes and no may help."
    )


def state_in_words(status: Status) -> str:
    """Whether a crawl runs, and whether sources are followed."""
    followed = next((_followed(each) for each in status.following), "")
    if status.running:
        return f"a crawl is running, and {followed}" if followed else "a crawl is running"
    return f"{followed}; no crawl is running" if followed else "at rest"


def _followed(following: Following) -> str:
    sources = count(len(following.sources), "source is", "sources are")
    by = "" if following.crawls else f" by process {following.pid}"
    looking = following.looking
    yet = f", {looking:,} of them not looked at as a whole yet" if looking else ""
    return f"{sources} followed{by}{yet}"


def _in_the_index(status: Status) -> Iterator[str]:
    if not (status.indexed or status.inside_indexed):
        return
    pages = count(status.indexed, "page")
    if status.inside_indexed:
        pages += f" and {count(status.inside_indexed, 'document')} inside others"
    kept = f" ({status.kept:,} of them not found by the last visit)" if status.kept else ""
    yield f"{pages} in the index{kept}"


def run_lines(runs: Sequence[Run]) -> Iterator[str]:
    """The crawls that were made, a line for each."""
    if not runs:
        yield "No crawl is written down: none was made, or those that were are of an older release."
    is_cluster = any(run.tablet for run in runs)
    for run in runs:
        took = duration(max(0.0, run.ended - run.started)) if run.ended else "no time"
        facts = [
            count(run.asked, "page"),
            f"{run.changed:,} changed",
            f"{run.failed:,} failed",
            f"{size(run.bytes)} received",
        ]
        where = f" tablet {run.tablet}" if is_cluster else ""
        told = f"{iso(run.started)}{where}  {run.kind:<7}  {took:>8}"
        yield f"{told}  {' · '.join(facts)}: {one_line(run.why, 200)}"


def _by_status(counted: dict[str, int]) -> dict[str, int]:
    """A file that is not there has no status to be told."""
    return {"no such file" if name == "0" else name: n for name, n in counted.items()}


def _totals(totals: dict[str, int]) -> str:
    robots = totals.get("robots_requests", 0)
    facts = [
        f"{count(totals.get('requests', 0), 'request')} ({robots:,} for robots.txt)",
        f"{size(totals.get('bytes', 0))} received",
        f"{count(totals.get('sites', 0), 'site')}, {totals.get('sites_with_work', 0):,} with work",
    ]
    if cut := totals.get("cut_bodies", 0):
        facts.append(f"{count(cut, 'body', 'bodies')} cut at the size limit")
    return " · ".join(facts)


def ending(
    summary: Summary, directory: Path, again: str, *, is_refresh: bool = False
) -> Iterator[str]:
    """How a crawl ended, where its pages are, and what to type next; `again` goes on with it."""
    status = summary.status
    took = duration(summary.seconds)
    if summary.finished:
        yield f"Finished after {took}."
    else:
        yield f"Stopped after {took}: {summary.reason}."
    if summary.again:
        failed = summary.again_failed
        yield asked_again(summary.again, summary.changed, summary.missing, failed)
    if summary.left:
        pages = count(summary.left, "page was", "pages were")
        why = "its host is" if summary.left == 1 else "their hosts are"
        because = f"{why} paused or left alone for now" if summary.finished else "it was stopped"
        yield f"{pages} left for the next refresh: {because}."
    if summary.reconsidered:
        urls = count(summary.reconsidered, "URL")
        whose = "its" if summary.reconsidered == 1 else "their"
        yield f"The scope differs from the last crawl's: {urls} changed {whose} state."
    yield ""
    yield from status_lines(status)
    yield ""
    yield f"The collection is in {directory}."
    if summary.index_problem:
        how = f"{program()} reindex{in_directory(directory)}"
        yield f"The index is not up to date: {summary.index_problem}; make it anew with: {how}"
    if summary.trouble:
        yield f"No good answer from: {troubles(summary.trouble)}."
    yield from _unread(status, directory)
    if is_refresh and summary.waiting_later:
        urls = count(summary.waiting_later, "new URL waits", "new URLs wait")
        yield f"{urls} for the next crawl: {again}"
    elif summary.waiting_later:
        yield _waiting(summary, directory, again)
    elif not summary.finished and not is_refresh:
        yield f"Go on with: {again}"
    names = ("search WORDS", "serve", "status")
    commands = (f"{program()} {name}{in_directory(directory)}" for name in names)
    yield f"Next: {' · '.join(commands)}"


def _unread(status: Status, directory: Path) -> Iterator[str]:
    """Pages that were answered and can't be read, and how they are listed."""
    listed = f"{program()} urls{in_directory(directory)}"
    if empty := status.fetched_by_fate.get("empty", 0):
        has = count(empty, "page has", "pages have")
        why = "maybe made by scripts, which are not run"
        yield f"{has} no text, {why}: {listed} --state fetched --reason empty"
    if closed := status.failed_by_reason.get("unauthorized", 0):
        want = count(closed, "page wants", "pages want")
        yield f"{want} a login, and none is sent: {listed} --state failed --reason unauthorized"


def asked_again(pages: int, changed: int, missing: int, failed: int) -> str:
    """What became of pages that were asked for again."""
    parts_of = {
        "changed": changed,
        "unchanged": pages - changed - missing - failed,
        "gone or moved": missing,
        "not answered": failed,
    }
    told = ", ".join(f"{number:,} {name}" for name, number in parts_of.items() if number)
    return f"Asked again for {count(pages, 'page')}: {told}."


def recovery_lines(recovered: Recovered) -> Iterator[str]:
    """What an earlier process left undone, and what was done about it."""
    if recovered.sites_counted_as_asked:
        sites = count(recovered.sites_counted_as_asked, "site counts", "sites count")
        yield f"An earlier crawl ended without warning; {sites} as asked just now."
    for tail in recovered.torn_tails:
        yield (
            f"The archive file {tail.file} ended in a torn record; "
            f"{size(tail.cut_bytes)} were cut off."
        )
    if recovered.queued_again:
        urls = count(recovered.queued_again, "URL")
        yield f"The records of {urls} were lost with the end of a file; they are fetched again."
    for file in recovered.missing_files:
        yield f"The archive file {file} is missing; put it back, or run {program()} repair."
    if recovered.clock_was_behind_seconds >= 1:
        behind = duration(recovered.clock_was_behind_seconds)
        yield f"The machine's clock was set back by {behind}; the collection's own goes on."


def troubles(trouble: Sequence[Trouble]) -> str:
    """`x.org (dns: …), y.org (connect: …)`."""
    return ", ".join(f"{each.host} ({one_line(each.why, 120).rstrip('.')})" for each in trouble)


def _waiting(summary: Summary, directory: Path, again: str) -> str:
    urls = count(summary.waiting_later, "URL waits", "URLs wait")
    if not summary.finished:
        return f"{urls}; go on with: {again}"
    hosts = count(summary.status.totals.get("sites_with_work", 0), "site")
    return (
        f"{urls} at {hosts} that must be left alone for longer (no answer, busy, or paused; "
        f"see {program()} hosts --waiting{in_directory(directory)}); try again later with: {again}"
    )
