"""One collection becomes many and many become one, and nothing is lost or changed on the way."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.api import open as open_collection
from shoal.cluster.outbox import Arrivals, Outbox
from shoal.config import load
from shoal.duplicates.across.repartition import OF_GROUPS
from shoal.duplicates.near.groups import Groups
from shoal.duplicates.near.near import NearIndex
from shoal.engine.engine import Engine
from shoal.errors import Busy, CollectionError, DamagedError, UsageError
from shoal.freshness.price import PriceState
from shoal.freshness.priors import Group
from shoal.freshness.refresher import GROUP_KEY, PRICE_KEY
from shoal.frontier.schedule.credit import CreditRow
from shoal.frontier.state.rows import ADDRESSES_KEY, COUNTS_KEY
from shoal.graph.generations import Summary
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance.verify import verifying
from shoal.model.link import Link
from shoal.model.messages import Handed, Linked, Position, Root, Unlinked
from shoal.model.outcome import State
from shoal.model.principal import OWNER
from shoal.model.record import pack, to_json, unpack
from shoal.model.urls.partition import PARTITION_KEY, Partition, tablet_of_row
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.repartition.repartition import repartition
from shoal.store import archive, archive_ends
from shoal.store.change_log import SEQUENCE_KEY
from shoal.store.claims import locations_of, version_of
from shoal.store.pages import PageStore
from shoal.store.rows import LINKS, OutLink
from shoal.store.table import FAMILIES, RocksTable
from tests.crawl.again import crawl_until
from tests.crawl.run import QUICK, crawl
from tests.store.readers import check
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.01}
TABLETS = 4
SAID = " ".join(f"reef{n} of the coral" for n in range(120))


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    robots = RobotsMix(disallow=0.2, crawl_delay=0, missing=0.2, error=0)
    with serve(Web(seed=9, hosts=8, pages=60, skew=0, starts=4, robots=robots)) as running:
        for host in range(5):
            running.put(host, "/copy", f"<p>{SAID} by {host}</p><p><a href='/more'>more</a></p>")
            running.put(host, "/same", f"<p>{SAID[500:]}</p>")
        yield running


@pytest.fixture(scope="module")
def one(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that was stopped half-way, after some pages were visited twice; with copies on
    several hosts, ranks and an order that waits. Nobody may change it."""
    directory = tmp_path_factory.mktemp("whole") / "one"
    copies = [
        f"http://{world.web.host_name(host)}:{world.port}/{name}"
        for host in range(5)
        for name in ("copy", "same")
    ]
    steady = {**SETTINGS, "refresh.shortest": 0.1, "refresh.longest": 1.0, "refresh.budget": 1e5}
    seeds = [*world.web.seeds(), *copies]
    crawl_until(directory, seeds, steady, lambda: len(world.log()) > 45)
    graph = directory / "graph"
    graph.mkdir(exist_ok=True)
    (graph / "current").write_text("0a1b\n")
    (graph / "0a1b").mkdir()
    (graph / "0a1b" / "summary.json").write_bytes(to_json(Summary(1, 0.0, 0, 0)))
    return directory


def findings(directory: Path) -> list[str]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return [f"{found.check} {found.where}: {found.says}" for found in verifier.findings()]


