"""Where does a host live? Asynchronous look-ups, cached by their TTL, asked ahead of need.

A failure is a value like any other and is remembered too, for less long. One look-up per name is
under way at a time, whoever asks; the cache is bounded and forgets its oldest entries first. IPv4
comes first: one address is kept in use until it fails, so that connections are met again.
"""

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from aiodns import DNSResolver
from aiodns.error import ARES_ENODATA, ARES_ENOTFOUND, ARES_ETIMEOUT, DNSError

from shoal.clock import Clock
from shoal.errors import UsageError
from shoal.fetch.names import (
    Addresses,
    known,
    parse_overrides,
    parse_place,
    plain_name,
    read_hosts,
)
from shoal.fetch.settings import DnsSettings

MAX_ADDRESSES = 16
"""Kept of one answer; a hostile one may list thousands."""

_PROBLEMS = {
    ARES_ENODATA: "The name has no address.",
    ARES_ENOTFOUND: "There is no such name.",
    ARES_ETIMEOUT: "The name server did not answer in time.",
}

_STOPPED = "The crawl was stopped during the look-up."


class _Found(NamedTuple):
    addresses: Addresses
    until: float


class _Reply(NamedTuple):
    """What came of one query, by record type."""

    addresses: list[str]
    ttl: float
    problem: str


class Resolver:
    def __init__(
        self, overrides: Mapping[str, str], clock: Clock, settings: DnsSettings | None = None
    ) -> None:
        self._clock = clock
        self._settings = settings or DnsSettings()
        for server in self._settings.nameservers:
            if not parse_place(server)[0]:
                raise UsageError(f"The name server {server!r} is not an address; write 192.0.2.53.")
        self._fixed = read_hosts(self._settings.hosts_file) | parse_overrides(overrides)
        self._cache: dict[str, _Found] = {}
        self._asking: dict[str, asyncio.Task[Addresses]] = {}
        self._waiting: dict[str, None] = {}
        self._prefetcher: asyncio.Task[None] | None = None
        self._dns: DNSResolver | None = None
        self._closed = False

    def override(self, host: str) -> Addresses | None:
        """What the `[resolve]` table says of a host."""
        found = self._fixed.get(plain_name(host))
        return found if found is not None and found.pinned else None

    async def resolve(self, host: str) -> Addresses:
        name = plain_name(host)
        at_hand = self._at_hand(name)
        if at_hand is not None:
            return at_hand
        task = self._asking.get(name)
        if task is None:
            if self._closed:
                return Addresses(problem=_STOPPED)
            task = self._asking[name] = asyncio.create_task(self._ask(name))
        # Several may wait for one look-up: the one that is cancelled must not take it along.
        return await asyncio.shield(task)

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Look up in the background, a batch at a time; what does not fit is asked when needed."""
        if self._closed:
            return
        for host in hosts:
            if len(self._waiting) >= self._settings.max_prefetch_waiting:
                break
            name = plain_name(host)
            if name not in self._asking and self._at_hand(name) is None:
                self._waiting[name] = None
        if self._waiting and self._prefetcher is None:
            self._prefetcher = asyncio.create_task(self._prefetch_all())

    def prefer(self, host: str, address: str) -> None:
        """Put an address first: those before it did not answer."""
        name = plain_name(host)
        found = self._cache.get(name)
        if found is not None and address in found.addresses.addresses:
            others = (a for a in found.addresses.addresses if a != address)
            self._cache[name] = found._replace(
                addresses=found.addresses._replace(addresses=(address, *others))
            )

    async def close(self) -> None:
        """End every look-up; whoever waits for one gets a failure."""
        self._closed = True
        self._waiting.clear()
        if self._dns is not None:
            await self._dns.close()
        if self._prefetcher is not None:
            await self._prefetcher
        await asyncio.gather(*self._asking.values())

    def _at_hand(self, name: str) -> Addresses | None:
        found = self._cache.get(name)
        if found is not None and self._clock.now() < found.until:
            return found.addresses
        return self._fixed.get(name) or known(name)

    async def _prefetch_all(self) -> None:
        try:
            while self._waiting:
                batch = list(islice(self._waiting, self._settings.prefetch_at_once))
                for name in batch:
                    del self._waiting[name]
                await asyncio.gather(*(self.resolve(name) for name in batch))
        finally:
            self._prefetcher = None

    async def _ask(self, name: str) -> Addresses:
        try:
            ipv4, ipv6 = await asyncio.gather(self._query(name, "A"), self._query(name, "AAAA"))
            listed = dict.fromkeys(ipv4.addresses + ipv6.addresses)
            if listed:
                addresses = Addresses(tuple(listed))
                ttl = min(r.ttl for r in (ipv4, ipv6) if r.addresses)
                ttl = min(max(ttl, self._settings.min_ttl), self._settings.max_ttl)
            else:
                addresses = Addresses(problem=ipv4.problem or ipv6.problem)
                ttl = self._settings.failure_ttl
            self._remember(name, addresses, ttl)
            return addresses
        finally:
            del self._asking[name]

    def _remember(self, name: str, addresses: Addresses, ttl: float) -> None:
        self._cache.pop(name, None)  # so that it goes to the young end
        while len(self._cache) >= self._settings.max_entries:
            del self._cache[next(iter(self._cache))]
        self._cache[name] = _Found(addresses, self._clock.now() + ttl)

    async def _query(self, name: str, kind: str) -> _Reply:
        if self._closed:
            return _Reply([], 0.0, _STOPPED)
        if self._dns is None:
            self._dns = DNSResolver(
                self._settings.nameservers or None,
                timeout=self._settings.timeout,
                tries=self._settings.tries,
            )
        try:
            result = await self._dns.query_dns(name, kind)
        except DNSError as error:
            number = error.args[0] if error.args else 0
            problem = _PROBLEMS.get(number) or f"The look-up failed: {error.args[-1]}."
            return _Reply([], 0.0, problem)
        # The TTL of a CNAME on the way counts as well: any of them may change first.
        ttl = min((record.ttl for record in result.answer), default=0)
        found = [a for record in result.answer if (a := getattr(record.data, "addr", ""))]
        return _Reply(found[:MAX_ADDRESSES], ttl, "" if found else _PROBLEMS[ARES_ENODATA])
