"""How much of a page does the parser get? Up to where it would cost more than any page is worth.

lexbor follows the WHATWG algorithm, whose time grows with the square of some things: how deep
elements are nested, how many attributes one tag has (each is compared with all before it). Its
tree takes some 300 bytes per node. So a page is cut before the parser sees it, at the first
place where one of the limits is passed; what stands before is read like any page.
"""

import re

from shoal.convert.context import Limits

_MANY_ATTRIBUTES_CHARS = 250_000
"""In fewer characters there is no room for as many attributes as would be felt."""

_CONTAINER = re.compile(
    r"<(/?)(?:div|span|section|article|aside|blockquote|center|details|dl|fieldset|figure|footer"
    r"|header|main|menu|nav|ol|ul|pre|address|g)[\s/>]",
    re.IGNORECASE,
)
# One tag, as far as it goes; a quoted value may hold anything, also what looks like a tag's end.
_TAG = re.compile(r"""<[a-zA-Z](?:[^>"']++|"[^"]*+"|'[^']*+')*+""")
_QUOTED = re.compile(r"""=\s*(?:"[^"]*+"|'[^']*+')""")


def bounded(html: str, limits: Limits) -> tuple[str, str]:
    """The page up to the first limit that it passes, and which one that was."""
    problem = ""
    tags = html.count("<")
    if tags > limits.tags:
        html = _first_tags(html, limits.tags)
        problem = f"cut: more than {limits.tags} tags"
    if tags > 2 * limits.nesting:
        shallow = _shallow(html, limits.nesting)
        if len(shallow) < len(html):
            html, problem = shallow, f"nested deeper than {limits.nesting} tags"
    if len(html) > _MANY_ATTRIBUTES_CHARS:
        start = _crowded_tag(html, limits.attributes)
        if start >= 0:
            html, problem = (
                html[:start],
                f"cut: a tag with more than {limits.attributes} attributes",
            )
    return html, problem


def _first_tags(html: str, most: int) -> str:
    for i, mark in enumerate(re.finditer("<", html)):
        if i == most:
            return html[: mark.start()]
    return html


def _shallow(html: str, limit: int) -> str:
    """The page up to where its elements are nested too deep; nearly always all of it."""
    depth = 0
    for tag in _CONTAINER.finditer(html):
        depth += -1 if tag[1] else 1
        if depth > limit:
            return html[: tag.start()]
        depth = max(depth, 0)
    return html


def _crowded_tag(html: str, limit: int) -> int:
    """Where the first tag with too many attributes begins; -1 when there is none."""
    for tag in _TAG.finditer(html):
        if tag.end() - tag.start() > 2 * limit:
            names = _QUOTED.sub(" ", tag[0])
            if len(re.findall(r"[\s/]+", names)) > limit:
                return tag.start()
    return -1
