"""For how long does a server say its answer stays good? Cache-Control and Expires (RFC 9111).

It is a hint: many servers send the same for all pages. What a cache may not keep promises nothing.
"""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache

from shoal.model.visit import Fetched

_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s{0,3}=\s{0,3}\"?(\d{1,9})", re.IGNORECASE)
_NO_PROMISE = re.compile(r"no-cache|no-store|must-revalidate", re.IGNORECASE)
_MOST_CHARS = 1000
_MOST_DATE_CHARS = 64
_MOST_SECONDS = 365.25 * 86_400


def promised_seconds(fetched: Fetched) -> float:
    """0: nothing is promised."""
    control = fetched.header("cache-control")[:_MOST_CHARS]
    found = _MAX_AGE.search(control)
    if found is not None and not _NO_PROMISE.search(control):
        return min(float(found[1]), _MOST_SECONDS)
    expires, date = (http_seconds(fetched.header(name)) for name in ("expires", "date"))
    if control or expires is None:
        return 0.0
    return min(max(0.0, expires - (fetched.ended if date is None else date)), _MOST_SECONDS)


def http_seconds(text: str) -> float | None:
    """The unix time of a date of HTTP's form (RFC 9110, 5.6.7); None when it is none."""
    return _unix_seconds(text[:_MOST_DATE_CHARS]) if text else None


@lru_cache(256)  # the answers of a second have one Date, and it is asked for twice
def _unix_seconds(text: str) -> float | None:
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
