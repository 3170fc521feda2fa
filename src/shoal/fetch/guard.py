"""May this address be asked? Only what lies on the public internet, unless a person said otherwise.

Any page can name a host, and whoever owns the name decides where it leads: to a router's page, a
cloud's metadata service, a database on this machine (server-side request forgery). So the address
itself is judged, after the name was looked up and again when the socket is opened: a name that
leads elsewhere a moment later (DNS rebinding) gains nothing. Addresses that carry another inside
(RFC 4291 mapped, RFC 6052 NAT64, RFC 3056 6to4) are judged by what they carry.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from shoal.errors import UsageError

NAMELESS = (
    "A crawl beyond one site must say who runs it; give --contact with a URL or a mail address."
)
NOTE = "The name leads to an address that may not be asked."

_NAT64 = IPv6Network("64:ff9b::/96")
_NOT_GLOBAL = (
    IPv4Network("192.0.0.0/24"),  # for protocols (RFC 6890), which older Pythons do not all know
    IPv4Network("192.88.99.0/24"),  # relays of 6to4 (RFC 7526)
    IPv6Network("64:ff9b:1::/48"),  # NAT64 of one's own network (RFC 8215)
    IPv6Network("::/96"),  # IPv4-compatible, long out of use
    IPv6Network("fec0::/10"),  # site-local, likewise
)


class NamelessError(UsageError):
    """It ends the crawl, which goes on when a contact is given."""


def public_only(address: str, _port: int) -> bool:
    """A Guard: whether a connection may be opened to an address that a page led to."""
    return is_public(address)


@lru_cache(maxsize=4096)
def is_public(address: str) -> bool:
    """Whether an address is one of the public internet; what can't be read as one is not."""
    try:
        found = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        carried = _carried(found)
        if carried is not None:
            return is_public(str(carried))
    if any(found in network for network in _NOT_GLOBAL if network.version == found.version):
        return False
    return found.is_global and not found.is_multicast


def must_say_who_asks(addresses: Sequence[str], is_nameless: Callable[[], bool] | None) -> None:
    """Raises NamelessError before a crawl that does not say who runs it asks a public address; an
    address that nobody knows (a proxy looks it up) counts as one."""
    if is_nameless is None or not any(not each or is_public(each) for each in addresses):
        return
    if is_nameless():
        raise NamelessError(NAMELESS)


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
