"""Where does an export go, and in which form? A file appears only when it is whole."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import UsageError
from shoal.whole_file import whole_file


@contextmanager
def destination(output: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that replaces an older one only at the end, if it has anything."""
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(Path(output), or_none=True) as file:
            yield file
    except OSError as error:
        raise UsageError(f"{output} can't be written: {error.strerror or error}") from error
