"""Checksums against independent answers."""

import hashlib
import io
import shutil
import subprocess
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.exact.checksums import checksums


def test_the_check_values_of_the_standards() -> None:
    found = checksums(io.BytesIO(b"123456789"))
    assert found.crc32 == "cbf43926"
    # CRC-32/CKSUM of the digits and their length, as POSIX defines it.
    assert found.cksum == 930766865
    assert found.byte_sum == sum(b"123456789") == 477
    assert found.length_bytes == 9


def test_nothing_has_checksums_too() -> None:
    found = checksums(io.BytesIO(b""))
    assert found.cksum == 4294967295
    assert found.crc32 == "00000000"
    assert found.sha256 == hashlib.sha256(b"").hexdigest()


@given(st.binary(max_size=3000))
def test_against_a_bitwise_crc_and_the_standard_library(data: bytes) -> None:
    found = checksums(io.BytesIO(data))
    assert found.cksum == _bitwise_cksum(data)
    assert found.crc32 == f"{zlib.crc32(data):08x}"
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.byte_sum == sum(data)


@pytest.mark.skipif(shutil.which("cksum") is None, reason="no cksum command here")
def test_against_the_command_over_several_chunks() -> None:
    data = bytes(range(256)) * 10_000 + b"tail"
    said = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout.split()
    found = checksums(io.BytesIO(data))
    assert [found.cksum, found.length_bytes] == [int(said[0]), int(said[1])]


def test_moved_bytes_keep_the_sum_and_nothing_else() -> None:
    one, other = checksums(io.BytesIO(b"tropical fish")), checksums(io.BytesIO(b"tropical fihs"))
    assert one.byte_sum == other.byte_sum
    assert one.cksum != other.cksum
    assert one.crc32 != other.crc32
    assert one.sha256 != other.sha256


def _bitwise_cksum(data: bytes) -> int:
    length = len(data)
    message = data + length.to_bytes((length.bit_length() + 7) // 8, "little")
    register = 0
    for byte in message:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1) ^ (0x04C11DB7 if register & 0x80000000 else 0)
            register &= 0xFFFFFFFF
    return register ^ 0xFFFFFFFF
