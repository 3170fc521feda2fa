from pathlib import Path

from shoal.converters.limits import Limits
from shoal.converters.mail import mbox
from shoal.converters.sniff.text import text_kind
from tests.converters.archive_parts import opening, read

SAMPLE = (Path(__file__).parents[1] / "samples" / "mail-list.mbox").read_bytes()


def test_quoted_from_lines_are_text() -> None:
    documents = mbox.convert(SAMPLE, opening("x.mbox"))
    assert "From the boat we saw its white belly." in documents[1].page.text
    assert "From here on the text goes on" in documents[2].page.text
    assert [each.page.title for each in documents[1:]] == [
        "First sighting",
        "Second sighting",
        "Third sighting",
    ]


def test_messages_beyond_the_limit_are_left_out_and_counted() -> None:
    documents = mbox.convert(SAMPLE, opening("x.mbox", Limits(members=2)))
    assert len(documents) == 3
    assert documents[0].problem == "1 message left out: too many"


def test_windows_line_ends_and_a_cut_last_message() -> None:
    documents = mbox.convert(SAMPLE.replace(b"\n", b"\r\n")[:-30], opening("x.mbox"))
    assert len(documents) == 4


def test_a_mailbox_is_told_by_its_first_lines() -> None:
    assert text_kind(SAMPLE) == "application/mbox"
    assert text_kind(b"From the boat we saw it.\nIt was white.\n") == ""
    assert read(b"From a Mon Jan  1 10:00:00 2026\n", "x")


def test_a_file_of_from_lines_costs_no_more_than_its_size() -> None:
    lines = b"From a@b Mon Jan  1 10:00:00 2026\n\n" * 30_000
    documents = mbox.convert(lines, opening("x.mbox", Limits(members=10)))
    assert len(documents) <= 11
