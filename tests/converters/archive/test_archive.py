import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from shoal.converters.archive import archive
from shoal.converters.archive.names import decode_names
from shoal.converters.limits import Limits
from tests.converters.archive_parts import damaged, opening, read, texts, zipped

SAMPLES = Path(__file__).parents[1] / "samples"
LISTED = json.loads((SAMPLES / "archive.json").read_text("utf-8"))


@pytest.mark.parametrize("sample", LISTED, ids=lambda sample: sample["file"])
def test_sample(sample: dict[str, list[str]]) -> None:
    name = str(sample["file"])
    documents = read((SAMPLES / name).read_bytes(), name)
    text = documents[0].page.text
    position = 0
    for phrase in sample["phrases"]:
        found = text.find(phrase, position)
        assert found >= 0, phrase
        position = found + len(phrase)
    if "title" in sample:
        assert documents[0].page.title == str(sample["title"])
    inside = {each.name for each in documents[1:]}
    assert inside >= set(sample.get("inside", []))
    assert documents[0].name == ""


@pytest.mark.parametrize("sample", LISTED, ids=lambda sample: sample["file"])
def test_damaged_samples_are_read_as_far_as_they_go(sample: dict[str, str]) -> None:
    name = sample["file"]
    for variant in damaged((SAMPLES / name).read_bytes(), 40):
        assert read(variant, name)


def test_members_are_listed_and_opened() -> None:
    documents = archive.convert_zip(
        zipped(("a.txt", b"moray"), ("b/c.txt", b"wrasse"), ("d.class", b"\xca\xfe")),
        opening("x.zip"),
    )
    assert documents[0].page.title == "x.zip"
    assert documents[0].page.text == "a.txt\nb/c.txt\nd.class"
    assert [(each.name, each.page.text) for each in documents[1:]] == [
        ("a.txt", "moray"),
        ("b/c.txt", "wrasse"),
    ]


def test_members_beyond_the_limit_are_listed_only_and_that_is_said() -> None:
    body = zipped(*((f"{number}.txt", b"fish") for number in range(30)))
    documents = archive.convert_zip(body, opening("x.zip", Limits(members=5)))
    assert len(documents) == 6
    assert documents[0].page.text.count("\n") == 29
    assert documents[0].problem == "only 5 members were read"


def test_what_unpacks_to_too_much_is_cut_and_said() -> None:
    limits = Limits(unpacked_bytes=3_000_000, member_bytes=2_000_000, text_chars=100)
    body = zipped(*((f"{number}.txt", b"fish " * 400_000) for number in range(4)))
    documents = archive.convert_zip(body, opening("x.zip", limits))
    assert len(documents) == 3
    assert documents[0].problem.startswith("cut: ")


def test_the_ratio_bounds_what_a_small_file_unpacks_to() -> None:
    assert archive.room(1_000, Limits()) == 10_000_000
    assert archive.room(100_000, Limits()) == 50_000_000
    assert archive.room(10_000_000, Limits()) == 200_000_000


def test_encrypted_members_are_listed() -> None:
    body = bytearray(zipped(("secret.txt", b"fish")))
    body[6] |= 1
    body[body.index(b"PK\x01\x02") + 8] |= 1
    (document,) = archive.convert_zip(bytes(body), opening("x.zip"))
    assert document.page.text == "secret.txt"
    assert document.problem == "encrypted"


def test_archives_in_archives_end_at_the_depth() -> None:
    body = zipped(("bottom.txt", b"fish"))
    for level in range(30):
        body = zipped((f"{level}.zip", body))
    documents = archive.convert_zip(body, opening("x.zip"))
    assert [each.page.text for each in documents] == ["29.zip", "28.zip", "27.zip"]


def overlapping(members: int, size: int) -> bytes:
    """All members are one and the same stretch of the file, as in Fifield's bomb."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = stream.compress(bytes(size)) + stream.flush()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as package:
        package.writestr("0", data)
    body = file.getvalue()
    directory = body.index(b"PK\x01\x02")
    crc = zlib.crc32(bytes(size)).to_bytes(4, "little")
    local = bytearray(body[:directory])
    sizes = len(data).to_bytes(4, "little") + size.to_bytes(4, "little")
    local[8:10], local[14:26] = b"\x08\x00", crc + sizes
    entry = bytearray(body[directory : body.index(b"PK\x05\x06")])
    entry[10:12], entry[16:28], entry[28:30] = b"\x08\x00", crc + sizes, b"\x05\x00"
    entries = b"".join(bytes(entry[:46]) + b"%05d" % number for number in range(members))
    count = min(members, 0xFFFF).to_bytes(2, "little")
    end = b"PK\x05\x06\0\0\0\0" + count + count
    end += len(entries).to_bytes(4, "little") + len(local).to_bytes(4, "little") + b"\0\0"
    return bytes(local) + entries + end


BOMBS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
from tests.converters.archive_parts import read
body = sys.stdin.buffer.read()
documents = read(body, sys.argv[1])
print(len(documents), documents[0].problem)
"""


@pytest.mark.parametrize("name", ["overlap.zip", "zeros.gz", "zeros.bz2", "zeros.xz", "huge.tar"])
def test_bombs_stay_within_memory(name: str) -> None:
    """In a process that has half a gigabyte of address space, as the reader's children have."""
    zeros = bytes(20_000_000)
    body = {
        "overlap.zip": lambda: overlapping(300, 20_000_000),
        "zeros.gz": lambda: gzip.compress(zeros, 9) * 20,
        "zeros.bz2": lambda: bz2.compress(zeros) * 20,
        "zeros.xz": lambda: lzma.compress(zeros, preset=0) * 20,
        "huge.tar": huge_tar,
    }[name]()
    done = subprocess.run(
        [sys.executable, "-c", BOMBS, name],
        input=body,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert b"cut" in done.stdout or b"damaged" in done.stdout


def huge_tar() -> bytes:
    header = bytearray(512)
    header[:8] = b"huge.txt"
    header[124:136] = b"\x80" + (1 << 62).to_bytes(11)
    header[148:156] = b" " * 8
    header[156:157] = b"0"
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"only this"


def test_names_in_the_charset_of_their_packer() -> None:
    assert decode_names(["珊瑚礁.txt".encode("gbk"), "鱼类调查.txt".encode("gbk")]) == [
        "珊瑚礁.txt",
        "鱼类调查.txt",
    ]
    assert decode_names([b"\x9abung.txt", b"Fr\x81hst\x81ck.txt"]) == ["Übung.txt", "Frühstück.txt"]
    russian = ["Отчёт о рыбах.txt", "Список коралловых рифов.txt"]
    assert decode_names([name.encode("cp1251") for name in russian]) == russian
    japanese = ["サンゴ礁の魚.txt", "調査報告書.txt"]
    assert decode_names([name.encode("shift_jis") for name in japanese]) == japanese
    korean = ["산호초 물고기.txt", "조사 보고서.txt"]
    assert decode_names([name.encode("euc-kr") for name in korean]) == korean
    assert decode_names(["Küste.txt".encode()]) == ["Küste.txt"]
    assert decode_names([b"\xff\xfe\x00", b"plain"])[1] == "plain"


def test_a_zip_that_broke_off_is_read_from_its_start() -> None:
    body = zipped(("a.txt", b"moray " * 50), ("b.txt", b"wrasse " * 50))
    documents = archive.convert_zip(body[: body.index(b"PK\x01\x02")], opening("x.zip"))
    assert "moray" in texts(documents[1:])
    assert documents[0].problem == "the zip file is damaged"
