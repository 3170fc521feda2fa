"""PDF files as pages: kinds and order of blocks, what lies upon pages, and what is not read."""

from pathlib import Path

import pytest

from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.converters.pdf import pdf
from shoal.converters.pdf.library import opened, rendered
from shoal.converters.pdf.pdf import convert
from shoal.model.page import Block, Page, Tag
from tests.converters.parts import context, link_maker

SAMPLES = Path(__file__).parents[1] / "samples"


def made(
    *contents: bytes, page: bytes = b"", catalog: bytes = b"", more: tuple[bytes, ...] = ()
) -> bytes:
    """A file with a page for each content stream. Objects: 1 the catalog, 2 the page tree, 3 and 4
    the fonts /F and /B, from 5 on `more`, then pages and contents in turn."""
    first = 5 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R/B 4 0 R"
        b">>>>>>" % (len(contents), kids),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        *more,
    ]
    for number, content in enumerate(contents):
        entry = b"<</Type/Page/Parent 2 0 R/Contents %d 0 R%s>>" % (first + 2 * number + 1, page)
        objects += [entry, b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content)]
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    end += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return bytes(out) + end


def said(*lines: tuple[float, float, str], font: str = "F 10") -> bytes:
    """Lines at their places (from the left, from below)."""
    shown = (f"BT /{font} Tf {x} {y} Td ({text}) Tj ET" for x, y, text in lines)
    return "\n".join(shown).encode("cp1252")


def column(x: float, y: float, *lines: str, font: str = "F 10") -> bytes:
    return said(*((x, y - 12 * number, line) for number, line in enumerate(lines)), font=font)


def read(body: bytes, limits: Limits | None = None) -> Converted:
    (result,) = convert(body, context("https://reef.example/fish.pdf", limits=limits))
    return result


def blocks(body: bytes) -> list[Block]:
    return read(body).page.blocks


def sample(name: str) -> Page:
    return read((SAMPLES / name).read_bytes()).page


def shape(page: Page) -> list[tuple[Tag, int, str, str, list[tuple[int, int]]]]:
    return [(each.kind, each.level, each.marker, each.text, each.bold) for each in page.blocks]


def test_tags_decide_what_blocks_are() -> None:
    page = sample("pdf-tagged.pdf")
    assert page.title == "Reef guide"
    assert page.author == "Ada Wrasse"
    assert page.language == "en-US"
    told = [each[:4] for each in shape(page)]
    assert told[0] == (Tag.HEADING, 1, "", "The reef guide")
    assert told[2:8] == [
        (Tag.HEADING, 2, "", "Fish of the reef"),
        (Tag.ITEM, 1, "", "Wrasse"),
        (Tag.ITEM, 2, "", "Cleaner wrasse"),
        (Tag.ITEM, 1, "", "Parrotfish"),
        (Tag.NUMBERED, 1, "1.", "Look at the fins."),
        (Tag.NUMBERED, 1, "2.", "Count the stripes."),
    ]
    table = (Tag.TABLE, 1, "", "Fish\tLength\nWrasse\t20 cm\nParrotfish\t60 cm")
    assert told[9:11] == [table, (Tag.HEADING, 3, "", "How they were measured")]
    first = page.blocks[1]
    assert [first.text[start:end] for start, end in first.bold] == ["tiny animals"]
    assert [(first.text[start:end], href) for start, end, href in first.links] == [
        ("the guide on the web", "https://reef.example/guide")
    ]


def test_without_tags_the_looks_tell_the_same() -> None:
    assert shape(sample("pdf-plain.pdf")) == shape(sample("pdf-tagged.pdf"))


def test_columns_are_read_one_after_the_other() -> None:
    page = sample("pdf-columns.pdf")
    headings = [(each.level, each.text) for each in page.blocks if each.kind is Tag.HEADING]
    assert headings == [
        (1, "Life on the reef"),
        (2, "1. Corals"),
        (2, "2. Fishes"),
        (2, "3. Visitors"),
    ]
    text = page.text
    places = [
        text.index(part) for part in ("reef. The reef gives", "bleaching", "white sand", "whales")
    ]
    assert places == sorted(places)
    assert "parrotfish makes several hundred kilograms" in text


def test_columns_that_were_written_across_are_taken_apart() -> None:
    left = ["The cleaner wrasse waits for its guests", "and takes small pests from their skin,"]
    right = ["Turtles come to the reef in summer and", "rest in its caves until the autumn, then"]
    rows = [
        (x, 700 - 12 * number, text)
        for number in range(6)
        for x, text in ((72, left[number % 2]), (320, right[number % 2]))
    ]
    text = read(made(said(*rows))).page.text
    assert text.index("Turtles") > text.rindex("wrasse")


