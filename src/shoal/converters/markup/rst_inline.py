"""What do the marks within a line of reStructuredText mean? Its inline markup, by patterns."""

import re

from shoal.converters.markup.inline import Markup, Span, bold, literal, nothing, plain

_TARGET = re.compile(r"(.*?)\s*<([^<>]+)>$", re.DOTALL)
_BEFORE = r"(?<![\w\\])"
_AFTER = r"(?!\w)"


def _role(found: re.Match[str]) -> Span:
    """`:ref:`label <target>``: the label is what a reader sees."""
    target = _TARGET.match(found[1])
    return Span(target[1] if target and target[1] else found[1].lstrip("~!"), literal=True)


def _reference(found: re.Match[str]) -> Span:
    target = _TARGET.match(found[1])
    if target is None:
        return Span(found[1], literal=True)
    href = "" if target[2].endswith("_") else target[2]
    return Span(target[1] or target[2], href=href, literal=True)


def _url(found: re.Match[str]) -> Span:
    url = found[0].rstrip(".,;:!?)'\"")
    return Span(found[0], href=url, literal=True)


MARKUP = Markup(
    (_BEFORE + r"``(.{1,500}?)``" + _AFTER, literal()),
    (_BEFORE + r"\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*" + _AFTER, bold()),
    (_BEFORE + r"\*(?=[^\s*])(.{1,500}?)(?<=\S)\*" + _AFTER, plain()),
    (_BEFORE + r":[A-Za-z][\w:.+\-]{0,60}:`([^`]+)`", _role),
    (_BEFORE + r"`([^`\s][^`]*)`(?:__?|:[\w:\-]{1,60}:)?" + _AFTER, _reference),
    (_BEFORE + r"\[(?:[0-9]+|#[\w\-]*|\*)\]_" + _AFTER, nothing),
    (_BEFORE + r"\|([^|\s][^|]{0,200})\|_{0,2}" + _AFTER, literal()),
    (_BEFORE + r"_`([^`]+)`", literal()),
    (r"\bhttps?://[^\s<>`]+", _url),
    (r"\b([A-Za-z0-9][\w.\-]{0,100}?)__?(?![\w`])", literal()),
    (r"\\(\s|.)", lambda found: Span(found[1].strip(), literal=True)),
)
