"""How does a cluster stand? The counts of its tablets, summed: they add up, because each adds up.

Of each tablet they are of one instant; of two tablets they may be a second apart, and a link on its
way between them is counted by neither.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.layout.snapshot import Live, Status

_MOST_TROUBLE = 10
_MOST_ASKING = 20


def status_all(tablets: Tablets, directory: str = "") -> Status:
    """Of all tablets, under the name of the place where they are."""
    return summed(tablets.ask_all(TabletView.status), directory)


def summed(every: Sequence[Status], directory: str) -> Status:
    return Status(
        directory=directory,
        running=any(each.running for each in every),
        discovered=sum(each.discovered for each in every),
        queued=sum(each.queued for each in every),
        in_flight=sum(each.in_flight for each in every),
        answered=sum(each.answered for each in every),
        fetched=sum(each.fetched for each in every),
        unchanged=sum(each.unchanged for each in every),
        redirect=sum(each.redirect for each in every),
        gone=sum(each.gone for each in every),
        excluded=sum(each.excluded for each in every),
        failed=sum(each.failed for each in every),
        fetched_by_fate=_added(each.fetched_by_fate for each in every),
        gone_by_status=_added(each.gone_by_status for each in every),
        excluded_by_reason=_added(each.excluded_by_reason for each in every),
        failed_by_reason=_added(each.failed_by_reason for each in every),
        totals=_added(each.totals for each in every),
        live=_live([each.live for each in every if each.live is not None]),
        source=sum(each.source for each in every),
        indexed=sum(each.indexed for each in every),
    )


def _added(every: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The largest first, as a tablet has them."""
    counts: Counter[str] = Counter()
    for each in every:
        counts.update(each)
    return dict(counts.most_common())


def _live(every: Sequence[Live]) -> Live | None:
    """What the crawls of the tablets do, as if they were one; it is idle where most are."""
    if not every:
        return None
    reasons = Counter(each.idle for each in every)
    ends = [each.projected_end for each in every if each.projected_end is not None]
    return Live(
        pid=every[0].pid,
        started=min(each.started for each in every),
        written=min(each.written for each in every),
        pages_per_second=sum(each.pages_per_second for each in every),
        in_flight=sum(each.in_flight for each in every),
        reading=sum(each.reading for each in every),
        active_sites=sum(each.active_sites for each in every),
        ready_sites=sum(each.ready_sites for each in every),
        sites_with_work=sum(each.sites_with_work for each in every),
        fetched=sum(each.fetched for each in every),
        unchanged=sum(each.unchanged for each in every),
        failed=sum(each.failed for each in every),
        bytes=sum(each.bytes for each in every),
        idle=reasons.most_common(1)[0][0],
        projected_end=max(ends) if len(ends) == len(every) else None,
        stopping=next((each.stopping for each in every if each.stopping), ""),
        trouble=[trouble for each in every for trouble in each.trouble][:_MOST_TROUBLE],
        asking=[url for each in every for url in each.asking][:_MOST_ASKING],
    )
