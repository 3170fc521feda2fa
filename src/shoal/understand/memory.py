"""How does a process give memory back? The C library keeps what was freed, for the next page.

After one huge page that would be hundreds of megabytes for the rest of a child's life. glibc has a
call for it; elsewhere nothing happens.
"""

import ctypes
from functools import cache
from typing import Any


@cache
def _c_library() -> Any:
    try:
        library = ctypes.CDLL(None)
    except OSError:  # pragma: no cover  # no dynamic C library on this platform
        return None
    return library if hasattr(library, "malloc_trim") else None


def give_memory_back() -> None:
    library = _c_library()
    if library is not None:
        library.malloc_trim(0)
