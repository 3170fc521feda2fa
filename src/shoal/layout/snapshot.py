"""How does the collection stand? Counts that add up, and what a running crawl is doing.

    discovered = queued + in flight + answered + excluded(reason) + failed(reason)
    answered   = fetched + redirect + gone + source (+ unchanged, of an older release)
    fetched    = indexed + waiting for the index + duplicate + noindex + empty + unconvertible +
    dropped
    inside     = the same, of documents inside others
    in the index = indexed + kept

A running crawl writes a snapshot of both once a second; `status` reads it, so that the counts are
of one instant. Without a running crawl the counts come from the table.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from shoal.counters import INSIDE, TOTAL, VISITS, WORDS, Counts
from shoal.graph.generations import summary_of
from shoal.layout.following import Following
from shoal.layout.ranks import graph_of
from shoal.model.document import Fate
from shoal.model.outcome import ANSWERED, State
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.model.visit import VisitKind
from shoal.model.visit_result import RESULTS
from shoal.whole_file import write_whole

_VISITS = {VISITS + name for name in RESULTS}


class Trouble(Struct):
    """A host that does not answer as it should, and why."""

    host: str
    why: str


class Live(Struct):
    """What a running crawl is doing."""

    pid: int
    started: float
    written: float
    pages_per_second: float
    in_flight: int
    reading: int
    """Answered, and with the readers or not committed yet."""
    active_sites: int
    ready_sites: int
    sites_with_work: int
    fetched: int
    unchanged: int
    failed: int
    bytes: int
    idle: str
    """Why it is not faster; empty when it is as fast as wanted."""
    projected_end: float | None
    stopping: str
    trouble: list[Trouble] = []
    """The first few seeds' hosts that do not answer."""
    asking: list[str] = []
    """What is in flight; the first few where it is much."""
    body_bytes: int = 0
    """Of bodies in memory, which arrive or wait for a reader."""
    body_memory: int = 0
    """Their bound."""
    index_bytes: int = 0
    """Of memory that the process which writes the index takes."""
    index_memory: int = 0
    """Its bound; 0 where there is none beside the crawl."""


class Standing(Struct, frozen=True):
    """How far a crawl for a topic has come."""

    name: str
    pages: int
    """That were read and judged."""
    on_topic: int
    best: float | None = None
    """What the best URL that waits is expected to be; None while it runs, and where none waits."""


class Snapshot(Struct):
    counts: dict[str, int]
    live: Live | None = None
    indexed: int = 0
    """Pages in the index."""
    is_index_whole: bool = False
    """Whether it has taken in every change."""
    ended: str = ""
    """Of a crawl that is over: why; `finished` when nothing was left that could be done."""
    ended_at: float = 0.0
    flags: list[str] = []
    """That it was given and the collection's settings do not have: to go on, they are needed."""
    indexed_inside: int = 0
    """Documents inside others that are in the index."""
    visits: dict[str, int] = {}
    """Of this run, by what they came to."""
    topic: Standing | None = None


class Status(Struct):
    """For people and scripts; `--json` prints it as it is."""

    directory: str
    running: bool
    discovered: int
    queued: int
    in_flight: int
    answered: int
    fetched: int
    unchanged: int
    redirect: int
    gone: int
    excluded: int
    failed: int
    fetched_by_fate: dict[str, int]
    gone_by_status: dict[str, int]
    excluded_by_reason: dict[str, int]
    failed_by_reason: dict[str, int]
    totals: dict[str, int]
    live: Live | None = None
    source: int = 0
    """Sitemaps and feeds, which are answered and no pages; also what follows."""
    indexed: int = 0
    """Pages that searches find, whatever their last visit came to."""
    kept: int = 0
    """Of those, the ones whose last visit did not find them or was not answered."""
    inside: int = 0
    """Documents inside others that are stored: members of archives, mails of a mailbox."""
    inside_by_fate: dict[str, int] = {}
    inside_gone: int = 0
    """Those that are no longer in their file, or whose file is gone."""
    inside_indexed: int = 0
    """Those that searches find."""
    requisites: int = 0
    """Pictures, styles and scripts of pages, which were archived with them."""
    visits: dict[str, int] = {}
    """Requests by what they came to, over the collection's life: `first`, then those to pages that
    had been visited before, then those for no page. Their sum is `totals.requests`."""
    last_visits: dict[str, int] = {}
    """Those of the run at work, or of the last one."""
    following: list[Following] = []
    """Who follows the sources of one's own documents now; one at most, of a collection."""
    rank_mass: float | None = None
    """Of the weight that can be reached from the seeds so much at least was fetched when links were
    ranked last (graph/rank_mass.py)."""
    rank_mass_pages: int = 0
    """Pages whose links were known then."""
    topic: Standing | None = None
    """How a crawl for a topic stands."""

    @property
    def stored(self) -> int:
        """Pages and documents inside them: what is held against the limit on pages."""
        return self.fetched + self.unchanged + self.inside


