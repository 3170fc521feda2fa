"""What does a site say about the use of its pages? In robots.txt, and in tdmrep.json.

Content-Signal (contentsignals.org) and Content-Usage (IETF aipref) stand in the groups of
robots.txt, for the whole site or behind a path. TDMRep (a W3C report) is a list of places with
their reservations. Of several that match a path those with the most octets hold, as with Allow and
Disallow. All of it comes from outside: it is kept and told, as written and up to so much of it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from shoal.model.record import JSON_ERRORS, from_json
from shoal.model.robots.patterns import Path, matches, spell_path, spell_pattern

MAX_SIGNALS = 100
"""Lines of one robots.txt, and entries of one tdmrep.json."""
MAX_VALUE_CHARS = 500
MAX_PATTERN_BYTES = 2000
MAX_TDMREP_BYTES = 200_000
TDMREP_PATH = "/.well-known/tdmrep.json"


class SiteSignal(NamedTuple):
    name: str
    """`content-signal` or `content-usage`."""
    pattern: str
    """Empty: of the whole site."""
    value: str
    line_number: int


class Reservation(NamedTuple):
    """An entry of a tdmrep.json."""

    pattern: str
    reserved: bool
    policy: str = ""
    """Where the terms stand."""


def read_signal(name: str, value: bytes, line_number: int) -> SiteSignal | None:
    """A line of robots.txt: `search=yes, ai-train=no`, or the same behind a path."""
    path = b""
    if value.startswith(b"/"):
        path, *rest = value.split(None, 1)
        value = rest[0] if rest else b""
    if not value or len(path) > MAX_PATTERN_BYTES:
        return None
    said = " ".join(value.decode("utf-8", "replace").split())[:MAX_VALUE_CHARS]
    return SiteSignal(name, spell_pattern(path).for_disallow, said, line_number)


def read_tdmrep(body: bytes) -> tuple[Reservation, ...]:
    """The entries that can be understood; none of what is no such file."""
    if len(body) > MAX_TDMREP_BYTES:
        return ()
    try:
        entries = from_json(object, body.removeprefix(b"\xef\xbb\xbf"))
    except (*JSON_ERRORS, RecursionError):
        return ()
    found = []
    for entry in entries[:MAX_SIGNALS] if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        location, reserved = entry.get("location"), entry.get("tdm-reservation")
        policy = entry.get("tdm-policy")
        if not isinstance(location, str) or not location.startswith("/"):
            continue
        if str(reserved) not in ("0", "1") or len(location) > MAX_PATTERN_BYTES:
            continue
        pattern = spell_pattern(location.encode("utf-8", "replace")).for_disallow
        terms = policy[:MAX_VALUE_CHARS] if isinstance(policy, str) else ""
        found.append(Reservation(pattern, str(reserved) == "1", terms))
    return tuple(found)


def said_of(
    signals: Iterable[SiteSignal], reservations: Iterable[Reservation], path_and_query: str
) -> dict[str, str]:
    """What a site says of one of its paths, by the names that an export has for it."""
    path, said = spell_path(path_and_query), dict[str, str]()
    for name in ("content-signal", "content-usage"):
        found = [each for each in signals if each.name == name and _holds(each.pattern, path)]
        longest = max((len(each.pattern) for each in found), default=0)
        if values := [each.value for each in found if len(each.pattern) == longest]:
            said[f"robots_{name.replace('-', '_')}"] = ", ".join(values)[:MAX_VALUE_CHARS]
    held = [each for each in reservations if _holds(each.pattern, path)]
    if held:
        most = max(held, key=lambda each: (len(each.pattern), each.reserved))
        said["site_tdm_reservation"] = "1" if most.reserved else "0"
        if most.policy:
            said["site_tdm_policy"] = most.policy
    return said


def _holds(pattern: str, path: Path) -> bool:
    return any(matches(pattern, spelling) for spelling in path.for_disallow)
