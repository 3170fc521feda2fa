import json
from pathlib import Path

import pytest

from shoal.converters.context import Converted
from shoal.converters.limits import Limits
from shoal.converters.mail import mail
from shoal.converters.sniff.text import is_mail
from shoal.model.page import Tag
from tests.converters.archive_parts import damaged, opening, read

SAMPLES = Path(__file__).parents[1] / "samples"
LISTED = json.loads((SAMPLES / "mail.json").read_text("utf-8"))


def converted(message: bytes, limits: Limits | None = None) -> list[Converted]:
    return mail.convert(message, opening("a.eml", limits))


def body(message: bytes) -> list[str]:
    """The text below the head."""
    (document, *_) = converted(message)
    blocks = document.page.blocks
    return [
        block.text
        for block in blocks
        if not block.text.startswith(("From:", "To:", "Cc:", "Date:", "Newsgroups:"))
    ]


@pytest.mark.parametrize("sample", LISTED, ids=lambda sample: sample["file"])
def test_sample(sample: dict[str, list[str]]) -> None:
    name = str(sample["file"])
    documents = read((SAMPLES / name).read_bytes(), name)
    text = " ".join(documents[0].page.text.split())
    position = 0
    for phrase in sample["phrases"]:
        found = text.find(phrase, position)
        assert found >= 0, phrase
        position = found + len(phrase)
    assert documents[0].page.title == sample.get("title", "")
    assert [each.name for each in documents[1:]] == sample.get("inside", [])


@pytest.mark.parametrize("sample", LISTED, ids=lambda sample: sample["file"])
def test_damaged_samples_are_read_as_far_as_they_go(sample: dict[str, str]) -> None:
    name = sample["file"]
    whole = (SAMPLES / name).read_bytes()
    for variant in damaged(whole, 60):
        assert read(variant, name)


def test_head_is_shown_and_threads_can_be_told() -> None:
    (document,) = converted((SAMPLES / "mail-flowed.eml").read_bytes())
    page = document.page
    assert page.author == "Ada Schön <ada@reef.example>"
    assert page.published == "2026-11-02T09:30:00+01:00"
    assert document.meta == [
        ("message-id", "<moray-1@reef.example>"),
        ("in-reply-to", "<moray-0@reef.example>"),
    ]
    assert page.blocks[0].text == "From: Ada Schön <ada@reef.example>"
    assert page.blocks[0].bold == [(0, 5)]


def test_html_keeps_its_tags_and_pictures_are_dropped() -> None:
    message = (
        b"Subject: x\nContent-Type: multipart/related; boundary=b\n\n"
        b"--b\nContent-Type: text/html\n\n"
        b"<h1>Reef</h1><p>A <b>bold</b> fish</p>\n--b\nContent-Type: image/png; name=fish.png\n"
        b"Content-ID: <1>\n\nPNG\n--b--\n"
    )
    (document,) = converted(message)
    assert [(block.kind, block.text) for block in document.page.blocks] == [
        (Tag.HEADING, "Reef"),
        (Tag.PARAGRAPH, "A bold fish"),
    ]


ALTERNATIVE = (
    "Subject: x\nContent-Type: multipart/alternative; boundary=b\n\n"
    "--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n{html}\n--b--\n"
)


def test_of_two_alternatives_that_say_the_same_one_is_shown() -> None:
    message = ALTERNATIVE.format(
        plain="The *grouper* waits\nin line. See <https://reef.example/queue>.",
        html="<p>The <b>grouper</b> waits in line. See <a href=/q>the queue</a>.</p>",
    )
    assert body(message.encode()) == ["The grouper waits in line. See the queue."]


def test_what_only_the_plain_alternative_says_is_added() -> None:
    message = ALTERNATIVE.format(
        plain="The grouper waits.\nCall the harbour office instead.",
        html="<p>The grouper waits.</p>",
    )
    assert body(message.encode()) == ["The grouper waits.", "Call the harbour office instead."]


def test_an_empty_page_gives_way_to_the_plain_text() -> None:
    assert body(ALTERNATIVE.format(plain="A fish.", html="<p></p>").encode()) == ["A fish."]


def test_all_inline_texts_of_a_mixed_mail_are_shown_in_order() -> None:
    message = (
        b"From: a@reef.example\nContent-Type: multipart/mixed; boundary=b\n\npreamble\n"
        b"--b\n\nFirst.\n--b\nContent-Type: application/pdf; name=x.pdf\n\n%PDF\n"
        b"--b\nContent-Type: text/plain\n\nSecond.\n--b--\nepilogue\n"
    )
    assert body(message) == ["First.", "Second.", "x.pdf"]


def test_attachments_are_documents_by_their_names() -> None:
    message = (
        b"From: a@reef.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee there.\n"
        b"--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n"
        b"Content-Disposition: attachment;\n filename*0*=utf-8''K%C3%BCste;\n filename*1=.txt\n\n"
        b"V2F0ZXI=\n--b--\n"
    )
    documents = converted(message)
    assert [(each.name, each.page.text) for each in documents[1:]] == [("Küste.txt", "Water")]


def test_uuencoded_files_are_taken_out_of_the_text() -> None:
    message = b'Subject: u\n\nLook:\n\nbegin 644 fish.txt\n%9FES:"$ \n`\nend\n\nBye\n'
    documents = converted(message)
    assert body(message) == ["Look:", "Bye", "fish.txt"]
    assert documents[1].name == "fish.txt"
    assert documents[1].page.text.startswith("fish")


def test_encrypted_mails_say_so() -> None:
    (document,) = converted((SAMPLES / "mail-sealed.eml").read_bytes())
    assert document.problem == "encrypted"
    pgp = b"Subject: s\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nVersion: 1\n--b--\n"
    assert converted(pgp)[0].problem == "encrypted"


def test_a_mail_without_a_boundary_shows_its_text() -> None:
    lost = b"Subject: s\nContent-Type: multipart/mixed\n\n--x\nContent-Type: text/plain\n\nFound.\n"
    assert body(lost) == ["Found."]
    assert body(b"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\nOnly text.\n") == [
        "Only text."
    ]


def test_nesting_and_parts_are_bounded() -> None:
    deep = b"Subject: d\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
        for level in range(2_000)
    )
    assert "deep" in converted(deep + b"\n\nbottom")[0].problem
    wide = b"Subject: w\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 5_000
    (document,) = converted(wide, Limits(members=100))
    assert document.problem == "more than 100 parts"
    assert len(document.page.blocks) <= 100


def test_mails_are_told_by_their_head() -> None:
    assert is_mail((SAMPLES / "mail-news").read_bytes())
    assert is_mail(b"Return-Path: <a@b>\r\nReceived: x\r\nFrom: a\r\nSubject: s\r\n\r\nx")
    assert not is_mail(b"title: Fish\ndate: today\n\nfrom: nobody")
    assert not is_mail(b"#include <fish.h>\nFrom: x\nTo: y\nSubject: z\n")
    assert not is_mail(b"HTTP/1.1 200 OK\r\nDate: x\r\nContent-Type: text/html\r\n\r\n")
    assert not is_mail(b"")
