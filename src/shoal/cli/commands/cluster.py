"""`shoal cluster create`, `start`, `status`, `drain`, `rebalance`, `stop`, `split` and `merge`: one
collection on many machines."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import (
    Assign,
    Json,
    Quiet,
    Resolve,
    argument,
    cluster_app,
    flag,
    option,
)
from shoal.cli.terminal.wording import program

if TYPE_CHECKING:
    from shoal.config import Config
    from shoal.control.cluster_commands import ClusterCommand
    from shoal.engine.revisit_settings import Selection
    from shoal.fleet.cluster_run import Running
    from shoal.layout.cluster_status import ClusterStatus
    from shoal.model.link import Link

_TABLETS = 64
Place = Annotated[
    str, argument("PLACE", "A directory that all machines share, or s3://bucket/prefix (gs, az).")
]
Tablets = Annotated[
    int,
    option("--tablets", "N", f"How many tablets, for good ({_TABLETS}); two or more a machine."),
]


@cluster_app.command("create")
def cluster_create(place: Place, tablets: Tablets = _TABLETS, json: Json = False) -> None:
    """Make a cluster, empty.

    The number of tablets can't be changed later but by `split` and `merge`.
    """
    from shoal.cli.terminal import screen
    from shoal.layout.cluster_file import create

    file = create(place, tablets)
    if json:
        screen.json(file)
    else:
        screen.say(
            f"A cluster of {tablets:,} tablets is in {place}; "
            f"crawl with: {program()} cluster start {place} URL"
        )


@cluster_app.command("start")
def cluster_start(
    place: Place,
    seeds: Annotated[
        list[str] | None,
        argument("SEED", "URLs to start from; a file of URLs as @FILE, or - for standard input."),
    ] = None,
    address: Annotated[
        str,
        option("--address", "HOST:PORT|auto", "A running Ray cluster; without it, this machine."),
    ] = "",
    nodes: Annotated[
        int, option("--nodes", "N", "Nodes of Ray on this machine, to try it out (1).")
    ] = 1,
    lease: Annotated[
        str, option("--lease", "TIME", "How long an owner may be silent (15s).")
    ] = "15s",
    checkpoint: Annotated[
        str, option("--checkpoint", "TIME", "Between checkpoints to an object store (60s).")
    ] = "60s",
    work: Annotated[
        str,
        option("--work", "DIR", "Where each machine keeps its working copies (~/.cache/shoal)."),
    ] = "",
    max_pages: Annotated[
        str | None, option("--max-pages", "N", "Stop when so many pages are fetched.")
    ] = None,
    max_time: Annotated[
        str | None, option("--max-time", "TIME", "Stop after this long: 90s, 15m, 2h.")
    ] = None,
    max_depth: Annotated[
        str | None, option("--max-depth", "N", "No deeper than this; a seed has depth 1.")
    ] = None,
    delay: Annotated[
        str | None, option("--delay", "SECONDS", "Wait at a host after each response.")
    ] = None,
    scope: Annotated[
        str | None, option("--scope", "host|domain|prefix|any", "Which links are followed (host).")
    ] = None,
    contact: Annotated[
        str | None, option("--contact", "URL|MAIL", "Where whoever runs a site can reach you.")
    ] = None,
    workers: Annotated[
        str | None, option("--workers", "N", "Requests in flight at once, in each tablet (64).")
    ] = None,
    resolve: Resolve = None,
    assign: Assign = None,
    forever: Annotated[
        bool, flag("--forever", "Go on without end: new pages, and stored ones as they change.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Crawl on many machines, or go on with it.

    Tablets are placed and restarted by Ray; what they do is in durable storage, so the same command
    goes on after anything. Ctrl-C ends it well.
    """
    from shoal.cli.settings_flags import assignments, resolutions, typed
    from shoal.cli.terminal.quantities import seconds
    from shoal.engine.seeds import with_whole_paths
    from shoal.fleet.cluster_run import Running, must_have_ray, seeds_for
    from shoal.layout.cluster_file import config_of, read

    read(place)
    must_have_ray()
    words = {
        "crawl.max_pages": max_pages,
        "crawl.max_time": max_time,
        "crawl.max_depth": max_depth,
        "politeness.delay": delay,
        "crawl.scope": scope,
        "agent.contact": contact,
        "crawl.workers": workers,
    }
    overrides = {
        **typed(words),
        "crawl.forever": "yes" if forever else None,
        **resolutions(resolve or ()),
        **assignments(assign or ()),
    }
    config = config_of(place, with_whole_paths(overrides), dict(os.environ))
    links = seeds_for(place, seeds or (), config)
    how = Running(
        address=address,
        nodes=nodes,
        lease=seconds(lease, "--lease"),
        checkpoint=seconds(checkpoint, "--checkpoint"),
        work=work,
    )
    return run_and_tell(place, config, links, how, json=json, quiet=quiet)


