"""What does a saved page say? The page at the root of a MIME archive (RFC 2557), and its frames.

Browsers and Office write `.mht`: the page first, or the one that `start` names, then its pictures
and style sheets, which have no text. A page of nothing but frames is read frame by frame.
"""

from urllib.parse import urljoin

from shoal.converters.context import Context, Converted
from shoal.converters.html.blocks import write_blocks
from shoal.converters.mail.headers import date
from shoal.converters.mail.mime import MAX_DEPTH, MimePart, parse
from shoal.converters.writer import Writer

_PAGES = frozenset({"text/html", "application/xhtml+xml"})


def convert(body: bytes, context: Context) -> list[Converted]:
    message = parse(body)
    pages = [part for part in _leaves(message, context.limits.members) if part.kind in _PAGES]
    start = message.params.get("start", "").strip("<> ")
    if start:  # stable: all others stay in their order
        pages.sort(key=lambda part: part.head.text("content-id").strip("<> ") != start)
    writer = Writer(context.limits)
    title = ""
    for part in pages:
        if writer.blocks:
            break
        title = write_blocks(part.text(), writer) or title
        _resolve(writer, part.head.text("content-location") or _location(message))
    page = writer.page(title or message.head.text("subject"))
    page.published = date(message.head.text("date"))
    problem = writer.problem if pages else "no page in it"
    return [Converted(page, problem=problem)]


def _leaves(part: MimePart, most: int, depth: int = 0) -> list[MimePart]:
    if not part.is_multipart or depth > MAX_DEPTH:
        return [part]
    found: list[MimePart] = []
    for child in part.parts():
        if len(found) >= most:
            break
        found.extend(_leaves(child, most, depth + 1))
    return found


def _location(message: MimePart) -> str:
    return message.head.text("snapshot-content-location") or message.head.text("content-location")


def _resolve(writer: Writer, base: str) -> None:
    """Links are relative to where the page was saved from, not to where the archive lies."""
    if not base.lower().startswith(("http://", "https://")):
        return
    for block in writer.blocks:
        block.links = [(start, end, _joined(base, href)) for start, end, href in block.links]


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:
        return href
