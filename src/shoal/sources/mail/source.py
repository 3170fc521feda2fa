"""What has become of the mails of an account? The port `DocumentSource` over any mailbox.

A mail is one document, in however many folders it stands. New places are looked at in all folders
before those that are gone, so that a mail which moved was always somewhere: it is told its new
folder and not read again. Mails are handed on in small groups, whose bytes are held (long ones on
disk) until they were taken in.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from shoal import faults
from shoal.clock import Clock
from shoal.model.outcome import Outcome
from shoal.model.record import changed
from shoal.model.source import SourceRow
from shoal.model.source_change import Gone, Shared, SourceChange, Taken
from shoal.model.visit import Fetched
from shoal.ports import Batch, Table
from shoal.sources.mail.identity import MailDigest, url_of_mail
from shoal.sources.mail.inventory import FolderRow, MailInventory, MailPlace, MailRow
from shoal.sources.mail.places import LineLost, Look, Mail, Mailbox

MAX_MAIL_BYTES = 100_000_000
"""Of one mail that are read; what is longer is cut, and says so."""
GROUP_MAILS = 64
GROUP_BYTES = 8_000_000
_IN_MEMORY_BYTES = 1_000_000
_GONE_AT_ONCE = 500
_HEADERS = [("content-type", "message/rfc822")]


class _Held(NamedTuple):
    """The bytes of a mail, until it was taken in."""

    digest: bytes
    file: IO[bytes]
    size: int
    cut: bool
    is_expunged: bool


class _Planned(NamedTuple):
    """What becomes of a mail's row when a change of it is taken in."""

    digest: bytes
    before: MailRow
    after: MailRow
    held: _Held | None = None


