"""The archive: WARC files that two independent readers and `warcio check` agree with."""

import gzip
import os
import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from shoal.errors import DamagedError
from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched
from shoal.store import archive, warc
from shoal.store.archive import ArchiveWriter, read_member, read_record_at
from tests.store.parts import HOUR, NOON, answer, sha1, visit_to
from tests.store.readers import by_fastwarc, by_warcio, check

URL = "https://reef.example/"
GIGABYTE = 1 << 30


@pytest.fixture
def writer(tmp_path: Path) -> ArchiveWriter:
    return ArchiveWriter(tmp_path, GIGABYTE, "Shoal/test")


def only_file(directory: Path) -> Path:
    (path,) = archive.files(directory)
    return path


def test_a_visit_is_a_response_and_a_request(writer: ArchiveWriter, tmp_path: Path) -> None:
    response, request = writer.write(visit_to(URL), answer(b"<p>fish"))
    assert response is not None
    assert request is not None
    told = read_record_at(tmp_path, response)
    asked = read_record_at(tmp_path, request)
    assert told.headers["warc-type"] == "response"
    assert told.headers["warc-target-uri"] == URL
    assert told.headers["warc-date"] == "2023-11-14T22:13:20Z"
    assert told.headers["warc-ip-address"] == "127.0.0.9"
    assert told.headers["warc-payload-digest"] == sha1(b"<p>fish")
    assert told.headers["warc-block-digest"] == sha1(told.block)
    assert asked.headers["warc-type"] == "request"
    assert asked.headers["warc-concurrent-to"] == told.headers["warc-record-id"]
    assert asked.block == b"GET / HTTP/1.1\r\nHost: reef.example\r\n\r\n"
    assert check(only_file(tmp_path)) == ""
    kinds = [seen.kind for seen in by_warcio(only_file(tmp_path))]
    assert kinds == ["warcinfo", "response", "request"]


def test_no_answer_is_no_record(writer: ArchiveWriter, tmp_path: Path) -> None:
    assert writer.write(visit_to(URL), Fetched(Outcome.TIMEOUT)) == (None, None)
    assert list(archive.files(tmp_path)) == []


@pytest.mark.parametrize(
    ("fetched", "profile"),
    [
        (answer(b"<p>fish", NOON + HOUR), "identical-payload-digest"),
        (
            answer(b"", NOON + HOUR, status=304, outcome=Outcome.UNCHANGED),
            "server-not-modified",
        ),
    ],
)
def test_what_came_again_is_a_revisit(
    writer: ArchiveWriter, tmp_path: Path, fetched: Fetched, profile: str
) -> None:
    first, _ = writer.write(visit_to(URL), answer(b"<p>fish"))
    again, _ = writer.write(visit_to(URL, b"<p>fish", NOON), fetched)
    assert first is not None
    assert again is not None
    told, before = read_record_at(tmp_path, again), read_record_at(tmp_path, first)
    assert told.headers["warc-type"] == "revisit"
    assert told.headers["warc-profile"].endswith(f"/1.1/revisit/{profile}")
    assert told.headers["warc-refers-to-target-uri"] == URL
    assert told.headers["warc-refers-to-date"] == before.headers["warc-date"]
    assert told.headers["warc-payload-digest"] == before.headers["warc-payload-digest"]
    assert told.http_head == fetched.head
    assert told.http_body == b""
    assert check(only_file(tmp_path)) == ""


def test_a_304_that_nobody_asked_for_refers_to_nothing(
    writer: ArchiveWriter, tmp_path: Path
) -> None:
    unasked = answer(b"", status=304, outcome=Outcome.UNCHANGED)
    spot, _ = writer.write(visit_to(URL), unasked)
    assert spot is not None
    told = read_record_at(tmp_path, spot).headers
    assert told["warc-type"] == "response"
    assert "warc-refers-to-date" not in told
    assert check(only_file(tmp_path)) == ""


def test_a_cut_body_says_so(writer: ArchiveWriter, tmp_path: Path) -> None:
    headers = [("Content-Length", "5000000")]
    spot, _ = writer.write(visit_to(URL), answer(b"half a f", headers=headers, cut=True))
    assert spot is not None
    told = read_record_at(tmp_path, spot)
    assert told.headers["warc-truncated"] == "length"
    assert told.http_body == b"half a f"
    assert b"\r\nContent-Length: 8\r\n" in told.http_head
    assert b"\r\nX-Crawler-Content-Length: 5000000\r\n" in told.http_head
    assert check(only_file(tmp_path)) == ""


