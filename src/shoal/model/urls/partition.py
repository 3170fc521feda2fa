"""Which tablet has a site? A stable hash of its host, over a number of tablets that never changes.

By host, not by site: http and https of one host share a politeness clock, so they must be in one
place. The hash has no seed: every machine and every release must come to the same answer.
"""

from typing import NamedTuple

from shoal.errors import DamagedError
from shoal.model.digest import stable_number
from shoal.model.urls.rowkey import site_of_key

DEFAULT_TABLETS = 64
MOST_TABLETS = 4096
PARTITION_KEY = b"\x00partition"
"""In the family `site`: which tablet a table is, packed; there is none in a collection of its
own."""
_DEFAULT_PORTS = (b"80:http", b"443:https")


class Partition(NamedTuple):
    """One tablet among all."""

    number: int = 0
    tablets: int = 1

    def owns(self, site: bytes) -> bool:
        return tablet_of_site(site, self.tablets) == self.number


def tablet_of_site(site: bytes, tablets: int) -> int:
    """Which of so many tablets has a site, by its key."""
    return tablet_of_host(host_of_site(site), tablets) if tablets > 1 else 0


def tablet_of_host(host: bytes, tablets: int) -> int:
    """Which of so many tablets has a host, by its label."""
    return stable_number(host) % tablets if tablets > 1 else 0


def tablet_of_row(row: bytes, tablets: int) -> int:
    """Which of so many tablets has a page, by its row key."""
    return tablet_of_site(site_of_key(row), tablets) if tablets > 1 else 0


def host_of_site(site: bytes) -> bytes:
    """The host label of a site: http and https on their own ports are one host, other ports are
    not."""
    scheme, is_verbatim, rest = site.partition(b"://")
    if is_verbatim:  # a host whose name can't be reversed, see model/urls/rowkey.py
        return b"//" + rest if scheme in (b"http", b"https") else site
    head, closed, tail = site.rpartition(b")")
    if not closed:
        return site
    return head + b")" if tail in _DEFAULT_PORTS else head + b")" + tail.partition(b":")[0]


_MOST_REMEMBERED = 100_000


class Owners:
    """Which tablet has a row; neighbours mostly have the same site."""

    def __init__(self, tablets: int) -> None:
        self.tablets = tablets
        self._of_site: dict[bytes, int] = {}

    def of(self, row: bytes, site_length: int = 0) -> int:
        if self.tablets == 1:
            return 0
        try:
            site = row[:site_length] if site_length else site_of_key(row)
        except ValueError as error:
            raise DamagedError(f"A row does not read: {error}; run shoal repair first.") from error
        found = self._of_site.get(site)
        if found is None:
            if len(self._of_site) >= _MOST_REMEMBERED:
                self._of_site.clear()
            found = self._of_site[site] = tablet_of_site(site, self.tablets)
        return found
