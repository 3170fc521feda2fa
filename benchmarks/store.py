"""What does a stored page cost, and how fast is it read back? Shoal's collection beside plain
warcio and SQLite, with the same pages in both.

    python -m benchmarks.store
    python -m benchmarks.store --pages 500 --hosts 50

The web of benchmarks/web.py is crawled once; what was stored is then written the plain way.
Measured are the bytes of each page's record (the table apart), random reads by URL when everything
is in the system's cache, and reading all pages in order. Bodies come back as people mean them,
with their content encoding undone, and both stores must return the same.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import shoal
from benchmarks import process_tree, report
from benchmarks.crawlers import shoal_crawler
from benchmarks.plain_store import PlainStore, Response
from benchmarks.web import add_arguments, served, stop_on_sigterm, web_of
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.store.archive import ArchiveWriter
from shoal.store.table import RocksTable

_LARGE_BYTES = 20_000
_LARGEST_FILE_BYTES = 1 << 30


class Reads(NamedTuple):
    """How one store is read."""

    body: Callable[[str], bytes]
    text: Callable[[str], str]
    bodies: Callable[[], Iterator[bytes]]
    texts: Callable[[], Iterator[str]]


class Collection:
    """A crawled collection, read as any program would read it."""

    def __init__(self, collection: "shoal.Collection") -> None:
        self._collection = collection

    def body(self, url: str) -> bytes:
        page = self._collection.page(url)
        return b"" if page is None else page.body

    def text(self, url: str) -> str:
        page = self._collection.page(url)
        return "" if page is None else page.text

    def bodies(self) -> Iterator[bytes]:
        return (page.body for page in self._collection.pages())

    def texts(self) -> Iterator[str]:
        return (page.text for page in self._collection.pages())

    def responses(self) -> Iterator[Response]:
        """Every page as it was sent."""
        store, principal = self._collection.store, self._collection.principal
        for page in self._collection.pages():
            record = store.raw(page.stored.row, principal)
            body = b"" if record is None else record.http_body
            yield Response(page.url, page.headers, body, page.title, page.text)

    def stored_bytes(self) -> dict[str, int]:
        """What each page's response record takes, by URL."""
        places = ((page.url, page.stored.fetch.payload) for page in self._collection.pages())
        return {url: spot.length for url, spot in places if spot is not None}


def reads_of(store: Collection | PlainStore) -> Reads:
    return Reads(store.body, store.text, store.bodies, store.texts)


def sizes(ours: dict[str, int], peer: dict[str, int], bodies: dict[str, int]) -> list[str]:
    """Bytes stored for each byte of a body, of large pages and of all."""
    lines = []
    for name, least in (("large", _LARGE_BYTES), ("all", 0)):
        urls = [url for url, size in bodies.items() if size >= least]
        total = sum(bodies[url] for url in urls) or 1
        shares = [sum(stored[url] for url in urls) / total for stored in (ours, peer)]
        lines.append(report.line(f"store.{name}_bodies.stored_per_byte", *shares))
    return lines


def sent_plain(responses: list[Response], bodies: dict[str, bytes], work: Path) -> str:
    """The same for a server that does not compress: the archives' own compression."""
    large = [each for each in responses if len(bodies[each.url]) >= _LARGE_BYTES]
    total = sum(len(bodies[each.url]) for each in large) or 1
    headers = [("content-type", "text/html")]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
    ours = 0
    with ArchiveWriter(work / "plain-warc", _LARGEST_FILE_BYTES, "benchmark") as archive:
        for each in large:
            visit = Visit(each.url, b"", b"")
            fetched = Fetched(Outcome.OK, 200, headers=headers, head=head, body=bodies[each.url])
            spot, _ = archive.write(visit, fetched)
            ours += 0 if spot is None else spot.length
    peer = PlainStore(work / "plain-peer")
    peer.write(each._replace(headers=headers, body=bodies[each.url], text="") for each in large)
    theirs = sum(peer.stored_bytes().values())
    peer.close()
    return report.line(
        "store.large_bodies_sent_plain.stored_per_byte", ours / total, theirs / total
    )


def reads_per_second(read: Callable[[str], object], urls: list[str]) -> float:
    """Random reads, the second time round: the first one warms every cache."""
    for url in urls:
        read(url)
    started = time.perf_counter()
    for url in urls:
        read(url)
    return len(urls) / (time.perf_counter() - started)


def megabytes_per_second(stream: Callable[[], Iterator[bytes | str]]) -> float:
    started = time.perf_counter()
    total = sum(len(each) for each in stream())
    return total / 1e6 / (time.perf_counter() - started)


def speeds(ours: Reads, peer: Reads, urls: list[str]) -> list[str]:
    lines = []
    for name in ("body", "text"):
        rates = [reads_per_second(getattr(store, name), urls) for store in (ours, peer)]
        lines.append(report.line(f"store.random_{name}.reads_per_s", *rates))
        lines.append(report.line(f"store.random_{name}.ms", *(1000 / rate for rate in rates)))
    for name in ("bodies", "texts"):
        rates = [megabytes_per_second(getattr(store, name)) for store in (ours, peer)]
        lines.append(report.line(f"store.stream_{name}.mb_per_s", *rates))
    return lines


def compacted_table_bytes(directory: Path) -> dict[str, int]:
    """The table by family, after the work that RocksDB puts off."""
    with RocksTable(directory / "table") as table:
        table.compact()
        return {name: size for name, size in table.bytes_on_disk().items() if size}


def compare(directory: Path, work: Path, reads: int) -> str:
    tables = compacted_table_bytes(directory)
    with shoal.open(directory) as opened:
        ours = Collection(opened)
        responses = list(ours.responses())
        peer = PlainStore(work / "peer")
        peer.write(responses)
        bodies = {each.url: peer.body(each.url) for each in responses}
        assert all(ours.body(url) == body for url, body in bodies.items())
        urls = random.Random(1).choices(sorted(bodies), k=reads)
        lengths = {url: len(body) for url, body in bodies.items()}
        lines = sizes(ours.stored_bytes(), peer.stored_bytes(), lengths)
        lines.append(sent_plain(responses, bodies, work))
        lines += speeds(reads_of(ours), reads_of(peer), urls)
        warc_bytes = sum(file.stat().st_size for file in (directory / "warc").iterdir())
        rows: list[list[object]] = [
            ["bodies, decoded", sum(lengths.values()) / 1e6, sum(lengths.values()) / 1e6],
            ["archive", warc_bytes / 1e6, peer.warc.stat().st_size / 1e6],
            ["table", sum(tables.values()) / 1e6, peer.database.stat().st_size / 1e6],
            *([f"  {family}", size / 1e6, ""] for family, size in tables.items()),
        ]
        peer.close()
    head = [f"MB, {len(responses)} pages", "shoal", "warcio + SQLite"]
    return "\n".join([report.table(head, rows), "", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.store",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    parser.add_argument("--reads", type=int, default=2000)
    options = parser.parse_args()
    stop_on_sigterm()
    web = web_of(options)
    crawler = shoal_crawler("shoal", 64, "understand.content=none")
    with tempfile.TemporaryDirectory(prefix="store-", dir=options.work) as directory:
        out = Path(directory)
        with served(web):
            process_tree.run(crawler.command(web, out), out / "log")
        print(compare(out / "c", out, options.reads))


if __name__ == "__main__":
    main()