def files_of(directory: Path) -> dict[str, str]:
    """What a source is, byte for byte; its lock says who held it last."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file() and path.name not in ("lock", "readers")
    }


def split(source: Path, into: Path, tablets: int = TABLETS) -> list[Path]:
    targets = [into / f"{number:03d}" for number in range(tablets)]
    into.mkdir(exist_ok=True)
    repartition([source], targets)
    return targets


def state(directory: Path) -> dict[str, dict[bytes, Any]]:
    """Every cell, with the bytes of its records in the place of their places. Groups by their
    pages; sums of fractions apart (`sums`)."""
    layout = Layout(directory)
    with RocksTable(layout.table, reader=True) as table:
        found: dict[str, dict[bytes, Any]] = {
            family: dict(table.scan(family, b"")) for family in FAMILIES
        }
        index = NearIndex(table)
        groups = Groups(index, lambda _row: None, lambda _row: "")
        found["groups"] = {
            group.representative: sorted(groups.members(group_id))
            for group_id, group in index.all_groups()
        }
    found["page"] = {key: _with_bytes(layout, key, value) for key, value in found["page"].items()}
    found["print"] = {k: v for k, v in found["print"].items() if not k.startswith(OF_GROUPS)}
    site = found["site"]
    counts = unpack(dict[str, int], site.pop(COUNTS_KEY))
    found["counts"] = {name.encode(): n for name, n in counts.items()}
    apart = (PRICE_KEY, SEQUENCE_KEY, GROUP_KEY)
    found["site"] = {
        key: value
        for key, value in site.items()
        if not (key.startswith(apart) or key.endswith(b"\x00credit") or archive_ends.is_mark(key))
    }
    del found["change"]
    return found


def _with_bytes(layout: Layout, key: bytes, stored: bytes) -> Any:
    version = version_of(key, stored)
    if version is None:
        return stored
    spots = locations_of(version.value)
    members = [archive.read_member(layout.warc, spot) for spot in spots]
    text = repr(version)
    for spot, member in zip(spots, members, strict=True):
        text = text.replace(repr(spot), hashlib.sha256(member).hexdigest())
    assert "Spot(" not in text
    return text


def sums(directories: list[Path]) -> tuple[dict[bytes, list[float]], list[float]]:
    """What is kept in sums over pages: credit and rates by their keys, and the price."""
    found: dict[bytes, list[float]] = {}
    price = [0.0] * 3
    for directory in directories:
        with RocksTable(Layout(directory).table, reader=True) as table:
            for key, value in table.scan("site", b""):
                if key.endswith(b"\x00credit"):
                    row = unpack(CreditRow, value)
                    add(found, key, [row.credit, row.purse, row.spent])
                elif key.startswith(GROUP_KEY):
                    group = unpack(Group, value)
                    add(found, key, [group.pages, group.means, group.squares])
                elif key == PRICE_KEY:
                    now = unpack(PriceState, value)
                    price = [
                        a + b
                        for a, b in zip(price, [now.pages, now.planned, now.appetite], strict=True)
                    ]
    return found, price


def add(to: dict[bytes, list[float]], key: bytes, values: list[float]) -> None:
    before = to.get(key, [0.0] * len(values))
    to[key] = [a + b for a, b in zip(before, values, strict=True)]


def same_sums(one: list[Path], other: list[Path]) -> None:
    (kept, price), (found, other_price) = sums(one), sums(other)
    assert found.keys() == kept.keys()
    for key, values in kept.items():
        assert found[key] == pytest.approx(values, rel=1e-6, abs=1e-6), key
    assert other_price == pytest.approx(price, rel=1e-6, abs=1e-6)


def test_there_and_back_again(one: Path, tmp_path: Path) -> None:
    before = files_of(one)
    whole = state(one)
    assert len(whole["queue"]) > 20, "there is something to wait for"
    assert any(len(rows) > 2 for rows in whole["groups"].values()), "there are copies"
    tablets = split(one, tmp_path / "many")
    assert files_of(one) == before
    assert [findings(tablet) for tablet in tablets] == [[]] * TABLETS
    same_sums([one], tablets)
    back = tmp_path / "back"
    repartition(tablets, [back])
    assert findings(back) == []
    again = state(back)
    for family, cells in whole.items():
        assert again[family] == cells, family
    same_sums([one], [back])
    check(*sorted(Layout(back).warc.glob("*.warc.gz")))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["back", "many"]


def test_each_tablet_has_what_is_its_own_and_nothing_else(one: Path, tmp_path: Path) -> None:
    tablets = split(one, tmp_path / "many")
    whole, parts = state(one), [state(tablet) for tablet in tablets]
    for number, part in enumerate(parts):
        for family in ("page", "text", "anchor", "link"):
            for key in part[family]:
                assert tablet_of_row(key.partition(b"\0")[0], TABLETS) == number
        assert part["site"].pop(PARTITION_KEY) is not None
        assert part["site"][ADDRESSES_KEY] == whole["site"][ADDRESSES_KEY]
    for family in ("page", "text", "anchor", "queue"):
        everything = {key: value for part in parts for key, value in part[family].items()}
        if family == "page":  # where a lead is elsewhere, the page says so
            assert everything.keys() == whole[family].keys()
        else:
            assert everything == whole[family]
    assert sum(sum(part["counts"].values()) for part in parts) == sum(whole["counts"].values())
    with open_collection(tablets[0]) as collection:
        assert all(page.body for page in collection.pages())
    for tablet in tablets:
        assert (Layout(tablet).graph / "0a1b" / "summary.json").exists()
        assert (tablet / "shoal.toml").read_bytes() == (one / "shoal.toml").read_bytes()


def test_links_name_their_targets_only_where_both_are(one: Path, tmp_path: Path) -> None:
    left, kept = 0, 0
    for number, tablet in enumerate(split(one, tmp_path / "many")):
        with RocksTable(Layout(tablet).table, reader=True) as table:
            store = PageStore(table, Layout(tablet).warc)
            for page in store.stream(b"\x01", None, OWNER):
                for out in store.links(page.row, OWNER):
                    is_own = tablet_of_row(out.link.row, TABLETS) == number
                    assert bool(out.target) == is_own
                    left, kept = left + (not is_own), kept + is_own
    assert left > 0
    assert kept > 0


def test_a_crawl_goes_on_from_either(world: Running, one: Path, tmp_path: Path) -> None:
    back = tmp_path / "back"
    repartition(split(one, tmp_path / "many"), [back])
    shutil.copytree(one, tmp_path / "copy")
    ends = []
    for directory in (tmp_path / "copy", back):
        assert crawl(directory, [], {**SETTINGS, "crawl.forever": "no"}).finished
        assert findings(directory) == []
        with open_collection(directory) as collection:
            ends.append({url: (row.state, row.depth) for url, row in collection.urls()})
    assert ends[0] == ends[1]
    assert not any(state is State.QUEUED for state, _ in ends[0].values())


def test_the_index_of_a_tablet_is_made_anew(one: Path, tmp_path: Path) -> None:
    (tablet,) = split(one, tmp_path / "many", 1)
    found = []
    for directory in (tablet, shutil.copytree(one, tmp_path / "copy")):
        bring_up_to_date(directory)
        with open_collection(directory) as collection:
            found.append({hit.url for hit in collection.search("reef7", limit=50)})
    assert found[0] == found[1] != set()


# --- items that were on their way -----------------------------------------------------------------

FAR = "http://far.example/a"
"""Of a tablet of its own, as is:"""
NEAR = "http://next.example/page"


def elsewhere(tablets: int) -> tuple[int, int]:
    found = tablet_of_row(row_key(FAR), tablets), tablet_of_row(row_key(NEAR), tablets)
    assert found[0] != found[1]
    return found


def test_what_was_on_its_way_has_its_effect_once(one: Path, tmp_path: Path) -> None:
    """Links of a page of one tablet for another: one that was taken already, though its sender does
    not know, one that was not, and one that was taken back."""
    tablets = split(one, tmp_path / "many", 2)
    far, near = elsewhere(2)
    source = next(
        page for page in state(tablets[near])["link"] if tablet_of_row(page, 2) == near
    ).partition(b"\0")[0]
    with RocksTable(Layout(tablets[near]).table) as table:
        outbox, batch = Outbox(table, Partition(near, 2), 1), table.batch()
        cells = PageStore(table, Layout(tablets[near]).warc).cells
        links = cells.get(source, LINKS)
        assert links is not None
        new = OutLink(Link(FAR + "new", row_key(FAR + "new"), "new"), b"")
        stored = [*unpack(list[OutLink], links.value), new]
        cells.put(batch, source, LINKS, pack(stored), links.when)
        for name in ("taken", "new", "gone"):
            link = Link(FAR + name, row_key(FAR + name), name)
            outbox.send_to(batch, far, Linked([link], 2, 0, source, 1000))
        outbox.send_to(batch, far, Unlinked(row_key(FAR + "gone"), source, 2000))
        outbox.send_to(batch, far, Handed(site_of_key(row_key(FAR)), 8.0))
        outbox.send_to(batch, far, Root("http://moved.example/"))
        table.write(batch)
    with RocksTable(Layout(tablets[far]).table) as table:
        batch = table.batch()
        Arrivals(table).note(batch, near, Position(1, 1))
        table.write(batch)
    back = tmp_path / "back"
    moved = repartition(tablets, [back])
    assert moved.items == 3
    assert findings(back) == []
    with RocksTable(Layout(back).table, reader=True) as table:
        store = PageStore(table, Layout(back).warc)
        assert [a.text for _, _, a in store.anchors(row_key(FAR + "new"), OWNER)] == ["new"]
        assert list(store.anchors(row_key(FAR + "gone"), OWNER)) == []
        assert table.get("page", row_key(FAR + "new") + b"\0url") is not None
        assert table.get("page", row_key(FAR + "taken") + b"\0url") is None
        credit = table.get("site", b"far.example\0credit")
        assert credit is not None
        assert unpack(CreditRow, credit).credit == 8.0
    engine = Engine(back, load(back, QUICK, {}))
    assert "http://moved.example/" in engine.roots
    asyncio.run(engine.close())


def test_items_for_others_are_addressed_anew(one: Path, tmp_path: Path) -> None:
    tablets = split(one, tmp_path / "many", 2)
    far, near = elsewhere(2)
    with RocksTable(Layout(tablets[near]).table) as table:
        outbox, batch = Outbox(table, Partition(near, 2), 7), table.batch()
        link = Link(FAR, row_key(FAR), "far")
        outbox.send_to(batch, far, Linked([link], 2, 0, row_key(NEAR), 1000))
        table.write(batch)
    again = [tmp_path / f"again{number}" for number in range(3)]
    repartition(tablets, again)
    far, near = elsewhere(3)
    with RocksTable(Layout(again[near]).table, reader=True) as table:
        outbox = Outbox(table, Partition(near, 3), 1)
        assert outbox.targets() == [far]
        assert outbox.after(far, Position(), 10, 1000)[0][0] > Position()
    assert [findings(tablet) for tablet in again] == [[]] * 3


# --- what goes wrong ------------------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from shoal.repartition.repartition import repartition
repartition([Path(sys.argv[1])], [Path(each) for each in sys.argv[2:]])
"""


