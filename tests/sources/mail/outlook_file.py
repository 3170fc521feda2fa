"""Files of Outlook (.pst, of the kind before 2003), made for tests after [MS-PST].

Pages of the two trees, blocks, a heap with properties in each: no more than a program needs that
reads mails. Texts are short, so that each property fits into its heap.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PAGE = 512
_START = 0x4400
"""Of the first block; before it is the header."""
_ROOT, _STORE, _TOP = 0x122, 0x21, 0x8022
_LONG, _STRING, _BINARY = 0x03, 0x1E, 0x102
_NAME, _COUNT, _SUBTREE, _MASK = 0x3001, 0x3602, 0x35E0, 0x35DF
_CLASS, _SUBJECT, _HEADERS, _BODY = 0x1A, 0x37, 0x7D, 0x1000
_HEAP_HEAD, _FIRST_VALUE = 12, 3


class _Property(NamedTuple):
    number: int
    kind: int
    value: int | bytes


class _Node(NamedTuple):
    number: int
    parent: int
    data: bytes


def outlook_file(folders: Mapping[str, Sequence[bytes]]) -> bytes:
    """Folders with their mails, each a head and a text."""
    entry = bytes(20) + struct.pack("<I", _TOP)
    nodes = [
        _Node(
            _STORE,
            0,
            _heap(
                [
                    _Property(_NAME, _STRING, b"Store"),
                    _Property(_MASK, _LONG, 1),
                    _Property(_SUBTREE, _BINARY, entry),
                ]
            ),
        ),
        _Node(_ROOT, _ROOT, _folder("", 0)),
        _Node(_TOP, _ROOT, _folder("Outlook", 0)),
    ]
    mail = 0x200024
    for number, (name, mails) in enumerate(folders.items(), 1):
        folder = _TOP + 0x20 * number
        nodes.append(_Node(folder, _TOP, _folder(name, len(mails))))
        for each in mails:
            nodes.append(_Node(mail, folder, _mail(each)))
            mail += 0x20
    return _file(sorted(nodes))


def _folder(name: str, mails: int) -> bytes:
    return _heap(
        [_Property(_NAME, _STRING, name.encode("latin-1")), _Property(_COUNT, _LONG, mails)],
    )


def _mail(mail: bytes) -> bytes:
    head, _, text = mail.partition(b"\n\n")
    subject = next(
        (line[9:] for line in head.split(b"\n") if line.startswith(b"Subject: ")), b"none"
    )
    return _heap(
        [
            _Property(_CLASS, _STRING, b"IPM.Note"),
            _Property(_SUBJECT, _STRING, subject),
            _Property(_HEADERS, _STRING, head.replace(b"\n", b"\r\n") + b"\r\n"),
            _Property(_BODY, _STRING, text),
        ]
    )


def _heap(properties: Sequence[_Property]) -> bytes:
    values = [each.value for each in properties if isinstance(each.value, bytes)]
    numbers = iter(range(_FIRST_VALUE, _FIRST_VALUE + len(values)))
    records = b"".join(
        struct.pack(
            "<HHI",
            each.number,
            each.kind,
            each.value if isinstance(each.value, int) else next(numbers) << 5,
        )
        for each in sorted(properties)
    )
    ordered = [each.value for each in sorted(properties) if isinstance(each.value, bytes)]
    parts = [struct.pack("<BBBBI", 0xB5, 2, 6, 0, 2 << 5), records, *ordered]
    body, places = b"", [_HEAP_HEAD]
    for part in parts:
        body += part
        places.append(_HEAP_HEAD + len(body))
    body += bytes(len(body) % 2)
    head = struct.pack("<HBBII", _HEAP_HEAD + len(body), 0xEC, 0xBC, 1 << 5, 0)
    return head + body + struct.pack(f"<HH{len(places)}H", len(parts), 0, *places)


def _file(nodes: Sequence[_Node]) -> bytes:
    blocks, of_blocks, of_nodes = b"", [], []
    for number, node in enumerate(nodes, 1):
        place = _START + len(blocks)
        blocks += node.data + bytes(-(len(node.data) + 12) % 64 + 12)
        of_blocks.append(struct.pack("<IIHH", 4 * number, place, len(node.data), 2))
        of_nodes.append(struct.pack("<IIII", node.number, 4 * number, 0, node.parent))
    blocks += bytes(-(_START + len(blocks)) % _PAGE)
    pages, of_block_tree = _tree(of_blocks, 0x80, _START + len(blocks), 1)
    more, of_node_tree = _tree(of_nodes, 0x81, _START + len(blocks) + len(pages), 1_001)
    whole = _START + len(blocks) + len(pages) + len(more)
    head = bytearray(_START)
    head[:12] = b"!BDN\0\0\0\0SM" + struct.pack("<H", 14)
    head[0xA8:0xAC] = struct.pack("<I", whole)
    head[0xB8:0xC8] = struct.pack("<IIII", *of_node_tree, *of_block_tree)
    return bytes(head) + blocks + pages + more


def _tree(
    entries: Sequence[bytes], kind: int, place: int, number: int
) -> tuple[bytes, tuple[int, int]]:
    """Leaves with a root above them; where the root is."""
    size = len(entries[0])
    most = 496 // size
    pages, above = b"", []
    for start in range(0, len(entries), most):
        some = entries[start : start + most]
        above.append(some[0][:4] + struct.pack("<II", number, place + len(pages)))
        pages += _page(some, kind, 0, number)
        number += 1
    root = place + len(pages)
    assert len(above) <= 496 // 12
    return pages + _page(above, kind, 1, number), (number, root)


def _page(entries: Sequence[bytes], kind: int, level: int, number: int) -> bytes:
    size = len(entries[0])
    counts = struct.pack("<BBBB", len(entries), 496 // size, size, level)
    trailer = struct.pack("<BBHII", kind, kind, 0, number, 0)
    return b"".join(entries).ljust(496, b"\0") + counts + trailer
