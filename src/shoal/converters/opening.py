"""What documents does a body hold? Its own, and those that stand in it, each within bounds.

A converter asks `context.inside` for every member or attachment that it meets. Members count, what
they unpack to counts, and they are opened only so deep; a member that its converter can't take
costs itself alone. What was left out for a limit is said of the document that held it.
"""

from dataclasses import dataclass
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


@dataclass(slots=True)
class _Room:
    """What may still be opened of one body."""

    members: int
    bytes: int
    left_out: int = 0

    def takes(self, size: int) -> bool:
        if self.members <= 0 or size > self.bytes:
            self.left_out += 1
            return False
        self.members -= 1
        self.bytes -= size
        return True


def documents(registry: Registry, body: bytes, context: Context) -> list[Converted]:
    """All documents of a body whose media type the context names, its own first."""
    limits = context.limits
    room = _Room(limits.members, limits.unpacked_bytes)
    found = _Opener(registry, room).convert(body, context, limits.depth)
    if room.left_out:
        noun = "member" if room.left_out == 1 else "members"
        left_out = f"{room.left_out} {noun} left out: too many, too large or too deep"
        found[0].problem = "; ".join(filter(None, (found[0].problem, left_out)))
    _make_unique(found)
    found[0].name, found[0].media_type = "", found[0].media_type or context.media_type
    return found


class _Opener:
    def __init__(self, registry: Registry, room: _Room) -> None:
        self._registry = registry
        self._room = room

    def convert(self, body: bytes, context: Context, depth: int) -> list[Converted]:
        def inside(data: bytes, name: str, declared: str = "") -> list[Converted]:
            name = _tidy(name)
            if not data:
                return []
            if depth <= 0 or not self._room.takes(len(data)):
                self._room.left_out += depth <= 0
                return []
            inner = changed(
                context,
                charset=declared_charset(declared),
                media_type=media_type(declared, data, name),
                member=name,
            )
            return [_named(name, inner, each) for each in self._member(data, inner, depth - 1)]

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