def test_what_framed_the_body_on_the_way_is_renamed(writer: ArchiveWriter, tmp_path: Path) -> None:
    """The body is stored without its chunks: a reader that believed the old field would look for
    them. The content encoding stays, because the body is stored as it was sent."""
    packed = gzip.compress(b"<p>fish", mtime=0)
    headers = [
        ("transfer-ENCODING", "chunked"),
        ("Content-Encoding", "gzip"),
        ("content-length", "1"),
        ("X-Transfer-Encoding", "mine"),
    ]
    spot, _ = writer.write(visit_to(URL), answer(packed, headers=headers))
    assert spot is not None
    assert read_record_at(tmp_path, spot).http_head.split(b"\r\n")[1:-2] == [
        b"X-Crawler-transfer-ENCODING: chunked",
        b"Content-Encoding: gzip",
        b"X-Crawler-content-length: 1",
        b"X-Transfer-Encoding: mine",
        b"Content-Length: %d" % len(packed),
    ]
    with only_file(tmp_path).open("rb") as file:
        bodies = [r.content_stream().read() for r in ArchiveIterator(file) if r.rec_type != "x"]
    assert b"<p>fish" in bodies


HOSTILE_HEADS: dict[str, bytes] = {
    "line injection": b"HTTP/1.1 200 OK\r\nX: a\rWARC-Type: response\r\nY: b\r\n\r\n",
    "bare line feeds": b"HTTP/1.1 200 OK\nContent-Type: text/html\nX: 1\n\n",
    "no end": b"HTTP/1.1 200 OK\r\nContent-Type: text/html",
    "an empty line within": b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\nB: 2\r\n\r\n",
    "a head before the head": b"HTTP/1.1 103 Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nB: 2\r\n\r\n",
    "blank lines of spaces": b"HTTP/1.1 200 OK\r\n \t\r\nA: 1\r\n\r\n",
    "not ASCII": "HTTP/1.1 200 Füsch\r\nX-Ünï: ü€\r\n\r\n".encode(),
    "not UTF-8": b"HTTP/1.1 200 OK\r\nX: \xff\xfe\x80\r\n\xe9: 1\r\n\r\n",
    "NUL": b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n: nameless\r\nA: 1\r\n\r\n",
    "300 KB": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000 + b"\r\nY: 1\r\n\r\n",
    "20,000 fields": b"HTTP/1.1 200 OK\r\n" + b"A: 1\r\n" * 20_000 + b"\r\n",
    "a folded field": b"HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\r\n",
    "no status": b"HTTP/1.1\r\nA: 1\r\n\r\n",
    "WARC in HTTP": b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\n",
}


@pytest.mark.parametrize("name", HOSTILE_HEADS)
@pytest.mark.parametrize("again", [False, True], ids=["response", "revisit"])
def test_no_head_breaks_out_of_its_record(
    writer: ArchiveWriter, tmp_path: Path, name: str, again: bool
) -> None:
    """Before and behind it stands an honest record, which every reader must find where it is."""
    body = b"\r\n\r\nbody of " + name.encode() + b"\r\n\r\nWARC/1.1\r\n"
    hostile = answer(body)
    hostile.head = HOSTILE_HEADS[name]
    spots = [
        writer.write(visit_to(f"{URL}before"), answer(b"before")),
        writer.write(visit_to(URL, body if again else None, NOON), hostile),
        writer.write(visit_to(f"{URL}after"), answer(b"after")),
    ]
    path = only_file(tmp_path)
    assert check(path) == ""
    wanted = [b"before", b"" if again else body, b"after"]
    kinds = ["response", "revisit" if again else "response", "response"]
    offsets = [spot.offset for spot, _ in spots if spot is not None]
    for read in (by_warcio, by_fastwarc):
        seen = [each for each in read(path) if each.kind in ("response", "revisit")]
        assert [each.payload for each in seen] == wanted, read
        assert [each.kind for each in seen] == kinds
        assert [each.offset for each in seen] == offsets
    ours = [read_record_at(tmp_path, spot).http_body for spot, _ in spots if spot is not None]
    assert ours == wanted