def test_a_title_over_columns_does_not_join_them() -> None:
    body = made(
        said((180, 740, "A guide to all the reefs of the sea"), font="B 18")
        + b"\n"
        + column(320, 700, *["right words of the second column here"] * 4, "Right end.")
        + b"\n"
        + column(72, 700, *["left words of the first column there"] * 4, "Left end.")
    )
    text = read(body).page.text
    assert text.startswith("A guide")
    assert text.index("Left end") < text.index("right words")


def test_a_divided_word_is_whole_again() -> None:
    lines = ["A parrot-fish is seen on a well-known reef, where the tur-", "tles and the well-"]
    (block,) = blocks(made(column(72, 700, *lines, "known rays pass the cor-", "als at noon.")))
    assert block.text.endswith("turtles and the well-known rays pass the corals at noon.")


def test_running_heads_are_told_once() -> None:
    pages = [
        said((72, 770, "Reef guide, third edition"), (300, 20, f"{number}"))
        + b"\n"
        + column(72, 700, f"Words about fish number {'abcd'[number]}, of some length.", "And more.")
        for number in range(4)
    ]
    found = blocks(made(*pages))
    asides = [each.text for each in found if each.kind is Tag.ASIDE]
    assert asides == ["Reef guide, third edition", "0"]
    assert sum(each.kind is Tag.PARAGRAPH for each in found) == 4


def test_a_paragraph_goes_on_after_a_page_break() -> None:
    body = made(
        column(72, 100, "The rays come in summer and they rest in the", "caves of the reef, where"),
        column(72, 700, "nobody disturbs them. Then they go."),
    )
    (block,) = blocks(body)
    assert "where nobody disturbs" in block.text


def test_cells_under_each_other_are_a_table() -> None:
    rows = [("Fish", "Length", "Depth"), ("Wrasse", "20 cm", "3 m"), ("Ray", "180 cm", "12 m")]
    cells = [
        (72 + 150 * place, 700 - 16 * number, cell)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row)
    ]
    (block,) = blocks(made(said(*cells)))
    assert block.kind is Tag.TABLE
    assert block.text.splitlines() == ["\t".join(row) for row in rows]


def test_code_keeps_its_lines() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Courier>>"
    prose = column(72, 700, *["Some words about fish that swim in a shoal all day long"] * 4)
    code = said((72, 600, "def swim\\(\\):"), (96, 588, "return 1"), font="C 10")
    resources = b"/Resources<</Font<</F 3 0 R/C 5 0 R>>>>"
    found = blocks(made(prose + b"\n" + code, page=resources, more=(font,)))
    assert [each.kind for each in found] == [Tag.PARAGRAPH, Tag.PRE]
    assert found[1].text == "def swim():\n    return 1"


def test_turned_text_reads_along_its_lines() -> None:
    content = b"BT /F 10 Tf 0 1 -1 0 300 100 Tm (The wrasse swims) Tj ET\n"
    content += b"BT /F 10 Tf 0 1 -1 0 312 100 Tm (up the page.) Tj ET"
    (block,) = blocks(made(content, page=b"/Rotate 90"))
    assert block.text == "The wrasse swims up the page."


def test_bookmarks_give_the_levels() -> None:
    outline = (
        b"<</Type/Outlines/First 6 0 R/Last 6 0 R>>",
        b"<</Title(Fishes)/Parent 5 0 R/Dest[9 0 R/Fit]/First 7 0 R/Last 7 0 R>>",
        b"<</Title(Wrasses)/Parent 6 0 R/Dest[9 0 R/Fit]/First 8 0 R/Last 8 0 R>>",
        b"<</Title(Cleaners)/Parent 7 0 R/Dest[9 0 R/Fit]>>",
    )
    content = b"\n".join(
        column(72, 720 - 60 * number, heading, font="F 10")
        + b"\n"
        + column(72, 700 - 60 * number, *["Words about them, in lines that fill the page"] * 2)
        for number, heading in enumerate(("1 Fishes", "1.1 Wrasses", "1.1.1 Cleaners"))
    )
    found = blocks(made(content, catalog=b"/Outlines 5 0 R", more=outline))
    headings = [(each.level, each.text) for each in found if each.kind is Tag.HEADING]
    assert headings == [(1, "1 Fishes"), (2, "1.1 Wrasses"), (3, "1.1.1 Cleaners")]


def test_bookmarks_that_no_text_says_are_asides() -> None:
    outline = (
        b"<</Type/Outlines/First 6 0 R/Last 7 0 R>>",
        b"<</Title(Plate of corals)/Parent 5 0 R/Next 7 0 R>>",
        b"<</Title(Fish)/Parent 5 0 R>>",
    )
    body = made(column(72, 700, "Words about fish."), catalog=b"/Outlines 5 0 R", more=outline)
    told = [(each.kind, each.text) for each in blocks(body)]
    assert told == [(Tag.PARAGRAPH, "Words about fish."), (Tag.ASIDE, "Plate of corals")]


