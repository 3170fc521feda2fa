"""What documents does a body hold? Its own, and those that stand in it, each within bounds.

A converter asks `context.inside` for every member or attachment that it meets. Members count, what
they unpack to counts, at all levels together, and they are opened only so deep; a mailbox is a box
of mails, and no level of its own. A member that its converter can't take costs itself alone. What
was left out, and for which limit, is said of the document that held it and of the whole body.
"""

from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module

from shoal.converters.context import Context, Converted
from shoal.converters.html.emphasis import bold_of, headings_of
from shoal.converters.limits import Limits
from shoal.converters.links import Hrefs
from shoal.converters.registry import Registry
from shoal.converters.sniff.sniff import declared_charset, media_type
from shoal.model.page import Page
from shoal.model.record import changed
from shoal.model.urls.url import resolve

_NAME_CHARS = 300
_MAILBOX, _MAIL = "application/mbox", "message/rfc822"
_TOO_MANY, _TOO_LARGE, _TOO_DEEP = "too many", "too large", "too deep"


@dataclass(slots=True)
class _Room:
    """What may still be opened of one body."""

    members: int
    bytes: int
    left_out: Counter[str] = field(default_factory=Counter)
    """How many were not, by the limit that forbade it."""

    def refuses(self, size: int, below: int) -> str:
        """By which limit, when so many levels may be opened in it; empty: it is taken."""
        if below < 0:
            return _TOO_DEEP
        if self.members <= 0:
            return _TOO_MANY
        if size > self.bytes:
            return _TOO_LARGE
        self.members -= 1
        self.bytes -= size
        return ""


def documents(registry: Registry, body: bytes, context: Context) -> list[Converted]:
    """All documents of a body whose media type the context names, its own first."""
    limits = context.limits
    room = _Room(limits.members, limits.unpacked_bytes)
    found = _Opener(registry, room).convert(body, context, limits.depth)
    _make_unique(found)
    _say_left_out(found, room.left_out)
    found[0].name, found[0].media_type = "", found[0].media_type or context.media_type
    return found


class _Opener:
    def __init__(self, registry: Registry, room: _Room) -> None:
        self._registry = registry
        self._room = room

    def convert(self, body: bytes, context: Context, depth: int) -> list[Converted]:
        left_out = Counter[str]()

        def inside(data: bytes, name: str, declared: str = "") -> list[Converted]:
            name = _tidy(name)
            if not data:
                return []
            is_mailbox = context.media_type == _MAILBOX
            below = depth if is_mailbox else depth - 1
            if limit := self._room.refuses(len(data), below):
                left_out[limit] += 1
                self._room.left_out[limit] += 1
                return []
            # What lies in a mailbox is a mail, and no mailbox: else they could nest without end.
            kind = _MAIL if is_mailbox else media_type(declared, data, name)
            charset = declared_charset(declared)
            inner = changed(context, charset=charset, media_type=kind, member=name)
            members = self._member(data, inner, below)
            members[0].bytes = len(data)
            return [_named(name, inner, each) for each in members]

        if not body:
            return [Converted(Page())]
        converter = self._registry.converter(context.media_type)
        if converter is None:
            return [Converted(Page(), problem=f"no converter for {context.media_type}")]
        found = converter(body, changed(context, inside=inside)) or [Converted(Page())]
        if context.wants_ocr:
            recognition = import_module("shoal.converters.recognition")
            recognition.add_recognised(found, body, context)
        for each in found:
            _finish(each, context)
        found[0].left_out.update(left_out)
        return found

    def _member(self, data: bytes, context: Context, depth: int) -> list[Converted]:
        try:
            return self.convert(data, context, depth)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a converter does, its member is the cost
            return [Converted(Page(), problem=f"can't be read: {type(error).__name__}")]


def _tidy(name: str) -> str:
    name = "".join(character if character.isprintable() else " " for character in name[:4000])
    return name.strip().lstrip("/")[-_NAME_CHARS:] or "unnamed"


def _named(name: str, context: Context, converted: Converted) -> Converted:
    converted.name = f"{name}/{converted.name}"[-_NAME_CHARS:] if converted.name else name
    converted.media_type = converted.media_type or context.media_type
    return converted


def _make_unique(found: list[Converted]) -> None:
    """Two messages of one mailbox may bear one name."""
    taken = {""}
    times: dict[str, int] = {}
    for each in found[1:]:
        name = given = each.name or "part"
        while name in taken:
            times[given] = times.get(given, 1) + 1
            name = f"{given} ({times[given]})"
        taken.add(name)
        each.name = name


def _say_left_out(found: list[Converted], in_all: Counter[str]) -> None:
    """Each document what it held itself, the first what is missing of the whole body, and where."""
    own, *members = found
    holders = [each for each in members if each.left_out]
    for each in holders:
        _add_problem(each, _left_out(each.left_out))
    if in_all:
        where = f", first in {holders[0].name}" if holders and not own.left_out else ""
        _add_problem(own, _left_out(in_all) + where)


def _left_out(by_limit: Counter[str]) -> str:
    count = by_limit.total()
    limits = [
        limit if len(by_limit) == 1 else f"{number:,} {limit}"
        for limit, number in sorted(by_limit.items())
    ]
    return f"{count:,} {'member' if count == 1 else 'members'} left out: {', '.join(limits)}"


def _add_problem(converted: Converted, says: str) -> None:
    converted.problem = "; ".join(filter(None, (converted.problem, says)))


def _finish(converted: Converted, context: Context) -> None:
    """What every format has in common: its links are those of its blocks, and what they stress."""
    page = converted.page
    if not page.headings and not page.bold:
        page.headings, page.bold = headings_of(page.blocks), bold_of(page.blocks)
    if page.links or not page.blocks:
        return
    limits: Limits = context.limits
    hrefs = Hrefs(limits.links)
    for block in page.blocks:
        for start, end, href in block.links:
            hrefs.add(href, block.text[start:end][: limits.anchor_chars], 0)
        if context.url.startswith(("http:", "https:")):
            block.links = [
                (start, end, resolve(to, context.url) or to) for start, end, to in block.links
            ]
    page.links = context.links.links(context.url, context.url, hrefs)
