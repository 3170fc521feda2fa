"""Which part of a collection is meant? A URL prefix, a host, a domain or a suffix, as a range of
rows."""

import re

from shoal.errors import UsageError
from shoal.model.urls.rowkey import KeyRange, domain_range, prefix_range, site_key, suffix_range
from shoal.model.urls.url import canonical, site_of
from shoal.sources.seeds import seed_url

_NO_HOST = re.compile(r"[\s@?#\\]")
_PORT = re.compile(r":[0-9]+\Z")
_ALL: KeyRange = (b"\x01", b"\xff")


def key_range(where: str) -> KeyRange:
    """`` everything, `.edu` a suffix, `example.org` a domain, `https://…` everything below a
    URL."""
    if not where:
        return _ALL
    if where.startswith("."):
        return suffix_range(where)
    if where.startswith("file:"):
        return prefix_range(where)
    if "://" in where:
        scheme, _, rest = where.partition("://")
        host, slash, path = rest.partition("/")
        if canonical(where) is None or not host:
            raise _not_understood(where)
        return prefix_range(f"{scheme.lower()}://{host.lower()}{slash}{path}")
    if "/" in where:
        if where.startswith("/") or ".." in where.split("/"):
            raise _not_understood(where)
        try:
            return prefix_range(seed_url(where))
        except ValueError:
            raise _not_understood(where) from None
    url = canonical(f"http://{where}/")
    if url is None or _NO_HOST.search(where) or not (site := site_of(url)).host:
        raise _not_understood(where)
    if _PORT.search(where):  # as `hosts` prints it: whatever the scheme
        port = site_key(site).removesuffix(b"http")
        return port, port[:-1] + b";"
    return domain_range(site.host)


def _not_understood(where: str) -> UsageError:
    return UsageError(
        f"{where!r} is not understood; write a URL prefix (https://example.org/a/), "
        "a host (example.org) or a suffix (.edu)"
    )
