"""How are paths put together and taken apart that need not be text? As bytes, as the disk has
them."""


def join(directory: bytes, name: bytes) -> bytes:
    return directory.rstrip(b"/") + b"/" + name


def parent_of(path: bytes) -> bytes:
    """Of a whole path; that of `/` is itself."""
    return path.rpartition(b"/")[0] or b"/"


def name_of(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
