"""What does a mail of one's own say, now, and where may it be read? It is in no archive.

Its bytes are read from a mailbox on disk, in a place where whoever asks may read it at this moment,
and only if they are still those that were taken in. A server is not asked for them.
"""

import os
from base64 import b32decode
from collections.abc import Iterator
from pathlib import Path

from shoal.collection.own_file import readers_now
from shoal.layout.sources import rows
from shoal.model.principal import Principal
from shoal.model.source import MAIL, SourceRow
from shoal.ports import Table
from shoal.sources.mail.address import account_of_path, imap_address, is_imap
from shoal.sources.mail.identity import MailDigest
from shoal.sources.mail.inventory import MailInventory, MailRow
from shoal.sources.mail.local import LocalMailbox
from shoal.sources.mail.outlook import is_outlook
from shoal.sources.mail.places import LineLost
from shoal.sources.mail.source import MAX_MAIL_BYTES

_START = "mail://"


def is_own(url: str) -> bool:
    return url.startswith(_START)


def folders_of(table: Table, url: str, principal: Principal) -> list[str]:
    """Those in which a mail may be read."""
    row = _row_of(table, url)
    return sorted({each.folder for each in row.places if principal.may_read(each.readers)})


def body_of(table: Table, url: str, principal: Principal) -> bytes:
    """Empty when it can't be had."""
    account, digest = _named(url)
    row = _row_of(table, url)
    for mailbox in _mailboxes(table, account):
        for place in row.places:
            if principal.may_read(place.readers):
                body = _read(mailbox, place.folder, place.place, digest, principal)
                if body:
                    return body
    return b""


def _read(
    mailbox: LocalMailbox, folder: str, place: bytes, digest: bytes, principal: Principal
) -> bytes:
    try:
        for mail in mailbox.mails(folder, [place]):
            if not principal.may_read(mail.readers):
                return b""
            told, pieces, size = MailDigest(), list[bytes](), 0
            for piece in mail.pieces:
                size += len(piece)
                if size > MAX_MAIL_BYTES:
                    return b""
                told.feed(piece)
                pieces.append(piece)
            return b"".join(pieces) if told.digest() == digest else b""
    except (OSError, LineLost):
        return b""
    return b""


def _mailboxes(table: Table, account: str) -> Iterator[LocalMailbox]:
    for row in sources_of(table, account):
        name = os.fsdecode(row.name)
        if not is_imap(name) and not is_outlook(Path(name)):
            yield LocalMailbox(Path(name), readers_now)


def sources_of(table: Table, account: str) -> Iterator[SourceRow]:
    """Which bring the mails of an account; one, as a rule."""
    for row in rows(table):
        if row.kind == MAIL and _account_of(os.fsdecode(row.name)) == account:
            yield row


def _account_of(name: str) -> str:
    return imap_address(name).account if is_imap(name) else account_of_path(Path(name))


def account_in(url: str) -> str:
    return _named(url)[0]


def _row_of(table: Table, url: str) -> MailRow:
    account, digest = _named(url)
    return MailInventory(table, account).mail(digest) or MailRow()


def _named(url: str) -> tuple[str, bytes]:
    """The account and the digest; of what is attached to a mail, those of the mail."""
    account, _, name = url.removeprefix(_START).partition("#")[0].rpartition("/")
    try:
        return account, b32decode(name.upper() + "=" * (-len(name) % 8))
    except ValueError:
        return account, b""
