"""/cluster: which machines run the tablets of a cluster, how each stands, what has moved; and a
word with whoever runs it: drain, rebalance, stop.

All of it is what the one who runs the cluster wrote down last. A tablet that says nothing of its
counts, because it never ran, is looked at itself.
"""

from collections import Counter
from collections.abc import Sequence

from shoal.clock import iso
from shoal.collection.report.cluster_standing import cluster_standing, since, state_of, states
from shoal.collection.report.standing import Standing
from shoal.control.cluster_commands import Drain, Rebalance, StopAll, post
from shoal.counters import Counts
from shoal.errors import CollectionError
from shoal.layout.cluster_status import ClusterStatus, Move, running_status
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, form_text, number, text
from shoal.web.views.dashboard import EVERY, reload_seconds

PER_PAGE = 200
_MOST_PAGES = 1000
_MOVES_SHOWN = 20
_MOST_NAME_CHARS = 200


class MachineLine(Struct):
    name: str
    address: str
    host: str
    cores: float
    state: str
    """`alive`, `drained` or `gone`; when the cluster rests, as it was last."""
    tablets: int
    href: str
    """The tablets that it has."""


class TabletLine(Struct):
    number: int
    epoch: int
    """How often it has changed hands, its first owner included."""
    machine: str
    state: str
    idle: bool
    problem: str
    fetched: int
    queued: int
    outbox: int
    """Items that are not durable where they go."""
    pages_per_second: float
    last_durable: str
    """ISO 8601; empty: not yet, in this run."""


class MoveLine(Struct):
    tablet: int
    before: str
    now: str
    """Machines."""
    epoch: int
    when: str
    pause_seconds: float


class StateLine(Struct):
    state: str
    tablets: int
    href: str


class ClusterPage(Struct):
    name: str
    place: str
    standing: Standing
    running: bool
    since: str
    """When it began to run, or to rest, as ISO 8601; empty: it never ran."""
    fetched: int
    queued: int
    outbox: int
    """What is on its way between tablets, in all."""
    pages_per_second: float
    tablets: int
    states: list[StateLine]
    machines: list[MachineLine]
    moves: list[MoveLine]
    """The last moves, newest first."""
    moved: int
    """How many moves are remembered."""
    lines: list[TabletLine]
    machine: str
    state: str
    """Of which machine and in which state the lines are; empty: of all."""
    page: int
    has_more: bool
    every: int


def cluster(site: Site, request: Request) -> Response:
    return site.answer(request, "cluster.html", _page(site, request))


def drain(site: Site, request: Request) -> Response:
    machine = form_text(request, "machine", _MOST_NAME_CHARS)
    status = running_status(_place(site))
    if machine not in [each.name for each in status.machines if each.alive]:
        raise Problem(400, "There is no such machine; reload the page.")
    post(_place(site), Drain(machine))
    return site.done(request, "/cluster", f"Tablets leave {machine}, and none are put there.")


def rebalance(site: Site, request: Request) -> Response:
    running_status(_place(site))
    post(_place(site), Rebalance())
    return site.done(request, "/cluster", "Tablets are spread evenly over the machines.")


def stop(site: Site, request: Request) -> Response:
    running_status(_place(site))
    post(_place(site), StopAll())
    says = "The cluster was asked to end; what is in flight is finished and stored."
    return site.done(request, "/cluster", says)


def _place(site: Site) -> str:
    if site.cluster is None:  # the guard of the views has looked already
        raise Problem(404, "A collection is served here, and no cluster.")
    return site.cluster.place


