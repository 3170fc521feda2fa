"""What does a page need to look as it did? Its pictures, styles, scripts, fonts and icons.

References as they are written, in the order of the page, each once: of an HTML page, with the base
that they are resolved by, and of a style sheet. Frames are pages, sound and film are left out, and
what stands in `noscript` or `template` is not shown. Everything comes from outside: there are
limits on how much is looked at, and the time grows with its length alone.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from shoal.converters.html.references import unescape
from shoal.converters.html.scan import Scanner

MAX_TAGS = 100_000
MAX_CSS_CHARS = 2_000_000
_MAX_SRCSET = 50
_RELATIONS = frozenset(
    {"stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"}
    | {"manifest", "modulepreload"}
)
_PRELOADED = frozenset({"style", "script", "font", "image"})
_HIDDEN = ("noscript", "template")
_STYLED = (
    "body div span p td th tr table tbody ul ol li header footer main nav section article aside"
    " figure h1 h2 h3 h4 h5 h6 button form label"
)
_TAGS = (
    *("base", "img", "image", "input", "link", "script", "source", "style", "use", "video"),
    *_STYLED.split(),
    *_HIDDEN,
    *(f"/{name}" for name in _HIDDEN),
)
_ATTRIBUTES = "as background href imagesrcset poster rel src srcset style type xlink:href"
_SCANNER = Scanner({}, (), _TAGS, _ATTRIBUTES.split())
_URL = re.compile(
    r"""url\(\s*+(?:"([^"\\\n]*+)"|'([^'\\\n]*+)'|([^\s"'()\\]++))\s*+\)""", re.IGNORECASE
)
_IMPORT = re.compile(
    r"""@import\s++(?:url\(\s*+)?(?:"([^"\\\n]*+)"|'([^'\\\n]*+)'|([^\s"'()\\;]++))""",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(r"([^\s,]\S*+)[^,]*+")
"""Of a srcset: an address, and how wide or dense the picture is."""


def of_page(html: str) -> tuple[str, list[str]]:
    """The `href` of its base element, and what it needs."""
    _, tags, _, _ = _SCANNER.scan(html, MAX_TAGS, b"")
    base, hidden, found = "", 0, list[str]()
    for name, attributes, _, inner in tags:
        if name in _HIDDEN:
            hidden += 1
        elif name.startswith("/"):
            hidden = max(0, hidden - 1)
        elif hidden:
            continue
        elif name == "base":
            base = base or attributes.get("href", "").strip()
        elif name == "style":
            found += of_css(inner, imports=True)
        else:
            said = {key: unescape(value) for key, value in attributes.items()}
            found += _of_element(name, said)
    return unescape(base), _each_once(found)


def of_css(css: str, *, imports: bool) -> list[str]:
    """What a style sheet needs; with or without the style sheets that it imports."""
    plain = _without_comments(css[:MAX_CSS_CHARS])
    imported = [_quoted(match) for match in _IMPORT.finditer(plain)]
    others = [_quoted(match) for match in _URL.finditer(_IMPORT.sub("", plain))]
    return _each_once([*imported, *others] if imports else others)


def _of_element(name: str, said: dict[str, str]) -> Iterator[str]:
    match name:
        case "link":
            relations = set(said.get("rel", "").lower().split())
            is_preloaded = "preload" in relations and said.get("as", "").lower() in _PRELOADED
            if is_preloaded or not relations.isdisjoint(_RELATIONS):
                yield said.get("href", "")
                yield from _of_srcset(said.get("imagesrcset", ""))
        case "img" | "source":
            # The `src` of a source is sound or film.
            yield said.get("src", "") if name == "img" else ""
            yield from _of_srcset(said.get("srcset", ""))
        case "script":
            yield said.get("src", "")
        case "input" if said.get("type", "").strip().lower() == "image":
            yield said.get("src", "")
        case "image" | "use":
            yield (said.get("href") or said.get("xlink:href", "")).partition("#")[0]
        case "video":
            yield said.get("poster", "")
        case _:
            yield said.get("background", "")
    if "style" in said:
        yield from of_css(said["style"], imports=False)


def _of_srcset(srcset: str) -> list[str]:
    found = islice(_CANDIDATE.finditer(srcset), _MAX_SRCSET)
    return [match[1].rstrip(",") for match in found]


def _quoted(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3] or ""


def _without_comments(css: str) -> str:
    """One that has no end goes on to the end."""
    kept, at = [], 0
    while (start := css.find("/*", at)) >= 0:
        kept.append(css[at:start])
        end = css.find("*/", start + 2)
        if end < 0:
            return " ".join(kept)
        at = end + 2
    return " ".join([*kept, css[at:]])


def _each_once(found: Iterable[str]) -> list[str]:
    references = (reference.strip() for reference in found)
    return list(dict.fromkeys(each for each in references if each and each[:5] != "data:"))