class MailSource:
    def __init__(  # noqa: PLR0913 - what is remembered, what is there, and where it is kept
        self,
        row: SourceRow,
        account: str,
        mailbox: Mailbox,
        table: Table,
        clock: Clock,
        max_bytes: int = MAX_MAIL_BYTES,
    ) -> None:
        self._row = row
        self._account = account
        self._mailbox = mailbox
        self._inventory = MailInventory(table, account)
        self._clock = clock
        self._max_bytes = max_bytes
        self._planned: dict[str, _Planned] = {}
        """By the URL, of the group that is being taken in."""
        self._files: list[IO[bytes]] = []
        """On disk, of the same group."""
        self._noted: set[str] = set()
        self._all_noted = True

    # --- the port ---------------------------------------------------------------------------

    def changes(self, everything: bool) -> Iterator[Sequence[SourceChange]]:
        try:
            yield from self._changes(everything)
        except LineLost as error:  # the rest is told when the mailbox can be asked again
            self._break_off(error)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._break_off(LineLost(f"It can't be read now: {reason}."))
        else:
            self._row.problem = ""
            self._row.whole = True

    def _break_off(self, error: LineLost) -> None:
        self._forget_group()
        self._mailbox.lost(error)
        self._row.problem = str(error)

    def _changes(self, everything: bool) -> Iterator[Sequence[SourceChange]]:
        self._forget_group()
        folders = list(self._mailbox.folders())
        known = self._inventory.folders()
        looks: list[tuple[str, Look]] = []
        self._all_noted = True
        for folder in dict.fromkeys([*folders, *known]):
            look = self._look(folder, everything, is_there=folder in folders)
            if look is not None:
                looks.append((folder, look))
                yield from self._take_added(folder, look)
        gone = {folder: _peeked(look.gone) for folder, look in looks}
        if any(gone.values()):  # what moved behind our back is somewhere else by now
            for folder in folders:
                again = self._look(folder, False, is_there=True)
                if again is not None:
                    yield from self._take_added(folder, again)
        for folder, look in looks:
            yield from self._take_gone(folder, chain(gone[folder], look.gone))
            if self._all_noted:
                self._remember(folder, look, is_there=folder in folders)
        for folder in folders:
            yield from self._take_shared(folder, everything)

    def open(self, taken: Taken) -> Fetched | None:
        planned = self._planned.get(taken.url)
        if planned is None or planned.held is None:
            return None
        held, now = planned.held, self._clock.now()
        held.file.seek(0)
        return Fetched(
            Outcome.OK,
            200,
            started=now,
            ended=now,
            headers=list(_HEADERS),
            body=held.file.read(),
            cut=held.cut,
        )

    def note(self, batch: Batch, change: SourceChange) -> None:
        planned = self._planned.get(change.url)
        if planned is not None:
            self._write(batch, planned)
            self._noted.add(change.url)

    def watch(self) -> None:
        """Mailboxes are asked; there is nothing to begin."""

    def row(self) -> SourceRow:
        return self._row

    def wait(self, seconds: float) -> bool:
        has_stirred = self._mailbox.wait(seconds)
        if self._mailbox.problem is not None:
            self._row.problem = self._mailbox.problem
        return has_stirred

    def close(self) -> None:
        self._forget_group()
        self._mailbox.close()

    # --- what changed -----------------------------------------------------------------------

    def _look(self, folder: str, everything: bool, *, is_there: bool) -> Look | None:
        def known(start: bytes) -> Iterator[bytes]:
            return self._inventory.places(folder, start)

        if not is_there:
            return Look(iter(()), known(b""), bytes)
        before = self._inventory.folder(folder).state
        return self._mailbox.look(folder, before, known, everything)

    def _take_added(self, folder: str, look: Look) -> Iterator[Sequence[SourceChange]]:
        group: dict[bytes, _Planned] = {}
        held_bytes = 0
        for mail in self._mailbox.mails(folder, look.added):
            held = self._hold(mail)
            if held.is_expunged:
                self._write_place(folder, mail.place)
                held.file.close()
                continue
            place = MailPlace(folder, mail.place, mail.readers)
            planned = group.get(held.digest) or self._plan(held.digest)
            if planned.before.places or planned.held is not None:
                held.file.close()
            else:
                planned = planned._replace(held=held)
                held_bytes += held.size
            places = (*planned.after.places, place)
            group[held.digest] = planned._replace(after=MailRow(places))
            if len(group) >= GROUP_MAILS or held_bytes >= GROUP_BYTES:
                yield from self._hand_on(group.values())
                group, held_bytes = {}, 0
        yield from self._hand_on(group.values())

    def _take_gone(self, folder: str, gone: Iterator[bytes]) -> Iterator[Sequence[SourceChange]]:
        while places := list(islice(gone, _GONE_AT_ONCE)):
            group: dict[bytes, _Planned] = {}
            batch = self._inventory.batch()
            for place in places:
                digest = self._inventory.digest_at(folder, place)
                planned = group.get(digest) or self._plan(digest)
                if not planned.before.places:  # no mail: deleted, and only left in the file
                    self._inventory.delete_place(batch, folder, place)
                    continue
                left = tuple(
                    each
                    for each in planned.after.places
                    if (each.folder, each.place) != (folder, place)
                )
                group[digest] = planned._replace(after=MailRow(left))
            self._inventory.write(batch)
            yield from self._hand_on(group.values())

    def _take_shared(self, folder: str, everything: bool) -> Iterator[Sequence[SourceChange]]:
        """Other people may read a folder, or in a sweep perhaps one of its mails."""
        row, rights = self._inventory.folder(folder), self._mailbox.rights(folder)
        if not rights or (row.rights == rights and not everything):
            return
        places = self._inventory.places(folder)
        while some := list(islice(places, _GONE_AT_ONCE)):
            group: dict[bytes, _Planned] = {}
            found = zip(some, self._mailbox.readers(folder, some), strict=False)
            for place, readers in found:
                digest = self._inventory.digest_at(folder, place)
                planned = group.get(digest) or self._plan(digest)
                if readers is None or not planned.before.places:
                    continue
                after = tuple(
                    MailPlace(folder, place, readers)
                    if (each.folder, each.place) == (folder, place)
                    else each
                    for each in planned.after.places
                )
                group[digest] = planned._replace(after=MailRow(after))
            yield from self._hand_on(each for each in group.values() if each.before != each.after)
        if self._all_noted and row.rights != rights:
            batch = self._inventory.batch()
            self._inventory.put_folder(batch, changed(row, rights=rights))
            self._inventory.write(batch)

    def _plan(self, digest: bytes) -> _Planned:
        row = self._inventory.mail(digest) or MailRow() if digest else MailRow()
        return _Planned(digest, row, row)

    def _hand_on(self, planned: Iterable[_Planned]) -> Iterator[Sequence[SourceChange]]:
        """A group. When the next is asked for, this one has been taken in."""
        changes: list[SourceChange] = []
        silent = self._inventory.batch()
        for each in planned:
            change = self._change(each)
            if change is None:
                self._write(silent, each)
            else:
                changes.append(change)
                self._planned[change.url] = each
        self._inventory.write(silent)
        faults.point("mail.placed")
        if changes:
            yield changes
            self._all_noted = self._all_noted and len(self._noted) == len(self._planned)
        self._forget_group()

    def _change(self, planned: _Planned) -> SourceChange | None:
        before, after = planned.before, planned.after
        url = url_of_mail(self._account, planned.digest)
        fields = tuple(("folder", _shown(folder)) for folder in after.told_folders)
        if not after.places:
            return Gone(url)
        if not before.places:
            return Taken(url, planned.digest, after.readers, fields)
        if before.folders != after.folders or before.readers != after.readers:
            return Shared(url, planned.digest, after.readers, fields)
        return None

    # --- the inventory ----------------------------------------------------------------------

    def _write(self, batch: Batch, planned: _Planned) -> None:
        before = {(each.folder, each.place) for each in planned.before.places}
        after = {(each.folder, each.place) for each in planned.after.places}
        for folder, place in before - after:
            self._inventory.delete_place(batch, folder, place)
        for folder, place in after - before:
            self._inventory.put_place(batch, folder, place, planned.digest)
        self._inventory.put_mail(batch, planned.digest, planned.after)

    def _write_place(self, folder: str, place: bytes) -> None:
        batch = self._inventory.batch()
        self._inventory.put_place(batch, folder, place, b"")
        self._inventory.write(batch)

    def _remember(self, folder: str, look: Look, *, is_there: bool) -> None:
        state, row = look.state(), self._inventory.folder(folder)
        batch = self._inventory.batch()
        if not is_there:
            self._inventory.delete_folder(batch, folder)
        elif state == row.state and state:
            return
        else:
            rights = row.rights or self._mailbox.rights(folder)
            self._inventory.put_folder(batch, FolderRow(folder, state, rights))
        self._inventory.write(batch)
        faults.point("mail.folder")

    def _forget_group(self) -> None:
        for file in self._files:
            file.close()
        self._files.clear()
        self._planned.clear()
        self._noted.clear()

    def _hold(self, mail: Mail) -> _Held:
        digest = MailDigest()
        file: IO[bytes] = BytesIO()
        size, cut = 0, False
        for piece in mail.pieces:
            digest.feed(piece)
            room = self._max_bytes - size
            cut = cut or len(piece) > room
            if size <= _IN_MEMORY_BYTES < size + len(piece):
                file = self._moved_to_disk(file)
            file.write(piece[: max(0, room)])
            size += min(len(piece), max(0, room))
        faults.point("mail.held")
        return _Held(digest.digest(), file, size, cut, digest.is_expunged)

    def _moved_to_disk(self, held: IO[bytes]) -> IO[bytes]:
        file = TemporaryFile()  # noqa: SIM115 - closed when the group was taken in
        self._files.append(file)
        held.seek(0)
        file.write(held.read())
        return file


def _peeked(places: Iterator[bytes]) -> list[bytes]:
    return list(islice(places, 1))


def _shown(folder: str) -> str:
    return folder.encode("utf-8", "replace").decode()
