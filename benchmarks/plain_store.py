"""What would one do without Shoal? A WARC file written by warcio, and a SQLite table that knows
where each page stands in it, and its text.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

_SCHEMA = """
create table page (
    url text primary key, offset integer, length integer, title text, text text
) without rowid
"""


class Response(NamedTuple):
    """A page as a server sent it, and what was made of it."""

    url: str
    headers: list[tuple[str, str]]
    body: bytes
    title: str
    text: str


class PlainStore:
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.warc = directory / "pages.warc.gz"
        self.database = directory / "pages.sqlite"
        self._rows = sqlite3.connect(self.database)
        self._file = self.warc.open("ab+")

    def write(self, responses: Iterable[Response]) -> None:
        writer = WARCWriter(self._file, gzip=True)
        self._rows.execute(_SCHEMA)
        with self._rows:
            for each in responses:
                start = self._file.tell()
                head = StatusAndHeaders("200 OK", each.headers, protocol="HTTP/1.1")
                record = writer.create_warc_record(
                    each.url, "response", payload=BytesIO(each.body), http_headers=head
                )
                writer.write_record(record)
                length = self._file.tell() - start
                row = (each.url, start, length, each.title, each.text)
                self._rows.execute("insert into page values (?, ?, ?, ?, ?)", row)
        self._file.flush()

    def body(self, url: str) -> bytes:
        """The body with its content encoding undone."""
        found = self._rows.execute("select offset, length from page where url = ?", (url,))
        offset, length = found.fetchone()
        self._file.seek(offset)
        record = next(iter(ArchiveIterator(BytesIO(self._file.read(length)))))
        return bytes(record.content_stream().read())

    def text(self, url: str) -> str:
        found = self._rows.execute("select text from page where url = ?", (url,)).fetchone()
        return str(found[0])

    def bodies(self) -> Iterator[bytes]:
        self._file.seek(0)
        for record in ArchiveIterator(self._file):
            yield record.content_stream().read()

    def texts(self) -> Iterator[str]:
        for (text,) in self._rows.execute("select text from page order by url"):
            yield text

    def stored_bytes(self) -> dict[str, int]:
        """What each page's record takes, by URL."""
        return dict(self._rows.execute("select url, length from page").fetchall())

    def close(self) -> None:
        self._rows.close()
        self._file.close()
