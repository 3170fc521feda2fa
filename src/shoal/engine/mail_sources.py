"""How does a mailbox become a source? From what a person named, and what is remembered of it.

A mailbox on disk is read by whoever may read its files. An account on a server has an owner: who
added it on this machine, or whoever was named. Its password is looked for whenever it is needed;
what is remembered is at most the name of the file that it stands in.
"""

import os
from collections.abc import Callable
from pathlib import Path

from shoal.clock import Clock
from shoal.collection.own_file import readers_now
from shoal.errors import UsageError
from shoal.layout.layout import Layout
from shoal.model.source import (
    INODE_KEYS,
    INVENTORY_KEYS,
    MAIL,
    MAIL_KEYS,
    SOURCE_KEYS,
    SourceRow,
)
from shoal.model.urls.rowkey import row_key
from shoal.ports import Table
from shoal.sources.mail.address import account_of_path, imap_address, is_imap, password_of
from shoal.sources.mail.identity import url_of_mail
from shoal.sources.mail.imap import ImapMailbox
from shoal.sources.mail.inventory import MailInventory
from shoal.sources.mail.local import LocalMailbox, mailbox_at
from shoal.sources.mail.outlook import OutlookMailbox, is_outlook
from shoal.sources.mail.places import LineLost, Mailbox
from shoal.sources.mail.source import MailSource
from shoal.worker import outlook

_OF_FILES = row_key("file:///")

_EXAMPLE = "an account on a server is written as imaps://user@host"


def mail_row(given: str, password_file: str | Path | None, owner: str, now: float) -> SourceRow:
    """What is remembered of a mailbox; a UsageError when it can't be read."""
    secret = str(_whole(password_file)) if password_file else ""
    if is_imap(given):
        address = imap_address(given)
        word = f"mail:{owner}" if owner else f"u:{os.getuid()}"
        row = SourceRow(MAIL, given.encode(), added=now, secret=secret, owner=word)
        mailbox = ImapMailbox(address, lambda: _password(row), (word,))
        try:
            mailbox.check()
        except LineLost as error:
            raise UsageError(str(error)) from error
        finally:
            mailbox.close()
        return row
    if secret or owner:
        raise UsageError("Only an account on a server has a password and an owner of its own.")
    path = _whole(given)
    if "@" in given and not path.exists():
        raise UsageError(f"{given} is no file here; {_EXAMPLE}.")
    if path.is_file() and is_outlook(path):
        if problem := outlook.refused(path):
            raise UsageError(f"{path} {problem}.")
    else:
        mailbox_at(path, lambda _: ())
    return SourceRow(MAIL, os.fsencode(path), added=now)


def account_of(row: SourceRow) -> str:
    """What the URLs of its mails begin with, behind `mail://`."""
    name = os.fsdecode(row.name)
    return imap_address(name).account if is_imap(name) else account_of_path(Path(name))


def row_of_key(key: bytes) -> bytes | None:
    """A row of the site whose documents a key of sources speaks of (`OWN_KEYS`): which tablet has
    them, has the key. None for other keys."""
    if key.startswith((INVENTORY_KEYS, INODE_KEYS)):
        return _OF_FILES
    if key.startswith(MAIL_KEYS):
        account = key[len(MAIL_KEYS) :].partition(b"\0")[0].decode()
        return row_key(url_of_mail(account, b""))
    if key.startswith(SOURCE_KEYS):
        kind, _, name = key[len(SOURCE_KEYS) :].decode("utf-8", "surrogateescape").partition("\0")
        return row_of_source(SourceRow(kind, os.fsencode(name)))
    return None


def row_of_source(row: SourceRow) -> bytes:
    """The same of a source itself."""
    return row_key(url_of_mail(account_of(row), b"")) if row.kind == MAIL else _OF_FILES


def mail_source(row: SourceRow, table: Table, clock: Clock, layout: Layout) -> MailSource:
    return MailSource(row, account_of(row), _mailbox(row, table, layout), table, clock)


def mail_inventory(row: SourceRow, table: Table) -> MailInventory:
    return MailInventory(table, account_of(row))


def _mailbox(row: SourceRow, table: Table, layout: Layout) -> Mailbox:
    name = os.fsdecode(row.name)
    if is_imap(name):
        return ImapMailbox(imap_address(name), lambda: _password(row), (row.owner,))
    path, inventory = Path(name), mail_inventory(row, table)
    if is_outlook(path):
        scratch = layout.outlook / account_of(row)
        return OutlookMailbox(path, readers_now, _take_apart, scratch, inventory.states)
    return LocalMailbox(path, readers_now)


def _take_apart(mailbox: Path, folder: Path, is_over: Callable[[], bool]) -> str:
    if not outlook.program():
        return outlook.refused(mailbox)
    return outlook.take_apart(mailbox, folder, is_over)


def _password(row: SourceRow) -> str:
    return password_of(account_of(row), Path(row.secret) if row.secret else None)


def _whole(given: str | Path) -> Path:
    """Without symbolic links: each mailbox has one name."""
    if not str(given).strip():
        raise UsageError(f"An empty name is no mailbox; {_EXAMPLE}.")
    try:
        return Path(given).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{given} is no path: {error}.") from error
