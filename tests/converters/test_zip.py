"""Zip files: what lies in them, within bounds, also when they are damaged or hostile."""

import io
import random
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.limits import Limits
from shoal.converters.zip import Package

TALE = ("The clownfish lives among the arms of an anemone. " * 3 + "\n").encode()
LONG = b"".join(b"%d fish swam by; " % number for number in range(3000))


def packed(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
def test_members_in_their_order(method: int) -> None:
    package = Package(
        packed(("b.txt", TALE), ("dir/", b""), ("a.txt", b"x"), method=method), Limits()
    )
    assert package.names == ["b.txt", "a.txt"]
    assert (package.read("b.txt"), package.read("a.txt")) == (TALE, b"x")
    assert package.problem == ""


def test_case_and_a_leading_slash_do_not_matter() -> None:
    package = Package(packed(("Word/Document.xml", b"a"), ("/rels", b"b")), Limits())
    assert "word/document.XML" in package
    assert "rels" in package
    assert "nothing" not in package
    assert package.read("/WORD/document.xml") == b"a"
    assert package.read("RELS") == b"b"
    assert package.read("nothing") == b""


def test_a_member_is_cut_at_its_limit_and_said() -> None:
    package = Package(packed(("bomb", b"\0" * 1_000_000), ("b", b"ray")), Limits(member_bytes=1000))
    assert package.read("bomb") == b"\0" * 1000
    assert package.problem == "cut: unpacks to more than 1000 bytes"
    assert package.read("b") == b"ray"


def test_all_that_is_unpacked_is_bounded() -> None:
    package = Package(packed(("a", b"a" * 60), ("b", b"b" * 60)), Limits(unpacked_bytes=100))
    assert [len(package.read(name)) for name in ("a", "b", "a")] == [60, 40, 0]
    assert package.problem.startswith("cut")


def test_names_in_old_charsets() -> None:
    body = packed(("meer.txt", b"x"), ("größe.txt", b"y"))
    body = body.replace(b"meer.txt", "море.txt".encode("cp866"))
    package = Package(body, Limits())
    old, new = package.names
    assert package.raw_name(old) == "море.txt".encode("cp866")
    assert (package.read(old), package.read(new)) == (b"x", b"y")
    assert (new, package.raw_name(new)) == ("größe.txt", b"")
    assert package.raw_name("nothing") == b""


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\fish", "a\\b", "con", "x" * 5000, "é\u202e"]
)
def test_odd_names_are_only_names(name: str) -> None:
    package = Package(packed((name, b"fish")), Limits())
    assert [package.read(each) for each in package.names] == [b"fish"]


def test_encrypted() -> None:
    body = bytearray(packed(("secret.txt", TALE), ("open.txt", b"fish")))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(mark) + flags] |= 1
    package = Package(bytes(body), Limits())
    assert package.read("secret.txt") == b""
    assert package.problem == "encrypted"
    assert package.read("open.txt") == b"fish"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_download_that_broke_off(method: int) -> None:
    body = packed(("a.txt", TALE), ("dir/", b""), ("b.txt", LONG), method=method)
    package = Package(body[: body.index(b"b.txt") + 2000], Limits())
    assert package.problem == "the zip file is damaged"
    assert package.names == ["a.txt", "b.txt"]
    assert package.read("A.TXT") == TALE
    rest = package.read("b.txt")
    assert len(rest) > 1000
    assert LONG.startswith(rest)
    assert package.raw_name("a.txt") == b""


def test_a_damaged_member_gives_what_it_can() -> None:
    body = bytearray(packed(("a.txt", LONG), ("b.txt", TALE)))
    start = body.index(b"a.txt") + 4000
    body[start : start + 40] = b"\xff" * 40
    package = Package(bytes(body), Limits())
    found = package.read("a.txt")
    assert found[:5000] == LONG[:5000]
    assert package.problem == "a member of the zip file is damaged"
    assert package.read("b.txt") == TALE


def test_a_wrong_checksum_costs_nothing_but_a_word() -> None:
    body = bytearray(packed(("a.txt", TALE)))
    body[body.index(b"PK\x01\x02") + 16] ^= 0xFF
    package = Package(bytes(body), Limits())
    assert package.read("a.txt") == TALE
    assert "damaged" in package.problem


def test_sizes_are_claims() -> None:
    body = bytearray(packed(("a.txt", TALE)))
    at = body.index(b"PK\x01\x02") + 24
    body[at : at + 4] = struct.pack("<I", 0xFFFFFFF0)
    assert Package(bytes(body), Limits()).read("a.txt").startswith(TALE[:50])


def test_salvage_stops_at_the_limit_of_members() -> None:
    body = packed(*((f"{number}.txt", b"x") for number in range(50)))
    package = Package(body[: body.index(b"PK\x01\x02")], Limits(members=10))
    assert len(package.names) == 10


def test_local_headers_without_an_end_take_no_time() -> None:
    package = Package(b"PK\x03\x04" * 250_000, Limits())
    assert len(package.names) <= Limits().members


@given(st.binary(max_size=300))
def test_nothing_raises(tail: bytes) -> None:
    for body in (tail, b"PK\x03\x04" + tail):
        package = Package(body, Limits())
        for name in package.names:
            package.read(name)


def test_flipped_bytes_do_not_raise() -> None:
    whole = packed(("a.txt", TALE), ("b/c.txt", LONG[:500]), method=zipfile.ZIP_DEFLATED)
    chance = random.Random(4)
    for _ in range(300):
        body = bytearray(whole)
        for _ in range(3):
            body[chance.randrange(len(body))] = chance.randrange(256)
        package = Package(bytes(body[: chance.randrange(1, len(body) + 1)]), Limits())
        for name in package.names:
            package.read(name)
