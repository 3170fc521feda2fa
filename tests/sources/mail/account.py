"""A collection as far as a source of mail sees it: what was taken in, and how often."""

import gzip
import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shoal.clock import SystemClock
from shoal.model.source import MAIL, SourceRow
from shoal.model.source_change import Gone, Shared, Taken
from shoal.sources.mail.local import mailbox_at
from shoal.sources.mail.places import Mailbox
from shoal.sources.mail.source import MailSource
from tests.cluster.memory import MemoryTable


def everyone(_path: Path) -> tuple[str, ...]:
    return ("u:1000",)


class Account:
    """Takes in what a source tells, as the engine does."""

    def __init__(self, mailbox: Mailbox, table: MemoryTable | None = None, **given: Any) -> None:
        self.table = MemoryTable() if table is None else table
        self.mailbox = mailbox
        self.source = MailSource(
            SourceRow(MAIL), "ann", mailbox, self.table, SystemClock(), **given
        )
        self.bodies: dict[str, bytes] = {}
        self.folders: dict[str, list[str]] = {}
        self.readers: dict[str, tuple[str, ...]] = {}
        self.told: Counter[str] = Counter()
        self.largest = 0

    def follow(self, *, everything: bool = False, most: int = 10**9) -> Counter[str]:
        """Take in all that changed, or the first few changes of it. Returns what was told."""
        before = Counter(self.told)
        taken = 0
        for group in self.source.changes(everything):
            for change in group:
                if taken == most:
                    return self.told - before
                taken += 1
                self._take(change)
        return self.told - before

    def _take(self, change: object) -> None:
        assert isinstance(change, Taken | Shared | Gone)
        self.told[type(change).__name__] += 1
        if isinstance(change, Taken):
            fetched = self.source.open(change)
            assert fetched is not None
            assert change.url not in self.bodies
            self.bodies[change.url] = fetched.body
            self.largest = max(self.largest, len(fetched.body))
        if isinstance(change, Gone):
            del self.bodies[change.url], self.folders[change.url], self.readers[change.url]
        else:
            assert change.url in self.bodies
            self.folders[change.url] = [value for name, value in change.fields if name == "folder"]
            self.readers[change.url] = change.readers
        batch = self.table.batch()
        self.source.note(batch, change)
        self.table.write(batch)


def local(path: Path, **given: Any) -> Account:
    return Account(mailbox_at(path, everyone), **given)


def mail_data(shoal_data: Path) -> Path:
    folder = shoal_data / "mail"
    if not folder.is_dir():
        pytest.skip("no mail under SHOAL_DATA")
    return folder


def listed(packed: Path) -> list[dict[str, Any]]:
    with gzip.open(packed) as lines:
        return [json.loads(line) for line in lines]


def unpacked_mbox(shoal_data: Path, to: Path) -> Path:
    to.write_bytes(gzip.decompress((mail_data(shoal_data) / "usrp-users.mbox.gz").read_bytes()))
    return to


def unpacked_maildir(shoal_data: Path, to: Path) -> Path:
    with tarfile.open(mail_data(shoal_data) / "usrp-users-maildir.tar.gz") as tar:
        tar.extractall(to, filter="data")
    for folder in (to / "Maildir", *(to / "Maildir").glob(".[A-Z]*")):
        for name in ("new", "cur", "tmp"):
            (folder / name).mkdir(exist_ok=True)
    return to / "Maildir"


def written(number: int, body: str = "Hello.\n", **fields: str) -> bytes:
    """A mail."""
    head = {
        "From": "Ann <ann@example.org>",
        "To": "bob@example.net",
        "Date": "Mon, 5 Jan 2026 10:00:00 +0000",
        "Subject": f"Number {number}",
        "Message-ID": f"<{number}@example.org>",
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    return f"{lines}\n{body}".encode()


def in_mbox(*mails: bytes) -> bytes:
    line = b"From ann@example.org Mon Jan  5 10:00:00 2026\n"
    return b"".join(line + mail.rstrip(b"\n") + b"\n\n" for mail in mails)
