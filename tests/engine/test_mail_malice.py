"""Mailboxes that want to do harm, by the real command: one document lost at most."""

import base64
import io
import json
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.engine.watched_memory import watched
from tests.sources.mail.account import in_mbox, written
from tests.sources.mail.test_malice import HARM, HEAD

LINE = b"From eve@example.org Mon Jan  5 10:00:00 2026\n"
MOST_BYTES = 700_000_000
"""Of each process: what a mail of a hundred million bytes takes, some times over."""
PATIENCE_SECONDS = 600.0
MB = 1_000_000


def field_of_100_mb(file: IO[bytes]) -> None:
    file.write(HEAD + b"X-Bomb: " + b"a " * (50 * MB) + b"\n\nText.\n")


def subject_of_100_mb(file: IO[bytes]) -> None:
    file.write(HEAD + b"Subject: " + b"=?utf-8?b?QUJD?= " * (6 * MB) + b"\n\nText.\n")


def fields_of_100_mb(file: IO[bytes]) -> None:
    file.write(HEAD + b"X-Bomb: a field of a head without an end\n" * (2_500_000) + b"\nText.\n")


def line_of_1_gb(file: IO[bytes]) -> None:
    file.write(HEAD + b"Content-Transfer-Encoding: base64\n\n")
    for _ in range(1_000):
        file.write(b"QUJD" * (MB // 4))


def hole_of_some_gb(file: IO[bytes]) -> None:
    file.write(HEAD + b"\nText.\n")
    file.seek(4_000 * MB, os.SEEK_CUR)


def bomb(unpacked: int) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("bomb.txt", "w", force_zip64=True) as member,
    ):
        for _ in range(unpacked // MB):
            member.write(b"a" * MB)
    return packed.getvalue()


def attached(name: str, data: bytes) -> bytes:
    head = HEAD + b'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nSee there.\n--x\n'
    part = f'Content-Disposition: attachment; filename="{name}"\n'.encode()
    encoded = base64.encodebytes(data)
    return head + part + b"Content-Transfer-Encoding: base64\n\n" + encoded + b"--x--\n"


def bomb_of_2_gb(file: IO[bytes]) -> None:
    file.write(attached("bomb.zip", bomb(2_000 * MB)))


def bombs_in_a_bomb(file: IO[bytes]) -> None:
    packed, one = io.BytesIO(), bomb(200 * MB)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(50):
            archive.writestr(f"{number}.zip", one)
    file.write(attached("bombs.zip", packed.getvalue()))


def long_mails(file: IO[bytes]) -> None:
    for number in range(8):
        file.write((LINE if number else b"") + HEAD + b"\n%d\n" % number)
        file.write((b"word%d " % number * 13 + b"\n") * 1_000_000 + b"\n")


GREAT = (
    *(field_of_100_mb, subject_of_100_mb, fields_of_100_mb, line_of_1_gb, hole_of_some_gb),
    *(bomb_of_2_gb, bombs_in_a_bomb, long_mails),
)


def neighbours_are_found(place: Path, box: Path, most_seconds: float) -> None:
    words = ("mail", "add", str(box), "--dir", str(place), "--set", "files.share=64")
    done = watched(*words, patience=most_seconds)
    assert done.code == 0, done.said
    assert "Traceback" not in done.said
    print(f"{box.stat().st_size / MB:.0f} MB in {done.seconds:.1f} s:", end=" ")
    print(f"{done.main / MB:.0f} MB, its readers {done.others / MB:.0f} MB")
    assert max(done.main, done.others) < MOST_BYTES
    asked = ("search", "neighbour", "--dir", str(place), "--json")
    found = json.loads(watched(*asked, patience=PATIENCE_SECONDS).said)["results"]
    assert sorted(each["title"] for each in found) == ["Number 1", "Number 2"]


def test_harm_between_neighbours(tmp_path: Path) -> None:
    """All at once that is quickly made; each alone is in tests/sources/mail/test_malice.py."""
    first, last = written(1, "A neighbour.\n"), written(2, "The other neighbour.\n")
    small = [HARM[name] for name in ("parts", "deep", "many fields", "from lines", "references")]
    box = tmp_path / "box"
    box.write_bytes(in_mbox(first, *small, attached("bomb.zip", bomb(50 * MB)), last))
    neighbours_are_found(tmp_path / "corpus", box, PATIENCE_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("harm", GREAT, ids=lambda each: each.__name__)
def test_great_harm_between_neighbours(tmp_path: Path, harm: Callable[[IO[bytes]], None]) -> None:
    box = tmp_path / "box"
    with box.open("wb") as file:
        file.write(in_mbox(written(1, "A neighbour.\n")) + LINE)
        harm(file)
        file.write(b"\n\n" + in_mbox(written(2, "The other neighbour.\n")))
    neighbours_are_found(tmp_path / "corpus", box, PATIENCE_SECONDS)


@pytest.fixture
def great_box(tmp_path: Path) -> Iterator[Path]:
    """Of as many gigabytes as GREAT_MAILBOX_GB says, in mails of 100 kB to 8 MB."""
    box, most = tmp_path / "box", int(os.environ.get("GREAT_MAILBOX_GB", "2")) * 1_000 * MB
    drawn = random.Random(7)
    junk = base64.encodebytes(drawn.randbytes(6 * MB))
    with box.open("wb") as file:
        file.write(in_mbox(written(1, "A neighbour.\n")))
        number = 10
        while file.tell() < most:
            number += 1
            start = drawn.randrange(len(junk) // 77) * 77
            data = junk[start : start + 77 * drawn.randrange(1_300, 104_000)]
            kind = 'multipart/mixed; boundary="x"'
            mail = written(number, "See there.\n", MIME_Version="1.0", Content_Type=kind)
            head, _, text = mail.partition(b"\n\n")
            part = b"--x\nContent-Type: application/octet-stream\n"
            part += b"Content-Transfer-Encoding: base64\n\n" + b"%d\n" % number + data
            file.write(in_mbox(head + b"\n\n--x\n\n" + text + part + b"--x--\n"))
        file.write(in_mbox(written(2, "The other neighbour.\n")))
    yield box
    box.unlink()


@pytest.mark.slow
def test_a_mailbox_of_many_gigabytes(tmp_path: Path, great_box: Path) -> None:
    neighbours_are_found(tmp_path / "corpus", great_box, 3_600)
    unchanged = ("mail", "add", str(great_box), "--dir", str(tmp_path / "corpus"))
    again = watched(*unchanged, patience=PATIENCE_SECONDS)
    print(f"nothing new: {again.seconds:.1f} s, {again.main / MB:.0f} MB")
    with great_box.open("ab") as file:
        file.write(in_mbox(written(3, "One that came later.\n")))
    done = watched(*unchanged, "--json", patience=PATIENCE_SECONDS)
    print(f"one more: {done.seconds:.1f} s, {done.main / MB:.0f} MB")
    assert json.loads(done.said)["read"] == 1
    assert max(again.main, done.main) < MOST_BYTES
