"""`shoal verify` finds every kind of damage, and `shoal repair` mends what can be."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shoal.frontier.state.rows import (
    COUNTS_KEY,
    FRONT_MARK,
    RELAX_MARK,
    SiteRow,
    after_mark,
    site_row_key,
)
from shoal.layout.layout import Layout
from shoal.maintenance.group_findings import Finding
from shoal.maintenance.repair import repair
from shoal.maintenance.verify import verifying
from shoal.model.cell import NUL, newest_key, stamp_of, stamped, value_of
from shoal.model.compression import zstd
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.store.rows import FetchRow
from shoal.store.table import RocksTable
from tests.crash.crawler import Crawler
from tests.crawl.run import crawl
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(
    seed=19,
    hosts=12,
    pages=150,
    skew=0,
    mean_bytes=3000,
    robots=RobotsMix(crawl_delay=0, error=0),
)
PAGES = 80


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.005)}) as running:
        yield running


@pytest.fixture(scope="module")
def half_done(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with stored pages and with work left."""
    directory = tmp_path_factory.mktemp("half") / "corpus"
    summary = crawl(directory, world.web.seeds(), {"crawl.max_pages": PAGES})
    assert summary.status.queued > 10
    return directory


@pytest.fixture
def crawler(world: Running, half_done: Path, tmp_path: Path) -> Crawler:
    """A copy of it, to be damaged. Its settings file would end a crawl too early."""
    directory = tmp_path / "corpus"
    shutil.copytree(half_done, directory, ignore=shutil.ignore_patterns("shoal.toml*"))
    return Crawler(directory, world.web.seeds())


@dataclass
class Patient:
    """A collection's parts, opened to do it harm."""

    table: RocksTable
    warc: Path

    def first(self, family: str, start: bytes = b"\x01", ends: bytes = b"") -> tuple[bytes, bytes]:
        return next(pair for pair in self.table.scan(family, start) if pair[0].endswith(ends))

    def put(self, family: str, key: bytes, value: bytes) -> None:
        batch = self.table.batch()
        batch.put(family, key, value)
        self.table.write(batch)

    def delete(self, family: str, key: bytes) -> None:
        batch = self.table.batch()
        batch.delete(family, key)
        self.table.write(batch)


def wrong_count(patient: Patient) -> None:
    counts = unpack(dict[str, int], patient.table.get("site", COUNTS_KEY) or b"")
    patient.put("site", COUNTS_KEY, pack(counts | {"queued": counts["queued"] + 3}))


def lost_queue_entry(patient: Patient) -> None:
    patient.delete("queue", patient.first("queue", after_mark(RELAX_MARK))[0])


def strange_queue_entry(patient: Patient) -> None:
    key, _ = patient.first("queue", after_mark(RELAX_MARK))
    patient.put("queue", key + b"-and-more", b"")


def lost_front_entry(patient: Patient) -> None:
    patient.delete("queue", patient.first("queue", FRONT_MARK)[0])


def second_front_entry(patient: Patient) -> None:
    key, _ = patient.first("queue", FRONT_MARK)
    patient.put("queue", key[:1] + bytes([key[1] + 1]) + key[2:], b"")


def wrong_site(patient: Patient) -> None:
    key, _ = patient.first("queue", after_mark(RELAX_MARK))
    key = site_row_key(key.partition(NUL)[0])
    row = unpack(SiteRow, patient.table.get("site", key) or b"")
    row.waiting += 1
    patient.put("site", key, pack(row))


def lost_site(patient: Patient) -> None:
    key, _ = patient.first("queue", after_mark(RELAX_MARK))
    patient.delete("site", site_row_key(key.partition(NUL)[0]))


def wrong_record(patient: Patient) -> None:
    """A row that points at another page's record."""
    key, stored = patient.first("page", ends=b"\x00fetch")
    other = patient.first("page", key + b"\x01", ends=b"\x00fetch")[1]
    fetch = unpack(FetchRow, value_of(stored))
    fetch.visit.response = unpack(FetchRow, value_of(other)).visit.response
    patient.put("page", key, stamped(stamp_of(stored), pack(fetch)))


def wrong_digest(patient: Patient) -> None:
    key, stored = patient.first("page", ends=b"\x00fetch")
    fetch = unpack(FetchRow, value_of(stored))
    fetch.document.body_digest = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    patient.put("page", key, stamped(stamp_of(stored), pack(fetch)))


def unreadable_row(patient: Patient) -> None:
    key, stored = patient.first("page", ends=b"\x00fetch")
    patient.put("page", key, stored[:40])


def lost_page(patient: Patient) -> None:
    key, _ = patient.first("page", ends=b"\x00fetch")
    patient.delete("page", key)
    patient.delete("text", key.partition(NUL)[0] + b"\x00body")


def lost_anchor(patient: Patient) -> None:
    patient.delete("anchor", patient.first("anchor")[0])


def strange_anchor(patient: Patient) -> None:
    key, stored = patient.first("anchor")
    patient.put("anchor", newest_key(key.partition(NUL)[0], b"net,nowhere)80:http/"), stored)


def unreadable_links(patient: Patient) -> None:
    key, stored = patient.first("link")
    patient.put("link", key, stored[:20])


