"""How are long lists of numbers kept in files? As they are: little-endian, without a head.

Read by memory map, so that opening costs nothing and the operating system decides what stays in
memory. Written in pieces, one behind the other.
"""

from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.closing import Closing

U4 = np.dtype("<u4")
U8 = np.dtype("<u8")
I8 = np.dtype("<i8")
F4 = np.dtype("<f4")
F8 = np.dtype("<f8")

Scalar = TypeVar("Scalar", bound=np.generic)

Ids: TypeAlias = NDArray[np.uint32]
Hashes: TypeAlias = NDArray[np.uint64]
Offsets: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


def mapped(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A file's numbers; an empty file can't be mapped, and needs no map."""
    if path.stat().st_size == 0:
        return np.empty(0, dtype)
    # As a plain array: each slice of a memmap would be one more object with a finder of its own.
    return np.asarray(np.memmap(path, dtype, mode="r"))


def write(path: Path, numbers: NDArray[Any], dtype: np.dtype[Any]) -> None:
    with Appended(path, dtype) as out:
        out.add(numbers)


def each_once(numbers: NDArray[Scalar]) -> NDArray[Scalar]:
    """Ascending. By sorting: `np.unique` goes through a hash table, which takes ten times as long
    and has no order to be read in."""
    ordered = np.sort(numbers)
    if not len(ordered):
        return ordered
    is_new = np.empty(len(ordered), np.bool_)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


class Appended(Closing):
    """A file that numbers are added to."""

    def __init__(self, path: Path, dtype: np.dtype[Any]) -> None:
        self._file = path.open("wb")
        self._dtype = dtype

    def add(self, numbers: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(numbers, self._dtype).data)

    def close(self) -> None:
        self._file.close()
