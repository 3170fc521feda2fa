"""`shoal hosts`, `pause`, `resume`, `slow`, `exclude`, `include`, `retry`, `submit`, `stop`: a word
with the crawl, also while it runs."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Host, Json, app, argument, flag, option

if TYPE_CHECKING:
    from shoal.collection.report.hosts import HostLine

_PATIENCE = "30s"


@app.command()
def hosts(
    waiting: Annotated[bool, flag("--waiting", "Only hosts with URLs that wait.")] = False,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Every host: ready or left alone, why, and what waits."""
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.collection.report.hosts import host_lines

    with reading(given_dir) as collection:
        lines = [line for line in host_lines(collection) if line.waiting or not waiting]
    if json:
        screen.json(lines)
        return
    numbers = ["waiting", "fetched", "failed", "delay"]
    columns = ["host", "state", *numbers, "robots", "note"]
    screen.table(columns, (_cells(line) for line in lines), numbers=numbers)
    tell_waiting(given_dir)


def _cells(line: "HostLine") -> list[str]:
    return [
        line.host,
        f"{line.state} until {line.ready_at}" if line.ready_at else line.state,
        f"{line.waiting:,}",
        f"{line.fetched:,}",
        f"{line.failed:,}",
        f"{line.delay_seconds:g} s",
        line.robots,
        line.note,
    ]


@app.command()
def pause(host: Host, given_dir: Dir = None, json: Json = False) -> None:
    """Ask nothing more of a host; what waits there stays."""
    _switch(host, given_dir, "paused", on=True, says="is paused", json=json)


@app.command()
def resume(host: Host, given_dir: Dir = None, json: Json = False) -> None:
    """Go on with a host that was paused."""
    _switch(host, given_dir, "paused", on=False, says="goes on", json=json)


def _switch(host: str, given_dir: Dir, what: str, *, on: bool, says: str, json: bool) -> None:
    """Have a host `paused` or `excluded`, or take that back."""
    from shoal.cli.terminal import screen
    from shoal.control import commands
    from shoal.layout.layout import place_of

    place = place_of(given_dir)
    if what == "paused":
        is_running = commands.pause(place, host, paused=on)
    else:
        is_running = commands.exclude(place, host, excluded=on)
    name = commands.host_label(host)
    if json:
        screen.json({"host": name, what: on, "running": is_running})
        return
    screen.say(f"{name} {says}" + _when(place, is_running))


def _when(place: str, is_running: bool) -> str:
    """Of a cluster at rest nothing is changed before its next crawl, which begins with it."""
    from shoal.layout.layout import is_cluster_place

    if is_running:
        return "; the running crawl is told."
    return " from the next crawl on." if is_cluster_place(place) else " in the next crawl."


@app.command()
def slow(
    host: Host,
    delay: Annotated[
        str, argument("TIME", "At least this long between two requests: 10s; 0 takes it back.")
    ],
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Ask a host less often than the others."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.quantities import seconds
    from shoal.control import commands
    from shoal.layout.layout import place_of

    wanted, place = seconds(delay, "TIME"), place_of(given_dir)
    is_running = commands.slow(place, host, wanted)
    name = commands.host_label(host)
    if json:
        screen.json({"host": name, "delay_seconds": wanted, "running": is_running})
        return
    often = f"once in {wanted:g} s at most" if wanted else "as often as the settings allow"
    screen.say(f"{name} is asked {often}" + _when(place, is_running))


@app.command()
def exclude(host: Host, given_dir: Dir = None, json: Json = False) -> None:
    """Want nothing more of a host; what waits there is excluded."""
    _switch(host, given_dir, "excluded", on=True, says="is excluded", json=json)


@app.command()
def include(host: Host, given_dir: Dir = None, json: Json = False) -> None:
    """Go on with a host that was excluded; what was waits again."""
    _switch(host, given_dir, "excluded", on=False, says="is wanted", json=json)


@app.command()
def retry(
    reason: Annotated[
        str, argument("REASON", "Why it failed, as in `status`: timeout, 404; without it: any.")
    ] = "",
    host: Annotated[str, option("--host", "HOST", "Only what failed at this host.")] = "",
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Queue again what failed."""
    from shoal.cli.terminal import screen
    from shoal.control import commands
    from shoal.layout.layout import place_of

    place = place_of(given_dir)
    nothing = not json and not reason and not commands.has_failed(place)
    is_running = commands.retry(place, reason, host)
    if nothing:
        screen.say("Nothing has failed, so there is nothing to fetch again.")
        return
    name = commands.host_label(host) if host else ""
    if json:
        screen.json({"reason": reason, "host": name, "running": is_running})
        return
    what = f"What failed ({reason})" if reason else "What failed"
    where = f" at {name}" if name else ""
    when = "; the running crawl is told." if is_running else " in the next crawl."
    screen.say(f"{what}{where} is fetched again{when}")


@app.command()
def submit(
    urls: Annotated[list[str] | None, argument("URL", "URLs to fetch, in full.")] = None,
    sitemap: Annotated[
        list[str] | None,
        option("--sitemap", "URL", "Read this sitemap, and fetch what it names; repeatable."),
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Fetch these URLs next, in the running crawl or the next."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, program
    from shoal.control import commands
    from shoal.errors import UsageError
    from shoal.layout.layout import place_of

    if not urls and not sitemap:
        raise UsageError("Nothing to submit: name a URL, or a sitemap with --sitemap URL")
    place = place_of(given_dir)
    taken, is_running = commands.submit(place, urls or (), sitemap or ())
    if json:
        screen.json({"urls": taken, "running": is_running})
        return
    what = count(len(taken), "URL")
    if is_running:
        screen.say(f"{what} handed to the running crawl.")
    else:
        screen.say(f"{what} queued; fetch with: {program()} crawl --dir {place}")


@app.command()
def stop(
    wait: Annotated[
        str, option("--wait", "TIME", f"How long to wait until it has ended ({_PATIENCE}).")
    ] = _PATIENCE,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Ask the running crawl to end well."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.quantities import seconds
    from shoal.cli.terminal.wording import program
    from shoal.control import commands
    from shoal.layout.layout import place_of

    place = place_of(given_dir)
    ended = commands.stop(place, seconds(wait, "--wait"))
    if json:
        screen.json({"ended": ended})
    elif ended:
        screen.say(f"The crawl has ended. Go on with: {program()} crawl --dir {place}")
    else:
        screen.say("The crawl was asked to end, and still finishes what is in flight.")
