"""CDXJ: other programs find every record by it, at the place it says."""

import io
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from shoal.model.outcome import Outcome
from shoal.store import archive, cdxj
from shoal.store.archive import ArchiveWriter
from tests.store.parts import HOUR, NOON, answer, sha1, visit_to
from tests.store.readers import FastIterator


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    """Responses and revisits in several files, written in no order."""
    html = [("Content-Type", "Text/HTML; charset=utf-8")]
    with ArchiveWriter(tmp_path, 6_000, "Shoal/test") as writer:
        for number in (3, 1, 2):
            url = f"https://www.reef.example/Fish/{number}?b=2&a=1"
            writer.write(
                visit_to(url), answer(random.Random(number).randbytes(5_000), headers=html)
            )
        same = answer(b"clown", NOON + HOUR)
        writer.write(visit_to("http://127.0.0.1:8080/clown", b"clown", NOON), same)
        unchanged = answer(b"", NOON + 2 * HOUR, status=304, outcome=Outcome.UNCHANGED)
        writer.write(visit_to("http://127.0.0.1:8080/clown", b"clown", NOON), unchanged)
        writer.write(visit_to("http://127.0.0.1:8080/clown"), answer(b"clown", NOON))
        nothing = answer(b"", status=204, headers=[])
        writer.write(visit_to("https://bay.example/"), nothing)
    return tmp_path


def split(line: str) -> tuple[str, str, dict[str, str]]:
    key, timestamp, told = line.split(" ", 2)
    return key, timestamp, json.loads(told)


def test_the_lines_are_those_that_tools_read(warc: Path) -> None:
    lines = list(cdxj.lines(warc))
    assert lines == sorted(lines)
    found = [split(line) for line in lines]
    assert [(key, timestamp) for key, timestamp, _ in found] == [
        ("1,0,0,127:8080)/clown", "20231114221320"),
        ("1,0,0,127:8080)/clown", "20231114231320"),
        ("1,0,0,127:8080)/clown", "20231115001320"),
        ("example,bay)/", "20231114221320"),
        ("example,reef)/fish/1?a=1&b=2", "20231114221320"),
        ("example,reef)/fish/2?a=1&b=2", "20231114221320"),
        ("example,reef)/fish/3?a=1&b=2", "20231114221320"),
    ]
    assert [(told["mime"], told["status"]) for _, _, told in found] == [
        ("text/html", "200"),
        ("warc/revisit", "200"),
        ("warc/revisit", "304"),
        ("unk", "204"),
        *[("text/html", "200")] * 3,
    ]
    assert {told["digest"] for key, _, told in found if "clown" in key} == {sha1(b"clown")}
    assert list(found[0][2]) == ["url", "mime", "status", "digest", "length", "offset", "filename"]
    assert found[4][2]["url"] == "https://www.reef.example/Fish/1?b=2&a=1"


def test_an_independent_reader_finds_each_record_at_its_place(warc: Path) -> None:
    for line in cdxj.lines(warc):
        _, timestamp, told = split(line)
        data = (warc / told["filename"]).read_bytes()
        begin, length = int(told["offset"]), int(told["length"])
        records = FastIterator(io.BytesIO(data[begin : begin + length]))
        record = next(records)
        kind = "revisit" if told["mime"] == "warc/revisit" else "response"
        assert str(record.record_type) == kind
        assert record.headers["WARC-Target-URI"] == told["url"]
        assert record.headers["WARC-Payload-Digest"] == told["digest"]
        date = record.headers["WARC-Date"]
        assert "".join(each for each in date if each.isdigit()) == timestamp
        assert str(record.http_headers.status_code) == told["status"]
        if kind == "response":
            assert sha1(record.reader.read()) == told["digest"]
        assert next(records, None) is None


def test_it_has_what_warcios_own_index_has(warc: Path) -> None:
    fields = ["warc-type", "warc-target-uri", "offset", "length", "filename", "http:status"]
    program = "from warcio.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", program, "index", "-f", ",".join(fields), *archive.files(warc)],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = [json.loads(line) for line in ran.stdout.splitlines()]
    names = ("warc-target-uri", "filename", "offset", "length", "http:status")
    their_places = sorted(
        tuple(each[name] for name in names)
        for each in theirs
        if each["warc-type"] in ("response", "revisit")
    )
    told = [told for _, _, told in map(split, cdxj.lines(warc))]
    names = ("url", "filename", "offset", "length", "status")
    assert their_places == sorted(tuple(each[name] for name in names) for each in told)


def test_a_binary_search_finds_a_url_and_its_times(warc: Path) -> None:
    """What a replay tool does: the key of the URL asked for, then the nearest time."""
    lines = list(cdxj.lines(warc))
    key = cdxj.surt("HTTP://www2.Reef.Example:80/fish/2/?a=1&b=2")
    (line,) = [line for line in lines if line.startswith(f"{key} ")]
    told = split(line)[2]
    with (warc / told["filename"]).open("rb") as file:
        file.seek(int(told["offset"]))
        records: Any = ArchiveIterator(file)
        assert next(records).content_stream().read() == random.Random(2).randbytes(5_000)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://reef.example/", "example,reef)/"),
        ("https://reef.example", "example,reef)/"),
        ("http://www.reef.example:80/", "example,reef)/"),
        ("https://www12.reef.example:443/", "example,reef)/"),
        ("https://wwwfish.example/", "example,wwwfish)/"),
        ("https://reef.example:8443/A/B/", "example,reef:8443)/a/b"),
        ("https://u:p@reef.example/#part", "example,reef)/"),
        ("https://reef.example/?b=2&a&a=1&B=1", "example,reef)/?a&a=1&b=1&b=2"),
        ("https://reef.example/a?", "example,reef)/a"),
        ("http://192.0.2.7/x", "7,2,0,192)/x"),
        ("http://[2001:db8::1]:81/x", "2001:db8::1:81)/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("file:///tmp/A b", "file:///tmp/A%20b"),
        ("http://[broken/", "http://[broken/"),
        ("http://x:99999999/", "http://x:99999999/"),
    ],
)
def test_keys(url: str, key: str) -> None:
    assert cdxj.surt(url) == key