def orphan_text(patient: Patient) -> None:
    _, stored = patient.first("text")
    site = site_of_key(patient.first("page", ends=b"\x00fetch")[0])
    patient.put("text", newest_key(site + b"/nowhere", b"body"), stored)


def wrong_text(patient: Patient) -> None:
    key, stored = patient.first("text")
    patient.put("text", key, stamped(stamp_of(stored), zstd(b"something else")))


def number_given_twice(patient: Patient) -> None:
    patient.put("site", b"\x00sequence", (7).to_bytes(8, "big"))


def torn_file(patient: Patient) -> None:
    path = max(patient.warc.glob("*.warc.gz"))
    with path.open("ab") as file:
        file.write(path.read_bytes()[:100])


def cut_file(patient: Patient) -> None:
    path = max(patient.warc.glob("*.warc.gz"))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def missing_file(patient: Patient) -> None:
    for path in patient.warc.glob("*.warc.gz"):
        path.unlink()


Harm = Callable[[Patient], None]
MENDABLE: list[tuple[Harm, str, str]] = [
    (wrong_count, "frontier", "queued: counted"),
    (lost_queue_entry, "frontier", "waits and has no queue entry"),
    (strange_queue_entry, "frontier", "has a queue entry and no row"),
    (lost_front_entry, "frontier", "nobody would look for it"),
    (second_front_entry, "frontier", "in the front index twice"),
    (wrong_site, "frontier", "queue entries and has"),
    (lost_site, "frontier", "and no row"),
    (wrong_record, "record", "Its record is one of"),
    (wrong_digest, "record", "does not have the digest that the row says"),
    (unreadable_row, "row", "does not read"),
    (lost_page, "row", "no page is stored"),
    (lost_anchor, "link", "has no anchor there"),
    (strange_anchor, "link", "an anchor stands here"),
    (unreadable_links, "link", "Its links do not read"),
    (orphan_text, "text", "a text and no stored page"),
    (wrong_text, "text", "does not have the digest"),
    (number_given_twice, "change", "is said to be its last number"),
    (torn_file, "archive", "no whole record"),
    (cut_file, "record", "WARC record"),
    (missing_file, "record", "can't be read"),
]


def harm(crawler: Crawler, how: Harm) -> None:
    with RocksTable(crawler.directory / "table") as table:
        how(Patient(table, crawler.directory / "warc"))


def findings(crawler: Crawler) -> list[Finding]:
    with verifying(Layout(crawler.directory), print) as verifier:
        return list(verifier.findings())


def test_a_sound_collection_has_no_finding(crawler: Crawler) -> None:
    done = crawler.shoal("verify")
    assert done.returncode == 0
    assert done.stdout.startswith("All is well: ")
    assert "Checking links" in done.stderr
    assert "nothing to mend" in crawler.shoal("repair").stdout


@pytest.mark.parametrize(
    ("how", "check", "says"), MENDABLE, ids=lambda it: getattr(it, "__name__", None)
)
def test_damage_is_found_and_mended(crawler: Crawler, how: Harm, check: str, says: str) -> None:
    harm(crawler, how)
    found = findings(crawler)
    assert any(each.check == check and says in each.says for each in found), found
    assert not repair(crawler.directory, print).nothing
    assert findings(crawler) == []
    assert repair(crawler.directory, print).nothing


@pytest.mark.parametrize(
    "how",
    [cut_file, *(pytest.param(each, marks=pytest.mark.slow) for each in (missing_file, lost_page))],
)
def test_what_is_lost_is_fetched_again_after_a_repair(
    crawler: Crawler, world: Running, how: Harm
) -> None:
    harm(crawler, how)
    assert repair(crawler.directory, print).queued_again > 0
    summary = crawl(crawler.directory, crawler.seeds)
    assert summary.status.fetched == len(world.web.crawlable())
    assert findings(crawler) == []
    crawler.check_archive()


def test_damage_within_an_archive_file_is_told_and_its_page_fetched_again(
    crawler: Crawler,
) -> None:
    """What stands there can't be made whole: the file is set aside, and the rest of it goes on."""
    path = max((crawler.directory / "warc").glob("*.warc.gz"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    found = crawler.shoal("verify", "--json")
    assert found.returncode == 1
    told = json.loads(found.stdout)
    assert not told["ok"]
    assert {each["check"] for each in told["findings"]} == {"record", "archive"}
    said = crawler.shoal("repair").stdout
    assert "1 URL: queued, to be fetched again by shoal crawl" in said
    assert f"it is kept in damaged/{path.name}" in said
    assert (crawler.directory / "damaged" / path.name).read_bytes() == data
    assert findings(crawler) == []
    assert "nothing to mend" in crawler.shoal("repair").stdout


def test_a_collection_at_work_is_left_alone(tmp_path: Path) -> None:
    with serve(WEB, {"*": Latency(0.05)}) as running:
        crawler = Crawler(tmp_path / "corpus", running.web.seeds(), delay_seconds=1.0)
        process = crawler.run_until(running, 20)
        try:
            for command in ("verify", "repair"):
                done = crawler.shoal(command)
                assert done.returncode == 2
                assert done.stdout == ""
                assert "writing to" in done.stderr
        finally:
            process.kill()
            process.communicate()