@pytest.mark.parametrize(
    "point", ["repartition.surveyed", "repartition.middle", "repartition.made"]
)
def test_a_kill_leaves_the_source_whole_and_no_target(
    one: Path, tmp_path: Path, point: str
) -> None:
    before = files_of(one)
    targets = [tmp_path / "a", tmp_path / "b"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(one), *map(str, targets)],
        env={**os.environ, "SHOAL_FAULT": point},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    assert files_of(one) == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.part", "b.part"]
    repartition([one], targets)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]
    assert [findings(target) for target in targets] == [[], []]


def test_a_damaged_archive_is_told_and_nothing_is_left(one: Path, tmp_path: Path) -> None:
    shutil.copytree(one, tmp_path / "torn")
    path = max(archive.files(Layout(tmp_path / "torn").warc), key=lambda file: file.stat().st_size)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DamagedError, match="shoal repair"):
        repartition([tmp_path / "torn"], [tmp_path / "a"])
    path.unlink()
    with pytest.raises(DamagedError, match="put it back"):
        repartition([tmp_path / "torn"], [tmp_path / "a"])
    assert [each.name for each in tmp_path.iterdir()] == ["torn"]


def test_what_is_not_known_is_not_left_behind(one: Path, tmp_path: Path) -> None:
    for family, key in (("site", b"\x00later"), ("queue", b"\x00x"), ("print", b"later\x00x")):
        strange = tmp_path / family
        shutil.copytree(one, strange)
        with RocksTable(Layout(strange).table) as table:
            batch = table.batch()
            batch.put(family, key, b"x")
            table.write(batch)
        with pytest.raises(CollectionError, match="does not know"):
            repartition([strange], [tmp_path / "a"])
    assert not (tmp_path / "a.part").exists()


def test_what_can_not_be_asked(one: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(CollectionError, match="not empty"):
        repartition([one], [tmp_path / "full"])
    with pytest.raises(CollectionError, match="no collection"):
        repartition([tmp_path / "none"], [tmp_path / "a"])
    with pytest.raises(UsageError):
        repartition([one], [tmp_path / "a", tmp_path / "a"])
    with pytest.raises(UsageError):
        repartition([one], [])
    with WriteLock(Layout(one)), pytest.raises(Busy):
        repartition([one], [tmp_path / "a"])
    with pytest.raises(CollectionError, match="not the tablets of one cluster"):
        repartition([one, shutil.copytree(one, tmp_path / "other")], [tmp_path / "a"])
    assert not (tmp_path / "a").exists()
