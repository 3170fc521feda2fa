"""Makes a OneNote section: a page with a title, an outline with a bold run and a list, a table.

[MS-ONESTORE]: lists of nodes, from the root to object spaces, revisions and groups of objects. The
page has two revisions, so that one text has an earlier state.
"""

import struct

GUID = bytes(range(16))
_NOWHERE = struct.pack("<QI", 0xFFFFFFFFFFFFFFFF, 0)
_TEXT, _STYLE, _CHILDREN, _CONTENT = 0x1C001C22, 0x2000342C, 0x24001C20, 0x24001C1F


def properties(
    values: dict[int, str | bytes | bool | list[int]], spaces: list[int] | None = None
) -> bytes:
    """Texts, bytes, flags, and lists of objects' numbers, with the lists of references before."""
    objects = [each for value in values.values() if isinstance(value, list) for each in value]
    spaces = spaces or []
    data = struct.pack("<I", len(objects) | (0 if spaces else 0x80000000))
    data += b"".join(_compact(each) for each in objects)
    if spaces:
        data += struct.pack("<I", len(spaces)) + b"".join(_compact(each) for each in spaces)
    numbers, body = [], b""
    for number, value in values.items():
        numbers.append(number | (value is True) << 31)
        if isinstance(value, list):
            body += struct.pack("<I", len(value)) if number >> 26 & 0x1F == 9 else b""
        elif not isinstance(value, bool):
            raw = value.encode("utf-16-le") if isinstance(value, str) else value
            body += struct.pack("<I", len(raw)) + raw
    if spaces:
        numbers.append(0x2C001D63)
        body += struct.pack("<I", len(spaces))
    return data + struct.pack(f"<H{len(numbers)}I", len(numbers), *numbers) + body


def _compact(number: int) -> bytes:
    return struct.pack("<I", number)


class _File:
    def __init__(self) -> None:
        self.data = bytearray(1024)

    def put(self, data: bytes) -> tuple[int, int]:
        place = len(self.data)
        self.data += data + bytes(-len(data) % 8)
        return place, len(data)

    def nodes(self, *nodes: bytes) -> tuple[int, int]:
        body = struct.pack("<QII", 0xA4567AB1F5F7F4C4, 16, 0) + b"".join(nodes) + bytes(4)
        return self.put(body + _NOWHERE + struct.pack("<Q", 0x8BC215C38233BA4B))

    def group(self, objects: dict[int, tuple[int, bytes]]) -> tuple[int, int]:
        """Declarations of objects: their kinds and properties, by their numbers."""
        table = [node(0x22), node(0x24, struct.pack("<I", 0) + GUID), node(0x28)]
        declared = [
            node(0xA4, struct.pack("<IIBB", number, kind, 0, 1), self.put(data))
            for number, (kind, data) in objects.items()
        ]
        return self.nodes(node(0xB4), *table, *declared, node(0xB8))

    def space(self, *groups: tuple[int, int], root: int) -> tuple[int, int]:
        rooted = node(0x5A, GUID + struct.pack("<II", root, 1))
        revisions = [node(0xB0, b"", group, is_list=True) for group in groups]
        manifest = self.nodes(node(0x14), *revisions, rooted, node(0x1C))
        return self.nodes(node(0x0C), node(0x10, b"", manifest, is_list=True))


def node(
    kind: int, data: bytes = b"", place: tuple[int, int] | None = None, *, is_list: bool = False
) -> bytes:
    base = 0 if place is None else 2 if is_list else 1
    body = (struct.pack("<II", *place) if place else b"") + data
    return struct.pack("<I", kind | (4 + len(body)) << 10 | 1 << 23 | base << 27 | 1 << 31) + body


def _page() -> dict[int, tuple[int, bytes]]:
    """Objects of a page: their kinds and properties, by their numbers."""
    link = '\ufddfHYPERLINK "https://reef.example/fans"'
    rich = "Sea fans grow slowly. " + link + "More"
    starts = struct.pack("<III", 9, 22, 22 + len(link))
    return {
        1: (0x60037, properties({_CONTENT: [2]})),
        2: (0x6000B, properties({0x1C001D75: "Nora Wels", _CHILDREN: [6, 12], 0x24001D5F: [3]})),
        3: (0x6002C, properties({_CHILDREN: [4]})),
        4: (0x6000D, properties({_CONTENT: [5]})),
        5: (0x6000E, properties({_TEXT: "A day at the reef", _STYLE: [20]})),
        6: (0x6000C, properties({_CHILDREN: [7, 9]})),
        7: (0x6000D, properties({_CONTENT: [8]})),
        8: (
            0x6000E,
            properties({_TEXT: rich, 0x1C001E12: starts, 0x24001E13: [21, 22, 22, 22]}),
        ),
        9: (0x6000D, properties({_CONTENT: [10], 0x24001C26: [11]})),
        10: (0x6000E, properties({0x1C003498: b"caf\xe9 at noon"})),
        11: (0x60012, properties({0x1C001C1A: "\x03\ufffd\x00."})),
        12: (0x60022, properties({_CHILDREN: [13]})),
        13: (0x60023, properties({_CHILDREN: [14, 15]})),
        14: (0x60024, properties({_CHILDREN: [16]})),
        15: (0x60024, properties({_CHILDREN: [17]})),
        16: (0x6000D, properties({_CONTENT: [18]})),
        17: (0x6000D, properties({_CONTENT: [19]})),
        18: (0x6000E, properties({_TEXT: "Wrasse"})),
        19: (0x6000E, properties({_TEXT: "14"})),
        20: (0x12004D, properties({0x1C00345A: "PageTitle"})),
        21: (0x12004D, properties({0x08001C04: True})),
        22: (0x12004D, properties({0x08001C04: False})),
    }