def status_of(directory: Path, snapshot: Snapshot) -> Status:
    counts = Counts(snapshot.counts)
    in_flight = 0 if snapshot.live is None else snapshot.live.in_flight + snapshot.live.reading
    in_flight = min(in_flight, counts[State.QUEUED])

    def below(state: str) -> dict[str, int]:
        reasons = counts.starting_with(f"{state}/")
        if counts[state]:
            reasons["other"] = counts[state]
        return dict(sorted(reasons.items(), key=lambda item: -item[1]))

    ranked = summary_of(graph_of(directory))
    is_whole = snapshot.is_index_whole
    fates = _with_index(below(State.FETCHED), snapshot.indexed, is_whole=is_whole)
    inside = below(INSIDE + State.FETCHED)
    kept = snapshot.indexed - fates.get(Fate.INDEXED, 0) - counts[State.UNCHANGED]
    by_state = {state: sum(below(state).values()) for state in State}
    return Status(
        directory=str(directory),
        running=snapshot.live is not None,
        discovered=counts.discovered,
        queued=by_state[State.QUEUED] - in_flight,
        in_flight=in_flight,
        answered=sum(by_state[state] for state in ANSWERED),
        fetched=by_state[State.FETCHED],
        unchanged=by_state[State.UNCHANGED],
        redirect=by_state[State.REDIRECT],
        gone=by_state[State.GONE],
        excluded=by_state[State.EXCLUDED],
        failed=by_state[State.FAILED],
        fetched_by_fate=fates,
        gone_by_status=below(State.GONE),
        excluded_by_reason=below(State.EXCLUDED),
        failed_by_reason=below(State.FAILED),
        totals=_totals(counts),
        live=snapshot.live,
        source=by_state[State.SOURCE],
        indexed=snapshot.indexed,
        kept=max(0, kept) if is_whole else 0,
        inside=sum(inside.values()),
        inside_by_fate=_with_index(inside, snapshot.indexed_inside, is_whole=is_whole),
        inside_gone=sum(below(INSIDE + State.GONE).values()),
        inside_indexed=snapshot.indexed_inside,
        visits=visits_of(counts),
        last_visits={name: snapshot.visits.get(name, 0) for name in RESULTS},
        requisites=counts[f"{State.SOURCE}/{VisitKind.REQUISITE}"],
        rank_mass=None if ranked is None else ranked.rank_mass,
        rank_mass_pages=0 if ranked is None else ranked.fetched,
        topic=snapshot.topic,
    )


def _with_index(fates: dict[str, int], held: int, *, is_whole: bool) -> dict[str, int]:
    """Those that the index holds already, apart from those that wait for it."""
    fates = dict(fates)
    wanted = fates.pop(Fate.WAITING, 0)
    indexed = wanted if is_whole else min(wanted, held)
    parts = {str(Fate.INDEXED): indexed, str(Fate.WAITING): wanted - indexed, **fates}
    return dict(sorted(((name, n) for name, n in parts.items() if n), key=lambda item: -item[1]))


def visits_of(counts: Counts, before: Mapping[str, int] | None = None) -> dict[str, int]:
    """Since the collection was made, or since there were so many."""
    known = before or {}
    return {name: counts[VISITS + name] - known.get(name, 0) for name in RESULTS}


def _totals(counts: Counts) -> dict[str, int]:
    """`requests` are all, also those for robots.txt."""
    named = {TOTAL + name: n for name, n in counts.starting_with(TOTAL).items()}
    totals = {
        name.removeprefix(TOTAL).replace(" ", "_"): n
        for name, n in named.items()
        if name not in _VISITS and not name.startswith(WORDS)
    }
    if robots := totals.get("robots_requests", 0):
        totals["requests"] = totals.get("requests", 0) + robots
    return totals


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """In one step, so that a reader never sees half of it."""
    write_whole(path, to_json(snapshot))


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot of a crawl that is running now; None when none is."""
    snapshot = read_last_snapshot(path)
    if snapshot is None or snapshot.live is None or not _is_alive(snapshot.live.pid):
        return None
    return snapshot


def read_last_snapshot(path: Path) -> Snapshot | None:
    """What the last crawl wrote last: with `live` when it runs, or was killed; with `ended` when it
    came to an end."""
    try:
        return from_json(Snapshot, path.read_bytes())
    except (OSError, *JSON_ERRORS):
        return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
