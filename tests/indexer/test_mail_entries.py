"""Mails are found by who wrote them to whom, when, and with what: real ones, read and indexed."""

import tarfile
from pathlib import Path
from typing import Any

import pytest

from shoal.index.reader import IndexReader
from shoal.indexer.entries import unix
from shoal.model.compression import unzstd
from shoal.model.document import Document
from shoal.model.entry import Entry
from shoal.model.mail_words import marks_of
from shoal.search.parse import parse
from shoal.worker.converting import Converter
from tests.index.made import entry, search, written
from tests.sources.mail.account import listed, mail_data, unpacked_maildir

NOW = 1_800_000_000.0


def entered(name: str, document: Document) -> Entry:
    text = unzstd(document.text).decode() if document.text else ""
    return entry(
        name + document.name,
        text,
        title=document.title,
        published=unix(document.published),
        media_type=document.media_type,
        marks=marks_of(document.fields),
        is_member=bool(document.name),
    )


@pytest.fixture(scope="module")
def real(
    shoal_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[IndexReader, list[dict[str, Any]]]:
    """Thirty mails of a real list, half of them with something attached."""
    place = tmp_path_factory.mktemp("mails")
    unpacked_maildir(shoal_data, place)
    rows = listed(mail_data(shoal_data) / "usrp-users-maildir.jsonl.gz")
    rows = [row for row in rows if row["attachments"]][:15] + [
        row for row in rows if not row["attachments"]
    ][:15]
    entries = []
    with Converter(processes=1) as converter:
        for row in rows:
            made = converter.convert(place / row["path"], media_type="message/rfc822")
            documents = [made.document, *(each.document for each in made.inside)]
            entries += [entered(row["message_id"], each) for each in documents]
    return written(place / "index", entries), rows


def found(reader: IndexReader, query: str) -> set[str]:
    hits = search(reader, parse(query, NOW), limit=1000).found
    return {hit.row.decode().removeprefix("org,example)443:https/") for hit in hits}


def is_file(part: dict[str, Any]) -> bool:
    """A picture may stand in the text, and a signature is for programs."""
    return (
        bool(part["name"])
        and not part["type"].startswith("image/")
        and (not part["type"].endswith("-signature"))
    )


def test_real_mails_by_their_attachments(
    real: tuple[IndexReader, list[dict[str, Any]]],
) -> None:
    reader, rows = real
    expected = {row["message_id"] for row in rows if any(map(is_file, row["parts"]))}
    assert len(expected) >= 5
    with_files = {name for name in found(reader, "has:attachment") if "#" not in name}
    assert expected <= with_files
    without = {row["message_id"] for row in rows if not row["attachments"]}
    assert not with_files & without


def test_real_mails_by_subject_and_date(
    real: tuple[IndexReader, list[dict[str, Any]]],
) -> None:
    reader, rows = real
    row = rows[0]
    word = max(row["subject"].split(), key=len).strip("?!.,[]()")
    assert row["message_id"] in found(reader, f"subject:{word}")
    day = row["received"]
    year = int(day[:4])
    assert row["message_id"] in found(
        reader, f"subject:{word} after:{year - 1} before:{year + 1}-02"
    )
    assert row["message_id"] not in found(reader, f"subject:{word} after:{year + 1}-02")


def test_who_wrote_it_to_whom(tmp_path: Path) -> None:
    mail = (
        b"From: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.org>\r\nTo: Bob <bob@example.net>\r\n"
        b"Cc: carol@example.com\r\nSubject: The invoice\r\nDate: Mon, 5 Jan 2026 10:00:00 +0000\r\n"
        b"Message-ID: <2@example.org>\r\nReferences: <1@example.org>\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n\r\nHere it is.\r\n--x\r\n'
        b'Content-Type: text/csv\r\nContent-Disposition: attachment; filename="sum.csv"\r\n\r\n'
        b"item;euro\r\ncoral;12\r\n--x--\r\n"
    )
    with Converter(processes=1) as converter:
        made = converter.convert(mail, name="a.eml", media_type="message/rfc822")
    documents = [made.document, *(each.document for each in made.inside)]
    reader = written(tmp_path / "index", [entered("mail", each) for each in documents])
    both = {"mail", "mail#sum.csv"}
    asked = "from:ann subject:invoice before:2026-02 has:attachment"
    assert found(reader, asked) == {"mail"}
    assert found(reader, "from:ann subject:invoice before:2026-01 has:attachment") == set()
    for query in ("from:muller", "from:example.org", "to:bob", "to:carol", "thread:1@example.org"):
        assert found(reader, query) == both, query
    assert found(reader, "from:ann coral -has:attachment") == {"mail#sum.csv"}
    assert not found(reader, "from:bob")


def test_what_outlook_saved(shoal_data: Path, tmp_path: Path) -> None:
    with tarfile.open(mail_data(shoal_data) / "msg-tnef.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    messages = sorted(tmp_path.rglob("*.msg"))
    assert len(messages) == 28
    told = 0
    with Converter(processes=2) as converter:
        for _, made in converter.convert_all(messages):
            told += {"from", "to"} <= {name for name, _ in made.document.fields}
    assert told >= 20
