"""Which URL has a file of this machine? Its path, byte for byte: names need not be UTF-8."""

from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

_START = "file://"


def file_url(path: bytes) -> str:
    return _START + quote_from_bytes(path)


def path_of_file_url(url: str) -> bytes:
    """The path that `file_url` was given; of a document inside a file, the file's."""
    return unquote_to_bytes(url.removeprefix(_START).partition("#")[0])


def shown_name(url: str) -> str:
    """What people call a file, or a document inside one or a mail; empty for other URLs."""
    place, _, inside = url.partition("#")
    if inside and not url.startswith(("http:", "https:")):
        return unquote(inside)
    if not url.startswith(_START):
        return ""
    return path_of_file_url(place).rpartition(b"/")[2].decode("utf-8", "replace")
