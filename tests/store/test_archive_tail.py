"""Torn archive files: cut at their last whole record, and never before it."""

import gzip
import os
import random
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.model.document import WarcLocation
from shoal.store import archive
from shoal.store.archive import ArchiveWriter, read_record_at
from shoal.store.archive_tail import Tail, mend
from shoal.store.members import members
from tests.store.parts import answer, visit_to
from tests.store.readers import by_warcio, check

BODIES = (b"one " * 30, random.Random(7).randbytes(40_000), b"", bytes(200_000), b"five")


class Made(NamedTuple):
    path: Path
    data: bytes
    ends: list[int]
    """Where each record ends."""
    spots: list[WarcLocation]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """One file of eleven records; the small ones last."""
    spots = []
    with ArchiveWriter(tmp_path / "warc", 1 << 30, "Shoal/test") as writer:
        for number, body in enumerate(BODIES):
            written = writer.write(visit_to(f"https://reef.example/{number}"), answer(body))
            spots += [spot for spot in written if spot is not None]
    (path,) = archive.files(tmp_path / "warc")
    ends = [spots[0].offset, *(spot.offset + spot.length for spot in spots)]
    return Made(path, path.read_bytes(), ends, spots)


def mended(made: Made, data: bytes, sound: int = 0) -> bytes:
    made.path.write_bytes(data)
    tails = mend(made.path.parent, {made.path.name: sound} if sound else {})
    if not made.path.exists():
        assert tails == [Tail(made.path.name, 0, len(data))]
        return b""
    left = made.path.read_bytes()
    cut = len(data) - len(left)
    assert tails == ([Tail(made.path.name, len(left), cut)] if cut else [])
    return left


def test_the_walk_finds_every_record_where_it_is(made: Made) -> None:
    found = [(member.offset, member.length) for member in members(made.path)]
    assert found[1:] == [(spot.offset, spot.length) for spot in made.spots]
    assert [member.end for member in members(made.path)] == made.ends
    heads = [member.head for member in members(made.path, head_bytes=30)]
    assert all(head.startswith(b"WARC/1.1\r\nWARC-Type: ") and len(head) == 30 for head in heads)
    assert len(list(members(made.path, made.ends[3]))) == len(made.ends) - 4


def test_a_whole_file_is_left_alone(made: Made) -> None:
    before = made.path.stat().st_mtime_ns
    for sound in ({}, {made.path.name: made.ends[4]}, {made.path.name: len(made.data)}):
        assert mend(made.path.parent, sound) == []
    assert made.path.stat().st_mtime_ns == before


def test_cut_anywhere_in_its_last_record_it_ends_before_that(made: Made) -> None:
    begin, end = made.ends[-2:]
    for size in range(begin, end):
        assert mended(made, made.data[:size]) == made.data[:begin]
    assert mended(made, made.data[:end]) == made.data
    assert check(made.path) == ""


def test_cut_anywhere_at_all_it_keeps_every_whole_record(made: Made) -> None:
    for size in range(1, len(made.data), 211):
        whole = max((end for end in made.ends if end <= size), default=0)
        assert mended(made, made.data[:size]) == made.data[:whole]


def test_a_file_without_one_whole_record_goes(made: Made) -> None:
    """An empty file is no WARC file, and no row points into it."""
    for size in (1, 5, 100, made.ends[0] - 1):
        mended(made, made.data[:size])
        assert not made.path.exists()


def test_what_is_sound_is_not_read_again(made: Made) -> None:
    """Damage before the mark is nobody's business here; the tail behind it is mended."""
    sound = made.ends[6]
    damaged = bytearray(made.data)
    damaged[made.ends[2] + 40] ^= 0xFF
    torn = bytes(damaged[: made.ends[-2] + 20])
    assert mended(made, torn, sound) == torn[: made.ends[-2]]
    assert mended(made, bytes(damaged[:sound]) + b"\x1f", sound) == bytes(damaged[:sound])


