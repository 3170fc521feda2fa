import bz2
import gzip
import lzma
import subprocess
import zlib

import pytest

from shoal.converters.archive import lz as archive_lz
from shoal.converters.archive import packed
from shoal.converters.limits import Limits
from tests.converters.archive_parts import opening, read

TEXT = b"".join(b"%d fish swim past the reef; %d stay.\n" % (n * n, n) for n in range(3_000))


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("a.txt.gz", "a.txt"),
        ("a.tgz", "a.tar"),
        ("a.svgz", "a.svg"),
        ("a.tbz2", "a.tar"),
        ("a.Z", "a"),
        (".gz", ".gz"),
        ("a", "a"),
    ],
)
def test_inner_names(name: str, inner: str) -> None:
    assert packed.inner_name(b"", name) == inner


def test_the_name_in_a_gzip_header_counts_when_the_file_has_none() -> None:
    body = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03fish.txt\0" + zlib.compress(b"x")
    assert packed.inner_name(body, "download") == "fish.txt"


def test_one_stream_is_one_document_without_a_name() -> None:
    (document,) = read(gzip.compress(b"A moray."), "moray.txt.gz")
    assert (document.name, document.page.text) == ("", "A moray.")


def test_streams_in_a_row_are_one() -> None:
    for compress, name in (
        (bz2.compress, "a.bz2"),
        (lzma.compress, "a.xz"),
        (gzip.compress, "a.gz"),
    ):
        body = compress(b"moray ") + compress(b"wrasse")
        assert read(body, name)[0].page.text == "moray wrasse"


def test_a_cut_stream_gives_what_came_before() -> None:
    body = gzip.compress(TEXT)
    (document,) = read(body[: len(body) // 2], "a.txt.gz")
    assert document.page.text.startswith("0 fish swim")
    assert document.problem
    whole = lzma.compress(TEXT)
    (document,) = read(whole[: len(whole) // 2], "a.txt.xz")
    assert document.page.text.startswith("0 fish swim")
    assert document.problem == "damaged: the stream ends too early"


def test_when_nothing_inside_can_be_read_the_name_is_listed() -> None:
    (document,) = packed.convert(gzip.compress(b"x"), opening("a.bin.gz", Limits(depth=0)))
    assert document.page.text == "a.bin"


@pytest.mark.parametrize("program", [["lz4", "-c"], ["lz4", "-c", "-BD", "-9"], ["compress", "-c"]])
def test_own_decoders_agree_with_the_programs(program: list[str]) -> None:
    try:
        body = subprocess.run(program, input=TEXT, capture_output=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip(f"{program[0]} is not installed")
    assert packed.unpack(body, len(TEXT) + 1, "x") == (TEXT, "")
    cut = packed.unpack(body, 1_000, "x")
    assert cut.data == TEXT[:1_000]
    assert cut.problem.startswith("cut")


def test_lz4_bombs_are_cut() -> None:
    block = b"\x1fA\x01\x00" + b"\xff" * 60_000 + b"\x00"
    body = archive_lz.LZ4_MAGIC + b"\x60\x70\x73" + len(block).to_bytes(4, "little") + block
    unpacked = archive_lz.unlz4(body, 100_000)
    assert len(unpacked.data) == 100_000
    assert unpacked.problem.startswith("cut")


def test_references_before_the_start_are_damage() -> None:
    block = b"\x10A\xff\xff\x00"
    body = archive_lz.LZ4_MAGIC + b"\x60\x70\x73" + len(block).to_bytes(4, "little") + block
    assert archive_lz.unlz4(body, 100).problem.startswith("damaged")
    assert archive_lz.uncompress(b"\x1f\x9d\x90\xff\xff\xff", 100).problem.startswith("damaged")
    assert archive_lz.unsnappy(archive_lz.SNAPPY_MAGIC + b"\0\x07\0\0....\x09\x01\xff", 99).problem


def test_a_gzip_that_holds_itself_ends() -> None:
    body = gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"fish"))))
    documents = read(body, "a.gz.gz.gz.gz")
    assert len(documents) == 1
