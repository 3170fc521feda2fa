"""What do the header lines say? The last block of them, as (name, value) pairs; and what it means
when there was nothing else.

A response may be preceded by 1xx blocks or a proxy's answer to CONNECT, and followed by trailer
fields (RFC 9112, 7.1.2); libcurl hands over all of them as one list of lines.
"""

from collections.abc import Sequence

from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

_BLANK = (b"\r\n", b"\n")


def last_block(lines: Sequence[bytes]) -> list[bytes]:
    """The lines of the final response's head, its blank line included."""
    if lines and lines[-1] == b"\r\n" and lines.count(b"\r\n") == 1 and b"\n" not in lines:
        return list(lines)  # one block and nothing else, as nearly always
    start = 0
    for i in range(len(lines) - 1, 0, -1):
        if lines[i].startswith(b"HTTP/") and lines[i - 1] in _BLANK:
            start = i
            break
    for end in range(start, len(lines)):
        if lines[end] in _BLANK:
            return list(lines[start : end + 1])
    return list(lines[start:])  # the connection ended inside the head


def is_whole(block: Sequence[bytes], status: int) -> bool:
    """Whether a head begins and ends as one: libcurl lets `2000 OK` and a missing end pass."""
    if not block or block[-1] not in _BLANK:
        return False
    return block[0].split(None, 2)[1:2] == [b"%d" % status]


def fields(block: Sequence[bytes]) -> list[tuple[str, str]]:
    """Names lower-cased, values as sent (latin-1), in order; the status line is left out."""
    found = []
    for line in b"".join(block[1:]).decode("latin-1").split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            found.append((name.strip().lower(), value.strip(" \t\r")))
    return found


def told_by_head(visit: Visit, fetched: Fetched) -> Fetched:
    """Whether a page changed, as an answer to HEAD says: it did not when its validators are those
    that are known. Whatever else a server answers, the page itself is asked for."""
    if fetched.outcome is Outcome.OK:
        known = (visit.etag, visit.last_modified)
        told = (fetched.header("etag"), fetched.header("last-modified"))
        fetched.outcome = Outcome.UNCHANGED if known == told else Outcome.CHANGED
    elif fetched.status and fetched.outcome is not Outcome.BUSY:
        is_same = fetched.outcome is Outcome.UNCHANGED
        fetched.outcome = Outcome.UNCHANGED if is_same else Outcome.CHANGED
    return fetched
