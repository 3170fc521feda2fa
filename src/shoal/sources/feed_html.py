"""What is within an item's HTML? Its words, and its links made whole.

Nothing is cleaned here: that is done by those who read the HTML as a page. Links are resolved in
place, because the text leaves its feed and with it its base. Both by patterns that can't take more
than linear time, and that cost a hundredth of a parser.
"""

import html
import re

from shoal.model.urls.url import MAX_URL, resolve

_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
# In a title an attribute may hold a tag; its length is bounded, so this may look further.
_TITLE_TAG = re.compile(r"""</?[A-Za-z!](?:[^<>"']|"[^"]{0,500}"|'[^']{0,500}'){0,2000}/?>""")
_SILENT = re.compile(r"<(script|style)\b|<!--", re.IGNORECASE)
_LINK = re.compile(
    r"""(\s(?:href|src|cite|poster|data|longdesc|action|background)\s{0,9}=\s{0,9})"""
    r"""("[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)""",
    re.IGNORECASE,
)
_HAS_LINK = re.compile(r"href|src|cite|poster|data|longdesc|action|background", re.IGNORECASE)
_WHOLE = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:|#)")


def plain(text: str) -> str:
    """The words of a piece of HTML, in one line."""
    if "<" in text:
        text = _TAG.sub(" ", _without_silent(text))
    return one_line(html.unescape(text) if "&" in text else text)


def title_of(text: str) -> str:
    """The same for a title, where tags part no words: `H<sub>2</sub>O`."""
    if "<" in text:
        text = _TAG.sub("", _TITLE_TAG.sub("", _without_silent(text)))
    return one_line(html.unescape(text) if "&" in text else text)


def _without_silent(text: str) -> str:
    """Without scripts, styles and comments; a comment that never ends, ends with its tag. By hand:
    a pattern takes quadratic time where none ever ends."""
    kept, at = [], 0
    last_end = text.rfind("-->")
    while (start := _SILENT.search(text, at)) is not None:
        kept.append(text[at : start.start()])
        mark = f"</{start[1]}" if start[1] else "-->" if start.end() <= last_end else ">"
        end = text.find(mark, start.end())
        at = len(text) if end < 0 else end + (0 if start[1] else len(mark))
    return "".join([*kept, text[at:]])


def one_line(text: str) -> str:
    return " ".join(text.split())


def with_whole_links(text: str, base: str) -> str:
    """The HTML with every relative link resolved against its base; the rest is as it was."""
    if not base or _HAS_LINK.search(text) is None:
        return text
    return _LINK.sub(lambda match: _resolved(match, base), text)


def _resolved(match: re.Match[str], base: str) -> str:
    value = match[2]
    if value[0] in "\"'":
        value = value[1:-1]
    if len(value) > MAX_URL or _WHOLE.match(value):
        return match[0]
    found = resolve(html.unescape(value).strip(), base)
    return match[0] if found is None else f'{match[1]}"{html.escape(found)}"'
