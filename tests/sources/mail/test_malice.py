"""Mails that want to do harm: at most that one document is lost, and its neighbours are not."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.model.from_line import begins_mail
from shoal.worker.conversion import Conversion
from shoal.worker.converting import Converter
from tests.sources.mail.account import in_mbox, local, written

HEAD = b"From: eve@example.org\nSubject: Harm\nMIME-Version: 1.0\n"


def of_parts(count: int) -> bytes:
    part = b"--x\nContent-Type: text/plain\n\nA part of very many.\n"
    return HEAD + b'Content-Type: multipart/mixed; boundary="x"\n\n' + part * count + b"--x--\n"


def nested(depth: int) -> bytes:
    mail = b"Content-Type: text/plain\n\nAt the bottom.\n"
    for level in range(depth):
        name = b"b%d" % level
        mail = (
            b'Content-Type: multipart/mixed; boundary="' + name + b'"\n\n--' + name + b"\n" + mail
        ) + (b"\n--" + name + b"--\n")
    return HEAD + mail


def mails_in_mails(depth: int) -> bytes:
    mail = b"From: eve@example.org\nSubject: innermost\n\nAt the bottom.\n"
    for _ in range(depth):
        mail = b"From: eve@example.org\nContent-Type: message/rfc822\n\n" + mail
    return mail


HARM = {
    "parts": of_parts(2_000),
    "more parts": of_parts(20_000),
    "deep": nested(200),
    "mails in mails": mails_in_mails(200),
    "a long line of base64": HEAD
    + b"Content-Transfer-Encoding: base64\n\n"
    + b"QUJD" * 5_000_000
    + b"\n",
    "many fields": HEAD + b"X-Bomb: a\n" * 300_000 + b"\nText.\n",
    "a long field": HEAD + b"X-Bomb: " + b"a " * 3_000_000 + b"\n\nText.\n",
    "many addresses": HEAD + b"To: " + b"eve@example.org, " * 200_000 + b"\n\nText.\n",
    "encoded words": HEAD + b"Subject: " + b"=?utf-8?b?QUJD?= " * 200_000 + b"\n\nText.\n",
    "references": HEAD + b"References: " + b"<a@b> " * 300_000 + b"\n\nText.\n",
    "folded": HEAD + b"Subject: a\n" + b" b\n" * 500_000 + b"\nText.\n",
    "from lines": HEAD + b"\nText.\n" + b"\nFrom here to there\n" * 50_000,
    "nothing": b"",
    "zeros": b"\0" * 1_000_000,
}


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(processes=1) as made:
        made.convert(b"Its child is started here.")
        yield made


@pytest.mark.parametrize("name", HARM)
def test_one_document_at_most_is_lost(tmp_path: Path, converter: Converter, name: str) -> None:
    path = tmp_path / "box"
    path.write_bytes(in_mbox(written(1), HARM[name], written(2)))
    account = local(path)
    told = account.follow()
    assert 2 <= told["Taken"] <= 3
    read: list[Conversion] = [
        converter.convert(body, name="mail.eml", media_type="message/rfc822")
        for body in account.bodies.values()
    ]
    titles = [each.title for each in read]
    assert {"Number 1", "Number 2"} <= set(titles)
    assert all("Hello." in each.text for each in read if each.title.startswith("Number"))
    assert all(len(each.document.fields) < 10 for each in read)
    assert converter.deaths == 0


@pytest.mark.parametrize("made", [b"00:00 a", b"1234 ", b"00:00", b"0000:0"])
def test_lines_that_are_slow_to_judge(made: bytes) -> None:
    """Twice the line takes about twice the time: what was quadratic took a thousand times that."""
    line = b"From " + (made * 1_000)[:990] + b"\n"
    data = line * 300 + b"plain: field\n"
    begun = time.process_time()
    for start in range(0, 300 * len(line), len(line)):
        begins_mail(data, start, start + len(line), is_apart=False)
    judged = time.process_time() - begun
    begun = time.process_time()
    for _ in range(300):
        sum(line)
    assert judged < 50 * (time.process_time() - begun)