def test_no_url_breaks_out_of_its_line(writer: ArchiveWriter, tmp_path: Path) -> None:
    visit = visit_to(URL)
    visit.url = "https://reef.example/\r\nWARC-Type: conversion\r\n\r\nfish ü\ud800"
    fetched = answer(b"x")
    fetched.address = "1.2.3.4\r\nWARC-Type: metadata:80"
    spot, _ = writer.write(visit, fetched)
    assert spot is not None
    told = read_record_at(tmp_path, spot)
    assert told.headers["warc-type"] == "response"
    assert "\n" not in told.headers["warc-target-uri"]
    assert check(only_file(tmp_path)) == ""
    assert [s.kind for s in by_warcio(only_file(tmp_path))] == ["warcinfo", "response", "request"]


BODIES: dict[str, bytes] = {
    "empty": b"",
    "one byte": b"\x00",
    "every byte": bytes(range(256)) * 50,
    "zeros": bytes(3_000_000),
    "noise": os.urandom(200_000),
    "a gzip file": gzip.compress(b"inside" * 100),
    "a WARC file": b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
}


def test_two_readers_agree_on_every_header_and_body(writer: ArchiveWriter, tmp_path: Path) -> None:
    headers = [("Content-Type", "text/html"), ("X-Twice", "1"), ("X-Twice", "2"), ("X-Empty", "")]
    for name, body in BODIES.items():
        writer.write(visit_to(f"{URL}{name.replace(' ', '-')}"), answer(body, headers=headers))
    path = only_file(tmp_path)
    assert check(path) == ""
    by_one, by_other = by_warcio(path), by_fastwarc(path)
    assert [each[:3] + each[4:] for each in by_one] == [each[:3] + each[4:] for each in by_other]
    for seen in (by_one, by_other):
        responses = [each for each in seen if each.kind == "response"]
        assert [each.payload for each in responses] == list(BODIES.values())
        for each in responses:
            length = ("Content-Length", str(len(each.payload)))
            assert each.http == [*headers, length]


def test_every_spot_is_one_whole_member(writer: ArchiveWriter, tmp_path: Path) -> None:
    spots: list[WarcLocation] = []
    for name, body in BODIES.items():
        written = writer.write(visit_to(f"{URL}{name.replace(' ', '-')}"), answer(body))
        spots += [spot for spot in written if spot is not None]
    path = only_file(tmp_path)
    data = path.read_bytes()
    assert spots[-1].offset + spots[-1].length == len(data)
    for spot, following in pairwise(spots):
        assert spot.offset + spot.length == following.offset
    for spot in spots:
        member = read_member(tmp_path, spot)
        assert member == data[spot.offset : spot.offset + spot.length]
        assert gzip.decompress(member).startswith(b"WARC/1.1\r\n")


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    spots = []
    with ArchiveWriter(tmp_path, 20_000, "Shoal/test") as writer:
        for number in range(12):
            spot, _ = writer.write(
                visit_to(f"{URL}{number}"), answer(os.urandom(8_000), NOON + number)
            )
            assert spot is not None
            spots.append(spot)
    paths = list(archive.files(tmp_path))
    assert len(paths) == 4
    assert [path.name for path in paths] == list(dict.fromkeys(spot.file for spot in spots))
    assert all(20_000 <= path.stat().st_size < 30_000 for path in paths)
    assert check(*paths) == ""
    for path in paths:
        assert re.fullmatch(r"shoal-\d{14}-[0-9a-f]{8}-\d{4}\.warc\.gz", path.name)
        with path.open("rb") as file:
            first = next(iter(ArchiveIterator(file)))
            assert first.rec_type == "warcinfo"
            assert first.rec_headers.get_header("WARC-Filename") == path.name
            assert b"software: Shoal/test\r\n" in first.content_stream().read()
    for number, spot in enumerate(spots):
        assert read_record_at(tmp_path, spot).headers["warc-target-uri"] == f"{URL}{number}"


def test_writers_never_share_a_file(tmp_path: Path) -> None:
    writers = [ArchiveWriter(tmp_path, GIGABYTE, "Shoal/test") for _ in range(5)]
    for writer in writers:
        writer.write(visit_to(URL), answer())
        writer.sync()
        writer.close()
        writer.close()
    assert len(list(archive.files(tmp_path))) == 5
    writers[0].write(visit_to(URL), answer())
    assert len(list(archive.files(tmp_path))) == 6


