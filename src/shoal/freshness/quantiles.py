"""Below which value lies a share of a distribution? From its density at a few places.

A density that is known at nine places, with its slope, is known well enough in between: within each
step the share below is a cubic with the right area and the right densities at both ends. Plain
floats: a crawl asks for three of these at each revisit (rate.py).
"""

from collections.abc import Sequence
from math import sqrt


def quantiles(
    densities: Sequence[float], slopes: Sequence[float], shares: Sequence[float]
) -> list[float]:
    """Of shares that ascend; in steps from the first place, as are the slopes."""
    areas = []
    for n in range(len(densities) - 1):
        area = (densities[n] + densities[n + 1]) / 2 + (slopes[n] - slopes[n + 1]) / 12
        areas.append(area if area > 0 else 0.0)
    total = sum(areas)
    found = []
    step, below = 0, 0.0
    for share in shares:
        wanted = share * total
        while step < len(areas) - 1 and below + areas[step] < wanted:
            below += areas[step]
            step += 1
        found.append(step + _part(wanted - below, areas[step], densities[step : step + 2]))
    return found


def _part(wanted: float, area: float, ends: Sequence[float]) -> float:
    """Where in a step, from 0 to 1, the area reaches what is wanted: on the cubic with that area
    and the densities at both ends as its slopes. Newton's method, from where a line would be."""
    if not area > 0:
        return 0.5
    left, right = ends
    line = wanted * (left + right) / (2 * area)
    part = 2 * line / (left + sqrt(max(left * left + 2 * (right - left) * line, 0.0)) + 1e-300)
    # area(p) = left p + square p² + cube p³
    cube = left + right - 2 * area
    square = area - left - cube
    for _ in range(3):
        density = left + part * (2 * square + part * 3 * cube)
        if not density > 0:
            break
        reached = part * (left + part * (square + part * cube))
        part = min(max(part + (wanted - reached) / density, 0.0), 1.0)
    return part
