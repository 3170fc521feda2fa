"""Makes the sample files of old formats that no free program writes: real ones, if small.

Run as a script it writes them to the folder of samples; tests take the same parts to build what
they need. Compound files are packed by the same code that unpacks embedded documents.
"""

import struct
import sys
import zlib
from pathlib import Path

from shoal.converters.ole.pack import pack
from tests.converters.onenote_sample import onenote, onenote_packed

SUMMARY_ID = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
MODIFIED = 133_600_000_000_000_000  # 2024-05-12T15:06:40Z in Windows' time


def properties(values: dict[int, str | int], codepage: int = 1252) -> bytes:
    """A property set stream: texts in the code page, numbers as times."""
    codec = "utf-8" if codepage == 65001 else f"cp{codepage}"
    rows = {1: struct.pack("<IHxx", 2, codepage)}
    for number, value in values.items():
        if isinstance(value, int):
            rows[number] = struct.pack("<IQ", 64, value)
        else:
            text = value.encode(codec) + b"\0"
            rows[number] = struct.pack("<II", 30, len(text)) + text + bytes(-len(text) % 4)
    at = 8 + 8 * len(rows)
    index = b""
    for number, row in rows.items():
        index += struct.pack("<II", number, at)
        at += len(row)
    section = struct.pack("<II", at, len(rows)) + index + b"".join(rows.values())
    head = struct.pack("<HHI16xI16sI", 0xFFFE, 0, 0x20005, 1, SUMMARY_ID, 48)
    return head + section


def about(title: str, author: str = "Nora Wels") -> dict[str, bytes]:
    return {"\x05SummaryInformation": properties({2: title, 4: author, 13: MODIFIED})}


def package(name: str, data: bytes) -> bytes:
    """An embedded file with a name: the stream Ole10Native."""
    label = name.encode("cp1252") + b"\0"
    body = b"\x02\x00" + label + b"C:\\" + label + b"\0\0\x03\0"
    body += struct.pack("<I", len(label) + 3) + b"C:\\" + label
    body += struct.pack("<I", len(data)) + data
    return struct.pack("<I", len(body)) + body


def msg_streams(
    texts: dict[int, str], numbers: dict[int, tuple[int, int]], prefix: str = "", head: int = 32
) -> dict[str, bytes]:
    """A message's (recipient's, attachment's) texts, and its numbers with their types."""
    streams = {
        f"{prefix}__substg1.0_{number:04X}001F": text.encode("utf-16-le")
        for number, text in texts.items()
    }
    table = b"".join(
        struct.pack("<HHIQ", kind, number, 6, value) for number, (kind, value) in numbers.items()
    )
    streams[f"{prefix}__properties_version1.0"] = bytes(head) + table
    return streams


def msg(html: str = "") -> bytes:
    streams = msg_streams(
        {
            0x0037: "The count on Friday",
            0x0C1A: "Nora Wels",
            0x5D01: "nora@reef.example",
            0x1000: "Dear Otto,\r\n\r\nbring the slate for the wrasse.\r\n",
        },
        {0x0039: (0x40, MODIFIED), 0x3FDE: (3, 65001)},
    )
    if html:
        streams["__substg1.0_10130102"] = html.encode()
    streams |= msg_streams(
        {0x3001: "Otto Grundel", 0x39FE: "otto@reef.example"},
        {0x0C15: (3, 1)},
        "__recip_version1.0_#00000000/",
        8,
    )
    first, second = "__attach_version1.0_#00000000/", "__attach_version1.0_#00000001/"
    streams |= msg_streams({0x3707: "kinds.txt"}, {0x3705: (3, 1)}, first, 8)
    streams[f"{first}__substg1.0_37010102"] = b"goby, wrasse, moray\n"
    streams |= msg_streams({0x3001: "An older letter"}, {0x3705: (3, 5)}, second, 8)
    streams |= msg_streams(
        {0x0037: "An older letter", 0x1000: "The tide is late."},
        {0x0039: (0x40, MODIFIED)},
        f"{second}__substg1.0_3701000D/",
        24,
    )
    return pack(streams)


