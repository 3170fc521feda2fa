from pathlib import Path

from shoal.converters.mail import mhtml
from shoal.converters.sniff.text import text_kind
from tests.converters.archive_parts import opening

SAMPLE = (Path(__file__).parents[1] / "samples" / "mail-page.mht").read_bytes()


def test_links_are_relative_to_where_the_page_was_saved() -> None:
    (document,) = mhtml.convert(SAMPLE, opening("x.mht"))
    links = [link for block in document.page.blocks for link in block.links]
    assert [link[2] for link in links] == ["https://reef.example/fish/pipefish.html"]
    assert document.page.published == "2026-11-04T12:00:00+00:00"


def test_the_page_that_start_names_is_the_root() -> None:
    saved = (
        b'Content-Type: multipart/related; boundary=b; start="<2>"\n\n'
        b"--b\nContent-Type: text/html\nContent-ID: <1>\n\n<title>Frame</title><p>frame</p>\n"
        b"--b\nContent-Type: text/html\nContent-ID: <2>\n\n<title>Root</title><p>root</p>\n--b--\n"
    )
    (document,) = mhtml.convert(saved, opening("x.mht"))
    assert (document.page.title, document.page.text) == ("Root", "root")


def test_a_page_of_frames_is_read_frame_by_frame() -> None:
    saved = (
        b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        b"<title>Set</title><frameset><frame src=a></frameset>\n"
        b"--b\nContent-Type: text/html\n\n<p>The frame's text</p>\n--b--\n"
    )
    (document,) = mhtml.convert(saved, opening("x.mht"))
    assert (document.page.title, document.page.text) == ("Set", "The frame's text")


def test_without_a_page_it_says_so() -> None:
    (document,) = mhtml.convert(b"Content-Type: image/png\n\nx", opening("x.mht"))
    assert document.problem == "no page in it"


def test_mails_are_no_saved_pages() -> None:
    assert text_kind(SAMPLE) == "multipart/related"
    assert text_kind(b"To: x\nContent-Type: multipart/related; boundary=b\n\n") == ""
    assert text_kind(b"Content-Type: text/plain\n\n") == ""
