"""How does a storage within a compound file become a file of its own? By writing one around it.

A document that is embedded in another lies there as a storage; the converters take whole files.
Written from [MS-CFB]: the names of a storage are chained to the right (readers, ours among them,
search no tree), short streams go into the mini stream. Sectors are large when there is much to
write, so that the header's own list of table sectors is always long enough.
"""

import struct

from shoal.converters.ole.ole import MAGIC, Compound

_MINI, _CUTOFF = 64, 4096
_END, _FREE, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF
_SMALL_BYTES = 6_000_000
_MAX_BYTES = 100_000_000


def extract(compound: Compound, storage: str) -> bytes:
    """The storage as a compound file; empty when it holds nothing, or too much."""
    streams = {name[len(storage) + 1 :]: compound.read(name) for name in compound.below(storage)}
    return pack(streams, compound.clsid_of(storage))


def pack(streams: dict[str, bytes], clsid: bytes = b"") -> bytes:
    """A compound file of these streams; a `/` in a path means a storage."""
    total = sum(map(len, streams.values()))
    if not streams or total > _MAX_BYTES:
        return b""
    version, shift = (3, 9) if total < _SMALL_BYTES else (4, 12)
    sector = 1 << shift
    tree = _tree(streams)
    mini = bytearray()
    mini_fat: list[int] = []
    body = bytearray()
    fat: list[int] = []
    places: dict[str, tuple[int, int]] = {}
    for path, data in streams.items():
        if len(data) < _CUTOFF:
            places[path] = (_append(mini, mini_fat, data, _MINI), len(data))
        else:
            places[path] = (_append(body, fat, data, sector), len(data))
    root = (_append(body, fat, bytes(mini), sector), len(mini))
    directory = _directory(tree, places, root, clsid)
    directory_at = _append(body, fat, directory, sector)
    table = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    table += b"\xff" * (-len(table) % sector)
    mini_at = _append(body, fat, table, sector)
    count = 1
    while count * (sector // 4) < len(fat) + count:
        count += 1
    first = len(fat)
    fat += [_FAT] * count
    fat += [_FREE] * (count * (sector // 4) - len(fat))
    body += struct.pack(f"<{len(fat)}I", *fat)
    listed = [*range(first, first + count), *[_FREE] * (109 - count)]
    counts = (count, directory_at, 0, _CUTOFF, mini_at, len(table) // sector, _END, 0)
    header = MAGIC + bytes(16) + struct.pack("<HHHHH6xI", 0x3E, version, 0xFFFE, shift, 6, 0)
    header += struct.pack("<8I109I", *counts, *listed)
    return header.ljust(sector, b"\0") + bytes(body)


def _append(body: bytearray, table: list[int], data: bytes, step: int) -> int:
    """Where the data begins; its chain is put into the table."""
    if not data:
        return _END
    start, count = len(table), -(-len(data) // step)
    body += data + bytes(-len(data) % step)
    table += [*range(start + 1, start + count), _END]
    return start


def _tree(streams: dict[str, bytes]) -> list[tuple[str, str, bool]]:
    """(path, parent, is a storage), each storage before what it holds."""
    rows: dict[str, tuple[str, str, bool]] = {}
    for path in streams:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            storage = "/".join(parts[:depth])
            rows.setdefault(storage, (storage, "/".join(parts[: depth - 1]), True))
        rows[path] = (path, "/".join(parts[:-1]), False)
    return list(rows.values())


def _directory(
    tree: list[tuple[str, str, bool]],
    places: dict[str, tuple[int, int]],
    root: tuple[int, int],
    clsid: bytes,
) -> bytes:
    first: dict[str, int] = {}
    following = [_NONE] * (len(tree) + 1)
    last: dict[str, int] = {}
    for number, (_, parent, _) in enumerate(tree, 1):
        if parent in last:
            following[last[parent]] = number
        else:
            first[parent] = number
        last[parent] = number
    rows = [_entry("Root Entry", 5, (_NONE, first.get("", _NONE)), root)]
    for number, (path, _, is_storage) in enumerate(tree, 1):
        name = path.rpartition("/")[2]
        if is_storage:
            chain = (following[number], first.get(path, _NONE))
            rows.append(_entry(name, 1, chain, (0, 0)))
        else:
            rows.append(_entry(name, 2, (following[number], _NONE), places[path]))
    data = bytearray(b"".join(rows))
    data[80:96] = clsid.ljust(16, b"\0")[:16]
    return bytes(data) + _entry("", 0, (_NONE, _NONE), (0, 0)) * (-len(rows) % 4)


def _entry(name: str, kind: int, chain: tuple[int, int], place: tuple[int, int]) -> bytes:
    written = name.encode("utf-16-le")[:62]
    right, child = chain
    return struct.pack(
        "<64sHBBIII36xIQ",
        *(written, len(written) + 2 if name else 0, kind, 1),
        *(_NONE, right, child, *place),
    )
