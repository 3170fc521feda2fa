"""How do documents come into the index? Put and removed, and committed with the position.

The position is the number of the change log up to which the index holds everything. It is a
document of its own, replaced in the same commit: after a kill it says exactly what is there.
Whoever follows the log goes on from it, and putting a document again changes nothing.
"""

from pathlib import Path

from shoal import faults
from shoal.closing import Closing
from shoal.index.documents import Documents
from shoal.index.fields import POSITION_KEY, key_of
from shoal.index.index_directory import (
    WriterLock,
    busy,
    damaged,
    library_faults,
    open_or_start,
    position_in,
)
from shoal.index.native import Document, NativeWriter
from shoal.model.entry import Entry

DEFAULT_HEAP_BYTES = 64_000_000


class IndexWriter(Closing):
    """One at a time for a directory, whichever the process."""

    def __init__(self, path: Path, heap_bytes: int = DEFAULT_HEAP_BYTES) -> None:
        self._lock = WriterLock(path)
        try:
            with library_faults(path):
                self._open_native(path, heap_bytes)
        except BaseException:
            self._lock.release()
            raise
        self._documents = Documents()

    def _open_native(self, path: Path, heap_bytes: int) -> None:
        self._index = open_or_start(path)
        try:
            self._writer: NativeWriter | None = self._index.writer(heap_bytes, 1)
        except ValueError as error:
            raise (busy(path) if "LockBusy" in str(error) else damaged(path)) from error
        self._position = position_in(self._index, self._index.searcher())

    @property
    def position(self) -> int:
        """As it was committed last."""
        return self._position

    def put(self, entry: Entry) -> None:
        """Replaces what is there for its row."""
        document = self._documents.of(entry)
        writer = self._open()
        writer.delete_documents_by_term("key", key_of(entry.row))
        writer.add_document(document)

    def forget(self) -> None:
        """What was remembered from one document to the next, to be quicker."""
        self._documents = Documents()

    def remove(self, row: bytes) -> None:
        self._open().delete_documents_by_term("key", key_of(row))

    def clear(self) -> None:
        """All documents and the position; seen by readers with the next commit."""
        self._open().delete_all_documents()

    def commit(self, position: int) -> None:
        """Everything up to now, and the position, at once; on disk when this returns."""
        writer = self._open()
        writer.delete_documents_by_term("key", POSITION_KEY)
        note = Document()
        note.add_text("key", POSITION_KEY)
        note.add_unsigned("position", position)
        writer.add_document(note)
        faults.shortly_after("index.committing")
        writer.commit()
        self._position = position

    def close(self) -> None:
        """What was not committed is gone. Merges that have begun are finished first."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.rollback()
            writer.wait_merging_threads()
            self._lock.release()

    def _open(self) -> NativeWriter:
        if self._writer is None:
            raise ValueError("the index writer is closed")
        return self._writer
