"""How soon does the next answer obey, when other people may read a file?

    python -m benchmarks.own_rights
    python -m benchmarks.own_rights --files 10000

A folder is followed; then its files are given other modes, owners, groups and access control lists,
and a folder above them another name and place. The time is from the call that changes it to the
first answer, to somebody else, that obeys. Run it as root: only root gives files away.
"""

import argparse
import asyncio
import os
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import shoal
from benchmarks import report
from shoal.config import Config
from shoal.engine.own_looks import look_at
from shoal.engine.own_sources import OwnSources
from shoal.loop import run
from shoal.model.principal import Principal

_BOB = 4711
_WHO = Principal(frozenset({f"u:{_BOB}", f"g:{_BOB}", "local"}))
_PATIENCE_SECONDS = 120.0
_NOBODY = 0xFFFFFFFF
_ACL = "system.posix_acl_access"


def found(place: Path) -> int:
    with shoal.open(place, _WHO) as collection:
        return collection.search("zander").total


def seconds(place: Path, change: Callable[[], object], wanted: int) -> float:
    started = time.monotonic()
    change()
    while found(place) != wanted:
        if time.monotonic() - started > _PATIENCE_SECONDS:
            raise SystemExit(f"{found(place)} are found, and not {wanted}")
        time.sleep(0.02)
    return time.monotonic() - started


def share_with(path: Path, uid: int) -> None:
    """What `setfacl -m u:UID:r` does to a file of mode 0600."""
    entries = [(1, 6, _NOBODY), (2, 4, uid), (4, 0, _NOBODY), (16, 4, _NOBODY), (32, 0, _NOBODY)]
    packed = b"".join(struct.pack("<HHI", *each) for each in entries)
    os.setxattr(path, _ACL, struct.pack("<I", 2) + packed)


def measured(place: Path, root: Path, count: int) -> list[tuple[str, float]]:
    one, many = root / "one" / "file.txt", root / "many"
    all_files = sorted(many.rglob("*.txt"))

    def chmod_all(mode: int) -> None:
        for each in all_files:
            each.chmod(mode)

    def give(uid: int, gid: int, mode: int) -> None:
        os.chown(one, uid, gid)
        one.chmod(mode)

    closed = root / "closed"
    steps: list[tuple[str, Callable[[], object], int]] = [
        ("chmod, closed", lambda: one.chmod(0o600), count),
        ("chmod, open", lambda: one.chmod(0o644), count + 1),
        ("chown, away", lambda: give(0, 0, 0o600), count),
        ("chown, to him", lambda: give(_BOB, 0, 0o600), count + 1),
        ("group, away", lambda: give(0, 0, 0o640), count),
        ("group, to his", lambda: give(0, _BOB, 0o640), count + 1),
        ("mode, closed again", lambda: give(0, 0, 0o600), count),
        ("setfacl, to him", lambda: share_with(one, _BOB), count + 1),
        ("parent renamed, into a closed one", lambda: one.parent.rename(closed / "one"), count),
        ("parent renamed, back", lambda: (closed / "one").rename(one.parent), count + 1),
        (f"chmod of {count} files, closed", lambda: chmod_all(0o600), 1),
        (f"chmod of {count} files, open", lambda: chmod_all(0o644), count + 1),
        (f"chmod of the folder of {count}, closed", lambda: many.chmod(0o700), 1),
    ]
    return [(name, seconds(place, change, wanted)) for name, change, wanted in steps]


def build(work: Path, count: int) -> Path:
    work.chmod(0o755)
    root = work / "files"
    for number in range(count):
        path = root / "many" / f"{number // 100:03}" / f"{number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"zander number{number}\n")
    (root / "one").mkdir()
    (root / "one" / "file.txt").write_text("zander alone\n")
    (root / "closed").mkdir(mode=0o700)
    return root


async def follow(place: Path, root: bytes, count: int) -> None:
    config = Config().with_({"files.share": 64.0})
    await look_at(place, config, [root])
    started: asyncio.Future[OwnSources] = asyncio.get_running_loop().create_future()
    following = asyncio.create_task(
        look_at(place, config, forever=True, started=started.set_result)
    )
    sources = await started
    try:
        await asyncio.sleep(2)
        before = sources.taking.read
        rows = await asyncio.to_thread(measured, place, Path(os.fsdecode(root)), count)
        print(report.table(["what changed", "s to obey"], rows))
        print(f"bodies read: {sources.taking.read - before}")
    finally:
        sources.stop()
        await following


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own_rights",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--work", type=Path, help="where everything is built (on a disk)")
    options = parser.parse_args()
    if os.getuid() != 0:
        raise SystemExit("only root may give files away: run it as root")
    with tempfile.TemporaryDirectory(prefix="own-", dir=options.work) as directory:
        work = Path(directory)
        root = bytes(build(work, options.files).resolve())
        run(follow(work / "corpus", root, options.files))


if __name__ == "__main__":
    main()
