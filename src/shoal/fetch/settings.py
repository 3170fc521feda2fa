"""What may a person set about fetching? Plain values; `worker` fills them from the configuration.

Every time is in seconds and every wait has an end: a server can be slow, silent or endless, and
each of the three is met by one of the limits here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.body_memory import BodyMemory

ROBOTS_BODY_BYTES = 500 * 1024
"""RFC 9309, 2.5: at least 500 KiB of a robots.txt are read; what follows is not."""
SITEMAP_BODY_BYTES = 50 * 1024 * 1024
"""As long as one may be (sitemaps.org), however short pages are cut."""

FORM_ANSWER_BYTES = 64 * 1024
"""What is read of the answer to a form: it says yes, or in a sentence why not."""

Guard = Callable[[str, int], bool]
"""Whether a connection to (address, port) may be opened."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    agent: str
    """The whole User-Agent value, ready to send."""
    accept_language: str = ""
    proxy: str = ""
    """`http://host:port` or `socks5h://host:port`; empty: none, whatever the environment says."""
    ca_file: str = ""
    """Certificate authorities (PEM); empty: the system's, else certifi's."""
    insecure_hosts: frozenset[str] = frozenset()
    """Hosts whose certificate is not verified."""
    connect_timeout: float = 10.0
    """Until the connection stands, TLS included; per address that is tried."""
    idle_timeout: float = 20.0
    """Silence, in whole seconds as libcurl counts; a drip is ended by `total_timeout`."""
    total_timeout: float = 120.0
    max_body_bytes: int = 20_000_000
    max_requisite_bytes: int = 10_000_000
    """Of a picture, style or script of a page."""
    max_header_bytes: int = 256 * 1024
    """libcurl itself stops at 300 KB, so more than that has no effect."""
    max_idle_connections: int = 512
    """Connections kept for reuse; each holds a file descriptor."""
    may_ask: Callable[[], bool] | None = None
    """Asked when a request is about to leave: a process that was stopped while it connected must
    not ask on behalf of a tablet that it has lost."""
    is_nameless: Callable[[], bool] | None = None
    """Whether nobody says who asks, though the crawl goes beyond one site: then no public address
    is asked."""
    bodies: BodyMemory = field(default_factory=BodyMemory)


@dataclass(frozen=True, slots=True)
class DnsSettings:
    nameservers: tuple[str, ...] = ()
    """`address` or `address:port`; empty: the system's."""
    timeout: float = 5.0
    """For one try; each further try waits longer."""
    tries: int = 2
    min_ttl: float = 30.0
    max_ttl: float = 86_400.0
    failure_ttl: float = 60.0
    max_entries: int = 200_000
    prefetch_at_once: int = 64
    max_prefetch_waiting: int = 20_000
    hosts_file: str = "/etc/hosts"


@dataclass(frozen=True, slots=True)
class FtpSettings:
    agent: str
    """Sent as the anonymous password, which by custom says who is asking."""
    idle_timeout: float = 20.0
    total_timeout: float = 120.0
    max_body_bytes: int = 20_000_000
    is_nameless: Callable[[], bool] | None = None
    """As of HttpSettings."""
