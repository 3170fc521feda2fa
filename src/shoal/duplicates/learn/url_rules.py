"""Which part of a URL made two URLs of one page? Rules that say which part says nothing.

A rule is a short text that can be stored and shown:

    ?sid           the query parameter `sid`, with whatever value, or missing
    ;jsessionid    the path parameter of that name, in any segment
    /print         the path segment `print`, wherever it stands, or missing
    /*/2           the second path segment, where it looks generated (a session id)
    ?sid ?t        two of these together

Two URLs of one page differ in a rule's part only: without it they have the same form. Nothing here
claims that a rule holds; lessons.py counts that. Of a URL from outside only the first few
parameters and segments are looked at, what follows them is one opaque piece.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from shoal.model.urls.params import looks_like_id
from shoal.model.urls.url import twin

Rule: TypeAlias = str

MOST_PARAMS = 16
MOST_SEGMENTS = 32
MOST_PARTS = 2
"""Two URLs that differ in more parts than this are two pages that happen to be alike."""

# scheme and authority (or all of a URL that has no path), path, query, fragment
_URL = re.compile(r"([^/?#]*(?://[^/?#]*)?)((?:/[^?#]*)?)(\?[^#]*)?(#.*)?", re.DOTALL)
# A name that begins with a digit is a value (`?1234`, `/x/2`), and such rules would never end.
_NAME = re.compile(r"[A-Za-z_][!-~]{0,47}")
_SHORT_ID = re.compile(r"(?=[^0-9]*[0-9])(?=[^a-f]*[a-f])[0-9a-f]{8,15}")
_GENERATED = "/*/"


class _Parts(NamedTuple):
    origin: str
    segments: list[str]
    params: list[str] | None
    fragment: str


def rules_between(a: str, b: str) -> list[Rule]:
    """The parts in which two URLs of one site differ, one rule for each: none, one or two. None
    when they are equal, or differ in what no rule explains."""
    one, other = _split(a), _split(b)
    if one.origin != other.origin:
        return []
    segment = _segment_rule(_bare_segments(one), _bare_segments(other))
    names = [
        *(f"?{name}" for name in _differing(_params(one), _params(other))),
        *(f";{name}" for name in _differing(_path_params(one), _path_params(other))),
    ]
    rules = sorted([*names, segment] if segment else names)
    if segment is None or not 1 <= len(rules) <= MOST_PARTS:
        return []
    if not all(_NAME.fullmatch(name, 1) for name in names):
        return []
    rule = joint(rules)
    return rules if bare(rule, a) == bare(rule, b) else []


def joint(rules: Sequence[Rule]) -> Rule:
    """One rule for URLs that differ in all of these parts at once."""
    return " ".join(rules)


def form(rule: Rule, url: str) -> str | None:
    """What is left of a URL without the rule's part; None when it has no such part."""
    parts = _split(url)
    without = _without(rule, parts)
    if without == (_slashless(parts) if _is_of_path(rule) else parts):
        return None
    return _joined(without)


def bare(rule: Rule, url: str) -> str:
    """The form of a URL, also of one that the rule does not touch."""
    return _joined(_without(rule, _split(url)))


def plain_urls(rule: Rule, form_of_url: str) -> list[str]:
    """The URLs without the rule's part that have this form: a rule of path segments does not know
    whether there was a slash at the end."""
    other = twin(form_of_url) if _is_of_path(rule) else None
    return [form_of_url] if other is None else [form_of_url, other]


def section(url: str) -> str:
    """Where on its site a URL stands: the first folder of its path, and the names of its
    parameters. What says nothing in one section (`/item?id=5&ref=a`) may say all in another
    (`/list?ref=a`)."""
    parts = _split(url)
    folder = parts.segments[0] if len(parts.segments) > 1 else ""
    return "&".join([folder, *sorted(_params(parts))])


def in_words(rule: Rule) -> str:
    return f"pages that differ only in {part_in_words(rule)} are the same"


def part_in_words(rule: Rule) -> str:
    return " and ".join(_in_words(part) for part in rule.split(" "))


def _in_words(part: str) -> str:
    if part.startswith(_GENERATED):
        return f"path segment {part.removeprefix(_GENERATED)}, which looks generated,"
    kind = {"?": "parameter", ";": "path parameter", "/": "path segment"}[part[0]]
    return f"the {kind} '{part[1:]}'"


