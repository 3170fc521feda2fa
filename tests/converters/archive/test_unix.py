import struct
from pathlib import Path

import pytest

from shoal.converters.archive import apple as archive_apple
from shoal.converters.archive import program as archive_program
from shoal.converters.archive import tar
from shoal.converters.archive import unix as archive_unix
from shoal.converters.archive import web as archive_web
from shoal.converters.limits import Limits
from tests.converters.archive_parts import opening, texts

SAMPLES = Path(__file__).parents[1] / "samples"


def ar(*members: tuple[bytes, bytes]) -> bytes:
    pieces = [b"!<arch>\n"]
    for name, data in members:
        head = name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8)
        pieces.append(head + str(len(data)).encode().ljust(10) + b"`\n" + data)
        pieces.append(b"\n" * (len(data) & 1))
    return b"".join(pieces)


def test_names_of_three_kinds_of_ar() -> None:
    body = ar(
        (b"/", b"symbols!"),
        (b"//", b"a-long-name-of-gnu.txt/\n"),
        (b"/0", b"gnu"),
        (b"short.txt/", b"sysv"),
        (b"#1/12", b"bsd-name.txtbsd"),
    )
    documents = archive_unix.convert_ar(body, opening("x.a"))
    assert [(each.name, each.page.text) for each in documents[1:]] == [
        ("a-long-name-of-gnu.txt", "gnu"),
        ("short.txt", "sysv"),
        ("bsd-name.txt", "bsd"),
    ]


@pytest.mark.parametrize("order", ["<", ">"])
def test_binary_cpio_in_both_orders(order: str) -> None:
    def entry(name: bytes, data: bytes) -> bytes:
        words = (0o070707, 0, 0, 0o100644, 0, 0, 1, 0, 0, 0, len(name), 0, len(data))
        head = struct.pack(f"{order}13H", *words)
        return head + name + b"\0" * (len(name) & 1) + data + b"\0" * (len(data) & 1)

    body = entry(b"fish.txt\0", b"moray") + entry(b"TRAILER!!!\0", b"")
    documents = archive_unix.convert_cpio(body, opening("x.cpio"))
    assert [(each.name, each.page.text) for each in documents[1:]] == [("fish.txt", "moray")]


def test_rpm_says_what_it_is_for() -> None:
    body = (SAMPLES / "archive-reef.rpm").read_bytes()
    documents = archive_unix.convert_rpm(body, opening("x.rpm"))
    page = documents[0].page
    assert page.title == "reef-notes-1.2-3"
    assert page.description == "Notes on the fish of the reef"
    assert "The moray eel waits" in documents[1].page.text


def test_web_archives_undo_what_the_server_did() -> None:
    http = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"6\r\nmoray \r\n3\r\neel\r\n0\r\n\r\n"
    )
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://reef.example/>\r\n"
        b"Content-Length: %d\r\n\r\n" % len(http)
    )
    request = b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 3\r\n\r\nGET\r\n\r\n"
    documents = archive_web.convert_warc(request + head + http + b"\r\n\r\n", opening("x.warc"))
    assert [(each.name, each.page.text) for each in documents[1:]] == [
        ("http://reef.example/", "moray eel")
    ]


def test_apple_double_has_no_text() -> None:
    header = struct.pack(">II16sH", 0x00051607, 0x20000, b"", 1)
    (document,) = archive_apple.convert(
        header + struct.pack(">III", 2, 38, 4) + b"rsrc", opening("x")
    )
    assert document.problem == "no text in it"


def test_the_program_is_bounded_and_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    if archive_program.unpacked((SAMPLES / "archive-reef.7z").read_bytes(), 1 << 20):
        documents = archive_program.convert(
            (SAMPLES / "archive-reef.7z").read_bytes(), opening("x.lzh")
        )
        assert "The moray eel waits" in texts(documents)
        assert len(tar.contents(b"")) == 0
    monkeypatch.setenv("PATH", "")
    (document,) = archive_program.convert(b"no archive", opening("x.lzh", Limits()))
    assert "bsdtar" in document.problem
