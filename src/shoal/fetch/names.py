"""Which names need no name server? Addresses, `localhost`, the hosts file, the `[resolve]` table.

The table points a name at `address` or `address:port`, so that any site can be played by a test
server. It is a person's wish and wins over everything else.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple

from shoal.errors import UsageError

_ADDRESS_AND_PORT = re.compile(r"([0-9.]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_NAME = re.compile(r"[!-~]{1,253}")

MAX_HOSTS_FILE_BYTES = 4_000_000


class Addresses(NamedTuple):
    """Where a name leads; without addresses, `problem` says why."""

    addresses: tuple[str, ...] = ()
    port: int = 0
    """The port to connect to, when the table gives one; 0: that of the request."""
    problem: str = ""
    pinned: bool = False
    """It stands in the `[resolve]` table."""


def plain_name(host: str) -> str:
    """A host as it is looked up: without brackets, without the root's dot, in lower case."""
    return host.strip("[]").removesuffix(".").lower()


def literal(name: str) -> str:
    """The address that a name is, or empty."""
    if not name or not (name[-1].isdigit() or ":" in name):
        return ""  # most names end here
    return _as_address(name)


@lru_cache(maxsize=4096)
def _as_address(name: str) -> str:
    try:
        return str(ip_address(name))
    except ValueError:
        return ""


def parse_overrides(table: Mapping[str, str]) -> dict[str, Addresses]:
    return {plain_name(host): _override(host, target) for host, target in table.items()}


def _override(host: str, target: str) -> Addresses:
    address, port = parse_place(target)
    if not address:
        raise UsageError(
            f"[resolve] gives {host} the value {target!r}, which is not an address; "
            'write it as "127.0.0.1" or "127.0.0.1:8080" ("[::1]:8080").'
        )
    return Addresses((address,), port, pinned=True)


def parse_place(text: str) -> tuple[str, int]:
    """`address` or `address:port` as (address, port or 0); an empty address when it is neither."""
    with_port = _ADDRESS_AND_PORT.fullmatch(text.strip())
    if with_port is None:
        return literal(text.strip().removeprefix("[").removesuffix("]")), 0
    port = int(with_port[2])
    return (literal(with_port[1].strip("[]")), port) if 0 < port < 65536 else ("", 0)


def read_hosts(path: str) -> dict[str, Addresses]:
    """The names of a hosts file, IPv4 first; what can't be read as one is left out."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(MAX_HOSTS_FILE_BYTES).decode("latin-1")
    except OSError:
        return {}
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if literal(address):
            for name in names:
                found.setdefault(plain_name(name), []).append(literal(address))
    return {name: Addresses(tuple(ipv4_first(listed))) for name, listed in found.items()}


def ipv4_first(addresses: list[str]) -> list[str]:
    return sorted(dict.fromkeys(addresses), key=lambda a: isinstance(ip_address(a), IPv6Address))


def known(name: str) -> Addresses | None:
    """The answer for names that are addresses or mean this machine (RFC 6761, 6.3)."""
    address = literal(name)
    if address:
        return Addresses((address,))
    if name == "localhost" or name.endswith(".localhost"):
        return Addresses(("127.0.0.1", "::1"))
    if not _NAME.fullmatch(name) or any(not 0 < len(part) < 64 for part in name.split(".")):
        return Addresses(problem="The name is not one that DNS can hold.")
    return None
