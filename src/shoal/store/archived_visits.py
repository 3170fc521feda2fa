"""Which visits does the archive hold, whatever rows know of them? One for each response that was
archived, with all that is needed to make it again.

From the records alone, a file after the other. A record that does not read is passed over; so is
robots.txt, which has no row and is asked for again, and the answer to a HEAD, which is no page.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome, of_status
from shoal.model.record import Struct
from shoal.model.visit import Fetched, VisitKind
from shoal.store import archive, warc
from shoal.store.members import Member, members

_HEAD_BYTES = 1 << 13
_FIELD = re.compile(rb"^WARC-([A-Za-z-]+): ([^\r\n]*)\r$", re.MULTILINE)
_STATUS = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})")
_RENAMED = b"X-Crawler-"
_KINDS = ("response", "revisit")
_KIND = warc.KIND.removeprefix("WARC-").lower()


class ArchivedVisit(Struct, array_like=True):
    url: str
    when: float
    """When it was asked, to the second."""
    response: WarcLocation
    request: WarcLocation | None
    is_revisit: bool
    """Its body stands elsewhere, or there was none."""
    digest: str
    """Of the body."""
    address: str = ""
    is_cut: bool = False
    is_requisite: bool = False
    """It was archived for a page that needs it, and is none."""


def archived_visits(directory: Path) -> Iterator[ArchivedVisit]:
    """In the order of the files."""
    for path in archive.files(directory):
        before: tuple[dict[str, str], ArchivedVisit] | None = None
        for member in members(path, head_bytes=_HEAD_BYTES):
            fields = _fields(member)
            if before is not None:
                found, before = _with_request(*before, fields, member, path.name), None
                if found is not None:
                    yield found
            visit = _visit(fields, member, path.name)
            if visit is not None:
                before = fields, visit
        if before is not None:
            yield before[1]


def fetched_of(directory: Path, visit: ArchivedVisit, body_at: WarcLocation) -> Fetched:
    """What the network gave, as far as the archive says it. Raises DamagedError."""
    record = archive.read_record_at(directory, visit.response)
    head = _sent_head(record.http_head)
    found = _STATUS.match(head)
    status = int(found[1]) if found else 0
    headers = _headers(head)
    leads_on = status // 100 != 3 or any(name == "location" and value for name, value in headers)
    outcome = of_status(status, leads_on)
    body = b""
    if outcome is not Outcome.UNCHANGED:
        same = body_at == visit.response
        body = record.http_body if same else archive.read_record_at(directory, body_at).http_body
    return Fetched(
        outcome,
        status,
        started=visit.when,
        ended=visit.when,
        address=visit.address,
        headers=headers,
        head=head,
        body=body,
        cut=visit.is_cut,
    )


def _fields(member: Member) -> dict[str, str]:
    head = member.head.partition(b"\r\n\r\n")[0] + b"\r"
    found = _FIELD.findall(head)
    return {name.decode().lower(): value.decode("utf-8", "replace") for name, value in found}


def _visit(fields: dict[str, str], member: Member, file: str) -> ArchivedVisit | None:
    kind, url = fields.get("type", ""), fields.get("target-uri", "")
    if kind not in _KINDS or not url or urlsplit(url).path == "/robots.txt":
        return None
    try:
        when = datetime.fromisoformat(fields.get("date", "")).timestamp()
    except ValueError:
        return None
    return ArchivedVisit(
        url,
        when,
        WarcLocation(file, member.offset, member.length),
        None,
        kind == "revisit",
        fields.get("payload-digest", ""),
        fields.get("ip-address", ""),
        "truncated" in fields,
        fields.get(_KIND) == VisitKind.REQUISITE,
    )


def _with_request(
    fields: dict[str, str],
    visit: ArchivedVisit,
    following: dict[str, str],
    member: Member,
    file: str,
) -> ArchivedVisit | None:
    """A response is followed by its request; None when that was a HEAD."""
    is_its_own = following.get("type") == "request" and following.get(
        "concurrent-to", ""
    ) == fields.get("record-id")
    if not is_its_own:
        return visit
    if member.head.partition(b"\r\n\r\n")[2].startswith(b"HEAD "):
        return None
    visit.request = WarcLocation(file, member.offset, member.length)
    return visit


def _sent_head(head: bytes) -> bytes:
    """As the server sent it: what frames a body was renamed, and a length added (warc.py)."""
    lines = head.rstrip(b"\r\n").split(b"\r\n")
    if len(lines) > 1 and lines[-1].startswith(b"Content-Length: "):
        lines.pop()
    return b"\r\n".join(line.removeprefix(_RENAMED) for line in lines) + b"\r\n\r\n"


def _headers(head: bytes) -> list[tuple[str, str]]:
    found = []
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            found.append((name.strip().lower().decode("latin-1"), value.strip().decode("latin-1")))
    return found
