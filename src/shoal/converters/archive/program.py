"""Who unpacks what we can't? The program `bsdtar` of libarchive, where it is installed.

RAR's methods, PPMd and LHA are too much to write and too rare to carry along. It gets the
archive as a file and writes a tar stream to a pipe, of which as much is read as is wanted; it is
stopped after some seconds. Without it such members are listed, and that is said.
"""

import shutil
from collections.abc import Callable, Mapping

from shoal.converters import programs
from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.tar import contents
from shoal.converters.context import Context, Converted

PROGRAM = "bsdtar"
_SECONDS = 10.0
_NAME = "archive"


def unpacked(body: bytes, most: int) -> Mapping[str, bytes]:
    """Its members by name; none where the program is missing or fails."""
    program = shutil.which(PROGRAM)
    if program is None:
        return {}
    try:
        return contents(_as_tar(program, body, most))
    except OSError:  # no more processes, no memory: as if it were not installed
        return {}


def _as_tar(program: str, body: bytes, most: int) -> bytes:
    command = [program, "-c", "-f", "-", "--format", "pax", f"@{_NAME}"]
    with programs.folder() as folder:
        (folder / _NAME).write_bytes(body)
        return programs.run(programs.Order(command, str(folder), _SECONDS, most))


def lazily(body: bytes, most: int) -> Callable[[str, int], bytes]:
    """A reader of members by name, that runs the program when the first one is wanted."""
    found: list[Mapping[str, bytes]] = []

    def read(name: str, size: int) -> bytes:
        if not found:
            found.append(unpacked(body, most))
        return found[0].get(name, b"")[:size]

    return read


def convert(body: bytes, context: Context) -> list[Converted]:
    """A format that is read by the program alone: LHA, XAR."""
    found = unpacked(body, room(len(body), context.limits))
    members = [Member(name, lambda size, data=data: data[:size]) for name, data in found.items()]  # type: ignore[misc]
    problem = "" if found else f"read by {PROGRAM} only, which is not installed or failed"
    return contained(members, context, len(body), problem)