SESSION = "0123456789abcdef0123456789ABCDEF"


@pytest.mark.parametrize(
    ("rest", "key"),
    [
        ("/%7Euser", "/~user"),
        ("/a%2Fb", "/a/b"),
        ("/a%252Fb", "/a/b"),
        ("/a//b//", "/a/b"),
        ("/a/./b/../c", "/a/c"),
        ("/%2e", "/"),
        ("/%", "/%25"),
        ("/a%2523", "/a%23"),
        ("/caf%C3%A9", "/caf%c3%a9"),
        ("/x/(S(4hqa0555fwsecu455xqckv45))/mil.aspx", "/x/mil.aspx"),
        (f"/a;jsessionid={SESSION}", f"/a;jsessionid={SESSION.lower()}"),
        ("/?a=%3D&b=x%2Fy", "/?a==&b=x/y"),
        ("/?q=a%26b", "/?b&q=a"),
        ("/?a=b+c", "/?a=b+c"),
        (f"/?jsessionid={SESSION}", "/"),
        (f"/?x=1&sid={SESSION}", "/?&x=1"),
        (f"/?PHPSESSID={SESSION}&x=1", "/?x=1"),
        ("/?CFID=12&CFTOKEN=34&x=1", "/?x=1"),
        ("/?ASPSESSIONIDABCDEFGH=ABCDEFGHABCDEFGHABCDEFGH", "/"),
    ],
)
def test_keys_are_those_of_the_package_surt(rest: str, key: str) -> None:
    """Version 0.3.1 of it gave these."""
    assert cdxj.surt(f"https://www.Reef.example{rest}") == f"example,reef){key}"


@pytest.mark.parametrize("part", ["%25", "cfid=", "/(a(", "/..", "&", "%", "sid="])
def test_a_long_address_has_its_key_soon(part: str) -> None:
    begun_s = time.process_time()
    cdxj.surt("https://reef.example/" + part * (8000 // len(part)))
    cdxj.surt("https://reef.example/?" + part * (8000 // len(part)))
    assert time.process_time() - begun_s < 2


@given(st.text())
@settings(max_examples=300)
def test_any_text_has_a_key_of_one_word(text: str) -> None:
    for url in (text, f"https://{text}", f"https://reef.example/{text}"):
        key = cdxj.surt(url)
        assert not any(each in key for each in " \t\r\n\x00")


def test_more_lines_than_fit_are_merged_from_runs() -> None:
    numbers = random.Random(5).sample(range(10_000), 1_000)
    lines = [f"example,reef)/{number:05d} \u2028 {{}}" for number in numbers]
    for lines_per_run in (70, 500, 999, 1_000, 1_001):
        assert list(cdxj.in_order(iter(lines), lines_per_run)) == sorted(lines)
    assert list(cdxj.in_order(iter([]))) == []


def test_hostile_records_make_one_line_each_or_none(tmp_path: Path) -> None:
    heads = [
        b"HTTP/1.1 200 OK\r\nContent-Type: a/b\x00 \xff\r\n\r\n",
        b"HTTP/1.1 99999999 Odd\r\nContent-Type\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: " + b"x" * 300_000 + b"\r\n\r\n",
        b"\r\n\r\n",
    ]
    with ArchiveWriter(tmp_path, 1 << 30, "Shoal/test") as writer:
        for number, head in enumerate(heads):
            fetched = answer(b"x")
            fetched.head = head
            visit = visit_to(f"https://reef.example/{number}")
            visit.url += ' "quoted" \\ ü\u2028'
            writer.write(visit, fetched)
    lines = list(cdxj.lines(tmp_path))
    assert len(lines) == len(heads)
    for number, line in enumerate(lines):
        assert "\n" not in line
        key, timestamp, told = split(line)
        assert key.startswith(f"example,reef)/{number}")
        assert len(timestamp) == 14
        assert told["url"].startswith(f'https://reef.example/{number} "quoted"')


def test_what_is_damaged_or_torn_costs_only_itself(warc: Path) -> None:
    whole = len(list(cdxj.lines(warc)))
    first, *_, last = archive.files(warc)
    damaged = bytearray(first.read_bytes())
    entry = next(each for each in cdxj.entries(warc) if each.capture.filename == first.name)
    damaged[int(entry.capture.offset) + 60] ^= 0xFF
    first.write_bytes(damaged)
    assert len(list(cdxj.lines(warc))) == whole - 1
    last.write_bytes(last.read_bytes() + b"\x1f\x8b\x08\x00torn")
    (warc / "empty.warc.gz").write_bytes(b"")
    assert len(list(cdxj.lines(warc))) == whole - 1


def test_no_archive_has_no_lines(tmp_path: Path) -> None:
    assert list(cdxj.lines(tmp_path)) == []
    assert list(cdxj.lines(tmp_path / "nothing here")) == []
