"""What is embedded in an RTF file? The data of an OLE 1 object, as MS-OLEDS 2.2 lays it out.

`\\objdata` is hexadecimal: a header with the class's name, then the native data: a compound
file, or for class "Package" a file with its name (the Packager's stream, MS-OLEDS calls it native).
"""

import re
import struct

_NOT_HEX = re.compile(r"[^0-9A-Fa-f]+")
_EMBEDDED = 2
_FILE = 3


def embedded(digits: str) -> tuple[str, bytes]:
    """Its name, empty when it has none, and its bytes, empty when there is nothing to read."""
    digits = _NOT_HEX.sub("", digits)
    data = bytes.fromhex(digits[: len(digits) & ~1])
    try:
        return _native(data)
    except (struct.error, ValueError, IndexError):
        return "", b""


def _native(data: bytes) -> tuple[str, bytes]:
    _, kind = struct.unpack_from("<II", data)
    if kind != _EMBEDDED:
        return "", b""
    class_name, position = _string(data, 8)
    for _ in range(2):  # topic and item
        _, position = _string(data, position)
    (size,) = struct.unpack_from("<I", data, position)
    native = data[position + 4 : position + 4 + size]
    return _package(native) if class_name.rstrip(b"\0").lower() == b"package" else ("", native)


def _string(data: bytes, position: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", data, position)
    end = position + 4 + size
    if end > len(data):
        raise ValueError(size)
    return data[position + 4 : end], end


def _package(native: bytes) -> tuple[str, bytes]:
    position = native.index(b"\0", 2) + 1
    label = native[2 : position - 1]
    position = native.index(b"\0", position) + 1
    _, kind, path_bytes = struct.unpack_from("<HHI", native, position)
    position += 8 + path_bytes
    (size,) = struct.unpack_from("<I", native, position)
    if kind != _FILE:
        return "", b""
    name = label.decode("cp1252", "replace").replace("\\", "/").rpartition("/")[2]
    return name, native[position + 4 : position + 4 + size]
