"""`shoal plan`: how many connections and hosts a rate needs."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, app, option

if TYPE_CHECKING:
    pass

_MAP_TIME = "10m"


@app.command()
def plan(
    bandwidth: Annotated[
        str | None, option("--bandwidth", "SIZE", "Bytes a second that the line takes: 10MB.")
    ] = None,
    page_size: Annotated[
        str | None, option("--page-size", "SIZE", "Bytes of an average page: 10KB.")
    ] = None,
    latency: Annotated[
        str | None, option("--latency", "TIME", "How long a request takes: 500ms.")
    ] = None,
    delay: Annotated[
        str | None, option("--delay", "TIME", "The wait at a host between requests: 10s.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """How many connections and hosts a rate needs.

    With all four numbers: the arithmetic before a crawl. Without any: what the running crawl of
    --dir has, and what it needs for the rate that is wanted.
    """
    from shoal.errors import UsageError

    given = {
        "--bandwidth": bandwidth,
        "--page-size": page_size,
        "--latency": latency,
        "--delay": delay,
    }
    missing = [name for name, value in given.items() if value is None]
    if len(missing) == len(given):
        _plan_of_crawl(given_dir, json=json)
    elif missing:
        raise UsageError(f"a plan also needs {' and '.join(missing)}; or none, for a running crawl")
    else:
        _plan_of_numbers({name: value or "" for name, value in given.items()}, json=json)


def _plan_of_numbers(given: dict[str, str], *, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.quantities import seconds, size_bytes
    from shoal.cli.terminal.wording import count, size
    from shoal.model.plan import plan as plan_of

    bandwidth = size_bytes(given["--bandwidth"], "--bandwidth")
    page = size_bytes(given["--page-size"], "--page-size")
    latency = seconds(given["--latency"], "--latency")
    delay = seconds(given["--delay"], "--delay")
    needed = plan_of(bandwidth, page, latency, delay)
    if json:
        screen.json(needed)
        return
    rate = f"{needed.pages_per_second:,.6g} pages/s"
    screen.say(f"{size(bandwidth)}/s ÷ {size(page)} a page = {rate}")
    screen.say(f"{rate} × {latency:g} s = {count(needed.connections, 'connection')} at once")
    screen.say(f"{rate} × {delay:g} s = {count(needed.hosts, 'host')} with work at any time")


def _plan_of_crawl(given_dir: str | None, *, json: bool) -> None:
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.errors import CollectionError
    from shoal.model.plan import hosts_needed, rate_of

    with reading(given_dir) as collection:
        status, config = collection.status(), collection.config
    live = status.live
    if live is None:
        raise CollectionError(
            f"No crawl is running in {collection.place}; give numbers instead, as in: shoal plan "
            "--bandwidth 10MB --page-size 10KB --latency 500ms --delay 10s"
        )
    delay, wanted = config.politeness.delay, config.politeness.rate
    needed, allowed = hosts_needed(wanted, delay), rate_of(live.sites_with_work, delay)
    if json:
        found = {
            "pages_per_second": live.pages_per_second,
            "wanted_pages_per_second": wanted,
            "hosts_with_work": live.sites_with_work,
            "hosts_needed": needed,
            "delay_seconds": delay,
            "in_flight": live.in_flight,
            "workers": config.crawl.workers,
            "idle": live.idle,
        }
        screen.json(found)
        return
    has = count(live.sites_with_work, "host")
    screen.say(
        f"now     {live.pages_per_second:.1f} pages/s, {live.in_flight:,} requests in flight"
    )
    screen.say(f"has     {has} with work ÷ {delay:g} s = {allowed:.1f} pages/s at most")
    screen.say(f"wanted  {wanted:g} pages/s × {delay:g} s = {count(needed, 'host')} with work")
    if live.idle:
        screen.say(f"idle    {live.idle}")
