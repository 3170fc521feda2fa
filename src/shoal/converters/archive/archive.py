"""What lies in an archive? The names of its members, and each member as documents of its own.

Every container comes down to members: a name and a way to read it. The archive's own document shows
what a person sees who opens it: the names. What is unpacked is bounded in all, by number, by size
and by its ratio to what was packed; what is left out is said. Nothing is ever written to a disk.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from shoal.converters.archive.names import decode_names
from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.converters.writer import Writer
from shoal.converters.zip import Package
from shoal.model.record import changed

_ALWAYS_BYTES = 10_000_000
"""The ratio says nothing about small outputs."""
_MAX_LISTED = 20_000
_SILENT = (".class", ".dex", ".so", ".dll", ".pyc", ".o")
"""Programs: listed, but nothing in them is for readers."""


class Member(NamedTuple):
    name: str
    read: Callable[[int], bytes]
    """At most so many bytes of it; raises nothing."""


def room(packed_bytes: int, limits: Limits) -> int:
    """How much may be unpacked of a file of this size."""
    return min(limits.unpacked_bytes, max(_ALWAYS_BYTES, limits.decoded_ratio * packed_bytes))


def convert_zip(body: bytes, context: Context) -> list[Converted]:
    """Also of what is a zip by another name: jar, war, apk …"""
    limits = changed(context.limits, unpacked_bytes=room(len(body), context.limits))
    package = Package(body, limits)
    raw = [package.raw_name(name) or name.encode("utf-8", "replace") for name in package.names]
    shown = decode_names(raw)
    members = [
        Member(text.replace("\\", "/"), lambda _most, name=name: package.read(name))  # type: ignore[misc]
        for text, name in zip(shown, package.names, strict=True)
    ]
    documents = contained(members, context, len(body))
    documents[0].problem = package.problem or documents[0].problem
    return documents


def contained(
    members: Iterable[Member], context: Context, packed_bytes: int, problem: str = ""
) -> list[Converted]:
    """The archive's own document, and behind it those of its members."""
    writer = Writer(context.limits)
    left = room(packed_bytes, context.limits)
    inner: list[Converted] = []
    opened = listed = 0
    for member in members:
        name = member.name.removeprefix("./")
        listed += 1
        if listed > _MAX_LISTED:
            problem = problem or f"more than {_MAX_LISTED} members"
            break
        writer.item(name)
        if opened >= context.limits.members:
            problem = problem or f"only {opened} members were read"
            continue
        if name.lower().endswith(_SILENT):
            continue
        most = min(left, context.limits.member_bytes)
        data = member.read(most) if most > 0 else b""
        if most <= 0:
            problem = problem or "cut: it unpacks to more than is read"
        left -= len(data)
        if data:
            opened += 1
            inner.extend(context.inside(data, name))
        del data  # one member in memory at a time
    return [Converted(writer.page(context.name), problem=problem or writer.problem), *inner]
