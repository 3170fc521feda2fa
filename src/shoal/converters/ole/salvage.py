"""Which words stand in a file whose structure is lost? Long stretches of plausible characters.

The last resort for damaged binary documents: what is found has no order but its place in the file,
and short texts are left out, since by chance any bytes spell something.
"""

import re

_WIDE = re.compile(rb"(?:[\x20-\x7e\xa0-\xff\t\r\n]\x00|[\x00-\xff][\x04-\x06]){12,}")
_NARROW = re.compile(rb"[\x20-\x7e\xa0-\xff\x91-\x97\t\r\n]{16,}")
_LETTERS = re.compile(r"[^\W\d_]")
_BREAKS = re.compile(r"[\r\n]+")


def salvage(data: bytes) -> list[str]:
    """Paragraphs that look like text, in the order of the file."""
    found: list[tuple[int, str]] = []
    taken = bytearray(data)
    for match in _WIDE.finditer(data):
        text = match.group().decode("utf-16-le", "replace")
        if _is_text(text):
            found.append((match.start(), text))
            taken[match.start() : match.end()] = bytes(match.end() - match.start())
    for match in _NARROW.finditer(bytes(taken)):
        text = match.group().decode("cp1252", "replace")
        if _is_text(text):
            found.append((match.start(), text))
    found.sort()
    return [line for _, text in found for line in _BREAKS.split(text) if line.strip()]


def _is_text(text: str) -> bool:
    """Mostly letters, with spaces at the places where words end, and of many kinds."""
    letters = _LETTERS.findall(text)
    spaces = text.count(" ")
    if len(letters) < 0.6 * len(text) or not len(text) - 20 <= spaces * 20 <= len(text) * 10:
        return False
    small = sum(map(str.islower, letters))
    kinds = max(map(text.count, set(letters)))
    return kinds < 0.3 * len(letters) and (small > 0.6 * len(letters) or text.isascii())
