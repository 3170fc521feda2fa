"""What cleaners answer: pieces of the source, and the lines of the text that are content."""

from array import array

from shoal.model.content import KEPT, content_of, content_text


def test_the_lines_that_are_content() -> None:
    shades = bytes([0, KEPT - 1, KEPT, 255])
    assert content_text("a\nb\nc\nd", shades) == "c\nd"


def test_without_shades_all_is_content() -> None:
    assert content_text("a\nb", b"") == "a\nb"
    assert content_text("", b"") == ""


def test_nothing_may_be_content() -> None:
    assert content_text("a\nb", bytes(2)) == ""


def test_a_text_that_was_cut_keeps_the_lines_it_has() -> None:
    assert content_text("a\nb", b"\xff\xff\xff") == "a\nb"
    assert content_text("a\nb", b"\xff") == "a"


def test_ranges_become_pieces_of_which_all_is_sure() -> None:
    content = content_of([(3, 7), (9, 12)], "slope")
    assert content.method == "slope"
    assert array("i", content.places).tolist() == [3, 7, 9, 12]
    assert (content.line_scores, content.marks) == (b"\xff\xff", b"\0\0")


def test_no_ranges_are_no_pieces() -> None:
    assert content_of([], "dom") == ("dom", b"", b"", b"")
