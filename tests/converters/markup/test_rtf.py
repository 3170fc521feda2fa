"""RTF: characters of every kind, structure, what is hidden, and files made to break a reader."""

import struct
import time

import pytest

from shoal.converters.context import Converted
from shoal.converters.limits import Limits
from shoal.converters.markup import rtf
from shoal.converters.writer import Writer
from shoal.model.page import Page
from tests.converters.text_samples import (
    SAMPLES,
    blocks_of,
    bold_of,
    context_for,
    links_of,
    run,
    run_all,
)


def text(source: bytes) -> str:
    return run(rtf.convert, source).page.text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (rb"{\rtf1\ansi\ansicpg1250 g\'ea\'9cl\'b9\par}", "gęślą"),
        (rb"{\rtf1{\fonttbl{\f1\fcharset204 Arial;}}\f1 \'f0\'fb\'e1\'e0\par}", "рыба"),
        (rb"{\rtf1{\fonttbl\f1\fcharset128 Mincho;}\f1 \'8b\'9b\'83A\par}", "魚ア"),
        (rb"{\rtf1{\fonttbl{\f1\fcharset134 Song;}}\f1\'d3\'e3\par}", "鱼"),
        (rb"{\rtf1{\fonttbl{\f1 Arial CE{\*\falt x};}{\f2\fcharset0 Arial CE;}}\f2\'9c\par}", "ś"),
        (rb"{\rtf1\ansicpg1251{\fonttbl{\f0\fcharset0 A;}}\f0\'f0\'fb\'e1\'e0\par}", "рыба"),
        (rb"{\rtf1\mac \'8a\par}", "ä"),
        (rb"{\rtf1 \u8364\'80 \uc2\u233xxz \uc0\u233z\par}", "€ éz éz"),
        (rb"{\rtf1 \u-10179?\u-8704?\par}", "😀"),
        (rb"{\rtf1\uc0 a \u-10240  b \u-9216\u-10240  c\par}", "a \ufffd b \ufffd\ufffd c"),
        (rb"{\rtf1 a\emdash b\endash c\_d\-e\'7bf\{g\}\par}", "a—b–c\u2011d\xade{f{g}"),
        (rb"{\rtf1{\fonttbl{\f3\fcharset2 Symbol;}}{\f3 a\'b3}b\par}", "α≥b"),
        (rb"{\rtf1{\upr{old}{\*\ud{n\u233?w}}}\par}", "néw"),
    ],
)
def test_characters(source: bytes, expected: str) -> None:
    assert text(source) == expected


def test_what_is_not_shown() -> None:
    assert text(rb"{\rtf1 a{\v hidden}{\*\unknown no}{\deleted gone}{\pict 89504e47}b\par}") == "ab"
    assert text(b"{\\rtf1 a{\\pict\\bin4 }}}}}b{\\*\\x\\bin2 }}}c\\par}") == "abc"


def test_headings_by_style_and_level() -> None:
    source = (
        rb"{\rtf1{\stylesheet{\s0 Normal;}{\s1\outlinelevel0\b heading 1;}{\s2\sbasedon3 Own;}"
        rb"{\s3\sbasedon2 heading 3;}{\s4 Title;}}"
        rb"\pard\s1\b One\par\pard\plain\s2 Three\par\pard\s4 Top\par\pard\outlinelevel1 Two\par"
        rb"\pard plain\par}"
    )
    assert blocks_of(rtf.convert, source) == [
        ("h", 1, "", "One"),
        ("h", 3, "", "Three"),
        ("h", 1, "", "Top"),
        ("h", 2, "", "Two"),
        ("p", 0, "", "plain"),
    ]
    assert run(rtf.convert, source).page.blocks[0].bold == []  # the style's look, not a stress


def test_lists() -> None:
    source = (
        rb"{\rtf1{\fonttbl{\f0 A;}{\f3\fcharset2 Wingdings;}}"
        rb"\pard\ls1{\listtext 1.\tab}one\par\pard\ls1\ilvl1{\listtext\f3\'a7\tab}inner\par"
        rb"\pard{\pntext\'b7\tab}old\par\pard\li360\fi-360 2)\tab typed\par"
        rb"\pard\ls1{\listtext o\tab}round\par}"
    )
    assert blocks_of(rtf.convert, source) == [
        ("ol", 1, "1.", "one"),
        ("li", 2, "", "inner"),
        ("li", 1, "", "old"),
        ("ol", 1, "2)", "typed"),
        ("li", 1, "", "round"),
    ]


def test_list_table_tells_the_kind_when_no_mark_is_written() -> None:
    source = (
        rb"{\rtf1{\*\listtable{\list{\listlevel\levelnfc23{\leveltext x;}}\listid7}}"
        rb"{\*\listoverridetable{\listoverride\listid7\ls1}}\pard\ls1 fish\par\pard\ls9 loose\par}"
    )
    assert blocks_of(rtf.convert, source) == [("li", 1, "", "fish"), ("p", 0, "", "loose")]


def test_tables_also_within_cells() -> None:
    source = (
        rb"{\rtf1\trowd\trhdr\pard\intbl A\cell{\b B}\cell\row\trowd\pard\intbl 1\par more\cell"
        rb"\pard\intbl\itap2 x\nestcell y\nestcell{\*\nesttableprops\trowd\nestrow}"
        rb"{\nonesttables\par}"
        rb"\pard\intbl 2\cell\row\pard after\par\trowd lost\cell}"
    )
    assert blocks_of(rtf.convert, source) == [
        ("table", 1, "", "A\tB\n1 more\tx y 2"),
        ("p", 0, "", "after"),
        ("table", 0, "", "lost"),
    ]


