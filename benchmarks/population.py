"""Which URLs does a large crawl meet? Those of hosts of Zipf sizes, made one after another.

Nothing is kept of a URL but its host's count, so a hundred million of them take no more memory
than one.
"""

import random
from array import array
from itertools import accumulate

from shoal.model.link import Link
from shoal.model.rowkey import row_key

_SPREAD = 0x9E3779B1  # odd, so that multiplying by it permutes 32-bit numbers
_KNOWN_SKEW = 3
"""Known links lead mostly to a host's first pages, as links do."""


class Population:
    """Hands out links by the page full."""

    def __init__(self, hosts: int, seed: int, links_per_page: int) -> None:
        self._links_per_page = links_per_page
        self._random = random.Random(seed)
        self._weights = list(accumulate(1 / rank for rank in range(1, hosts + 1)))
        self._sizes = array("L", bytes(array("L").itemsize * hosts))

    def new(self) -> list[Link]:
        links = []
        for host in self._hosts():
            links.append(self._link(host, self._sizes[host]))
            self._sizes[host] += 1
        return links

    def known(self) -> list[Link]:
        return [
            self._link(host, int(size * self._random.random() ** _KNOWN_SKEW))
            for host in self._hosts()
            if (size := self._sizes[host])
        ]

    def _hosts(self) -> list[int]:
        hosts = range(len(self._sizes))
        return self._random.choices(hosts, cum_weights=self._weights, k=self._links_per_page)

    def _link(self, host: int, number: int) -> Link:
        name = number * _SPREAD & 0xFFFFFFFF
        url = f"https://www.site-{host}.example/articles/{name & 0xFF:02x}/{name:08x}-{number}.html"
        return Link(url, row_key(url))