def _split(url: str) -> _Parts:
    match = _URL.fullmatch(url)
    if match is None:
        return _Parts(url, [], None, "")
    origin, path, query, fragment = match.groups()
    segments = path.split("/", MOST_SEGMENTS + 1)[1:]
    params = None if query is None else query[1:].split("&", MOST_PARAMS)
    return _Parts(origin, segments, params, fragment or "")


def _joined(parts: _Parts) -> str:
    path = "".join(f"/{segment}" for segment in parts.segments)
    query = "" if parts.params is None else "?" + "&".join(parts.params)
    return f"{parts.origin}{path}{query}{parts.fragment}"


def _slashless(parts: _Parts) -> _Parts:
    segments = parts.segments
    if len(segments) > 1 and segments[-1] == "":
        return parts._replace(segments=segments[:-1])
    return parts


def _is_of_path(rule: Rule) -> bool:
    return rule.startswith("/")  # in a joint rule those of the path come first, as "/" < ";" < "?"


def _without(rule: Rule, parts: _Parts) -> _Parts:
    if _is_of_path(rule):
        parts = _slashless(parts)
    for part in rule.split(" "):
        if part.startswith("?"):
            parts = _without_param(part[1:], parts)
        elif part.startswith(";"):
            kept = [_without_path_param(part[1:], segment) for segment in parts.segments]
            parts = parts._replace(segments=kept)
        elif part.startswith(_GENERATED):
            parts = _without_generated(int(part.removeprefix(_GENERATED)) - 1, parts)
        else:
            kept = [segment for segment in parts.segments if segment != part[1:]]
            parts = parts._replace(segments=kept or (parts.segments and [""]))
    return parts


def _without_param(name: str, parts: _Parts) -> _Parts:
    if parts.params is None:
        return parts
    looked_at, rest = parts.params[:MOST_PARAMS], parts.params[MOST_PARAMS:]
    kept = [param for param in looked_at if param.partition("=")[0] != name] + rest
    return parts._replace(params=kept or None)


def _without_path_param(name: str, segment: str) -> str:
    if ";" not in segment:
        return segment
    head, *params = segment.split(";", MOST_PARAMS)
    return ";".join([head, *(param for param in params if param.partition("=")[0] != name)])


def _without_generated(at: int, parts: _Parts) -> _Parts:
    segments = parts.segments
    if at >= len(segments) or not _looks_generated(segments[at]):
        return parts
    return parts._replace(segments=segments[:at] + segments[at + 1 :] or [""])


def _looks_generated(segment: str) -> bool:
    return looks_like_id(segment) or _SHORT_ID.fullmatch(segment) is not None


def _params(parts: _Parts) -> dict[str, list[str]]:
    return _by_name((parts.params or [])[:MOST_PARAMS])


def _path_params(parts: _Parts) -> dict[str, list[str]]:
    return _by_name(
        [
            param
            for segment in parts.segments
            if ";" in segment
            for param in segment.split(";", MOST_PARAMS)[1:]
        ]
    )


def _by_name(params: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for param in params:
        found.setdefault(param.partition("=")[0], []).append(param)
    return found


def _differing(one: dict[str, list[str]], other: dict[str, list[str]]) -> list[str]:
    return [name for name in one.keys() | other.keys() if one.get(name) != other.get(name)]


def _bare_segments(parts: _Parts) -> list[str]:
    """The path's segments without their parameters, and without the slash at the end."""
    segments = [segment.partition(";")[0] for segment in parts.segments]
    return segments[:-1] if segments and segments[-1] == "" else segments


def _segment_rule(one: list[str], other: list[str]) -> Rule | None:
    """The one segment that differs, or that only one path has; empty when none does, None when no
    single segment explains it."""
    if one == other:
        return ""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    pairs = enumerate(zip(longer, shorter, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), len(shorter))
    segment = longer[at]
    if len(longer) == len(shorter):
        both_generated = _looks_generated(segment) and _looks_generated(shorter[at])
        both_generated = both_generated and longer[at + 1 :] == shorter[at + 1 :]
        return f"{_GENERATED}{at + 1}" if both_generated else None
    if longer[at + 1 :] != shorter[at:]:
        return None
    if _looks_generated(segment):
        return f"{_GENERATED}{at + 1}"
    return f"/{segment}" if _NAME.fullmatch(segment) else None
