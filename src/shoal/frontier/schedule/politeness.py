"""How long must a host be left alone? The arithmetic of waiting, pure and in one place.

The pause after a request is the largest of the configured delay, the site's Crawl-delay (capped)
and a factor of how long the last fetch took (capped). A host at a public address is never asked
more than once a second. Failures double the pause, with jitter that only lengthens it; one good
answer forgives them.
"""

import ipaddress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache
from random import Random

PUBLIC_MINIMUM_SECONDS = 1.0
_MOST_DOUBLINGS = 20
_JITTER = 0.25
_MOST_DIGITS = 12
_MOST_DATE_CHARS = 64


@dataclass(frozen=True)
class Politeness:
    delay: float = 3.0
    delay_factor: float = 5.0
    slow_site_cap: float = 60.0
    crawl_delay_cap: float = 120.0
    address_share: float = 30.0
    """An address may be asked this many times as often as one host on it."""
    backoff_base: float = 10.0
    backoff_cap: float = 3600.0
    retry_after_cap: float = 86400.0

    def pause(self, fetch_seconds: float, crawl_delay: float | None, address: str) -> float:
        """Seconds from the end of a response to the next request to its host."""
        seconds = max(
            self.delay,
            min(crawl_delay or 0.0, self.crawl_delay_cap),
            min(self.delay_factor * fetch_seconds, self.slow_site_cap),
        )
        if seconds >= PUBLIC_MINIMUM_SECONDS or not is_public(address):
            return seconds
        return PUBLIC_MINIMUM_SECONDS

    def answer_before(self, pause: float) -> float:
        """Seconds that a fetch took which was followed by such a pause, if that came of it."""
        return pause / self.delay_factor if self.delay_factor > 0 else 0.0

    def address_gap(self) -> float:
        """Seconds between two requests to one address, whatever the hosts."""
        return self.delay / self.address_share if self.address_share > 0 else 0.0

    def backoff(self, failures: int, random: Random) -> float:
        """Seconds to wait after so many failures in a row."""
        if failures <= 0:
            return 0.0
        doubled: float = self.backoff_base * 2 ** min(failures - 1, _MOST_DOUBLINGS)
        return min(doubled, self.backoff_cap) * (1 + _JITTER * random.random())

    def longest(self) -> float:
        """No stored clock can rightly lie further ahead than this: a wall clock that was set back
        must not silence a host for good."""
        backoff = self.backoff_cap * (1 + _JITTER)
        pause = max(self.delay, self.slow_site_cap, self.crawl_delay_cap, PUBLIC_MINIMUM_SECONDS)
        return max(self.retry_after_cap, backoff, pause)


@lru_cache(maxsize=4096)
def is_public(address: str) -> bool:
    """Whether `address:port` lies on the public internet; the unknown counts so (fail closed)."""
    try:
        host = address.rpartition(":")[0] if ":" in address else address
        found = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return True
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_global


def retry_after(value: str, now: float) -> float | None:
    """Seconds asked for by a Retry-After header, as seconds or as a date (RFC 9110, 10.2.3)."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:_MOST_DIGITS])
    try:
        date = parsedate_to_datetime(value[:_MOST_DATE_CHARS])
        # The obsolete forms of a date name no zone, and are in GMT (RFC 9110, 5.6.7).
        when = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
        return max(0.0, when.timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
