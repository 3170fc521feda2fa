"""Which URL has a file of this machine? Its path, byte for byte: names need not be UTF-8."""

from urllib.parse import quote_from_bytes, unquote_to_bytes

_START = "file://"


def file_url(path: bytes) -> str:
    return _START + quote_from_bytes(path)


def path_of_file_url(url: str) -> bytes:
    """The path that `file_url` was given; of a document inside a file, the file's."""
    return unquote_to_bytes(url.removeprefix(_START).partition("#")[0])
