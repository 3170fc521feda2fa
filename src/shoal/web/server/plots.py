"""How is a rate drawn? As an SVG path that needs no script; static/live.js draws the same way.

Only attributes and classes, no styles within: the pages' policy forbids them, and the stylesheet
knows dark from light.
"""

from collections.abc import Callable, Sequence

from shoal.model.record import Struct
from shoal.plot.drawing import nice_top
from shoal.web.server.rendering import size
from shoal.web.server.series import Point

WIDTH, HEIGHT = 300, 80
WINDOW_SECONDS = 300


class Plot(Struct):
    name: str
    title: str
    now: str
    """The last value, in words."""
    top: str
    """The value at the upper edge."""
    line: str
    """The path of the line."""
    area: str
    """The path of the surface below the line."""
    summary: str
    """What it shows, for those who do not see it."""


class _PlotKind(Struct, frozen=True):
    name: str
    title: str
    value: Callable[[Point], float]
    words: Callable[[float], str]


def _rate(value: float) -> str:
    return f"{value:,.1f}/s"


_KINDS = (
    _PlotKind("pages", "Pages", lambda point: point.pages_per_second, _rate),
    _PlotKind("queued", "Queue", lambda point: point.queued, "{:,.0f}".format),
    _PlotKind(
        "bytes", "Received", lambda point: point.bytes_per_second, lambda value: f"{size(value)}/s"
    ),
    _PlotKind("errors", "Errors", lambda point: point.errors_per_second, _rate),
)


def plots(points: Sequence[Point], now: float) -> list[Plot]:
    seen = [point for point in points if point.when >= now - WINDOW_SECONDS]
    return [_plot(kind, seen, now) for kind in _KINDS]


def _plot(kind: _PlotKind, points: Sequence[Point], now: float) -> Plot:
    values = [kind.value(point) for point in points]
    top = nice_top(max(values, default=0.0), 1.0)
    places = [
        (
            round(WIDTH + (point.when - now) * WIDTH / WINDOW_SECONDS, 1),
            round(HEIGHT - value / top * HEIGHT, 1),
        )
        for point, value in zip(points, values, strict=True)
    ]
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in places) if places else ""
    area = f"{line}L{places[-1][0]:g} {HEIGHT}L{places[0][0]:g} {HEIGHT}Z" if places else ""
    last, highest = values[-1] if values else 0.0, max(values, default=0.0)
    summary = f"{kind.title} over the last 5 minutes: {kind.words(last)} now"
    return Plot(
        name=kind.name,
        title=kind.title,
        now=kind.words(last),
        top=kind.words(top),
        line=line,
        area=area,
        summary=f"{summary}, {kind.words(highest)} at most",
    )
