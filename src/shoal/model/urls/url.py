"""What is the one name of a document, and which site does it belong to?

URLs are parsed and resolved by the WHATWG standard (ada), then brought to one canonical form so
that one document is fetched once. Invariants, held by property tests: ``canonical`` never raises,
whatever a page contains, and is idempotent. Every other function takes an href: what ``canonical``
or ``resolve`` returned. ada's C functions are called directly because this runs for every link of
every page and the library's own wrapper costs as much as the parsing.
"""

import re
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from ada_url.ada_adapter import ffi, lib  # type: ignore[attr-defined]  # cffi, without types

from shoal.model.urls.params import ASP_NET_SESSION, DEFAULT, ParamRules
from shoal.model.urls.rowkey import DEFAULT_PORTS

if TYPE_CHECKING:
    from tldextract import TLDExtract

__all__ = [
    "DEFAULT",
    "MAX_RAW",
    "MAX_URL",
    "ParamRules",
    "Site",
    "canonical",
    "extension_of",
    "is_ip",
    "path_segments",
    "registered_domain",
    "resolve",
    "robots_url",
    "seen_key",
    "site_of",
    "twin",
]

MAX_URL = 4096  # characters of a canonical URL
MAX_RAW = 65536  # characters or bytes looked at in a page

# What was tidied is parsed again, because a dot segment may have appeared with its session id
# gone, or an address with its dot. Once was always enough; the bound is for the unforeseen.
_MAX_ROUNDS = 4

_parse, _parse_with_base = lib.ada_parse, lib.ada_parse_with_base
_get_href, _free, _unpack = lib.ada_get_href, lib.ada_free, ffi.unpack

_WEB = ("http://", "https://")
_PARTS = re.compile(r"([^:]*:)(//[^/?]*)?([^?]*)(?:\?(.*))?", re.DOTALL)
_LOWER_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f][a-f]|[a-f][0-9A-F])")
# An escaped letter, digit, "-", ".", "_" or "~" (RFC 3986, 6.2.2.2). Not after a stray "%" or
# "%4": what is decoded there could complete a new escape ("%%34%31"), and mean something else.
_NEEDLESS_ESCAPE = re.compile(
    r"%(?<!%%)(?<!%[0-9A-Fa-f]%)(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
)
_PATH_PARAM = re.compile(r";([^;=/]*)(?:=([^;/]*))?")
_ASP_NET_SEGMENT = re.compile(r"/\((?:[AFX]\([\w-]+\))*S\(([\w-]+)\)(?:[AFX]\([\w-]+\))*\)(?=/|\Z)")
_AUTHORITY = re.compile(
    r"([a-z][a-z0-9+.-]*):(?://(?:[^/?#@]*@)?(\[[^]]*\]|[^/?#:]*)(?::([0-9]+))?(?=[/?#]|\Z))?"
)
_EXTENSION = re.compile(r"[^/]\.([0-9A-Za-z]{1,16})(?:;[^/]*)?\Z")


def resolve(raw: str | bytes, base: str | None = None) -> str | None:
    """The href of `raw` on a page at `base`, by the WHATWG standard; None if there is none."""
    if len(raw) > MAX_RAW or (base is not None and len(base) > MAX_RAW):
        return None
    data = _utf8(raw if isinstance(raw, str) else raw.decode("utf-8", "replace"))
    if base is None:
        parsed = _parse(data, len(data))
    else:
        base_data = _utf8(base)
        parsed = _parse_with_base(data, len(data), base_data, len(base_data))
    try:
        href = _get_href(parsed)  # empty when parsing failed
        return _unpack(href.data, href.length).decode("ascii", "replace") if href.length else None
    finally:
        _free(parsed)


def canonical(raw: str | bytes, base: str | None = None, rules: ParamRules = DEFAULT) -> str | None:
    """The canonical URL of `raw` on a page at `base`; None if it is no URL, or too long.

    The trailing slash is kept as it was written; see `seen_key`.
    """
    href = resolve(raw, base)
    if href is None:
        return None
    if href.startswith(_WEB):
        url = href.partition("#")[0]
        # Most links hold nothing that any rule below looks at.
        if not (
            "%" in url or "?" in url or ";" in url or "@" in url
            or "./" in url or ".:" in url or "/(" in url
        ):  # fmt: skip
            return url if len(url) <= MAX_URL else None
    return _settled(href, rules)


def _settled(href: str, rules: ParamRules) -> str | None:
    for _ in range(_MAX_ROUNDS):
        tidied = _tidied(href, rules)
        if tidied == href:
            return href if len(href) <= MAX_URL else None
        again = resolve(tidied) if tidied is not None else None
        if again is None:
            return None
        href = again
    return None