def test_notes_boxes_and_pictures_follow_their_paragraph() -> None:
    source = (
        rb"{\rtf1{\header Reef\par}{\footer 1\par}Body{\footnote\pard A note.} goes on"
        rb"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv A fish}}{\shptxt box\par}}{\shprslt no}}"
        rb".\par"
        rb"{\header Reef\par}Next{\annotation hm}\par}"
    )
    assert blocks_of(rtf.convert, source) == [
        ("aside", 0, "", "Reef"),
        ("aside", 0, "", "1"),
        ("p", 0, "", "Body goes on."),
        ("aside", 0, "", "A note."),
        ("caption", 0, "", "A fish"),
        ("p", 0, "", "box"),
        ("p", 0, "", "Next"),
        ("aside", 0, "", "hm"),
    ]


def test_links_and_bold() -> None:
    source = (
        rb'{\rtf1 See {\field{\*\fldinst{HYPERLINK "https://reef.example/a" \\l "b"}}'
        rb"{\fldrslt{\ul the {\b reef}}}} now\par}"
    )
    (block,) = run(rtf.convert, source).page.blocks
    assert block.text == "See the reef now"
    assert bold_of(block) == ["reef"]
    assert {href for _, href in links_of(block)} == {"https://reef.example/a#b"}


def test_metadata() -> None:
    source = (
        rb"{\rtf1{\info{\title Reef \u233?}{\author Mara}{\keywords fish}{\subject About}"
        rb"{\creatim\yr2024\mo5\dy6\hr7\min8}{\revtim\yr2024\mo13}}text\par}"
    )
    page = run(rtf.convert, source).page
    assert (page.title, page.author, page.keywords) == ("Reef é", "Mara", "fish")
    assert (page.published, page.modified, page.description) == ("2024-05-06T07:08:00", "", "About")
    assert page.text == "text"


def test_html_that_outlook_wrapped() -> None:
    source = (
        rb"{\rtf1\ansi\ansicpg1251\fromhtml1 {\fonttbl{\f0\fcharset204 A;}}{\*\htmltag64 <p>}"
        rb"\htmlrtf {\htmlrtf0 {\*\htmltag84 <b>}\htmlrtf {\b\htmlrtf0 \'f0\'fb\'e1\'e0"
        rb"{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0  swim{\*\htmltag72 </p>}}"
    )
    (block,) = run(rtf.convert, source).page.blocks
    assert (block.text, bold_of(block)) == ("рыба swim", ["рыба"])
    writer = Writer(Limits())
    rtf.write_blocks(source, writer, context_for())
    assert [each.text for each in writer.blocks] == ["рыба swim"]


def test_embedded_file() -> None:
    file = b"\x02\0fish.txt\0c:\\fish.txt\0" + struct.pack("<HHI", 0, 3, 2) + b"x\0"
    file += struct.pack("<I", 5) + b"eels!"
    header = struct.pack("<IIII", 0x501, 2, 8, 0)[:12] + b"Package\0" + bytes(8)
    data = header + struct.pack("<I", len(file)) + file
    seen: list[tuple[bytes, str]] = []

    def inside(found: bytes, name: str, _type: str = "") -> list[Converted]:
        seen.append((found, name))
        return [Converted(Page(text="eels!"), name)]

    source = b"{\\rtf1 a{\\object{\\*\\objdata " + data.hex().encode() + b"}{\\result b}}\\par}"
    own, inner = run_all(rtf.convert, source, inside=inside)
    assert own.page.text == "ab"
    assert (inner.name, seen) == ("fish.txt", [(b"eels!", "fish.txt")])


def test_deep_groups_and_braces_too_many() -> None:
    began = time.process_time()
    deep = b"{\\rtf1 " + b"{" * 100_000 + b"deep" + b"}" * 100_000 + b" after\\par}"
    assert text(deep) == "deep after"
    assert text(b"{\\rtf1 one\\par}}} two\\par") == "one\ntwo"
    assert text(b"{\\rtf1 cut off here") == "cut off here"
    assert time.process_time() - began < 10


def test_styles_based_on_each_other_end() -> None:
    source = rb"{\rtf1{\stylesheet{\s1\sbasedon2 A;}{\s2\sbasedon1 B;}}\pard\s1 x\par}"
    assert blocks_of(rtf.convert, source) == [("p", 0, "", "x")]


def test_of_libreoffice() -> None:
    """The same text as HTML, DOCX, ODT and PDF: these tags must come out of all of them."""
    assert blocks_of(rtf.convert, (SAMPLES / "text-reef.rtf").read_bytes())[:9] == [
        ("h", 1, "", "Life on the reef"),
        ("p", 0, "", "Clownfish live in anemones and hide there. See the fish."),
        ("h", 2, "", "Feeding"),
        ("ol", 1, "1.", "Plankton at dawn"),
        ("ol", 1, "2.", "Algae"),
        ("li", 2, "", "green"),
        ("li", 2, "", "red"),
        ("ol", 1, "3.", "Shrimp"),
        ("h", 2, "", "Counts"),
    ]