def visio() -> bytes:
    """Version 11, nothing packed: a trailer that points at a page of chunks."""
    chunks = b""
    for text in ("Reef crest", "Outer slope with sea fans"):
        content = bytes(8) + text.encode("utf-16-le") + b"\0\0"
        chunks += struct.pack("<IIIIHB", 14, 1, 0, len(content), 2, 0x54) + content
    trailer = struct.pack("<III", 4, 1, 0)
    start = 0x24 + 18
    page_at = start + len(trailer) + 18
    trailer += struct.pack("<IIIIH", 0x15, 0, page_at, len(chunks), 0xD4)
    head = b"Visio (TM) Drawing\r\n".ljust(0x1A, b"\0") + struct.pack("<HII", 11, 0, 0)
    head += struct.pack("<IIIIH", 20, 0, start, len(trailer), 0x50)
    return pack(about("A map of the reef") | {"VisioDocument": head + trailer + chunks})


def quill(kind: bytes, text: str) -> bytes:
    data = text.encode("utf-16-le")
    entry = b"\x18\x00TEXT" + bytes(6) + b"TEXT" + struct.pack("<II", 512, len(data))
    return (kind.ljust(0x20, b"\0") + entry).ljust(512, b"\0") + data


def publisher() -> bytes:
    text = "Open day at the aquarium\rFeeding of the groupers at noon\r"
    contents = {"Quill/QuillSub/CONTENTS": quill(b"CHNKINK ", text), "Contents": b"\xe8\xac\x2c\0"}
    return pack(about("Open day") | contents)


def works() -> bytes:
    text = "List of tanks\rTank one: seahorses\r"
    return pack(about("Tanks") | {"CONTENTS": quill(b"CHNKWKS ", text), "MatOST": b"MatOST"})


def hwp_record(kind: int, level: int, data: bytes) -> bytes:
    return struct.pack("<I", kind | level << 10 | len(data) << 20) + data


def hwp() -> bytes:
    def paragraph(level: int, text: str, style: int = 0) -> bytes:
        head = struct.pack("<IIHB", len(text), 0, 0, style)
        return hwp_record(0x42, level, head) + hwp_record(0x43, level + 1, text.encode("utf-16-le"))

    styles = b"".join(
        hwp_record(0x1A, 0, struct.pack("<H", len(name)) + name.encode("utf-16-le"))
        for name in ("바탕글", "개요 1")
    )
    control = struct.pack("<H6xH", 0x0B, 0)[:2] + bytes(12) + struct.pack("<H", 0x0B)
    body = paragraph(0, "산호초의 물고기", 1) + paragraph(0, "나비고기가 산다.\r")
    body += hwp_record(0x42, 0, bytes(11)) + hwp_record(0x43, 1, control + b"\r\0")
    body += hwp_record(0x47, 1, b" lbt" + bytes(8)) + hwp_record(0x4D, 2, bytes(8))
    for row, column, text in ((0, 0, "종"), (0, 1, "수"), (1, 0, "흰동가리"), (1, 1, "7")):
        body += hwp_record(0x48, 2, struct.pack("<IIHH", 1, 0, column, row))
        body += paragraph(2, text)

    def deflated(data: bytes) -> bytes:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(data) + packer.flush()

    head = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, 1)
    summary = properties({2: "Reef fish", 4: "Nora Wels"})
    return pack(
        {
            "FileHeader": head.ljust(256, b"\0"),
            "DocInfo": deflated(styles),
            "BodyText/Section0": deflated(body),
            "\x05HwpSummaryInformation": summary,
        }
    )


def project() -> bytes:
    return pack(about("Plan of the dive season") | {"Props14": bytes(64)})


