"""How does a crawl stand, in one sentence? Running and how fast, or at rest, why, and how to go on.

The dashboard opens with it. The reason why a running crawl is slow is its own (model/plan.py); how
the last one ended stands in the snapshot that it left.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.layout.layout import DEFAULT_DIRECTORY, Layout
from shoal.layout.resume_flags import enough_to_go_on
from shoal.layout.snapshot import Live, Snapshot, Status, read_last_snapshot
from shoal.model.record import Struct


class Standing(Struct):
    state: str
    """`running`, `stopping`, `busy` (another command writes) or `resting`."""
    says: str
    raised: dict[str, int] = {}
    """Limits that ended the last crawl, by flag: what they must be to go on."""


def standing(collection: TabletView, status: Status) -> Standing:
    layout = collection.layout
    if status.live is not None:
        state = "stopping" if status.live.stopping else "running"
        return Standing(state, _running(status.live, status.queued))
    last = read_last_snapshot(layout.status)
    following = next(iter(status.following), None)
    if collection.is_running() and following is None:
        starts = "A command is writing to the collection, or a crawl is just starting."
        return Standing("busy", starts)
    raised = {} if last is None else _raised(collection, status, last.ended)
    rests = _resting(layout, status, last, raised)
    if following is not None:
        sources = _count(len(following.sources), "source is", "sources are")
        rests = f"{sources} followed. {rests}"
    return Standing("resting", rests, raised)


def _raised(collection: TabletView, status: Status, ended: str) -> dict[str, int]:
    pages, received = status.stored, status.totals.get("bytes", 0)
    raised = enough_to_go_on(collection.config, ended, pages, received)
    return {key.removeprefix("crawl."): value for key, value in raised.items()}


def _running(live: Live, queued: int) -> str:
    if live.stopping:
        flying = _count(live.in_flight + live.reading, "page is", "pages are")
        return f"Stopping ({live.stopping}): {flying} still in flight."
    waiting = _count(queued, "URL waits", "URLs wait")
    says = f"Running at {live.pages_per_second:.1f} pages/s, {waiting}"
    return f"{says}; {live.idle}." if live.idle else f"{says}."


def _resting(
    layout: Layout, status: Status, last: Snapshot | None, raised: Mapping[str, int]
) -> str:
    flags = [] if last is None else [each for each in last.flags if not _raises(each, raised)]
    again = f"go on with: {command_to_go_on(layout.directory, raised, flags)}"
    waiting = _count(status.queued, "URL waits", "URLs wait")
    if last is not None and last.live is not None:
        return f"At rest: the last crawl was killed, nothing is lost, {waiting}; {again}"
    ended = "" if last is None else last.ended
    if not status.discovered:
        return "At rest: nothing has been crawled yet."
    if not status.queued:
        finished = "the last crawl finished" if ended in ("", "finished") else f"{ended}"
        return f"At rest: {finished}, nothing waits."
    if not ended:
        return f"At rest: {waiting}; {again}"
    if ended == "finished":
        return f"At rest: {waiting}, mostly at hosts that are paused or left alone for now; {again}"
    return f"At rest: {ended}, {waiting}; {again}"


def _raises(flag: str, raised: Mapping[str, int]) -> bool:
    return flag.partition(" ")[0].removeprefix("--").replace("-", "_") in raised


def command_to_go_on(directory: Path, raised: Mapping[str, int], flags: Sequence[str] = ()) -> str:
    words = ["shoal", "crawl", *(f"--{k.replace('_', '-')} {v}" for k, v in raised.items()), *flags]
    if str(directory) != DEFAULT_DIRECTORY:
        words += ["--dir", shlex.quote(str(directory))]
    return " ".join(words)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
