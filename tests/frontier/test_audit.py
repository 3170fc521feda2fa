"""The audit finds every kind of disagreement that can be planted in the table."""

from collections.abc import Callable

import pytest

from shoal.frontier.audit.audit import audit
from shoal.frontier.state.rows import (
    ACTIVE_MARK,
    COUNTS_KEY,
    FRONT_MARK,
    SiteRow,
    after_mark,
    front_key,
    pack_url,
    site_row_key,
    url_key,
)
from shoal.model.outcome import State
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import row_key
from shoal.ports import Table
from shoal.store.table import RocksTable
from tests.frontier.play import Play

URL, OTHER = "ftp://a.test/1", "ftp://b.test/1"
ROW = row_key(URL)
SITE = b"test,a)21:ftp"


@pytest.fixture
def sound(play: Play) -> Play:
    """A table with idle and finished sites, nothing active and nothing wrong."""
    play.add(URL, "ftp://a.test/2", OTHER, "ftp://c.test/1")
    play.end(play.expect(URL))
    play.frontier.close()
    assert audit(play.table) == []
    return play


def site_row(play: Play) -> SiteRow:
    stored = play.table.get("site", site_row_key(SITE))
    assert stored is not None
    return unpack(SiteRow, stored)


Fault = Callable[[Play, "Tamper"], None]


class Tamper:
    """Writes past the frontier."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def put(self, family: str, key: bytes, value: bytes) -> None:
        batch = self.table.batch()
        batch.put(family, key, value)
        self.table.write(batch)

    def delete(self, family: str, key: bytes) -> None:
        batch = self.table.batch()
        batch.delete(family, key)
        self.table.write(batch)


def lose_an_entry(play: Play, tamper: Tamper) -> None:
    tamper.delete("queue", next(key for key, _ in play.table.scan("queue", SITE)))


def plant_an_entry(play: Play, tamper: Tamper) -> None:
    key = next(key for key, _ in play.table.scan("queue", SITE))
    tamper.put("queue", key[:-1] + b"9", b"")


def plant_a_second_entry(play: Play, tamper: Tamper) -> None:
    key = next(key for key, _ in play.table.scan("queue", SITE))
    level = len(SITE) + 1
    tamper.put("queue", key[:level] + b"\x01" + key[level + 1 :], b"")


def miscount(play: Play, tamper: Tamper) -> None:
    counts = play.frontier.counts.as_dict()
    counts["queued"] += 1
    tamper.put("site", COUNTS_KEY, pack(counts))


def miscount_sites(play: Play, tamper: Tamper) -> None:
    counts = play.frontier.counts.as_dict()
    counts["total/sites with work"] -= 1
    tamper.put("site", COUNTS_KEY, pack(counts))


def forget_to_wait(play: Play, tamper: Tamper) -> None:
    url = play.row("ftp://a.test/2")
    assert url is not None
    url.waiting = False
    tamper.put("page", url_key(row_key("ftp://a.test/2")), pack_url(url, 0))


def lose_a_row(play: Play, tamper: Tamper) -> None:
    tamper.delete("page", url_key(row_key("ftp://a.test/2")))


def miscount_a_site(play: Play, tamper: Tamper) -> None:
    row = site_row(play)
    row.waiting += 1
    tamper.put("site", site_row_key(SITE), pack(row))


def lose_a_site_from_the_index(play: Play, tamper: Tamper) -> None:
    row = site_row(play)
    tamper.delete("queue", front_key(row.entry_level, row.entry_ready_ms, SITE))
    row.entry_level = -1
    tamper.put("site", site_row_key(SITE), pack(row))


def index_a_site_twice(play: Play, tamper: Tamper) -> None:
    del play
    tamper.put("queue", front_key(7, 0, SITE), b"")


def index_a_site_without_work(play: Play, tamper: Tamper) -> None:
    site = b"test,idle)21:ftp"
    tamper.put("queue", front_key(7, 0, site), b"")
    tamper.put("site", site_row_key(site), pack(SiteRow(entry_level=7)))


def lose_a_site_row(play: Play, tamper: Tamper) -> None:
    del play
    tamper.delete("site", site_row_key(SITE))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lose_an_entry, "waits and has no queue entry"),
        (plant_an_entry, "has a queue entry and no row"),
        (plant_a_second_entry, "has a queue entry that its row does not name"),
        (miscount, "queued: counted 4, found 3."),
        (miscount_sites, "total/sites with work: counted 2, found 3."),
        (forget_to_wait, "is queued and does not wait"),
        (lose_a_row, "has a queue entry and no row"),
        (miscount_a_site, "counts 2 queue entries and has 1"),
        (lose_a_site_from_the_index, "has work, and nobody would look for it"),
        (index_a_site_twice, "is in the front index twice"),
        (index_a_site_without_work, "is in the front index without work"),
        (lose_a_site_row, "has work or an entry in the front index, and no row"),
    ],
)
def test_a_planted_fault_is_found(sound: Play, fault: Fault, said: str) -> None:
    fault(sound, Tamper(sound.table))
    assert any(said in problem for problem in audit(sound.table)), audit(sound.table)


def test_an_active_site_need_not_be_in_the_index(play: Play) -> None:
    play.add(URL, OTHER)
    play.expect(URL)
    marks = list(play.table.scan("queue", ACTIVE_MARK, after_mark(ACTIVE_MARK)))
    front = list(play.table.scan("queue", FRONT_MARK, after_mark(FRONT_MARK)))
    assert (len(marks), len(front)) == (2, 0)
    assert audit(play.table) == []


def test_an_empty_table_is_in_order(table: RocksTable) -> None:
    assert audit(table) == []


def test_it_says_no_more_than_a_person_can_read(sound: Play) -> None:
    row = sound.row(URL)
    assert row is not None
    row.state = State.QUEUED
    batch = sound.table.batch()
    for n in range(3_000):
        batch.put("page", url_key(row_key(f"ftp://a.test/x{n}")), pack_url(row, 0))
    sound.table.write(batch)
    assert len(audit(sound.table)) == 1_000
