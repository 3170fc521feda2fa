"""Whatever is damaged, `shoal repair` leaves every archived page stored and found, or says what is
lost. Damage is done to the files as a bad disk would: bits flipped, files cut short, files gone."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest

from shoal.access.indexing import update_index
from shoal.analysis.ranking import rank
from shoal.api import open as open_collection
from shoal.config import load
from shoal.errors import DamagedError
from shoal.layout.layout import Layout
from shoal.maintenance.repair import repair
from shoal.maintenance.verify import verifying
from shoal.model.urls.rowkey import row_key
from shoal.store.archived_visits import archived_visits
from shoal.store.table import RocksTable
from tests.cli.command import Shoal
from tests.crawl.run import crawl
from tests.world import Latency, RobotsMix, Web, serve

WEB = Web(
    seed=23, hosts=6, pages=60, skew=0, mean_bytes=2000, robots=RobotsMix(crawl_delay=0, error=0)
)
DAMAGED_PARTS = ("table", "graph", "index", "shoal.toml")
FAST, ALL = (0, 1, 2, 3, 4, 5, 12), 100


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("sound") / "corpus"
    with serve(WEB, {"*": Latency(0.001)}) as running:
        settings = {"crawl.max_pages": 40, "politeness.delay": 0.02, "index.follow": "yes"}
        summary = crawl(directory, running.web.seeds(), settings)
    rank(directory)
    assert summary.status.queued
    assert summary.status.fetched == 40
    return directory


@pytest.fixture
def patient(sound: Path, tmp_path: Path) -> Path:
    directory = tmp_path / "corpus"
    shutil.copytree(sound, directory)
    return directory


def flip(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 8)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def cut(path: Path, random: Random) -> None:
    os.truncate(path, random.randrange(path.stat().st_size))


def delete(path: Path, random: Random) -> None:
    del random
    path.unlink()


def check(directory: Path) -> None:
    """Every page that the archive holds is stored and found, and nothing is left to mend."""
    with verifying(Layout(directory), lambda _: None) as verifier:
        assert list(verifier.findings()) == []
    urls = {visit.url for visit in archived_visits(directory / "warc")}
    update_index(str(directory))
    with open_collection(directory) as collection:
        assert {page.url for page in collection.pages()} == urls
        assert all(collection.holds(row_key(url)) for url in urls)
        host = urlsplit(min(urls)).hostname
        assert collection.search(f"site:{host}").results
    with verifying(Layout(directory), lambda _: None) as verifier:
        assert list(verifier.findings()) == []


def first(directory: Path, pattern: str) -> Path:
    return max((directory / "table").glob(pattern), key=lambda path: path.stat().st_size)


def lost_current(directory: Path) -> None:
    (directory / "table" / "CURRENT").unlink()


def lost_list(directory: Path) -> None:
    first(directory, "MANIFEST-*").unlink()


def short_list(directory: Path) -> None:
    os.truncate(first(directory, "MANIFEST-*"), 900)


def lost_file(directory: Path) -> None:
    first(directory, "*.sst").unlink()


def damaged_block(directory: Path) -> None:
    path = first(directory, "*.sst")
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x10
    path.write_bytes(data)


def lost_files(directory: Path) -> None:
    for path in (directory / "table").glob("*.sst"):
        path.unlink()


def lost_table(directory: Path) -> None:
    shutil.rmtree(directory / "table")


HARMS = (lost_current, lost_list, short_list, lost_file, damaged_block, lost_files, lost_table)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_damaged_table_is_made_anew(patient: Path, harm: Callable[[Path], None]) -> None:
    before = statuses(patient)
    harm(patient)
    left = {path.name for path in (patient / "table").glob("*")}
    done = repair(patient, lambda _: None)
    assert len(done.salvaged) == 1
    assert done.records_unread == []
    assert done.queued_again == 0
    check(patient)
    assert statuses(patient)["fetched"] == before["fetched"]
    if left:  # what was damaged is set aside as it was
        aside = patient / done.salvaged[0].set_aside
        assert left <= {path.name for path in aside.iterdir()}
    assert repair(patient, lambda _: None).nothing


def statuses(directory: Path) -> dict[str, int]:
    with open_collection(directory) as collection:
        status = collection.status()
    return {"fetched": status.fetched, "requests": status.totals["requests"]}


def test_visits_that_were_counted_are_not_counted_again(patient: Path) -> None:
    before = statuses(patient)
    damaged_block(patient)
    repair(patient, lambda _: None)
    assert statuses(patient) == before


def test_a_table_can_be_made_anew_though_nothing_is_wrong(patient: Path) -> None:
    before = statuses(patient)
    done = Shoal(patient.parent).ok("repair", "--from-archive")
    assert "The table was made anew (it was asked for); it is kept in damaged/table-" in done.text
    assert statuses(patient) == before
    check(patient)


@pytest.mark.parametrize("harm", [lost_current, lost_list, damaged_block, lost_table])
def test_who_reads_a_damaged_table_is_told_what_brings_it_back(
    patient: Path, harm: Callable[[Path], None]
) -> None:
    harm(patient)
    files = {path.name for path in (patient / "table").glob("*.sst")}
    for words in (("verify",), ("crawl", "http://127.0.0.1:9/")):
        if harm is damaged_block and words[0] == "crawl":
            continue  # the block may be of a page that it does not ask for
        done = Shoal(patient.parent)(*words, "--dir", str(patient))
        assert done.code in (1, 2), done.err
        assert f"shoal repair --dir {patient}" in done.err
        assert "Traceback" not in done.err
    assert files == {path.name for path in (patient / "table").glob("*.sst")}


def test_a_repair_that_was_killed_between_two_renames_is_ended(patient: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.maintenance.salvage._put_in_place", _killed)
        lost_current(patient)
        with pytest.raises(KeyboardInterrupt):
            repair(patient, lambda _: None)
    (patient / "table").rename(patient / "damaged-by-hand")
    with pytest.raises(DamagedError, match="shoal repair --dir"):
        Layout(patient).must_exist()
    assert repair(patient, lambda _: None).salvaged[0].why == "an earlier repair was interrupted"
    check(patient)


def _killed(*_: object) -> str:
    raise KeyboardInterrupt


def test_visits_that_the_log_of_the_table_lost_come_back(patient: Path) -> None:
    """Whoever deletes the log has a table that opens, with rows that are older than the archive."""
    with RocksTable(patient / "table") as table:
        batch = table.batch()
        for family in ("page", "text", "link", "anchor", "queue", "print"):
            for key, _ in table.scan(family, b""):
                batch.delete(family, key)
        table.write(batch)
    with verifying(Layout(patient), lambda _: None) as verifier:
        assert any("has no row" in each.says for each in verifier.findings())
    done = repair(patient, lambda _: None)
    assert done.taken_from_archive == 40
    assert done.salvaged == []
    check(patient)


def files_of(part: Path) -> list[Path]:
    """Those that hold something."""
    found = [part] if part.is_file() else sorted(part.rglob("*"))
    return [path for path in found if path.is_file() and path.stat().st_size]


def flip_first(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 0x10
    path.write_bytes(data)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    "harm",
    [
        flip_first,
        pytest.param(halve, marks=pytest.mark.slow),
        pytest.param(Path.unlink, marks=pytest.mark.slow),
    ],
)
def test_damage_in_derived_files_is_told(
    patient: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """Each file of the graph and of the index by itself."""
    kept = tmp_path / "kept"
    for path in [*files_of(patient / "graph"), *files_of(patient / "index")]:
        if path.name in ("shoal-index-version", ".managed.json"):
            continue  # of another release: it is rebuilt; a list of what may be deleted
        shutil.copyfile(path, kept)
        harm(path)
        with verifying(Layout(patient), lambda _: None) as verifier:
            found = {each.check for each in verifier.findings()}
        assert found in ({"graph"}, {"index"}), path.name
        shutil.copyfile(kept, path)
    check(patient)


@pytest.mark.parametrize("part", ["graph", "index"])
def test_a_search_over_damaged_files_answers_or_says_one_sentence(patient: Path, part: str) -> None:
    random = Random(7)
    for path in files_of(patient / part):
        random.choice((flip, cut))(path, random)
    done = Shoal(patient.parent)("search", "history")
    assert "Traceback" not in done.err
    assert "fault in Shoal" not in done.err
    assert done.code == 0 or "shoal reindex" in done.err
    repair(patient, lambda _: None)
    check(patient)


@pytest.mark.parametrize("part", ["graph", "index"])
def test_a_directory_of_derived_files_that_is_gone_comes_back(patient: Path, part: str) -> None:
    shutil.rmtree(patient / part)
    with verifying(Layout(patient), lambda _: None) as verifier:
        found = [each.check for each in verifier.findings()]
    assert found == (["index"] if part == "index" else [])  # ranks are nobody's duty
    assert repair(patient, lambda _: None).index_forgotten == (part == "index")
    check(patient)


def test_a_damaged_settings_file_names_its_line_and_the_way_back(patient: Path) -> None:
    path = patient / "shoal.toml"
    good, lines = path.read_bytes(), path.read_bytes().split(b"\n")
    number = next(n for n, line in enumerate(lines) if line.startswith(b"max_pages"))
    shoal = Shoal(patient.parent)
    for bad in (b"max_pages \x00 40", b"max_\xffages = 40", b"max_pagez = 40", b'max_pages = "x"'):
        path.write_bytes(b"\n".join([*lines[:number], bad, *lines[number + 1 :]]))
        said = shoal("crawl").err
        assert f"line {number + 1}" in said, said
        assert f"shoal repair --dir {patient.name}" in said, said
        told = shoal.ok("repair").text
        assert "The settings were taken from shoal.toml.last; the damaged file is kept in" in told
        assert path.read_bytes() == good
    path.unlink()
    assert "taken from shoal.toml.last." in shoal.ok("repair").text
    assert path.read_bytes() == good


def test_settings_that_are_lost_twice_are_said_to_be_the_defaults(patient: Path) -> None:
    for name in ("shoal.toml", "shoal.toml.last"):
        (patient / name).write_bytes(b"[crawl\n")
    told = Shoal(patient.parent).ok("repair").text
    assert "The settings were taken from the defaults" in told
    check(patient)


SEEDS = [
    seed if seed in FAST else pytest.param(seed, marks=pytest.mark.slow) for seed in range(ALL)
]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_damage_is_mended_or_told(patient: Path, seed: int) -> None:
    random = Random(seed)
    part = patient / DAMAGED_PARTS[seed % len(DAMAGED_PARTS)]
    victims = files_of(part)
    for path in random.sample(victims, min(len(victims), random.randint(1, 2))):
        random.choice((flip, cut, delete))(path, random)
    repair(patient, lambda _: None)
    load(patient, {}, {})
    check(patient)
