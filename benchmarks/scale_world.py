"""What web does the simulation crawl? Hosts of Zipf sizes, their addresses, their speed.

The same seed draws the same web. The n-th largest host has 1/n^skew of the pages of the largest; a
budget cuts what is taken of a host. Names of hosts are made up and hashed with the project's own
hash, so that tablets get what they would get. Small hosts stand in *bundles*, many alike in one
entry: millions are too many to follow one by one, and each of them matters little. Some addresses
carry many hosts, most carry one or two. How long a host takes to answer is drawn (lognormal).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.digest import stable_number

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_DELAY_FACTOR, _SLOW_SITE_CAP_SECONDS = 5.0, 60.0
"""The defaults of [politeness]."""


@dataclass(frozen=True)
class Web:
    """What is assumed of the web; none of it is measured."""

    pages: float = 1e9
    hosts: int = 15_000_000
    skew: float = 1.0
    """Zipf's exponent."""
    budget: float = float("inf")
    """Pages that are taken of one host at most."""
    hosts_per_address: float = 4.0
    address_skew: float = 0.8
    fetch_seconds: float = 0.3
    """Median time of a response,"""
    fetch_spread: float = 0.8
    """and the standard deviation of its logarithm."""
    delay_seconds: float = 3.0
    singly: int = 60_000
    """So many of the largest hosts are followed one by one,"""
    bundles: int = 60_000
    """the others in so many bundles."""
    seed: int = 1


@dataclass(frozen=True)
class Hosts:
    """One entry for each host or bundle, largest first."""

    alike: Floats
    """How many hosts an entry stands for,"""
    pages: Floats
    """and how many pages all of them have."""
    hashes: NDArray[np.uint64]
    address: Integers
    fetch_seconds: Floats
    turn_seconds: Floats
    """From one request to the next at one host, at the soonest: response and wait."""

    def tablets(self, count: int) -> Integers:
        return np.asarray(self.hashes % np.uint64(count), dtype=np.int64)


def hosts_of(web: Web) -> Hosts:
    chance = np.random.default_rng(web.seed)
    first, last = _ranks(web)
    alike = last - first + 1
    sizes = np.minimum(_shares(web, first, last) / alike * web.pages, web.budget)
    names = (b"test,host%d-%d)" % (web.seed, number) for number in range(len(first)))
    hashes = np.fromiter((stable_number(name) for name in names), np.uint64, len(first))
    fetch = web.fetch_seconds * np.exp(web.fetch_spread * chance.standard_normal(len(first)))
    wait = np.clip(_DELAY_FACTOR * fetch, web.delay_seconds, _SLOW_SITE_CAP_SECONDS)
    return Hosts(alike, sizes * alike, hashes, _addresses(web, alike, chance), fetch, fetch + wait)


def _ranks(web: Web) -> tuple[Floats, Floats]:
    """The first and the last rank of each entry."""
    singly = min(web.singly, web.hosts)
    edges = np.unique(np.linspace(singly, web.hosts, web.bundles + 1).astype(np.int64))
    first = np.concatenate([np.arange(1, singly + 1), edges[:-1] + 1])
    last = np.concatenate([np.arange(1, singly + 1), edges[1:]])
    return first.astype(np.float64), last.astype(np.float64)


def _shares(web: Web, first: Floats, last: Floats) -> Floats:
    """Of all pages, each entry's: single ranks as they are, bundles by the integral of the law."""
    low, high = first - 0.5, last + 0.5
    if web.skew == 1.0:
        many = np.log(high / low)
    else:
        power = 1.0 - web.skew
        many = (high**power - low**power) / power
    weights = np.where(first == last, first**-web.skew, many)
    return np.asarray(weights / weights.sum())


def _addresses(web: Web, alike: Floats, chance: np.random.Generator) -> Integers:
    """Which address has an entry: popular ones have many, by another law of Zipf's kind. The hosts
    of a bundle are at as many addresses, so bundles share them only with bundles."""
    found = np.zeros(len(alike), dtype=np.int64)
    for is_bundle in (False, True):
        those = (alike > 1) == is_bundle
        count = max(1, round(those.sum() / web.hosts_per_address))
        edges = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -web.address_skew)
        drawn = np.searchsorted(edges / edges[-1], chance.random(int(those.sum())))
        found[those] = np.minimum(drawn, count - 1) + (found.max() + 1 if is_bundle else 0)
    return found