def _page(site: Site, request: Request) -> ClusterPage:
    if site.cluster is None:
        raise Problem(404, "A collection is served here, and no cluster.")
    status = site.cluster.status()
    counts = _counts(site, status)
    machine, state = text(request, "machine", _MOST_NAME_CHARS), text(request, "state", 40)
    every = [_tablet(status, report.number, counts) for report in status.reports]
    wanted = [
        each
        for each in every
        if (not machine or each.machine == machine) and (not state or each.state == state)
    ]
    at = number(request, "page", 1, 1, _MOST_PAGES)
    queued = sum(each.queued for each in every)
    began = since(status)
    return ClusterPage(
        name=site.name,
        place=status.place,
        standing=cluster_standing(status, queued),
        running=status.running,
        since=iso(began) if began else "",
        fetched=sum(each.fetched for each in every),
        queued=queued,
        outbox=status.outbox,
        pages_per_second=sum(each.pages_per_second for each in every),
        tablets=status.tablets,
        states=[
            StateLine(name, count, path("/cluster", state=name) + "#tablets")
            for name, count in states(status).items()
        ],
        machines=_machines(status, every),
        moves=[_move(each) for each in reversed(status.moves[-_MOVES_SHOWN:])],
        moved=len(status.moves),
        lines=wanted[(at - 1) * PER_PAGE : at * PER_PAGE],
        machine=machine,
        state=state,
        page=at,
        has_more=len(wanted) > at * PER_PAGE,
        every=reload_seconds(request),
    )


def _counts(site: Site, status: ClusterStatus) -> Sequence[Counts]:
    """Of each tablet: as it reported, or, when none ever did, as its table has them."""
    told = [report.counts for report in status.reports]
    if not status.running and not any(told):
        try:
            told = site.watching.counts.get()
        except CollectionError:  # nobody has made any tablet yet
            told = [{} for _ in status.reports]
    return [Counts(each) for each in told]


def _tablet(status: ClusterStatus, number: int, counts: Sequence[Counts]) -> TabletLine:
    report, its = status.reports[number], counts[number]
    is_at_work = status.running and report.state == "running"
    return TabletLine(
        number=report.number,
        epoch=report.epoch,
        machine=report.who.partition("/")[0],
        state=state_of(status, number),
        idle=is_at_work and report.idle,
        problem=report.problem,
        fetched=its.total("fetched/") + its["unchanged"],
        queued=its["queued"],
        outbox=report.outbox,
        pages_per_second=report.pages_per_second if is_at_work else 0.0,
        last_durable=iso(report.last_durable) if report.last_durable else "",
    )


def _machines(status: ClusterStatus, every: Sequence[TabletLine]) -> list[MachineLine]:
    held = Counter(each.machine for each in every)
    return [
        MachineLine(
            name=each.name,
            address=each.address,
            host=each.host,
            cores=each.cores,
            state="gone" if not each.alive else _alive(each.name, status.draining),
            tablets=held[each.name],
            href=path("/cluster", machine=each.name) + "#tablets",
        )
        for each in status.machines
    ]


def _alive(name: str, draining: Sequence[str]) -> str:
    return "drained" if name in draining else "alive"


def _move(move: Move) -> MoveLine:
    return MoveLine(
        tablet=move.tablet,
        before=move.before,
        now=move.now,
        epoch=move.epoch,
        when=iso(move.when),
        pause_seconds=move.pause_seconds,
    )


VIEWS = (
    View(
        "/cluster",
        cluster,
        "A cluster: its machines and tablets, what is on its way and what has moved.",
        parameters=(
            Parameter("machine", "Only the tablets of this machine."),
            Parameter("state", "Only the tablets in this state."),
            Parameter("page", f"Which page of {PER_PAGE} tablets, from 1 on.", "integer"),
            EVERY,
        ),
        data=ClusterPage,
        only="cluster",
    ),
    View(
        "/cluster/drain",
        drain,
        "Move every tablet away from a machine of a cluster, and put none there.",
        "POST",
        (Parameter("machine", "A machine as /cluster names it.", required=True),),
        only="cluster",
    ),
    View(
        "/cluster/rebalance",
        rebalance,
        "Spread the tablets of a cluster evenly over its machines.",
        "POST",
        only="cluster",
    ),
    View("/cluster/stop", stop, "Ask a running cluster to end well.", "POST", only="cluster"),
)