@pytest.mark.parametrize("tail_bytes", [0, 1, 30])
def test_a_mark_in_the_middle_of_a_record_cuts_no_record_behind_it(
    made: Made, tail_bytes: int
) -> None:
    """A sync may look while a child is writing; what it wrote then is whole by now."""
    data = made.data + made.data[made.ends[0] :][:tail_bytes]
    for begin, end in ((made.ends[1], made.ends[2]), (made.ends[3], made.ends[4])):
        for sound in (begin + 1, (begin + end) // 2, end - 1):
            assert mended(made, data, sound) == made.data


def test_a_mark_in_the_middle_of_the_torn_record_itself(made: Made) -> None:
    begin = made.ends[2]
    torn = made.data[: begin + 20_000]
    assert mended(made, torn, begin + 10_000) == made.data[:begin]


def test_a_mark_beyond_the_end_of_the_file(made: Made) -> None:
    assert mended(made, made.data[:-5], len(made.data)) == made.data[:-5]


def test_no_whole_record_behind_a_damaged_one_is_cut(made: Made) -> None:
    for position in (made.ends[1] + 1, made.ends[3] + 50, made.ends[3] - 3):
        damaged = bytearray(made.data)
        damaged[position] ^= 0xFF
        assert mended(made, bytes(damaged)) == bytes(damaged)
        torn = bytes(damaged[:-5])
        assert mended(made, torn) == torn[: made.ends[-2]]
    last = made.spots[-1]
    made.path.write_bytes(made.data)
    assert read_record_at(made.path.parent, last).headers["warc-type"] == "request"


@pytest.mark.parametrize(
    "garbage",
    [bytes(5_000), b"\x1f\x8b\x08" * 900, b"noise" * 100],
    ids=["zeros", "beginnings", "noise"],
)
def test_what_a_power_loss_leaves_is_cut(made: Made, garbage: bytes) -> None:
    assert mended(made, made.data + garbage) == made.data
    assert mended(made, made.data + garbage, made.ends[4]) == made.data
    assert mended(made, made.data + garbage, len(made.data)) == made.data


def test_a_gzip_file_inside_a_torn_record_is_not_taken_for_one(made: Made) -> None:
    inner = gzip.compress(random.Random(3).randbytes(3_000), mtime=0)
    garbage = b"\x1f\x8b\x08\xff" + inner + b"rest"
    assert mended(made, made.data + garbage) == made.data


@pytest.mark.parametrize(
    "content", [b"", b"WARC/1.1\r\nnot packed", bytes(100)], ids=["empty", "not packed", "zeros"]
)
def test_a_file_that_is_not_ours_stays_as_it_is(made: Made, content: bytes) -> None:
    other = made.path.with_name("other.warc.gz")
    other.write_bytes(content)
    assert mend(made.path.parent, {}) == []
    assert other.read_bytes() == content
    assert made.path.read_bytes() == made.data


def test_a_killed_writer_leaves_a_file_that_mends(tmp_path: Path) -> None:
    """SIGKILL in the middle of an append: the writer is stopped between two pieces of a record."""
    program = """
        import os, signal, sys
        from pathlib import Path
        from shoal.store.archive import ArchiveWriter
        from tests.store.parts import answer, visit_to
        writer = ArchiveWriter(Path(sys.argv[1]), 1 << 30, "Shoal/test")
        for number in range(20):
            writer.write(visit_to(f"https://reef.example/{number}"), answer(os.urandom(5_000)))
        real = os.write
        def half(fd, data):
            real(fd, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        os.write = half
        writer.write(visit_to("https://reef.example/torn"), answer(os.urandom(5_000)))
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    (path,) = archive.files(tmp_path)
    (tail,) = mend(tmp_path, {})
    assert tail.cut_bytes > 1_000
    assert check(path) == ""
    urls = [seen.url for seen in by_warcio(path) if seen.kind == "response"]
    assert urls == [f"https://reef.example/{number}" for number in range(20)]


@pytest.mark.slow
def test_memory_stays_small_whatever_a_record_holds(tmp_path: Path) -> None:
    """120 MB of zeros in half a megabyte: walked in a process that has not that much memory."""
    path = tmp_path / "big.warc.gz"
    packed = subprocess.run(
        ["gzip", "-1"],
        input=b"WARC/1.1\r\nContent-Length: 120000000\r\n\r\n" + bytes(120_000_000),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    path.write_bytes(packed * 2)
    program = """
        import resource, sys
        from pathlib import Path
        from shoal.store.members import members
        resource.setrlimit(resource.RLIMIT_DATA, (90 << 20, 90 << 20))
        print([member.length for member in members(Path(sys.argv[1]), head_bytes=1 << 20)])
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MALLOC_ARENA_MAX": "1"},
    )
    assert ran.stderr == ""
    assert ran.stdout.strip() == str([len(packed)] * 2)
