"""Where is a cluster limited, and by what? A seeded simulation of a billion pages, in figures.

    python -m benchmarks.scale_sim                            all figures as tables: a minute or so
    python -m benchmarks.scale_sim --pictures docs/images     and as SVG
    python -m benchmarks.scale_sim --only tail --hosts 200000 --pages 1e7     one, of another web

scale_world.py says what web is assumed, scale_cluster.py how time goes on in it. The same seed
gives the same figures. docs/scale.md reads them.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.report import table
from benchmarks.scale_cluster import (
    FOREVER,
    AddressClock,
    Cluster,
    Run,
    Steps,
    crawl,
    most_at_one_address,
)
from benchmarks.scale_model import Costs
from benchmarks.scale_plot import Line, Picture, svg, ticks
from benchmarks.scale_world import Hosts, Web, hosts_of

HOUR, DAY, YEAR = 3600.0, 86_400.0, 365 * 86_400.0
TABLETS_PER_MACHINE = 8
STEPS = Steps(60.0, 0.05)
_BUDGET = 100_000.0
_SEEDS = 5


@dataclass(frozen=True)
class Figure:
    picture: Picture
    head: list[str]
    rows: list[list[object]]


def throughput(web: Web, cluster: Cluster) -> Figure:
    """Pages a second, until half are fetched, against machines."""
    counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    fewer = replace(web, hosts=max(1, web.hosts // 100), budget=_BUDGET)
    every, few = hosts_of(replace(web, budget=_BUDGET)), hosts_of(fewer)

    def line(
        name: str, hosts: Hosts, clock: AddressClock, tablets: int = 0, call: float = 0.0
    ) -> Line:
        points = []
        for machines in counts:
            made = _of(cluster, machines, tablets or TABLETS_PER_MACHINE * machines)
            made = replace(made, address_clock=clock, call_cpu_seconds=call)
            run = crawl(hosts, made, STEPS, until_share=0.5)
            points.append((float(machines), run.pages_per_second(0.5)))
        return Line(name, points)

    eight = f"{TABLETS_PER_MACHINE} tablets a machine"
    cores = [(m, _of(cluster, m, TABLETS_PER_MACHINE * m).cpu_pages_per_second) for m in counts]
    lines = [
        Line("the cores alone", [(float(m), rate) for m, rate in cores]),
        line(f"{eight}, hosts' delays", every, AddressClock.NONE),
        line(f"{eight}, also addresses' clocks", every, AddressClock.LENT),
        line(f"{eight}, delays and calls", every, AddressClock.NONE, call=Costs.call_us / 1e6),
        line("64 tablets in all, hosts' delays", every, AddressClock.NONE, 64),
        line(f"{eight}, a hundredth of the hosts", few, AddressClock.NONE),
    ]
    picture = Picture(
        "Throughput until half of the pages are fetched",
        f"machines of {cluster.cores:g} cores",
        "pages a second",
        lines,
        ticks(counts),
        log_y=True,
        legend_low=True,
    )
    return _figure(picture, "machines")


def tail(web: Web, cluster: Cluster) -> Figure:
    """How much is fetched when, by how many pages are taken of one host."""
    budgets = (FOREVER, 1e6, 1e5, 1e4)
    moments = np.geomspace(HOUR / 6, 10 * YEAR, 120)
    made = replace(cluster, address_clock=AddressClock.NONE)
    lines: list[Line] = []
    rows: list[list[object]] = []
    for budget in budgets:
        run = crawl(hosts_of(replace(web, budget=budget)), made, STEPS)
        name = "no budget" if budget == FOREVER else f"at most {budget:,.0f} pages of a host"
        lines.append(Line(name, [(float(t) / HOUR, run.share_at(float(t))) for t in moments]))
        shares = (0.5, 0.8, 0.9, 0.99, 1.0)
        rows.append([name, f"{run.pages / 1e6:,.0f} M", *map(_time, _until(run, shares))])
    marks = [(1 / 6, "10 min"), (1, "hour"), (24, "day"), (24 * 30, "month")]
    marks += [(YEAR / HOUR, "year"), (10 * YEAR / HOUR, "10 years")]
    picture = Picture(
        f"The tail of the largest hosts, {cluster.machines} machines",
        "time, logarithmic",
        "share of the pages that are taken",
        lines,
        marks,
        percent=True,
        legend_low=True,
    )
    return Figure(picture, ["", "pages", "50%", "80%", "90%", "99%", "all"], rows)


def _until(run: Run, shares: Sequence[float]) -> list[float]:
    return [run.seconds_until(min(share, 1 - 1e-5)) for share in shares]


def address_clock(web: Web, cluster: Cluster) -> Figure:
    """Hours until four fifths are fetched, against tablets, by how an address's gap is divided; and
    how often the busiest address may be asked then."""
    counts = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    hosts = hosts_of(replace(web, budget=_BUDGET))
    lines, rows = [], []
    for rule in AddressClock:
        points = []
        for tablets in counts:
            made = replace(cluster, tablets=tablets, address_clock=rule)
            run = crawl(hosts, made, STEPS, until_share=0.8)
            hours = run.seconds_until(0.8 - 1e-6) / HOUR
            points.append((float(tablets), hours))
            rows.append([str(rule), str(tablets), hours, most_at_one_address(hosts, made)])
        lines.append(Line(str(rule), points))
    picture = Picture(
        f"The gap of an address divided among …, {cluster.machines} machines",
        "tablets",
        "hours until 80% are fetched",
        lines,
        ticks(counts),
        log_y=True,
    )
    head = ["divided among", "tablets", "hours until 80%", "requests/s at the busiest address"]
    return Figure(picture, head, rows)


def imbalance(web: Web, cluster: Cluster) -> Figure:
    """The fullest machine's share beside the mean, against tablets per machine."""
    counts = [1, 2, 4, 8, 16, 32]
    lines = []
    for budget in (FOREVER, 1e6, 1e5):
        finer = replace(web, budget=budget, bundles=8 * web.bundles)  # not to add to the skew
        places = [hosts_of(replace(finer, seed=seed)) for seed in range(_SEEDS)]
        name = "no budget" if budget == FOREVER else f"at most {budget:,.0f} pages of a host"
        for by_load in (False, True):
            points = []
            for each in counts:
                over = [_fullest(hosts, cluster.machines, each, by_load) for hosts in places]
                points.append((float(each), float(np.mean(over))))
            lines.append(Line(f"{name}, placed by {'load' if by_load else 'number'}", points))
    picture = Picture(
        f"Pages of the fullest of {cluster.machines} machines, beside the mean",
        "tablets on each machine",
        "times the mean",
        lines,
        ticks(counts),
        log_y=True,
        legend_top=200,
    )
    return _figure(picture, "tablets per machine")