def test_words_for_a_picture() -> None:
    more = (
        b"<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[7 0 R 6 0 R]]>>>>",
        b"<</Type/StructElem/S/Figure/P 5 0 R/Pg 8 0 R/K 1/Alt(A map of the reef)>>",
        b"<</Type/StructElem/S/H2/P 5 0 R/Pg 8 0 R/K 0>>",
    )
    content = b"/H2<</MCID 0>>BDC " + said((72, 700, "Maps")) + b" EMC "
    content += b"/Figure<</MCID 1>>BDC 9 9 50 50 re f EMC"
    catalog = b"/StructTreeRoot 5 0 R/MarkInfo<</Marked true>>"
    more = (more[0].replace(b"/K 6 0 R", b"/K[7 0 R 6 0 R]"), *more[1:])
    found = blocks(made(content, catalog=catalog, more=more, page=b"/StructParents 0"))
    told = [(each.kind, each.level, each.text) for each in found]
    assert told == [(Tag.HEADING, 2, "Maps"), (Tag.CAPTION, 0, "A map of the reef")]


def test_what_lies_upon_a_page() -> None:
    inner: list[tuple[bytes, str]] = []

    def inside(data: bytes, name: str, declared: str = "") -> list[Converted]:
        inner.append((data, name))
        return [Converted(Page(title=declared), name=name)]

    body = (SAMPLES / "pdf-form.pdf").read_bytes()
    own = Context("https://reef.example/form.pdf", "", link_maker(), Limits(), inside=inside)
    result, attached = convert(body, own)
    assert inner == [(b"Wrasse, ray, turtle\n", "fishes.txt")]
    assert attached.name == "fishes.txt"
    told = [(each.kind, each.text) for each in result.page.blocks]
    assert (Tag.ASIDE, "Was it a wrasse?") in told
    assert (Tag.PARAGRAPH, "diver: Ada") in told
    assert result.page.published == "2024-05-06T07:08:09+02:00"
    assert result.page.keywords == "reef, form"
    assert [href for each in result.page.blocks for *_, href in each.links] == [
        "https://reef.example/log"
    ]


def test_a_file_for_anybody_is_read_and_a_locked_one_is_not() -> None:
    assert sample("pdf-encrypted.pdf").text == sample("pdf-columns.pdf").text
    locked = read((SAMPLES / "pdf-locked.pdf").read_bytes())
    assert (locked.problem, locked.page.text) == ("encrypted", "")


@pytest.mark.parametrize("junk", [b"\n\n", b"\x00\x05\x16\x00" + bytes(3_000)])
def test_junk_before_the_file_is_passed_over(junk: bytes) -> None:
    body = made(said((72, 700, "Hello reef")))
    assert read(junk + body).page.text == "Hello reef"


def test_pages_without_text_are_said() -> None:
    assert read(made(b"0 0 300 300 re f")).problem == "no text: scanned pages"
    assert read(made(b"")).problem == ""


def test_the_limits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    body = made(*[column(72, 700, "Words about fish, again and again.")] * 5)
    cut = read(body, Limits(text_chars=60))
    assert len(cut.page.text) <= 70
    assert "cut" in cut.problem
    monkeypatch.setattr(pdf, "_SECONDS", -1.0)
    assert read(body).problem == "cut after 0 of 5 pages"


def test_a_page_as_a_picture() -> None:
    with opened(made(said((72, 700, "Hello reef"), font="F 40"))) as document:
        picture = rendered(document, 0, dpi=36)
        small = rendered(document, 0, most_pixels=5_000)
        assert rendered(document, 7).pixels == b""
    assert (picture.width, picture.height) == (306, 396)
    assert len(picture.pixels) == 306 * 396
    assert min(picture.pixels) < 100
    assert max(picture.pixels) == 255
    assert small.width * small.height <= 5_000


def test_a_form_without_pages_of_its_own() -> None:
    template = (
        b"<template xmlns='http://www.xfa.org/schema/xfa-template/3.3/'><subform><draw><value><text>"
        b"Log of a dive</text></value></draw><field name='Diver'><caption><value><text>Your name:"
        b"</text></value></caption></field><field name='Hid' "
        b"presence='hidden'/></subform></template>"
    )
    datasets = (
        b"<xfa:datasets xmlns:xfa='http://www.xfa.org/schema/xfa-data/1.0/'><xfa:data><form1><Diver>"
        b"Ada</Diver><Hid>no</Hid></form1></xfa:data></xfa:datasets>"
    )
    more = (
        b"<</Fields[]/XFA[(template)6 0 R(datasets)7 0 R]>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(template), template),
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(datasets), datasets),
    )
    body = made(said((72, 700, "Please wait")), catalog=b"/AcroForm 5 0 R", more=more)
    assert read(body).page.text.splitlines() == ["Please wait", "Log of a dive", "Your name: Ada"]
