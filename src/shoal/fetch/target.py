"""Whom does a URL ask, and for what? Its parts as a request needs them.

URLs come in canonical form (model/urls/url.py); this takes them apart without judging them again,
and refuses what can't be put on a request line. Credentials and fragments are never sent.
"""

import re
from typing import NamedTuple

from shoal.fetch.names import plain_name

_URL = re.compile(
    r"""
    ([a-z]+)://
    (?:[^/?\#]*@)?                                           # credentials
    (\[[0-9A-Fa-f:.]+\] | [!"$-.0-9;->A-Z\\^-~]+)            # host: visible, no delimiters
    (?::([0-9]{1,5}))?
    ([/?][!"$-~]*)?                                          # what is asked for: visible
    (?:\#.*)?
    """,
    re.VERBOSE,
)
_DEFAULT_PORT = {"http": 80, "https": 443, "ftp": 21}


class Target(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str
    """Path and query, as in the URL."""

    @property
    def name(self) -> str:
        """The host as settings name it."""
        return plain_name(self.host)

    @property
    def authority(self) -> str:
        """As the Host field gives it: without a default port."""
        usual = self.port == _DEFAULT_PORT[self.scheme]
        return self.host if usual else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(url: str) -> Target | None:
    """The parts of an http, https or ftp URL; None when it can't be asked for."""
    matched = _URL.fullmatch(url)
    if matched is None or matched[1] not in _DEFAULT_PORT:
        return None
    scheme, host, digits, path = matched.groups()
    port = int(digits) if digits else _DEFAULT_PORT[scheme]
    if not 0 < port < 65536:
        return None
    path = path or "/"
    return Target(scheme, host, port, path if path.startswith("/") else f"/{path}")


def at_port(address: str, port: int) -> str:
    """`address:port`, an IPv6 address in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
