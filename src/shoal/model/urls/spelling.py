"""Which two URLs are one? A trailing slash of the path is ignored in the seen test only.

On row keys, because the table is asked in row keys. Fetching and resolving use the URL as it was
served.
"""


def seen_row(row: bytes) -> bytes:
    """The row key with a trailing slash of its path left out; the root stays as it is."""
    path, mark, query = row.partition(b"?")
    if path.endswith(b"/") and _has_path(path):
        return path[:-1] + mark + query
    return row


def spellings(row: bytes) -> list[bytes]:
    """The row keys of a URL with and without its trailing slash, as given first."""
    path, mark, query = row.partition(b"?")
    if not _has_path(path):
        return [row]
    return [row, (path[:-1] if path.endswith(b"/") else path + b"/") + mark + query]


def _has_path(path: bytes) -> bool:
    """Whether there is more than the root: `org,x)80:http/` has no path that could end in a
    slash."""
    start = path.find(b"/", path.find(b")"))
    return start >= 0 and len(path) - start > 1
