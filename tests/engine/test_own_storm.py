"""After a storm in one's own folders, beside whoever reads them and whoever kills that, what is
stored and found is what the disk has."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.engine.own_sources import OwnSources
from tests.cli.command import clean_environment
from tests.engine.own_parts import (
    Storm,
    add,
    is_as_on_disk,
    look,
    on_disk,
    place,
    root,
    stored,
    watching,
)

__all__ = ["place", "root"]

KILLS = (
    "commit.before:40",
    "commit.after:60",
    "source.read:30",
    "source.moving:3",
    "source.removed:10",
    "source.shared:2",
    "index.committing+parent:2",
    "commit.before:300",
    "commit.after:500",
    "",
)
FEW_WATCHES = ("files.max_watches=100", "files.poll=1")
SLICES = 50
QUIET_SECONDS = 300.0
END_SECONDS = 60.0


def test_after_a_storm_the_index_is_the_disk(place: Path, root: Path) -> None:
    weather(place, root, rounds=3, times=150)


@pytest.mark.slow
def test_after_a_great_storm_the_index_is_the_disk(place: Path, root: Path) -> None:
    weather(place, root, rounds=10, times=10_000)


def weather(place: Path, root: Path, rounds: int, times: int) -> None:
    """Half of each round blows while it is watched, half while nobody looks."""
    storm = Storm(root, seed=7)
    look(place, root)

    async def work(_: OwnSources) -> None:
        storm.blow(times // 2)
        await asyncio.sleep(0.2)

    for _ in range(rounds):
        watching(place, work)
        storm.blow(times // 2)
    look(place)
    is_as_on_disk(place, root)


POINTS = ("commit.before:9", "commit.after:9", "source.read:5", "source.moving", "source.removed:2")


@pytest.mark.parametrize(
    "point",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in POINTS),
        *("commit.before:9", "source.shared"),
    ],
)
def test_a_kill_loses_nothing_and_repeats_nothing_wrongly(
    place: Path, root: Path, point: str
) -> None:
    storm = Storm(root, seed=11)
    storm.blow(100)
    add(place, root)
    storm.blow(200)
    (root / "zz").write_text("zander the last")
    # Without an index process, which would go on for a moment.
    code = add(place, root, SHOAL_FAULT=point, SHOAL_INDEX_FOLLOW="no")
    assert code == -signal.SIGKILL or point.startswith("source.")
    storm.blow(20)
    assert add(place, root) == 0
    is_as_on_disk(place, root)


@pytest.mark.slow
def test_a_storm_beside_ten_kills_and_too_few_watches(place: Path, root: Path) -> None:
    """More folders than may be watched; files vanish and grow while they are read."""
    storm = Storm(root, seed=22, folders=20, deep=8)
    storm.blow(1_000)
    assert add(place, root) == 0
    for point in KILLS:
        watcher, started = watch(place, point), set[int]()
        try:
            for _ in range(SLICES):
                storm.blow(10_000 // SLICES)
                started.update(children_of(watcher.pid))
                time.sleep(0.05)
        finally:
            kill(watcher, started)
    watcher = watch(place)
    try:
        deadline = time.monotonic() + QUIET_SECONDS
        while stored(place) != on_disk(root) and time.monotonic() < deadline:
            time.sleep(2)
        assert stored(place) == on_disk(root)
        watcher.send_signal(signal.SIGINT)
        watcher.wait(END_SECONDS)
    finally:
        kill(watcher, children_of(watcher.pid))
    is_as_on_disk(place, root)


def watch(place: Path, point: str = "") -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", "-m", "shoal", "watch", "--dir", str(place), "--quiet"]
    for each in ("files.share=64", "crawl.children=1", *FEW_WATCHES):
        command += ["--set", each]
    variables = clean_environment() | {"SHOAL_INDEX_FOLLOW": "yes", "SHOAL_FAULT": point}
    return subprocess.Popen(command, env=variables)


def kill(watcher: "subprocess.Popen[bytes]", children: "set[int]") -> None:
    """Until all that it started has ended: whoever goes on would be in the way of the next."""
    watcher.kill()
    watcher.wait()
    deadline = time.monotonic() + END_SECONDS
    while any(Path(f"/proc/{each}").exists() for each in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children_of(pid: int) -> "set[int]":
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return {int(each) for each in found.read_text().split()} if found.exists() else set()
