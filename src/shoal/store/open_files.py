"""How many files may this process have open? As many as the system lets it, up to what helps.

What a shell allows (1,024, often) is a default that most systems let a process raise for itself. A
table needs more when it is large: with fewer descriptors than it has files, a look-up by key has to
open one ever so often and costs four to ten times as much (docs/benchmarks.md, frontier).
"""

import resource
import sys

_ENOUGH = 8192
_TABLES_SHARE = 2
"""One in so many is the table's; the others are for connections, archives and readers."""


def allowed() -> int:
    """How many there may be, once a table was opened."""
    soft, hard = map(_number, resource.getrlimit(resource.RLIMIT_NOFILE))
    return max(soft, min(_ENOUGH, hard))


def for_table() -> int:
    """Raise the limit; returns how many files a table may keep open. Each takes two kilobytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _number(soft) < allowed():
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed(), hard))
    return tables_share(allowed())


def tables_share(files: int) -> int:
    return min(files, _ENOUGH) // _TABLES_SHARE


def _number(limit: int) -> int:
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit
