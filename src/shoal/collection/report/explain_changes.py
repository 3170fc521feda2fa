"""Why is a page asked for again when it is? Its rate of change and what follows, in words."""

from collections.abc import Iterator
from math import exp

from shoal.clock import iso
from shoal.frontier.state.rows import UrlRow
from shoal.model.change_history import ChangeHistory
from shoal.model.outcome import State

_SPAN = 1.645
"""Standard deviations on either side of nine tenths of a normal distribution."""
_UNITS = ((365.25 * 86_400, "years"), (86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"))


def history_lines(known: UrlRow) -> Iterator[str]:
    """What is known of how a page changes, a sentence each."""
    history = known.history
    if history is not None and history.seen_ms:
        yield _seen(history)
        if history.log_rate_sd:
            yield _rate(history)
        if history.interval_seconds and not known.misses:
            yield (
                f"A steady crawl visits it every {span(history.interval_seconds)} as things are, "
                "at a "
                f"weight of {history.weight:.2g}."
            )
    if known.hinted_ms:
        yield f"Its sitemap or feed says that it changed {iso(known.hinted_ms / 1000)}."
    if known.misses:
        yield _missing(known)


def span(seconds: float) -> str:
    """A length of time, in the largest unit that there is at least one of."""
    for unit, name in _UNITS:
        if seconds >= unit:
            return _counted(f"{seconds / unit:.3g}", name)
    return _counted(f"{seconds:.3g}", "seconds")


def _counted(number: str, units: str) -> str:
    return f"{number} {units.removesuffix('s') if number == '1' else units}"


def _seen(history: ChangeHistory) -> str:
    when = iso(history.seen_ms / 1000)
    if not history.observed:
        return f"Last seen {when}; whether it changes, a second visit will show."
    changes = "no change" if not history.changes else f"{history.changes} with a change"
    visits = "visit" if history.observed == 1 else "visits"
    return f"Last seen {when}; of {history.observed} later {visits} {changes}."


def _missing(known: UrlRow) -> str:
    if not known.fetched_ms:
        kept = "nothing is stored"
    elif known.lost:
        kept = "what is stored is given up"
    else:
        kept = "what is stored is kept for now"
    if known.state is State.REDIRECT and known.lost:
        return f"It has moved; {kept}."
    since = f" since {iso(known.missing_ms / 1000)}" if known.missing_ms else ""
    times = "once" if known.misses == 1 else f"{known.misses} times in a row"
    verb = "did not answer" if known.state is State.FAILED else "was not found"
    return f"It {verb} {times}{since}; {kept}."


def _rate(history: ChangeHistory) -> str:
    every = 1 / exp(history.log_rate)
    low, high = (every * exp(sign * _SPAN * history.log_rate_sd) for sign in (-1, 1))
    return (
        f"It changes about once in {span(every)} (between {span(low)} and {span(high)}, "
        "nine times out of ten)."
    )
