"""How did freshness and age go? As SVG paths, drawn as rates are (plots.py)."""

from collections.abc import Callable, Sequence

from shoal.app.freshness import Moment
from shoal.app.freshness_plot import nice_top
from shoal.web.plots import HEIGHT, WIDTH, Plot


def trends(moments: Sequence[Moment]) -> list[Plot]:
    """None when there is no time to speak of."""
    if len(moments) < 2:
        return []
    return [
        _trend("freshness", "Freshness", [each.freshness for each in moments], _share, 1.0),
        _trend("age", "Age", [each.age_days for each in moments], _days),
        _trend("fetched", "Since the last fetch", [e.days_since_fetch for e in moments], _days),
    ]


def _trend(
    name: str,
    title: str,
    values: Sequence[float],
    words: Callable[[float], str],
    top: float | None = None,
) -> Plot:
    highest = max(values)
    scale = nice_top(highest) if top is None else top
    places = [
        (
            round(WIDTH * number / (len(values) - 1), 1),
            round(HEIGHT - HEIGHT * min(value / scale, 1.0), 1),
        )
        for number, value in enumerate(values)
    ]
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in places)
    return Plot(
        name=name,
        title=title,
        now=words(values[-1]),
        top=words(scale),
        line=line,
        area=f"{line}L{WIDTH} {HEIGHT}L0 {HEIGHT}Z",
        summary=f"{title} over time: {words(values[0])} first, {words(values[-1])} now",
    )


def _share(value: float) -> str:
    return f"{value:.0%}"


def _days(value: float) -> str:
    return f"{value:,.1f} d" if value >= 1 else f"{value * 24:.1f} h"
