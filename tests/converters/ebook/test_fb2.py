"""FictionBook: depth of sections, verse, notes apart from the text."""

from shoal.converters.ebook.fb2 import convert
from shoal.model.page import Block, Tag
from tests.converters.parts import context


def _blocks(body: str) -> list[Block]:
    xml = f'<FictionBook xmlns:l="http://www.w3.org/1999/xlink">{body}</FictionBook>'
    return convert(xml.encode(), context())[0].page.blocks


def test_titles_by_the_depth_of_their_sections() -> None:
    title = "<title><p>{}</p></title>"
    nested = f"<section>{title.format('Bay')}<section>{title.format('Reef')}</section></section>"
    named = f"<body>{title.format('Sea')}{nested}</body>"
    assert [(b.level, b.text) for b in _blocks(named)] == [(1, "Sea"), (2, "Bay"), (3, "Reef")]
    assert [(b.level, b.text) for b in _blocks(f"<body>{nested}</body>")] == [
        (1, "Bay"),
        (2, "Reef"),
    ]


def test_notes_stand_apart_from_the_text() -> None:
    found = _blocks(
        '<body><section><p>Fish<a l:href="#n" type="note">[1]</a> and'
        ' <a l:href="https://reef.example/">more</a></p></section></body>'
        '<body name="notes"><section id="n"><title><p>1</p></title><p>Small.</p></section></body>'
    )
    assert [(b.kind, b.text, b.links) for b in found] == [
        (Tag.PARAGRAPH, "Fish and more", [(9, 13, "https://reef.example/")]),
        (Tag.ASIDE, "Small.", []),
    ]


def test_verse_keeps_its_lines() -> None:
    (verse,) = _blocks(
        "<body><section><poem><stanza><v>a</v><v>b</v></stanza></poem></section></body>"
    )
    assert (verse.kind, verse.text) == (Tag.PRE, "a\nb")


def test_depth_is_bounded() -> None:
    deep = "<body>" + "<section>" * 3_000 + "<p>x</p>" + "</section>" * 3_000 + "</body>"
    assert len(_blocks(deep)) <= 1
    bold = "<body><p>first" + "<strong>" * 3_000 + "x" + "</strong>" * 3_000 + "</p></body>"
    assert _blocks(bold)[0].text.startswith("first")


def test_what_is_no_book_is_said() -> None:
    assert convert(b"<html/>", context())[0].problem.startswith("damaged")
