"""Visits as the network and the readers would bring them, for the store's tests."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from shoal.model.compression import zstd
from shoal.model.document import Document, Understood
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.record import changed
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import Fetched, Visit
from shoal.store.archive import ArchiveWriter
from shoal.store.pages import PageStore

NOON = 1_700_000_000.0
HOUR = 3600.0


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def visit_to(url: str, seen: bytes | None = None, seen_at: float = 0.0) -> Visit:
    row = row_key(url)
    digest = "" if seen is None else sha1(seen)
    return Visit(url, row, site_of_key(row), seen_digest=digest, seen_at=seen_at)


def answer(
    body: bytes = b"<title>Reef</title>",
    when: float = NOON,
    *,
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (("Content-Type", "text/html"),),
    outcome: Outcome = Outcome.OK,
    cut: bool = False,
) -> Fetched:
    """It ends when it starts, so that the time of a version is the one that is given."""
    lines = [f"HTTP/1.1 {status} Fine", *(f"{name}: {value}" for name, value in headers)]
    return Fetched(
        outcome,
        status=status,
        started=when,
        ended=when,
        address="127.0.0.9:8080",
        headers=[(name.lower(), value) for name, value in headers],
        head="\r\n".join([*lines, "", ""]).encode("latin-1"),
        body=body,
        request=b"GET / HTTP/1.1\r\nHost: reef.example\r\n\r\n",
        cut=cut,
    )


def document(text: str, body: bytes, name: str = "", readers: Sequence[str] = ()) -> Document:
    return Document(
        name=name,
        media_type="text/html",
        title=text[:20],
        text=zstd(text.encode()) if text else b"",
        text_chars=len(text),
        body_digest=sha1(body),
        readers=list(readers),
    )


def finished(understood: Understood, targets: Sequence[bytes] = ()) -> Finished:
    """What is stored of a visit that is nobody's duplicate."""
    return Finished(Verdict(understood.documents), understood.links, targets)


def links_to(*pairs: tuple[str, str]) -> list[Link]:
    return [Link(url, row_key(url), text) for url, text in pairs]


class Desk:
    """A store whose visits are archived and committed one by one, as a crawl does it."""

    def __init__(self, store: PageStore, warc: Path) -> None:
        self.store = store
        self.archive = ArchiveWriter(warc, 1 << 30, "Shoal/test")

    def keep(
        self,
        url: str,
        text: str,
        when: float = NOON,
        *,
        links: Sequence[tuple[str, str]] = (),
        readers: Sequence[str] = (),
        seen: tuple[str, float] | None = None,
        status: int = 200,
    ) -> Fetched:
        """A page whose body is its text. `seen` is the body that is stored already, and when."""
        body = text.encode()
        visit = visit_to(url, *((seen[0].encode(), seen[1]) if seen else (None, 0.0)))
        fetched = answer(body, when, status=status)
        understood = Understood(
            documents=[document(text, body, readers=readers)], links=links_to(*links)
        )
        self.commit(visit, fetched, understood)
        return fetched

    def commit(self, visit: Visit, fetched: Fetched, understood: Understood) -> None:
        response, request = self.archive.write(visit, fetched)
        understood = changed(understood, response=response, request=request)
        batch = self.store.batch()
        targets = [link.row for link in understood.links]
        self.store.keep(batch, visit, fetched, understood, finished(understood, targets))
        self.store.commit(batch)

    def remove(self, url: str, when: float) -> None:
        batch = self.store.batch()
        self.store.remove(batch, row_key(url), when)
        self.store.commit(batch)

    def amend(self, url: str, when: float, readers: Sequence[str]) -> None:
        batch = self.store.batch()
        self.store.amend(batch, row_key(url), when, readers)
        self.store.commit(batch)
