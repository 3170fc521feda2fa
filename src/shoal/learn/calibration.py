"""How likely is it, when a model gives it this score? A curve through scores whose answer is known.

Platt's: a logistic curve with a slope and a place, by Newton's method. Few examples move it little
from the model's own opinion (slope 1, place 0), so it also works with none.
"""

from typing import NamedTuple

import numpy as np

from shoal.learn.arrays import Floats
from shoal.learn.chances import HIGHEST, sigmoid

_STEPS = 30
_ENOUGH = 1e-9
_SLOPE_DOUBT, _PLACE_DOUBT = 1.0, 0.5
"""How many examples' worth the model's own opinion is: of the slope, and of the place."""
_LEAST_SLOPE, _MOST_SLOPE = 0.05, 20.0


class Curve(NamedTuple):
    slope: float = 1.0
    place: float = 0.0

    def chance(self, score: float) -> float:
        return sigmoid(self.slope * score + self.place)


def sigmoids(scores: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(scores, -HIGHEST, HIGHEST)))


def fitted(scores: Floats, targets: Floats, worth: Floats | None = None) -> Curve:
    """The curve that gives these answers the highest likelihood; targets from 0 to 1."""
    slope, place = 1.0, 0.0
    counts = np.ones_like(scores) if worth is None else worth
    for _ in range(_STEPS):
        chances = sigmoids(slope * scores + place)
        errors, spread = counts * (chances - targets), counts * chances * (1.0 - chances)
        down = (
            float(errors @ scores) + _SLOPE_DOUBT * (slope - 1.0),
            float(errors.sum()) + _PLACE_DOUBT * place,
        )
        both = float(spread @ scores)
        first = float(spread @ (scores * scores)) + _SLOPE_DOUBT
        second = float(spread.sum()) + _PLACE_DOUBT
        whole = first * second - both * both
        steps = (
            (down[0] * second - down[1] * both) / whole,
            (down[1] * first - down[0] * both) / whole,
        )
        slope = min(_MOST_SLOPE, max(_LEAST_SLOPE, slope - steps[0]))
        place = min(HIGHEST, max(-HIGHEST, place - steps[1]))
        if abs(steps[0]) + abs(steps[1]) < _ENOUGH:
            break
    return Curve(slope, place)
