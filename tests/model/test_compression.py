"""Frames that hold bytes as they are can be read like any other."""

import pytest

from shoal.model.compression import unzstd, zstd_stored

BLOCK = 128 << 10


@pytest.mark.parametrize("length", [0, 1, 255, 256, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_what_is_stored_is_read_back(length: int) -> None:
    data = bytes(range(256)) * (length // 256 + 1)
    assert unzstd(zstd_stored(data[:length])) == data[:length]