def _fullest(hosts: Hosts, machines: int, tablets_each: int, by_load: bool) -> float:
    tablets = machines * tablets_each
    pages = np.bincount(hosts.tablets(tablets), hosts.pages, minlength=tablets)
    load = np.zeros(machines)
    if by_load:  # the fullest first, each to whoever has least
        for each in np.sort(pages)[::-1]:
            load[load.argmin()] += each
    else:
        load += np.bincount(np.arange(tablets) % machines, pages)
    return float(load.max() / load.mean())


def failures(_web: Web, cluster: Cluster) -> Figure:
    """What checkpoints, failures and repeats take of the work, against the checkpoint interval.

    There is always work here: a host without end in each tablet, more than the cores can do."""
    intervals = [60.0, 150.0, 300.0, 600.0, 1200.0, 3600.0, 7200.0]
    lines, rows = [], []
    for days, machines in ((1, 150), (7, 400), (30, 1000)):
        points = []
        for interval in intervals:
            made = replace(
                cluster,
                machines=machines,
                tablets=TABLETS_PER_MACHINE * machines,
                mean_seconds_to_failure=days * DAY,
                checkpoint_every_seconds=interval,
            )
            run = endless(made, seconds=max(1.0, 100 * days / machines) * DAY)
            could = made.cpu_pages_per_second * run.seconds[-1]
            points.append((interval / 60, 1 - run.fetched[-1] / could))
            again = f"{run.repeated / could:.3%}"
            rows.append(
                [f"{days} days", interval / 60, f"{points[-1][1]:.2%}", again, run.failures]
            )
        often = "day" if days == 1 else f"{days} days"
        lines.append(Line(f"a machine fails every {often}", points))
    picture = Picture(
        "Work lost by checkpoints, failures and what is fetched again",
        "minutes between checkpoints",
        "share of what the cores could do",
        lines,
        ticks([i / 60 for i in intervals]),
        percent=True,
    )
    head = ["a machine fails every", "minutes", "lost", "of it fetched again", "failures"]
    return Figure(picture, head, rows)


def endless(cluster: Cluster, seconds: float) -> Run:
    """A run in which politeness is no limit, and nothing ever ends."""
    count = cluster.tablets
    plenty = np.full(count, 1e15)
    numbers = np.arange(count)
    hosts = Hosts(
        alike=np.ones(count),
        pages=plenty,
        hashes=numbers.astype(np.uint64),
        address=numbers,
        fetch_seconds=np.full(count, 1e-6),
        turn_seconds=np.full(count, 1e-6),
    )
    step = max(15.0, cluster.checkpoint_every_seconds / 6)
    made = replace(cluster, address_clock=AddressClock.NONE)
    return crawl(hosts, made, Steps(step, 0.0), until_seconds=seconds)


FIGURES: dict[str, Callable[[Web, Cluster], Figure]] = {
    "throughput": throughput,
    "tail": tail,
    "addresses": address_clock,
    "imbalance": imbalance,
    "failures": failures,
}


def _of(cluster: Cluster, machines: int, tablets: int) -> Cluster:
    return replace(cluster, machines=machines, tablets=tablets)


def _figure(picture: Picture, first: str) -> Figure:
    """The table of a picture whose lines share their points."""
    places = [x for x, _ in picture.lines[0].points]
    rows: list[list[object]] = [
        [f"{x:g}", *(line.points[number][1] for line in picture.lines)]
        for number, x in enumerate(places)
    ]
    return Figure(picture, [first, *(line.name for line in picture.lines)], rows)


def _time(seconds: float) -> str:
    for unit, name in ((YEAR, "years"), (DAY, "days"), (HOUR, "h")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds / 60:.0f} min"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale_sim",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=float, default=Web().pages)
    parser.add_argument("--hosts", type=int, default=Web().hosts)
    parser.add_argument("--machines", type=int, default=Cluster().machines)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=FIGURES, nargs="+", default=list(FIGURES))
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="also write SVG there")
    options = parser.parse_args(arguments)
    web = Web(options.pages, options.hosts, seed=options.seed)
    cluster = Cluster(options.machines, TABLETS_PER_MACHINE * options.machines, seed=options.seed)
    for name in options.only:
        figure = FIGURES[name](web, cluster)
        print(f"{figure.picture.title}\n\n{table(figure.head, figure.rows)}\n", flush=True)
        if options.pictures:
            place = options.pictures / f"scale-{name}.svg"
            place.write_text(svg(figure.picture), encoding="utf-8")


if __name__ == "__main__":
    main()