@pytest.mark.parametrize(
    "wrong",
    [
        lambda spot: WarcLocation(spot.file, spot.offset + 1, spot.length),
        lambda spot: WarcLocation(spot.file, spot.offset - 1, spot.length),
        lambda spot: WarcLocation(spot.file, spot.offset, spot.length - 1),
        lambda spot: WarcLocation(spot.file, spot.offset, 0),
        lambda spot: WarcLocation(spot.file, spot.offset + 10_000_000, spot.length),
        lambda spot: WarcLocation("none.warc.gz", spot.offset, spot.length),
    ],
)
def test_a_wrong_spot_is_told(
    writer: ArchiveWriter, tmp_path: Path, wrong: Callable[[WarcLocation], WarcLocation]
) -> None:
    spot, _ = writer.write(visit_to(URL), answer())
    assert spot is not None
    with pytest.raises(DamagedError):
        read_record_at(tmp_path, wrong(spot))


def test_a_flipped_byte_is_told(writer: ArchiveWriter, tmp_path: Path) -> None:
    spot, _ = writer.write(visit_to(URL), answer(b"fish " * 50))
    assert spot is not None
    path = only_file(tmp_path)
    sound, record = path.read_bytes(), read_record_at(tmp_path, spot)
    found = 0
    for position in range(spot.offset + 10, spot.offset + spot.length):
        damaged = bytearray(sound)
        damaged[position] ^= 0x20
        path.write_bytes(damaged)
        try:
            assert read_record_at(tmp_path, spot) == record  # a bit that only fills a byte up
        except DamagedError:
            found += 1
    assert found >= spot.length - 10 - 1


@given(st.binary(max_size=300))
@settings(max_examples=200)
def test_reading_any_bytes_gives_a_record_or_says_why_not(data: bytes) -> None:
    for member in (data, gzip.compress(data, mtime=0), gzip.compress(b"WARC/1.1\r\n" + data)):
        try:
            record = warc.read_record(member)
        except DamagedError:
            continue
        assert len(record.block) == int(record.headers["content-length"])


@given(head=st.binary(max_size=200), body=st.binary(max_size=200))
@settings(max_examples=200)
def test_any_head_keeps_its_body_apart(head: bytes, body: bytes) -> None:
    block = warc.archived_head(b"HTTP/1.1 200 OK\r\n" + head, len(body)) + body
    record = warc.read_record(warc.write_record("response", NOON, {}, warc.Block(block)))
    assert record.http_body == body
    assert record.http_head.endswith(b"\r\nContent-Length: %d\r\n\r\n" % len(body))


def test_a_text_that_was_sent_plain_is_packed_denser(tmp_path: Path) -> None:
    chance = random.Random(3)
    words = [f"word{number}" for number in range(2_000)]
    body = " ".join(chance.choices(words, k=6_000)).encode()
    lengths = {}
    with ArchiveWriter(tmp_path, 1 << 30, "Shoal/test") as writer:
        for kind in ("text/html", "application/xhtml+xml; charset=utf-8", "image/png"):
            sent = answer(body, headers=[("Content-Type", kind)])
            spot, _ = writer.write(visit_to("https://reef.example/"), sent)
            assert spot is not None
            lengths[kind] = spot.length
            assert read_record_at(tmp_path, spot).http_body == body
        lie = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
        spot, _ = writer.write(visit_to("https://reef.example/"), answer(body, headers=lie))
        assert spot is not None
    assert lengths["text/html"] < 0.97 * lengths["image/png"]
    assert lengths["application/xhtml+xml; charset=utf-8"] < 0.97 * lengths["image/png"]
    assert spot.length < 0.97 * lengths["image/png"]


@pytest.mark.parametrize("size", [1, 100, 65_531, 65_532, 65_535, 65_536, 200_000])
def test_what_the_server_packed_is_stored_as_it_came(tmp_path: Path, size: int) -> None:
    body = b"\x1f\x8b" + random.Random(5).randbytes(size - 2) if size > 2 else b"\x1f\x8b"
    headers = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    with ArchiveWriter(tmp_path, 1 << 30, "Shoal/test") as writer:
        sent = answer(body, headers=headers)
        spot, _ = writer.write(visit_to("https://reef.example/"), sent)
        again, _ = writer.write(visit_to("https://reef.example/"), sent)
    assert spot is not None
    assert again is not None
    assert read_record_at(tmp_path, spot).http_body == body
    assert gzip.decompress(read_member(tmp_path, again)).endswith(body + b"\r\n\r\n")
    assert spot.length < len(body) + 600
