"""What changes when other people may read a document? Its row, and its place among duplicates.

Nothing is read again for it: a document has its fingerprint with its group. It leaves that group,
whose other pages stand for themselves, and joins one of those whom the same may read, as if it had
just come; what it says of others is for its new readers, too. All of it is one batch.
"""

from shoal.duplicates.duplicates import DiskDuplicates
from shoal.frontier.frontier import DiskFrontier
from shoal.model.document import Reassigned
from shoal.model.principal import OWNER
from shoal.model.record import changed
from shoal.model.source_change import Shared
from shoal.ports import Batch
from shoal.store.pages import PageStore
from shoal.store.rows import What


class Sharing:
    def __init__(self, prints: DiskDuplicates, frontier: DiskFrontier, store: PageStore) -> None:
        self._prints = prints
        self._frontier = frontier
        self._store = store

    def share(self, batch: Batch, row: bytes, shared: Shared, now: float) -> None:
        """In this batch, which has changed nothing else of this row."""
        page = self._store.page(row, OWNER)
        if page is None:
            return
        reassigned, orphaned = list[Reassigned](), list[bytes]()
        if page.document.readers != list(shared.readers):
            document = changed(page.document, readers=list(shared.readers))
            reassigned, orphaned = self._prints.share(batch, row, document)
        places = {each.row: each for each in reassigned}
        self._frontier.inbound.reassign(batch, list(places.values()), now)
        self._store.amend(
            batch, row, now, shared.readers, shared.fields, place=places.pop(row, None)
        )
        self._store.reassign(batch, list(places.values()), now)
        for representative in orphaned:
            self._store.log.append(batch, representative, What.LINKED, now)