def run_and_tell(
    place: str,
    config: "Config",
    links: list["Link"],
    how: "Running | None" = None,
    *,
    selection: "Selection | None" = None,
    json: bool,
    quiet: bool,
) -> int:
    """Run a cluster to the end, showing progress on standard error and minding Ctrl-C."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.cluster_screen import Shown, stopping_on_signals, tell_ending
    from shoal.engine.preflight import check
    from shoal.fleet.cluster_run import Running, must_have_ray, run_cluster
    from shoal.loop import run

    must_have_ray()
    run(check(config, links, Path(place)))
    with Shown(quiet=quiet, terminal=sys.stderr.isatty()) as shown:
        shown.note(f"Starting the cluster in {place}; Ctrl-C stops it, the same command goes on.")
        with stopping_on_signals(shown) as stopping:
            status = run_cluster(
                place,
                config,
                links,
                how or Running(),
                watch=shown.watch,
                started=stopping.started,
                selection=selection,
            )
    is_refreshed = selection is not None and status.ended == "finished"
    if is_refreshed and not status.again.pages and not quiet:
        screen.remark("No stored page is meant: nothing was asked (see --site and --older).")
    return tell_ending(status, stopping.signal, json=json, quiet=quiet)


@cluster_app.command("status")
def cluster_status(place: Place, json: Json = False) -> None:
    """Machines, tablets, epochs, what is on its way between them, and what has moved."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.cluster_screen import tell_status
    from shoal.layout.cluster_status import status_at

    status = status_at(place)
    if json:
        screen.json(status)
    else:
        tell_status(status)


@cluster_app.command("drain")
def cluster_drain(
    place: Place,
    machine: Annotated[str, argument("NODE", "A machine, by its name in `shoal cluster status`.")],
) -> None:
    """Move every tablet away from a machine, and put none there."""
    from shoal.control.cluster_commands import Drain
    from shoal.errors import UsageError

    status = _must_run(place)
    if machine not in [each.name for each in status.machines if each.alive]:
        raise UsageError(f"there is no machine {machine!r}; see: shoal cluster status {place}")
    _command(
        place, Drain(machine), f"Tablets leave {machine}; see: {program()} cluster status {place}"
    )


@cluster_app.command("rebalance")
def cluster_rebalance(place: Place) -> None:
    """Spread the tablets evenly over the machines there are."""
    from shoal.control.cluster_commands import Rebalance

    _must_run(place)
    _command(place, Rebalance(), f"Tablets move; see: {program()} cluster status {place}")


@cluster_app.command("stop")
def cluster_stop(place: Place) -> None:
    """End a running cluster well, as Ctrl-C does."""
    from shoal.control.cluster_commands import StopAll

    _must_run(place)
    _command(place, StopAll(), "It stops; what is in flight is finished and stored.")


@cluster_app.command("split")
def cluster_split(
    source: Annotated[str, argument("COLLECTION", "The directory of a collection.")],
    place: Place,
    tablets: Tablets = _TABLETS,
) -> None:
    """Make a cluster out of a collection, which stays as it is."""
    from pathlib import Path

    from shoal.cli.terminal.cluster_screen import step_teller, tell_moved
    from shoal.repartition.split_and_merge import split

    moved = split(Path(source), place, tablets, step_teller())
    tell_moved(moved, place, f"{program()} cluster start {place}")


@cluster_app.command("merge")
def cluster_merge(
    place: Place,
    target: Annotated[str, argument("COLLECTION", "A new directory for the collection.")],
) -> None:
    """Make one collection out of a cluster, which stays as it is."""
    from pathlib import Path

    from shoal.cli.terminal.cluster_screen import step_teller, tell_moved
    from shoal.repartition.split_and_merge import merge

    moved = merge(place, Path(target), step_teller())
    tell_moved(moved, target, f"{program()} crawl --dir {target}")


def _must_run(place: str) -> "ClusterStatus":
    from shoal.layout.cluster_status import running_status

    return running_status(place)


def _command(place: str, command: "ClusterCommand", says: str) -> None:
    from shoal.cli.terminal import screen
    from shoal.control.cluster_commands import post

    post(place, command)
    screen.say(says)
