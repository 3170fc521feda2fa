"""Which files of a folder are left out? By patterns as in a .gitignore, and by what they are.

Patterns come from the settings and from files called `.shoalignore`, each of which speaks for its
own directory and what is below. The last pattern that fits decides; `!` takes back.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

FILE_NAME = b".shoalignore"
MOST_BYTES = 64_000
"""Of such a file; more is not read."""
_MOST_PATTERNS = 1_000
_MOST_DEEP = 3
"""Of `**` in one pattern."""


class Pattern(NamedTuple):
    fits: re.Pattern[bytes]
    takes_back: bool
    only_folders: bool


def patterns_of(lines: Iterable[bytes]) -> list[Pattern]:
    """Lines as in a .gitignore; what can't be understood is left out."""
    found = (_pattern(line) for line in lines)
    return [each for each in found if each is not None][:_MOST_PATTERNS]


class Rules(NamedTuple):
    """What holds in one directory: its own patterns, and those of the directories above."""

    directory: bytes
    patterns: tuple[Pattern, ...] = ()
    above: "Rules | None" = None

    def ignores(self, path: bytes, *, is_folder: bool) -> bool:
        level: Rules | None = self
        while level is not None:
            relative = path[len(level.directory.rstrip(b"/")) + 1 :]
            for pattern in reversed(level.patterns):
                if (is_folder or not pattern.only_folders) and pattern.fits.fullmatch(relative):
                    return not pattern.takes_back
            level = level.above
        return False


def _pattern(line: bytes) -> Pattern | None:
    line = line.rstrip(b"\r\n")
    while line.endswith(b" ") and not line.endswith(b"\\ "):
        line = line[:-1]
    if not line or line.startswith(b"#"):
        return None
    takes_back = line.startswith(b"!")
    if takes_back or line.startswith((b"\\#", b"\\!")):
        line = line[1:]
    only_folders = line.endswith(b"/")
    line = line.rstrip(b"/")
    if not line or line.count(b"**") > _MOST_DEEP:
        return None
    is_anchored = b"/" in line
    line = line.removeprefix(b"/")
    regex = _regex(line)
    try:
        fits = re.compile(regex if is_anchored else rb"(?:.*/)?" + regex, re.DOTALL)
    except re.error:
        return None
    return Pattern(fits, takes_back, only_folders)


def _regex(glob: bytes) -> bytes:
    """Component by component; `**` stands for any number of them."""
    out, parts = b"", glob.split(b"/")
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == b"**":
            out += b".*" if is_last else b"(?:.*/)?"
        else:
            out += _component(part) + (b"" if is_last else b"/")
    return out


def _component(glob: bytes) -> bytes:
    """What stands between two stars is found where it first fits, and not sought again: so no
    pattern takes long, whoever wrote it."""
    first, *rest = _between_stars(glob)
    if not rest:
        return first
    middle = b"".join(b"(?>[^/]*?" + each + b")" for each in rest[:-1] if each)
    return first + middle + b"[^/]*" + rest[-1]


def _between_stars(glob: bytes) -> list[bytes]:
    pieces, at = [b""], 0
    while at < len(glob):
        sign = glob[at : at + 1]
        if sign == b"*":
            pieces.append(b"")
            at += 1
        elif sign == b"?":
            pieces[-1] += b"[^/]"
            at += 1
        elif sign == b"[" and (end := glob.find(b"]", at + 2)) > 0:
            inside = glob[at + 1 : end].replace(b"\\", b"\\\\").replace(b"[", b"\\[")
            inside = b"^/" + inside[1:] if inside[:1] in (b"!", b"^") else inside
            pieces[-1] += b"[" + inside + b"]"
            at = end + 1
        else:
            at += sign == b"\\" and at + 1 < len(glob)
            pieces[-1] += re.escape(glob[at : at + 1])
            at += 1
    return pieces