def wordperfect_6() -> bytes:
    bold_on, bold_off = b"\xf2\x0c\xf2", b"\xf3\x0c\xf3"
    text = b"Notes\x80from\x80the\x80reef\xcc" + bold_on + b"Sea\x80fans" + bold_off
    text += b"\x80grow\x80slow\x84ly,\x80caf\xf0\x29\x01\xf0.\xcc"
    text += b"\xd4\x1c\x12\x00\x00\x02\x00USUS.\x00,\x00\x12\x00\xd4"  # a function, passed over
    text += b"Kept.\xf1\x00\x01\x00\xf1Struck\x80out.\xf1\x01\x01\x00\xf1\xcc"
    head = b"\xffWPC" + struct.pack("<IBBBBHH", 512 + 14, 1, 10, 2, 1, 0, 512)
    return head.ljust(512, b"\0") + struct.pack("<BBH10x", 2, 0, 1) + text


def wordperfect_5() -> bytes:
    text = b"An older note\x0a\xc3\x0c\xc3Moray eels\xc4\x0c\xc4 hide\x0dby day.\x0a"
    text += b"\xd1\x00\x08\x00abcd\x08\x00\x00\xd1\xc0\x21\x04\xc0 Done.\x0a"
    note = b"\x00\x01\x00\x00" + bytes(11) + b"At night they hunt.\x0a"
    size = struct.pack("<H", len(note) + 4)
    text += b"\xd6\x00" + size + note + size + b"\x00\xd6"
    return b"\xffWPC" + struct.pack("<IBBBBHH", 16, 1, 10, 0, 1, 0, 0) + text


def write() -> bytes:
    text = "A page of Write\r\nThe tide pool is full of blennies.\r\n".encode("cp1252")
    head = struct.pack("<HHHHHHHI", 0xBE31, 0, 0xAB00, 0, 0, 0, 0, 128 + len(text))
    return (head.ljust(128, b"\0") + text).ljust(512, b"\0")


def word_2() -> bytes:
    text = b'Word of two\r\nSee \x13PAGE \x143\x15 about "gobies".\r\n'
    head = struct.pack("<HHHHHH", 0xA5DB, 45, 0, 0x409, 0, 0).ljust(24, b"\0")
    head += struct.pack("<II", 384, 384 + len(text))
    return head.ljust(384, b"\0") + text


def word_95() -> bytes:
    """Only the head and the text, in a Cyrillic code page: no formatting at all."""
    text = "Рыбы рифа\rВторой абзац.\r".encode("cp1251")
    head = struct.pack("<HHHHHH", 0xA5DC, 104, 0, 0x419, 0, 0).ljust(24, b"\0")
    head += struct.pack("<II", 768, 768 + len(text))
    head = head.ljust(0x34, b"\0") + struct.pack("<I", len(text))
    return pack(about("Reef 95") | {"WordDocument": head.ljust(768, b"\0") + text + bytes(3500)})


def wordstar() -> bytes:
    return (
        b".pl 66\r\nThe\xa0 blue tan\xe7 swims\x8d\nin schools.\r\n\x02Second\x02 line.\r\n\x1a\x1a"
    )


SAMPLES = {
    "ole-letter.msg": msg,
    "ole-map.vsd": visio,
    "ole-openday.pub": publisher,
    "ole-tanks.wps": works,
    "ole-coral.hwp": hwp,
    "ole-season.mpp": project,
    "ole-notes.wpd": wordperfect_6,
    "ole-older.wpd": wordperfect_5,
    "ole-pool.wri": write,
    "ole-word2.doc": word_2,
    "ole-word95.doc": word_95,
    "ole-tang.ws": wordstar,
    "ole-section.one": onenote,
    "ole-server.one": onenote_packed,
}

if __name__ == "__main__":
    for name, make in SAMPLES.items():
        (Path(sys.argv[1]) / name).write_bytes(make())
