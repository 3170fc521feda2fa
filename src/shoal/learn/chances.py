"""How is a score made a chance? By the logistic curve."""

import math

HIGHEST = 60.0
"""A score beyond is as good as certain."""


def sigmoid(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-HIGHEST, min(HIGHEST, score))))
