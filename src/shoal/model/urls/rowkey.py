"""Where does a URL stand in the table, so that a site, a domain and all of .edu are ranges?

The key of ``https://en.wikipedia.org/wiki/Fish`` is ``org,wikipedia,en)443:https/wiki/Fish``:
host labels reversed (IP addresses not), the port always written where the scheme has one, the
rest as it is. Keys are ordered as bytes, and ``)`` < ``,`` < ``-``, so a domain and its
subdomains are neighbours. What has no host, or a host with one of ``)*+,`` in it (which would
break that order), is kept verbatim and so begins with ``scheme:``. Invariant:
``url_of(row_key(href)) == href`` for every WHATWG href; those are ASCII and hold no NUL.
"""

import re
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    from shoal.model.urls.url import Site  # only its type: nothing here needs the URL library

_IN_A_URL = "!#$%&'()*+,/:;=?@[]"
DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}

KeyRange: TypeAlias = tuple[bytes, bytes]  # start, and the first key after the end

_DEFAULT_PORT_TEXTS = {scheme: str(port) for scheme, port in DEFAULT_PORTS.items()}

# scheme, credentials, host, port, the rest
_HREF = re.compile(
    r"(?!file:)([a-z][a-z0-9+.-]*)://"
    r"(?:([^/?#@]*)@)?(\[[^]]*\]|[^]/?#@:[)*+,]+)(?::([0-9]+))?((?:[/?#].*)?)",
    re.DOTALL,
)
# host, port, scheme, credentials, the rest
_KEY = re.compile(
    r"(\[[^]]*\]|[^):]+)\)([0-9]*):([a-z][a-z0-9+.-]*)(?:@([^/?#@]*)@)?((?:[/?#].*)?)",
    re.DOTALL,
)
_SITE_OF_KEY = re.compile(rb"((?:\[[^]]*\]|[^):]+)\))[0-9]*:[a-z0-9+.-]+")
_SITE_OF_VERBATIM = re.compile(rb"([a-z0-9+.-]+:)(?:(//)(?:[^/?#@]*@)?([^/?#]+))?")
_INSIDE = b"#"
_NOT_REVERSIBLE = re.compile(r"[)*+,]")
_DOTTED_QUAD = re.compile(r"[0-9]+(?:\.[0-9]+){3}")


def row_key(href: str) -> bytes:
    match = _HREF.fullmatch(href)
    if match is None:
        if href.startswith("file:///") and not href.startswith("file:////"):
            href = "file:" + href[7:]
        return href.encode()
    scheme, credentials, host, port, rest = match.groups()
    if port is None:
        port = _DEFAULT_PORT_TEXTS.get(scheme, "")
    login = "" if credentials is None else f"@{credentials}@"
    return f"{_reversed(host)}){port}:{scheme}{login}{rest}".encode()


def url_of(key: bytes) -> str:
    text = key.decode()
    match = _KEY.fullmatch(text)
    if match is None:
        if text.startswith("file:/") and not text.startswith("file://"):
            return "file://" + text[5:]
        return text
    host, port, scheme, credentials, rest = match.groups()
    login = "" if credentials is None else f"{credentials}@"
    shown_port = "" if port in ("", _DEFAULT_PORT_TEXTS.get(scheme)) else f":{port}"
    return f"{scheme}://{login}{_restored(host)}{shown_port}{rest}"


def _reversed(host: str) -> str:
    if host.startswith("[") or _DOTTED_QUAD.fullmatch(host):
        return host
    return ",".join(reversed(host.split(".")))


def _restored(host: str) -> str:
    if host.startswith("[") or "." in host:  # an address: no dot is left in a reversed name
        return host
    return ".".join(reversed(host.split(",")))


def site_key(site: "Site") -> bytes:
    """What the row keys of all pages of `site` begin with."""
    if not site.host:
        return f"{site.scheme}:".encode()
    if site.scheme == "file" or _NOT_REVERSIBLE.search(site.host):
        return site.origin.encode()
    port = str(site.port) if site.port or site.scheme in DEFAULT_PORTS else ""
    return f"{_reversed(site.host)}){port}:{site.scheme}".encode()


def site_of_key(key: bytes) -> bytes:
    """The `site_key` of the site that a row belongs to."""
    match = _SITE_OF_KEY.match(key)
    if match:
        return match[0]
    verbatim = _SITE_OF_VERBATIM.match(key)
    if verbatim is None:
        raise ValueError(f"{key!r} is not a row key: it has neither host nor scheme")
    return b"".join(part for part in verbatim.groups() if part)


def site_or_row(row: bytes) -> bytes:
    """The site of a row; what the frontier would never take has a site of its own."""
    try:
        return site_of_key(row)
    except ValueError:
        return row


def domain_range(domain: str) -> KeyRange:
    """All pages of a domain and of its subdomains; of one host if it is an IP address."""
    host = _reversed(domain.strip(".").lower()).encode()
    return host + b")", host + (b"*" if host.startswith(b"[") or b"." in host else b"-")


def suffix_range(suffix: str) -> KeyRange:
    """All pages under a suffix, as ``.edu`` or ``.ac.uk``."""
    return domain_range(suffix)


def prefix_range(url_prefix: str) -> KeyRange:
    """All pages whose href begins with `url_prefix`: a scheme and a host at least."""
    key = row_key(url_prefix)
    return (key, key + b"A") if _SITE_OF_KEY.fullmatch(key) else _starting_with(key)


def _starting_with(prefix: bytes) -> KeyRange:
    return prefix, prefix[:-1] + bytes((prefix[-1] + 1,))  # ASCII: the last byte never overflows


def is_inside(row: bytes) -> bool:
    """Whether a row is that of a document inside another one: the URLs that are asked for have no
    fragment."""
    return _INSIDE in row


def holder_of(row: bytes) -> bytes:
    """The row of the file that a document inside another one came with; of any other, itself."""
    return row.partition(_INSIDE)[0]


def inside_range(row: bytes) -> KeyRange:
    """The rows of all documents inside one."""
    return _starting_with(row + _INSIDE)


def part_of(name: str) -> bytes:
    """What a document's name adds to the row of the visit that yielded it. Names come out of files
    that others wrote; a row key holds nothing that a URL can't, and no NUL."""
    return quote(name, safe=_IN_A_URL, errors="replace").encode()
