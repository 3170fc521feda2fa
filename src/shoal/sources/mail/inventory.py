"""Which mails of an account are known, and where do they stand?

Three kinds of rows in the family `site`, under the account's own keys: a mail with all its places,
a place with its mail, a folder with its state. They are written in one batch with what the
collection is told; what tells it nothing is written by itself.
"""

from collections.abc import Iterator

from shoal.model.access import is_within
from shoal.model.record import Struct, pack, unpack
from shoal.model.source import MAIL_KEYS
from shoal.ports import Batch, Table

FAMILY = "site"
_MAIL, _PLACE, _FOLDER, _END = b"m", b"p", b"f", b"\x00"


class MailPlace(Struct, array_like=True, frozen=True):
    folder: str
    place: bytes
    readers: tuple[str, ...] = ()


class MailRow(Struct, array_like=True, frozen=True):
    places: tuple[MailPlace, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        return tuple(sorted({each.folder for each in self.places}))

    @property
    def told_folders(self) -> tuple[str, ...]:
        """Those that all who may read it may look into: the names of others are told to nobody by
        the mail itself."""
        into: dict[str, set[str]] = {}
        for each in self.places:
            into.setdefault(each.folder, set()).update(each.readers)
        told = (name for name, some in into.items() if is_within(self.readers, sorted(some)))
        return tuple(sorted(told))

    @property
    def readers(self) -> tuple[str, ...]:
        """Whoever may read it in one of its places."""
        return tuple(sorted({word for each in self.places for word in each.readers}))


class FolderRow(Struct, array_like=True, frozen=True):
    name: str = ""
    state: bytes = b""
    """As the mailbox told it; only the mailbox understands it."""
    rights: bytes = b""


class MailInventory:
    def __init__(self, table: Table, account: str) -> None:
        self._table = table
        self._start = MAIL_KEYS + account.encode() + _END

    # --- reading ----------------------------------------------------------------------------

    def mail(self, digest: bytes) -> MailRow | None:
        stored = self._table.get(FAMILY, self._start + _MAIL + digest)
        return None if stored is None else unpack(MailRow, stored)

    def mails(self) -> Iterator[tuple[bytes, MailRow]]:
        start = self._start + _MAIL
        for key, stored in self._table.scan(FAMILY, start, self._start + _after(_MAIL)):
            yield key[len(start) :], unpack(MailRow, stored)

    def count(self) -> int:
        start, end = self._start + _MAIL, self._start + _after(_MAIL)
        return sum(1 for _ in self._table.scan(FAMILY, start, end))

    def digest_at(self, folder: str, place: bytes) -> bytes:
        """Of the mail that stands there; empty where none is known."""
        return self._table.get(FAMILY, self._place_key(folder, place)) or b""

    def places(self, folder: str, start: bytes = b"") -> Iterator[bytes]:
        prefix = self._place_key(folder, b"")
        for key, _ in self._table.scan(FAMILY, prefix + start, prefix[:-1] + b"\x01"):
            yield key[len(prefix) :]

    def folder(self, name: str) -> FolderRow:
        stored = self._table.get(FAMILY, self._start + _FOLDER + _bytes(name))
        return FolderRow(name) if stored is None else unpack(FolderRow, stored)

    def folders(self) -> list[str]:
        """Those of which a state is known."""
        return list(self.states())

    def states(self) -> dict[str, bytes]:
        start, end = self._start + _FOLDER, self._start + _after(_FOLDER)
        rows = [unpack(FolderRow, stored) for _, stored in self._table.scan(FAMILY, start, end)]
        return {row.name: row.state for row in rows}

    # --- writing ----------------------------------------------------------------------------

    def batch(self) -> Batch:
        return self._table.batch()

    def write(self, batch: Batch) -> None:
        self._table.write(batch)

    def put_mail(self, batch: Batch, digest: bytes, row: MailRow) -> None:
        if row.places:
            batch.put(FAMILY, self._start + _MAIL + digest, pack(row))
        else:
            batch.delete(FAMILY, self._start + _MAIL + digest)

    def put_place(self, batch: Batch, folder: str, place: bytes, digest: bytes) -> None:
        batch.put(FAMILY, self._place_key(folder, place), digest)

    def delete_place(self, batch: Batch, folder: str, place: bytes) -> None:
        batch.delete(FAMILY, self._place_key(folder, place))

    def put_folder(self, batch: Batch, row: FolderRow) -> None:
        batch.put(FAMILY, self._start + _FOLDER + _bytes(row.name), pack(row))

    def clear(self) -> None:
        """Forget all of it."""
        batch = self._table.batch()
        for key, _ in self._table.scan(FAMILY, self._start, self._start[:-1] + b"\x01"):
            batch.delete(FAMILY, key)
        self._table.write(batch)

    def delete_folder(self, batch: Batch, name: str) -> None:
        batch.delete(FAMILY, self._start + _FOLDER + _bytes(name))

    def _place_key(self, folder: str, place: bytes) -> bytes:
        return self._start + _PLACE + _bytes(folder) + _END + place


def _bytes(name: str) -> bytes:
    """Folders may be called anything; a NUL would end the key's part."""
    return name.encode("utf-8", "surrogatepass").replace(b"\x00", b"\x01")


def _after(kind: bytes) -> bytes:
    return bytes((kind[0] + 1,))
