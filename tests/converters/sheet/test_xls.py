import hashlib
import struct
from collections.abc import Callable

import pytest

from shoal.converters.context import Converted
from shoal.converters.ole.pack import pack
from shoal.converters.sheet.biff import Reader, rk
from shoal.converters.sheet.xls import convert
from shoal.model.page import Page, Tag
from shoal.model.record import changed
from tests.converters.parts import context

PASSWORD = "VelvetSweatshop"


def record(number: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", number, len(data)) + data


def begin(kind: int, version: int = 0x600) -> bytes:
    return record(0x809, struct.pack("<HHHHII", version, kind, 0, 0, 0, 0))


def text(value: str) -> bytes:
    return struct.pack("<HB", len(value), 0) + value.encode("latin-1")


def label(row: int, column: int, value: str) -> bytes:
    return record(0x204, struct.pack("<HHH", row, column, 0) + text(value))


def book(sheet: bytes, strings: bytes = b"", lock: bytes = b"") -> bytes:
    """A workbook stream with one sheet."""
    head = begin(5) + (record(0x2F, lock) if lock else b"")
    name = b"\x04\x00Reef"
    at = len(head) + 4 + 6 + len(name) + len(strings) + 4
    head += record(0x85, struct.pack("<IH", at, 0) + name)
    return head + strings + record(0x0A) + begin(0x10) + sheet + record(0x0A)


def page_of(stream: bytes, name: str = "Workbook") -> Page:
    document, *_ = convert(pack({name: stream}), context())
    return document.page


def texts(page: Page, kind: Tag) -> list[str]:
    return [block.text for block in page.blocks if block.kind is kind]


@pytest.mark.parametrize(
    ("number", "value"),
    [(0x3FF00000, 1.0), ((15 << 2) | 3, 0.15), (((-5 & 0x3FFFFFFF) << 2) | 2, -5.0)],
)
def test_short_numbers(number: int, value: float) -> None:
    assert rk(number) == value


def test_a_string_cut_by_a_continue_record_changes_its_width() -> None:
    pieces = [b"\x05\x00\x00ab", b"\x01" + "çdé".encode("utf-16-le")]
    assert Reader(pieces).string(2) == "abçdé"


def test_shared_strings_over_several_records() -> None:
    first = struct.pack("<II", 2, 2) + text("barracuda")[:7]
    strings = record(0xFC, first) + record(0x3C, b"\x00acuda" + text("eel"))
    cells = b"".join(
        record(0xFD, struct.pack("<HHHI", 0, number, 0, number)) for number in range(2)
    )
    assert texts(page_of(book(cells, strings)), Tag.TABLE) == ["barracuda\teel"]


@pytest.mark.parametrize("name", ["Workbook", "WORKBOOK", "Book"])
def test_the_stream_has_many_names(name: str) -> None:
    assert page_of(book(label(0, 0, "cod")), name).text == "Reef\ncod"


def test_results_of_formulas() -> None:
    place = struct.pack("<HHH", 0, 0, 0)
    cells = record(0x06, place + b"\0\0\0\0\0\0\xff\xff" + bytes(8))
    cells += record(0x04BC, b"shared") + record(0x207, text("made up"))
    cells += record(0x06, struct.pack("<HHH", 0, 1, 0) + struct.pack("<d", 0.1 + 0.2) + bytes(8))
    cells += record(0x06, struct.pack("<HHH", 0, 2, 0) + b"\1\0\1\0\0\0\xff\xff" + bytes(8))
    cells += record(0x06, struct.pack("<HHH", 0, 3, 0) + b"\2\0\7\0\0\0\xff\xff" + bytes(8))
    assert texts(page_of(book(cells)), Tag.TABLE) == ["made up\t0.3\tTRUE\t#DIV/0!"]


def test_notes_boxes_and_charts() -> None:
    def drawn(kind: int, words: str) -> bytes:
        head = record(0x5D, struct.pack("<HHHH", 0x15, 0x12, kind, 1) + bytes(14))
        size = struct.pack("<HHHHHHH", 0, 0, 0, 0, 0, len(words), 16)
        return head + record(0x1B6, size) + record(0x3C, b"\0" + words.encode("latin-1"))

    title = record(0x1025) + record(0x100D, b"\0\0\x0c\x00Fish by year")
    series = record(0x1003) + record(0x100D, b"\0\0\x06\x00Morays")
    chart = begin(0x20) + series + title + label(0, 0, "Eels") + record(0x0A)
    page = page_of(book(drawn(0x19, "A note") + drawn(6, "A box\nof two") + chart))
    assert texts(page, Tag.ASIDE) == ["A note"]
    assert texts(page, Tag.PARAGRAPH) == ["A box", "of two"]
    assert texts(page, Tag.CAPTION) == ["Fish by year", "Morays, Eels"]
    assert texts(page, Tag.TABLE) == []


def test_embedded_documents_are_handed_on() -> None:
    seen: list[tuple[bytes, str]] = []

    def inside(data: bytes, name: str, _declared: str = "") -> list[Converted]:
        seen.append((data, name))
        return []

    body = pack({"Workbook": book(label(0, 0, "cod")), "MBD0001/CONTENTS": b"%PDF-1.4"})
    convert(body, changed(context(), inside=inside))
    assert seen == [(b"%PDF-1.4", "MBD0001")]


def test_sheets_come_in_the_order_of_the_workbook() -> None:
    first = begin(0x10) + label(0, 0, "first") + record(0x0A)
    second = begin(0x10) + label(0, 0, "second") + record(0x0A)
    start = len(begin(5)) + 2 * (4 + 6 + 3) + 4
    head = begin(5)
    head += record(0x85, struct.pack("<IH", start + len(first), 0) + b"\x01\x00B")
    head += record(0x85, struct.pack("<IH", start, 0) + b"\x01\x00A")
    page = page_of(head + record(0x0A) + first + second)
    assert page.text == "B\nsecond\nA\nfirst"


def mixed(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 255
        state[i], state[j] = state[j], state[i]
    result, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        result.append(byte ^ state[(state[i] + state[j]) & 255])
    return bytes(result)


def locked(lock: bytes, key: Callable[[int], bytes]) -> bytes:
    """The stream with the bytes of its records encrypted, as far as one block goes."""
    plain = book(label(0, 0, "cod"), lock=lock)
    covered = mixed(key(0), plain)
    result, at = bytearray(plain), 0
    while at < len(plain):
        number, size = struct.unpack_from("<HH", plain, at)
        skip = {0x809: size, 0x2F: size, 0x85: 4}.get(number, 0)
        result[at + 4 + skip : at + 4 + size] = covered[at + 4 + skip : at + 4 + size]
        at += 4 + size
    return bytes(result)


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def lock_for(password: str) -> tuple[bytes, Callable[[int], bytes]]:
    salt, verifier = bytes(range(16)), b"sixteen  letters"
    digest = md5((md5(password.encode("utf-16-le"))[:5] + salt) * 16)[:5]

    def key(block: int) -> bytes:
        return md5(digest + struct.pack("<I", block))

    sealed = mixed(key(0), verifier + md5(verifier))
    return struct.pack("<HHH", 1, 1, 1) + salt + sealed, key


def test_the_password_that_every_reader_knows() -> None:
    lock, key = lock_for(PASSWORD)
    assert page_of(locked(lock, key)).text == "Reef\ncod"


def test_another_password() -> None:
    lock, key = lock_for("secret")
    (document,) = convert(pack({"Workbook": locked(lock, key)}), context())
    assert document.problem == "encrypted"
    assert document.page.text == ""


def test_a_workbook_without_its_directory() -> None:
    body = bytearray(pack({"Workbook": book(label(0, 0, "cod") * 400)}))
    (directory,) = struct.unpack_from("<I", body, 48)
    start = (directory + 1) * 512
    body[start : start + 512] = bytes(512)
    document, *_ = convert(bytes(body), context())
    assert "cod" in document.page.text


def test_many_sheets_of_nothing_take_no_long() -> None:
    stream = begin(5) + record(0x85, struct.pack("<IH", 1, 0) + b"\x01\x00A") * 20_000
    stream += record(0x0A) + (begin(0x10) + record(0x0A)) * 20_000
    document, *_ = convert(stream, context())
    assert len(document.page.blocks) <= 1000
