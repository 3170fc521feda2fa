"""The Hurwitz zeta function, which discrete power laws are divided by.

ζ(a, q) = Σ (q + k)^-a over k = 0, 1, 2 …, for a > 1. The first terms are added up, the rest is the
Euler-Maclaurin formula; good to twelve digits where a power law can be fitted.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TERMS = 10


def zeta(exponent: ArrayLike, start: ArrayLike) -> NDArray[np.float64]:
    a, q = np.broadcast_arrays(np.asarray(exponent, np.float64), np.asarray(start, np.float64))
    total = np.zeros(a.shape)
    for term in range(_TERMS):
        total += (q + term) ** -a
    end = q + _TERMS
    last = end**-a
    rest: NDArray[np.float64] = (
        end * last / (a - 1)
        + last / 2
        + a * last / (12 * end)
        - a * (a + 1) * (a + 2) * last / (720 * end**3)
        + a * (a + 1) * (a + 2) * (a + 3) * (a + 4) * last / (30240 * end**5)
    )
    return total + rest
