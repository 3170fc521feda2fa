"""Content encodings: every kind, stacked, cut, damaged, lying and hostile bodies."""

import gzip
import time
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.encoding import MAX_MEMBERS, undo

PAGE = b"".join(
    b'<p>fish %d <a href="/%d">reef</a></p>\n' % (i, i * 7919 % 1000) for i in range(999)
)
MB = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODE = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("name", ENCODE)
def test_each_encoding_is_undone(name: str) -> None:
    assert undo(ENCODE[name](PAGE), name, 50 * MB, 500) == (PAGE, "")


def test_deflate_without_its_header_is_undone_too() -> None:
    assert undo(raw_deflate(PAGE), "deflate", 50 * MB, 500) == (PAGE, "")


@pytest.mark.parametrize("header", ["", "identity", " Identity , ", ","])
def test_no_encoding_is_no_change(header: str) -> None:
    assert undo(PAGE, header, 50 * MB, 500) == (PAGE, "")


def test_encodings_are_undone_last_first() -> None:
    body = zstandard.compress(brotli.compress(gzip.compress(PAGE)))
    assert undo(body, "GZIP, br , zstd", 50 * MB, 500) == (PAGE, "")


def test_more_than_three_are_left_alone() -> None:
    data, problem = undo(b"body", "gzip, gzip, gzip, gzip", 50 * MB, 500)
    assert data == b"body"
    assert problem == "more than 3 content encodings"


def test_an_unknown_encoding_is_named() -> None:
    data, problem = undo(PAGE, "utf-8", 50 * MB, 500)
    assert data == PAGE
    assert problem == "unknown content encoding 'utf-8'"


@pytest.mark.parametrize("name", ENCODE)
def test_an_encoding_that_was_only_declared_is_no_loss(name: str) -> None:
    data, problem = undo(PAGE, name, 50 * MB, 500)
    assert data == PAGE
    assert problem == f"declared as {name}, but is not"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_a_stream_that_ends_early_gives_its_beginning(name: str) -> None:
    body = ENCODE[name](PAGE)
    data, problem = undo(body[: len(body) * 3 // 4], name, 50 * MB, 500)
    assert problem == f"the {name} stream ends too early"
    assert len(data) > len(PAGE) // 10
    assert PAGE.startswith(data)


def test_a_zstd_stream_gives_its_whole_blocks() -> None:
    page = bytes(range(256)) * 2000  # several blocks of 128 KiB
    body = zstandard.compress(page + PAGE)
    data, problem = undo(body[:-20], "zstd", 50 * MB, 500)
    assert problem == "the zstd stream ends too early"
    assert (page + PAGE).startswith(data)
    assert len(data) >= 128 * 1024


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_what_stands_before_the_damage_is_kept(name: str) -> None:
    body = bytearray(ENCODE[name](PAGE))
    middle = len(body) // 2
    body[middle : middle + 40] = b"\xff" * 40
    data, problem = undo(bytes(body), name, 50 * MB, 500)
    assert problem == f"the {name} stream is damaged"
    assert len(data) > len(PAGE) // 10
    assert PAGE.startswith(data[: len(PAGE) // 10])


def test_a_wrong_checksum_is_told() -> None:
    body = gzip.compress(PAGE)
    data, problem = undo(body[:-8] + b"\0\0\0\0" + body[-4:], "gzip", 50 * MB, 500)
    assert problem == "the gzip stream is damaged"
    assert PAGE.startswith(data)
    assert len(data) > len(PAGE) * 9 // 10


def test_members_follow_each_other_and_padding_is_ignored() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two ") + b"\0" * 100
    assert undo(body, "gzip", 50 * MB, 500) == (b"one two ", "")
    body = zstandard.compress(b"one ") + zstandard.compress(b"two")
    assert undo(body, "zstd", 50 * MB, 500) == (b"one two", "")


def test_endless_empty_members_end() -> None:
    body = gzip.compress(b"") * (MAX_MEMBERS + 500) + gzip.compress(b"late")
    assert undo(body, "gzip", 50 * MB, 500) == (b"", "")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_bounded_by_size(name: str) -> None:
    bomb = ENCODE[name](b"\0" * 20 * MB)
    data, problem = undo(bomb, name, 5 * MB, 10**9)
    assert len(data) == 5 * MB
    assert problem.startswith("cut: it decodes to more than")


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_is_bounded_by_ratio(name: str) -> None:
    bomb = ENCODE[name](b"\0" * 20 * MB)
    data, problem = undo(bomb, name, 50 * MB, 2)
    assert len(data) == MB  # so much is always allowed
    assert problem.startswith("cut")


def test_a_bomb_in_a_bomb_is_bounded() -> None:
    bomb = gzip.compress(gzip.compress(gzip.compress(b"\0" * 20 * MB)))
    started = time.process_time()
    data, problem = undo(bomb, "gzip, gzip, gzip", 2 * MB, 10**9)
    assert len(data) == 2 * MB
    assert problem.startswith("cut")
    assert time.process_time() - started < 5


def test_a_small_page_may_be_very_repetitive() -> None:
    page = b"<br>" * 200_000
    assert undo(gzip.compress(page), "gzip", 50 * MB, 10) == (page, "")


def test_a_plain_body_is_bounded_too() -> None:
    assert undo(b"x" * 100, "", 10, 500) == (b"x" * 10, "cut: it decodes to more than 0 MB")


NAMES = st.sampled_from(["gzip", "deflate", "br", "zstd", "identity", "x-gzip", "huffman", ""])


@given(st.binary(max_size=300), st.lists(NAMES, max_size=4), st.binary(max_size=20))
def test_nothing_raises(body: bytes, names: list[str], magic: bytes) -> None:
    data, problem = undo(magic + body, ",".join(names), MB, 100)
    assert isinstance(data, bytes)
    assert isinstance(problem, str)


@given(st.sampled_from(sorted(ENCODE)), st.integers(0, 400), st.integers(0, 255))
def test_no_flipped_byte_raises(name: str, position: int, value: int) -> None:
    body = bytearray(ENCODE[name](PAGE))
    body[position % len(body)] = value
    data, _ = undo(bytes(body), name, 50 * MB, 500)
    assert len(data) <= 50 * MB
