"""Until when must a site be left alone? The clocks of its host and of its address.

An answer sets both, by the arithmetic of politeness.py; a site may be asked at the later of them.
"""

from math import ceil
from random import Random

from shoal.frontier.schedule.addresses import Addresses, Turn
from shoal.frontier.schedule.politeness import Politeness, retry_after
from shoal.frontier.schedule.sites import ActiveSite, has_been_public
from shoal.frontier.state.rows import HostRow
from shoal.model.outcome import TREATMENT, Outcome
from shoal.model.visit import Fetched

_DOWN_AFTER = 3
"""Failures in a row without any answer before a host counts as down."""


class SiteClocks:
    def __init__(self, politeness: Politeness, addresses: Addresses, random: Random) -> None:
        self._politeness = politeness
        self.addresses = addresses
        self._random = random

    def ready_at(self, active: ActiveSite) -> float:
        host_ready = max(active.gate.row.next_ms, active.row.tls_until_ms) / 1000
        address = _address_of(active)
        address_ready = self.addresses.ready_at(address)
        if address_ready <= host_ready:
            return host_ready
        self.addresses.press(address)
        return address_ready

    def start(self, active: ActiveSite, now: float) -> Turn:
        """It is about to be asked, and its address with it."""
        return self.addresses.start(_address_of(active), now)

    def answered(self, active: ActiveSite, fetched: Fetched, now: float) -> None:
        row, polite = active.gate.row, self._politeness
        treatment = TREATMENT[fetched.outcome]
        crawl_delay = active.rules.crawl_delay if active.rules is not None else None
        local = active.site.startswith(b"file:")
        pause = 0.0 if local else polite.pause(fetched.seconds, crawl_delay, fetched.address)
        wait, row.note = pause, ""
        if fetched.outcome is Outcome.TLS:
            self._blame_tls(active, fetched, now)
            row.note = f"{fetched.outcome}: {fetched.note}"
        elif treatment.blames_site:
            row.failures += 1
            wait = max(pause, self._blame(row, fetched, now))
            row.note = f"{fetched.outcome}: {fetched.note or fetched.status}"
        elif fetched.outcome not in (Outcome.CANCELLED, Outcome.DROPPED):
            row.failures = active.row.tls_failures = active.row.tls_until_ms = 0
        ended = fetched.ended or now
        row.delay_ms = ceil(pause * 1000)
        row.last_ms = ceil(ended * 1000)
        row.next_ms = max(ceil((ended + wait) * 1000), row.last_ms + row.own_delay_ms)
        if fetched.address:
            row.was_public = has_been_public(row, fetched.address)
            row.address = fetched.address
            self.addresses.start(fetched.address, now)

    def _blame_tls(self, active: ActiveSite, fetched: Fetched, now: float) -> None:
        """Only this site waits for longer than its host's delay."""
        row, polite = active.row, self._politeness
        row.tls_failures += 1
        wait = polite.backoff(row.tls_failures, self._random)
        if row.tls_failures >= _DOWN_AFTER:
            wait = max(wait, polite.backoff_cap)
        row.tls_until_ms = ceil(((fetched.ended or now) + wait) * 1000)

    def _blame(self, row: HostRow, fetched: Fetched, now: float) -> float:
        """Seconds to wait after a failure: what the host asks for, or our own back-off."""
        polite = self._politeness
        asked = retry_after(fetched.header("retry-after"), now)
        if fetched.outcome is Outcome.BUSY and asked is not None:
            again = polite.backoff(row.failures - 1, self._random)
            return max(min(asked, polite.retry_after_cap), again)
        wait = polite.backoff(row.failures, self._random)
        is_down = fetched.status == 0 and row.failures >= _DOWN_AFTER
        return max(wait, polite.backoff_cap) if is_down else wait

    def slow_down(self, active: ActiveSite, failures: int, now: float) -> None:
        """Its robots.txt can't be had, for reasons that its answers do not show."""
        if active.row.tls_failures:
            return  # it waits already, and its host has nothing to do with it
        wait = self._politeness.backoff(failures, self._random)
        row = active.gate.row
        row.next_ms = max(row.next_ms, ceil((now + wait) * 1000))
        row.note = row.note or "robots.txt can't be had"

    def count_as_requested(self, active: ActiveSite, now: float) -> None:
        """It is not known whether the host was asked, nor when its answer ended: just now; that of
        a slow host when it has taken as long as the last one did."""
        row = active.gate.row
        crawl_delay = active.rules.crawl_delay if active.rules is not None else None
        pause = self._politeness.pause(0.0, crawl_delay, row.address)
        row.last_ms = ceil(now * 1000)
        wait_ms = max(ceil(pause * 1000), self.wait_if_unknown_ms(row))
        if row.delay_ms > ceil(pause * 1000):
            wait_ms += ceil(self._politeness.answer_before(row.delay_ms / 1000) * 1000)
        row.next_ms = max(row.next_ms, row.last_ms + wait_ms)
        self.addresses.start(row.address, now)

    def wait_if_unknown_ms(self, row: HostRow) -> int:
        """How long a host is left alone of whose last answer nothing is known."""
        pause = self._politeness.pause(0.0, None, row.address)
        return max(ceil(pause * 1000), row.delay_ms, row.own_delay_ms)

    def mend(self, active: ActiveSite, now: float) -> None:
        """No stored clock can rightly lie further ahead than the longest wait."""
        row = active.gate.row
        now_ms = ceil(now * 1000)  # as `last_ms` was: no pause is shortened
        if row.last_ms > now_ms:
            row.next_ms -= row.last_ms - now_ms
            row.last_ms = now_ms
        longest_ms = max(ceil(self._politeness.longest() * 1000), row.own_delay_ms)
        row.next_ms = min(row.next_ms, now_ms + longest_ms)
        active.row.tls_until_ms = min(active.row.tls_until_ms, now_ms + longest_ms)


def _address_of(active: ActiveSite) -> str:
    """Where the site will be asked: at its host's address, as last seen, and its own port."""
    seen = active.gate.row.address
    if not seen or seen.endswith(active.port):
        return seen
    return seen.rpartition(":")[0] + active.port