def _tidied(href: str, rules: ParamRules) -> str | None:
    url = href.partition("#")[0]
    match = _PARTS.fullmatch(url)
    if match is None:  # an href always has a scheme
        return None
    scheme, authority, path, query = match.groups()
    if authority is None and not path.startswith("/"):
        return url  # mailto:, data: and the like: the rest means what its scheme says
    authority = authority and _bare(authority)
    path, query = _unescaped(path), _unescaped(query or "")
    if url.startswith(_WEB):  # elsewhere ";jsessionid=1" may be part of a file's name
        path, query = _anonymous_path(path, rules), _anonymous_query(query, rules)
    if authority == "":
        return None
    return f"{scheme}{authority or ''}{path}{'?' if query else ''}{query}"


def _bare(authority: str) -> str:
    """``//host:port`` without credentials and without the root's dot; empty if that is all."""
    if authority == "//":
        return authority
    host = authority[2:].rpartition("@")[2]
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, ""
    name = name.rstrip(".")
    return f"//{name}{':' if port else ''}{port}" if name else ""


def _unescaped(part: str) -> str:
    if "%" not in part:
        return part
    upper = _LOWER_ESCAPE.sub(lambda m: m[0].upper(), part)
    return _NEEDLESS_ESCAPE.sub(lambda m: chr(int(m[1], 16)), upper)


def _anonymous_path(path: str, rules: ParamRules) -> str:
    if ";" in path:
        path = _PATH_PARAM.sub(lambda m: "" if rules.strips(m[1], m[2] or "") else m[0], path)
    if "/(" in path:
        path = _ASP_NET_SEGMENT.sub(
            lambda m: "" if rules.strips(ASP_NET_SESSION, m[1]) else m[0], path
        )
    return path


def _anonymous_query(query: str, rules: ParamRules) -> str:
    if not query:
        return query
    kept = []
    for param in query.split("&"):
        name, _, value = param.partition("=")
        if not rules.strips(name, value):
            kept.append(param)
    return "&".join(kept)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # lone surrogates become U+FFFD, as in a browser
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def twin(url: str) -> str | None:
    """`url` with the trailing slash of its path added or taken away; None if it has no twin."""
    path, mark, query = url.partition("?")
    match = _PARTS.fullmatch(path)
    if match is None or not match[3].startswith("/") or match[3].endswith("//") or match[3] == "/":
        return None
    return f"{path[:-1] if path.endswith('/') else path + '/'}{mark}{query}"


def seen_key(url: str) -> str:
    """The name under which `url` and its twin are one, for the seen test only."""
    if not url.partition("?")[0].endswith("/"):
        return url
    return twin(url) or url


class Site(NamedTuple):
    """Who is polite to whom: scheme, host and port. The port is 0 where the scheme has none."""

    scheme: str
    host: str
    port: int

    @property
    def host_label(self) -> str:
        """WHATWG's ``host``: the port is written when it is not the scheme's own."""
        is_default = self.port == DEFAULT_PORTS.get(self.scheme, 0)
        return self.host if is_default else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host_label}"


def site_of(url: str) -> Site:
    match = _AUTHORITY.match(url)
    if match is None:
        raise ValueError(f"{url!r} is not a URL: it has no scheme")
    scheme, host, port = match.groups()
    return Site(scheme, host or "", int(port) if port else DEFAULT_PORTS.get(scheme, 0))


def robots_url(site: Site) -> str:
    return f"{site.origin}/robots.txt"


def is_ip(host: str) -> bool:
    if not (host[-1:].isdigit() or ":" in host):
        return False  # most names end here
    try:
        ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    except ValueError:
        return False
    return True


@cache
def _suffix_list() -> "TLDExtract":
    from tldextract import TLDExtract  # noqa: PLC0415 - loads for 0.3 s, and few ever ask

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


def registered_domain(host: str) -> str:
    """The public suffix and one label more, by the list bundled with the library.

    Suffixes of private registries count (each github.io name is a domain of its own). A host
    under no listed suffix falls to the list's default rule: its last two labels.
    """
    if "." not in host or is_ip(host):
        return host
    parts = _suffix_list().extract_str(host)
    if parts.suffix:
        return f"{parts.domain}.{parts.suffix}" if parts.domain else host
    return ".".join(host.rsplit(".", 2)[-2:])


def path_segments(url: str) -> list[str]:
    """The path's names between slashes; a trailing slash adds none."""
    match = _PARTS.match(url.partition("#")[0])
    path = match[3] if match else ""
    return path.removesuffix("/").split("/")[1:] if path.startswith("/") else []


def extension_of(url: str) -> str:
    """The lower-case ending of the last name in the path, without its dot, or nothing."""
    segments = path_segments(url)
    if not segments or url.partition("?")[0].endswith("/"):
        return ""
    match = _EXTENSION.search(segments[-1])
    return match[1].lower() if match else ""
