"""Which mailboxes of one's own are read? Added and listed; followed and forgotten as any source."""

from collections.abc import Mapping
from pathlib import Path

from shoal.clock import SystemClock
from shoal.control.own_sources import Added, SourceLine, add_row, sources_of
from shoal.engine.mail_sources import mail_row
from shoal.engine.own_sources import Tell
from shoal.model.source import MAIL


def add_mail(  # noqa: PLR0913 - what to read, with what, for whom, and who is told
    place: str,
    mailbox: str | Path,
    settings: Mapping[str, object],
    *,
    password_file: str | Path | None = None,
    owner: str = "",
    tell: Tell | None = None,
) -> Added:
    """Read a mailbox, and remember it as a source."""
    row = mail_row(str(mailbox), password_file, owner, SystemClock().now())
    return add_row(place, row, settings, tell)


def mailboxes_of(place: str) -> list[SourceLine]:
    return [line for line in sources_of(place) if line.kind == MAIL]
