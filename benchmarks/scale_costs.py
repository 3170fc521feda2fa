"""What does one page, and one link, cost? What docs/scale.md multiplies by a billion.

    python -m benchmarks.scale_costs                         5,000 real pages: a minute
    python -m benchmarks.scale_costs --pages 500 --hosts 50  a quick look

The web of benchmarks/web.py is crawled once, as the command comes (content, near-duplicates,
anchors, full-text index). Then its collection is weighed: RocksDB's files after a compaction, by
family; the archive; the index. Links are read back from the table; what of them would go to another
tablet is packed as the outbox packs it. Bytes of the network are those of requests and responses
with their heads, without what TCP, TLS and DNS add.
"""

import argparse
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import shoal
from benchmarks import process_tree, report
from benchmarks.crawlers import shoal_crawler
from benchmarks.web import add_arguments, served, stop_on_sigterm, web_of
from shoal.collection.view import TabletView
from shoal.model.link import Link, Rel
from shoal.model.messages import Linked, Sketched
from shoal.model.record import pack
from shoal.model.urls.partition import tablet_of_row
from shoal.store.table import RocksTable

_TABLETS = 512
_SKETCH_BYTES, _MARKS_BYTES = 1024, 128
"""As large as they get: 256 hashes of 4 bytes, 16 marks of 8."""
_WORTH_BYTES = 16
_NOW_MS = 1_700_000_000_000
_NOT_VOTING = Rel.FEED | Rel.SITEMAP


@dataclass
class Links:
    """What was read back of them, added up."""

    pages: int = 0
    links: int = 0
    elsewhere: int = 0
    """To a host of another tablet."""
    parcel_bytes: int = 0
    sketch_bytes: int = 0

    @property
    def per_page(self) -> float:
        return self.links / max(1, self.pages)


def links_of(collection: TabletView) -> tuple[Links, int]:
    """And how many different pages they lead to."""
    found, targets = Links(), set()
    for page in collection.pages():
        row = collection.row(page.url)
        home = tablet_of_row(row, _TABLETS)
        found.pages += 1
        sketch = Sketched(row, bytes(_SKETCH_BYTES), bytes(_MARKS_BYTES), "0" * 32, b"")
        found.sketch_bytes += len(pack(sketch)) + _WORTH_BYTES
        parcels: defaultdict[int, list[Link]] = defaultdict(list)
        for each in collection.store.links_of(row):
            if not each.link.rel & _NOT_VOTING:
                found.links += 1
                targets.add(each.link.row)
                parcels[tablet_of_row(each.link.row, _TABLETS)].append(each.link)
        for tablet, links in parcels.items():
            if tablet != home:
                found.elsewhere += len(links)
                found.parcel_bytes += len(pack(Linked(links, 2, 0, row, _NOW_MS)))
    return found, len(targets)


def table_bytes(directory: Path) -> dict[str, int]:
    """By family, after the work that RocksDB puts off."""
    with RocksTable(directory / "table") as table:
        table.compact()
        return {name: size for name, size in table.bytes_on_disk().items() if size}


def below(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def weigh(directory: Path, cost: process_tree.Cost) -> str:
    families = table_bytes(directory)
    with shoal.open(directory) as collection:
        status = collection.status()
        found, targets = links_of(collection)
    pages, elsewhere = found.pages, max(1, found.elsewhere)
    disk = {
        "table": sum(families.values()),
        **{f"  {family}": size for family, size in families.items()},
        "archive": below(directory / "warc"),
        "index": below(directory / "index"),
    }
    rows: list[list[object]] = [
        ["CPU ms, main process", 1000 * cost.own_cpu_seconds / pages],
        ["CPU ms, children", 1000 * cost.children_cpu_seconds / pages],
        ["peak MB of the whole tree, not per page", cost.peak_bytes / 1e6],
        ["pages per second, not per page", pages / cost.seconds],
        ["bytes received", status.totals.get("bytes", 0) / pages],
        *([f"bytes on disk, {name}", size / pages] for name, size in disk.items()),
        ["URLs known", status.discovered / pages],
        ["links", found.per_page],
        ["different pages linked to", targets / pages],
        ["links to other tablets", found.elsewhere / pages],
        ["bytes of such a link as it travels, per link", found.parcel_bytes / elsewhere],
        ["bytes of a sketch as it travels, at most", found.sketch_bytes / pages],
    ]
    return report.table([f"per page, of {pages}", ""], rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale_costs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    options = parser.parse_args()
    stop_on_sigterm()
    web = web_of(options)
    crawler = shoal_crawler("shoal", 64)
    with tempfile.TemporaryDirectory(prefix="scale-", dir=options.work) as directory:
        out = Path(directory)
        with served(web):
            cost = process_tree.run(crawler.command(web, out), out / "log")
        print(weigh(out / "c", cost))


if __name__ == "__main__":
    main()
