"""How does a page change? What its visits have shown, in a form that does not grow.

A visit shows that a page is as it was, or that it changed some time since the last one; a server
may tell when. Under the Poisson model all that matters of the past are three things: for how long
it was seen unchanged, how many changes are dated, and between which visits the others fell. The
last are counted by the length of the interval, on a scale of quarter octaves.
"""

from enum import StrEnum

from shoal.model.record import Struct


class Change(StrEnum):
    """What a visit found, by the page's content: a clock in its corner is no change."""

    UNKNOWN = ""  # the first visit, or none that could tell
    NONE = "none"
    MINOR = "minor"  # nearly all of it is as before
    MAJOR = "major"


class ChangeHistory(Struct, array_like=True):
    quiet_seconds: float = 0.0
    """How long it was seen not to change, in all."""
    dated: float = 0.0
    """Changes whose time was told; what passed since each is in `quiet_seconds`."""
    undated: dict[int, float] = {}
    """Changes that are known to lie between two visits, by the bin of the interval
    (freshness/rate.py)."""
    observed: int = 0
    """Visits that showed whether it had changed."""
    changes: int = 0
    content_digest: str = ""
    """Of the content when it was last seen."""
    seen_ms: int = 0
    """When it was last known to be what is stored: its last visit, a 304 included."""
    changed_ms: int = 0
    """When a visit last found it changed."""
    log_rate: float = 0.0
    """The estimate: mean and standard deviation of the logarithm of changes per second; a
    deviation of 0 says that there is none yet."""
    log_rate_sd: float = 0.0
    interval_seconds: float = 0.0
    """What was planned to pass until the next visit."""
    weight: float = 1.0
    """What it is worth that it is fresh, when that was planned."""
    promised_seconds: float = 0.0
    """For how long the server said the page would stay as it is (max-age, Expires)."""
    price: float = 0.0
    """Of a visit when that was planned (freshness/price.py); 0: not known."""
    media_type: str = ""
    counted: bool = False
    """Whether the groups of pages that it belongs to have learned from it."""