def onenote() -> bytes:
    file = _File()
    page = _page()
    old = {8: (0x6000E, properties({_TEXT: "What was written first."}))}
    page_space = file.space(file.group(page | old), file.group({8: page[8]}), root=1)
    section = {
        1: (0x60007, properties({_CHILDREN: [2]})),
        2: (0x60008, properties({}, spaces=[0x63])),
    }
    section_space = file.space(file.group(section), root=1)
    root = file.nodes(
        node(0x04, GUID + struct.pack("<I", 0x62)),
        node(0x08, GUID + struct.pack("<I", 0x62), section_space, is_list=True),
        node(0x08, GUID + struct.pack("<I", 0x63), page_space, is_list=True),
    )
    head = bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3") + bytes(32)
    head += bytes.fromhex("3fdd9a101b91f549a5d01791edc8aed8")
    file.data[: len(head)] = head
    file.data[172:184] = struct.pack("<QI", *root)
    return bytes(file.data)


def onenote_packed() -> bytes:
    """The same page as a server packs it: elements that name each other ([MS-FSSHTTPB])."""
    usual = bytes.fromhex("b9fade84a3aa0d4aa3a8520c77ac7073")
    context, page_space, section_space = _name(1, usual), _name(99), _name(98)
    section = {
        1: (0x60007, properties({_CHILDREN: [2]})),
        2: (0x60008, properties({}, spaces=[0])),
    }
    body = _element(1)
    for cell, space in ((30, page_space), (40, section_space)):
        body += _object(0x0E, context + space + _name(cell) + b"\0")
        body += _object(0x0D, _name(cell + 1) + _name(cell + 2) + b"\0")
    body += _element(2) + _object(0x07, _name(2, usual) + context + section_space)
    for cell, objects, cells in ((30, _page(), []), (40, section, [context + page_space])):
        body += _element(cell) + _object(0x0B, _name(cell + 1))
        body += _element(cell + 2) + _object(0x1A, _name(cell + 1) + b"\0")
        body += _object(0x0A, _name(1, GUID[::-1]) + _name(1)) + _object(0x19, _name(cell + 3))
        body += _element(cell + 3) + _group(objects, cells)
    head = bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3") + bytes(32)
    head += bytes.fromhex("2fe98d63d4a6c14b9a36b3fc2511a5b7") + bytes(4)
    return head + _object(0x7A, bytes(33)) + body


def _group(objects: dict[int, tuple[int, bytes]], cells: list[bytes]) -> bytes:
    declared = data = b""
    for number, (kind, values) in objects.items():
        declared += _object(0x18, _name(number) + b"\x09\x09\0\0")
        declared += _object(0x18, _name(number) + b"\x03\x09\0\0")
        count = struct.unpack_from("<I", values)[0] & 0xFFFFFF
        names = b"".join(_name(each) for each in struct.unpack_from(f"<{count}I", values, 4))
        spaces = cells if kind == 0x60008 else []
        lists = _number(count) + names + _number(len(spaces)) + b"".join(spaces)
        data += _object(0x16, b"\0\0" + _number(4) + struct.pack("<I", kind))
        data += _object(0x16, lists + _number(len(values)) + values)
    return declared + data


def _object(kind: int, payload: bytes) -> bytes:
    return struct.pack("<I", 2 | kind << 3 | len(payload) << 17) + payload


def _element(number: int) -> bytes:
    return _object(0x01, _name(number) + b"\0" + _number(5))


def _name(number: int, guid: bytes = GUID) -> bytes:
    """A GUID and a number, which takes five or ten bits."""
    short = bytes((4 | number << 3,)) if number < 32 else struct.pack("<H", 0x20 | number << 6)
    return short + guid


def _number(value: int) -> bytes:
    return bytes((1 | value << 1,)) if value < 128 else struct.pack("<H", 2 | value << 2)
