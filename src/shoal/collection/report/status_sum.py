"""How does a collection stand? The counts of its tablets, summed: each of them adds up by itself.

Of each tablet they are of one instant; of two tablets they may be a second apart, and a link on its
way between them is counted by neither.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from shoal.layout.snapshot import Live, Standing, Status
from shoal.model.record import Struct

Value = TypeVar("Value", bound=Struct)

_MOST_TROUBLE = 10
_MOST_ASKING = 20


def summed(every: Sequence[Status], directory: str) -> Status:
    """Of all tablets, under the name of the place where they are."""
    lives = [each.live for each in every if each.live is not None]
    ranked = max(every, key=lambda each: each.rank_mass_pages)  # each has the ranks of all pages
    known: dict[str, Any] = {
        "directory": directory,
        "live": _live(lives) if lives else None,
        "following": [one for each in every for one in each.following],
        "rank_mass": ranked.rank_mass,
        "rank_mass_pages": ranked.rank_mass_pages,
        "topic": _topic([each.topic for each in every if each.topic is not None]),
    }
    return _summed(every, known)


def _topic(every: Sequence[Standing]) -> Standing | None:
    if not every:
        return None
    waiting = [each.best for each in every if each.best is not None]
    pages, on = sum(each.pages for each in every), sum(each.on_topic for each in every)
    return Standing(every[0].name, pages, on, max(waiting, default=None))


def _summed(every: Sequence[Value], known: dict[str, Any]) -> Value:
    """But for what is known: numbers and counts by name are added up, what is so of one is so."""
    fields = dict(known)
    for name in every[0].__struct_fields__:
        if name not in known:
            values = [getattr(each, name) for each in every]
            adds = {bool: any, dict: _added}.get(type(values[0]), sum)
            fields[name] = adds(values)
    return type(every[0])(**fields)


def _added(every: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The largest first, as a tablet has them."""
    counts: Counter[str] = Counter()
    for each in every:
        counts.update(each)
    return dict(counts.most_common())


def _live(every: Sequence[Live]) -> Live:
    """What the crawls of the tablets do, as if they were one; it is idle where most are."""
    ends = [each.projected_end for each in every if each.projected_end is not None]
    known = {
        "pid": every[0].pid,
        "started": min(each.started for each in every),
        "written": min(each.written for each in every),
        "idle": Counter(each.idle for each in every).most_common(1)[0][0],
        "projected_end": max(ends) if len(ends) == len(every) else None,
        "stopping": next((each.stopping for each in every if each.stopping), ""),
        "trouble": [trouble for each in every for trouble in each.trouble][:_MOST_TROUBLE],
        "asking": [url for each in every for url in each.asking][:_MOST_ASKING],
    }
    return _summed(every, known)
