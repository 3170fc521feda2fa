"""Has this very page been seen under another URL? An index of payloads and texts, in the family
`print`.

    body 00 xxh3-128 of the body as sent   →  the first page that has it, and its archived record
    text 00 digest of the text             →  the first page that has it

Behind each digest stands that of the page's readers, where it is not for everybody: what some may
read has no effect on what is said of a page that others may.

An entry is a hint, never a claim: the page that it names is asked whether it still has that digest,
and one that has changed or gone is replaced by the page at hand. So nothing must be kept up to date
when a page changes. Empty pages and script shells are nobody's duplicates: what a reader would see
of them comes from elsewhere. Entries are written in the visit's own batch.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import readers_digest
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.document import Document, Fate, Understood, WarcLocation
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.record import JSON_ERRORS, Struct, changed, pack, unpack
from shoal.model.urls.rowkey import url_of
from shoal.model.verdict import graded
from shoal.model.visit import OF_SITE, Fetched, Visit, VisitKind
from shoal.ports import Batch, LinksOf, Table

LEAST_TEXT_CHARS = 64
"""A page with less text than this says too little to be told from a shell that a script fills."""

BODY = b"body" + NUL
TEXT = b"text" + NUL
_MAY_BECOME_DUPLICATE = (Fate.WAITING, Fate.INDEXED, Fate.UNCONVERTIBLE)


class Stored(NamedTuple):
    """What is stored of a page now."""

    document: Document
    payload: WarcLocation | None
    depth: int


StoredOf = Callable[[bytes], Stored | None]


class BodyPrint(Struct, array_like=True):
    row: bytes
    digest: str
    url: str
    """The URL of the archived response that has the body, which is what revisits refer to."""
    when: float
    """The date of the archived response that has the body."""


class Judged(NamedTuple):
    """What the bytes and the text of a visit's own page say."""

    documents: Sequence[Document]
    twin: bytes | None = None
    """The row of the page that has the same body, if there is one."""
    links_known: bool = False
    """Whether that page's links were followed, and are the same."""
    left: Sequence[bytes] = ()
    """Rows of documents that are no longer inside this one."""


class ExactDuplicates:
    """Recognizes before the page is read, judges in its commit."""

    def __init__(self, table: Table, stored_of: StoredOf, links_of: LinksOf) -> None:
        self._table = table
        self._stored_of = stored_of
        self._links_of = links_of

    def recognize(self, visit: Visit, fetched: Fetched) -> None:
        """A body that is archived already need not be archived again; the child makes sure."""
        if not _has_payload(visit, fetched):
            return
        known = self._known(quick_digest(fetched.body))
        if known is None or (first := self._has_body(known)) is None or first.payload is None:
            return
        if first.document.readers:  # it was for everybody when it was entered
            return
        visit.seen_digest, visit.seen_at = known.digest, known.when
        visit.seen_url, visit.seen_location = known.url, first.payload

    def judge(self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood) -> Judged:
        documents = understood.documents
        if not _has_payload(visit, fetched) or not documents or documents[0].name:
            return Judged(documents)
        known = self._judge_body(batch, visit, fetched, documents[0])
        if known is None:
            own = self._judge_text(batch, visit.row, documents[0])
            return Judged(documents if own is documents[0] else [own, *documents[1:]])
        row, depth = known
        own, fate = documents[0], documents[0].fate
        own = graded(own, Fate.DUPLICATE if fate in _MAY_BECOME_DUPLICATE else fate, url_of(row))
        links_known = depth <= visit.depth and _same_links(understood.links, self._links_of(row))
        return Judged([own, *documents[1:]], row, links_known)

    def _judge_body(
        self, batch: Batch, visit: Visit, fetched: Fetched, document: Document
    ) -> tuple[bytes, int] | None:
        """The row and the depth of the page that has the same body, if there is one."""
        key = quick_digest(fetched.body) + readers_digest(document.readers)
        known = self._known(key)
        first = None
        if known is not None and known.digest == document.body_digest:
            first = self._has_body(known)
        if known is None or first is None or first.document.readers != document.readers:
            self._enter(batch, key, visit, fetched, document)
        elif known.row != visit.row and _same_page(first.document, document):
            return known.row, first.depth
        return None

    def _enter(
        self, batch: Batch, key: bytes, visit: Visit, fetched: Fetched, document: Document
    ) -> None:
        url, when = visit.url, int(fetched.started * 1000) / 1000
        if visit.seen_digest == document.body_digest:  # it was archived as a revisit
            url, when = visit.seen_url or visit.url, visit.seen_at
        entry = BodyPrint(visit.row, document.body_digest, url, when)
        batch.put(FAMILY, BODY + key, pack(entry))

    def _judge_text(self, batch: Batch, row: bytes, document: Document) -> Document:
        if not document.text_digest or document.text_chars < LEAST_TEXT_CHARS:
            return document
        key = TEXT + document.text_digest.encode() + readers_digest(document.readers)
        other = self._table.get(FAMILY, key)
        if other == row:
            return document
        first = None if other is None else self._stored_of(other)
        if (
            other is None
            or first is None
            or first.document.text_digest != document.text_digest
            or first.document.readers != document.readers
        ):
            batch.put(FAMILY, key, row)
            return document
        return changed(document, same_text_as=url_of(other))

    def _known(self, key: bytes) -> BodyPrint | None:
        stored = self._table.get(FAMILY, BODY + key)
        return None if stored is None else unpack(BodyPrint, stored)

    def _has_body(self, known: BodyPrint) -> Stored | None:
        """The page that an entry names, if it still has that body."""
        first = self._stored_of(known.row)
        return first if first is not None and first.document.body_digest == known.digest else None

    def drop_stale(self, batch_at_once: int = 1000) -> int:
        """Entries of pages that have changed or gone since. Returns how many."""
        dropped, batch = 0, self._table.batch()
        for key, value in self._table.scan(FAMILY, b""):
            if self._is_stale(key, value):
                batch.delete(FAMILY, key)
                dropped += 1
                if dropped % batch_at_once == 0:
                    self._table.write(batch)
                    batch = self._table.batch()
        self._table.write(batch)
        return dropped

    def _is_stale(self, key: bytes, value: bytes) -> bool:
        if key.startswith(BODY):
            try:
                return self._has_body(unpack(BodyPrint, value)) is None
            except JSON_ERRORS:
                return True
        if key.startswith(TEXT):
            first = self._stored_of(value)
            if first is None:
                return True
            document = first.document
            digest = document.text_digest.encode() + readers_digest(document.readers)
            return digest != key[len(TEXT) :]
        return False  # of another kind of print


def _has_payload(visit: Visit, fetched: Fetched) -> bool:
    """A body that was cut may go on in another way than one that it equals so far."""
    return (
        visit.kind not in (*OF_SITE, VisitKind.REQUISITE)
        and fetched.outcome is Outcome.OK
        and bool(fetched.body)
        and not fetched.cut
    )


def _same_page(first: Document, document: Document) -> bool:
    """The same bytes may be read in two ways (another charset, another media type), and whoever may
    read the one must be allowed to read the other."""
    says_enough = document.text_chars >= LEAST_TEXT_CHARS or document.fate is Fate.UNCONVERTIBLE
    return (
        says_enough
        and first.text_digest == document.text_digest
        and first.media_type == document.media_type
        and first.readers == document.readers
    )


def _same_links(links: Sequence[Link], before: Sequence[Link]) -> bool:
    return [(link.url, link.rel) for link in links] == [(link.url, link.rel) for link in before]
