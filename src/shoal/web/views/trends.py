"""How did freshness and age go? As SVG paths, drawn as rates are (plots.py)."""

from collections.abc import Callable, Sequence

from shoal.collection.report.freshness import Moment
from shoal.collection.report.freshness_plot import age_axis
from shoal.collection.report.freshness_units import length_of_time
from shoal.web.server.plots import HEIGHT, WIDTH, Plot


def trends(moments: Sequence[Moment]) -> list[Plot]:
    """None when there is no time to speak of."""
    if len(moments) < 2:
        return []
    return [
        _trend(
            "freshness", "Freshness", [e.freshness for e in moments], "{:.0%}".format, (1.0, "100%")
        ),
        _of_days("age", "Age", [e.age_days for e in moments]),
        _of_days("fetched", "Since the last fetch", [e.days_since_fetch for e in moments]),
    ]


def _of_days(name: str, title: str, values: Sequence[float]) -> Plot:
    unit, top = age_axis(max(values))
    return _trend(name, title, values, length_of_time, (top * unit.days, f"{top:g} {unit.short}"))


def _trend(
    name: str,
    title: str,
    values: Sequence[float],
    words: Callable[[float], str],
    top: tuple[float, str],
) -> Plot:
    scale, scale_words = top
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
        top=scale_words,
        line=line,
        area=f"{line}L{WIDTH} {HEIGHT}L0 {HEIGHT}Z",
        summary=f"{title} over time: {words(values[0])} first, {words(values[-1])} now",
    )
