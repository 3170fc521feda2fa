"""What is hard in fixed pages: words out of glyphs, lines out of places, bold out of fonts."""

from pathlib import Path

import pytest

from shoal.converters.limits import Limits
from shoal.converters.ooxml.ooxml import Parts
from shoal.converters.ooxml.xps import convert
from shoal.converters.ooxml.xps_font import Font
from tests.converters.ooxml_package import package, shown
from tests.converters.parts import context

SAMPLE = Path(__file__).parents[1] / "samples" / "ooxml-kelp.xps"


def glyphs(x: float, y: float, text: str, more: str = "", size: float = 10) -> str:
    return (
        f'<Glyphs OriginX="{x}" OriginY="{y}" FontRenderingEmSize="{size}"'
        f' UnicodeString="{text}" {more}/>'
    )


def page(*held: str) -> bytes:
    return package({"Documents/1/Pages/1.fpage": f"<FixedPage>{''.join(held)}</FixedPage>"})


def texts(body: bytes) -> list[str]:
    return [block.text for block in convert(body, context())[0].page.blocks]


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (glyphs(20, 10, "fish"), "starfish"),  # four letters of half an em
        (glyphs(23, 10, "fish"), "star fish"),
        (glyphs(20, 10, "{}{fish"), "star{fish"),
        (glyphs(20, 11, "fish"), "starfish"),  # a little higher or lower is the same line
        (glyphs(0, 22, "fish"), "star fish"),
    ],
)
def test_words_by_gaps(second: str, text: str) -> None:
    assert texts(page(glyphs(0, 10, "star"), second)) == [text]


def test_widths_that_are_said_count() -> None:
    wide = glyphs(0, 10, "mm", 'Indices="1,150;2,150"')
    assert texts(page(wide, glyphs(30, 10, "x"))) == ["mmx"]


def test_transforms_add_up() -> None:
    moved = f'<Canvas RenderTransform="1,0,0,1,0,100">{glyphs(0, 10, "below")}</Canvas>'
    held = (
        "<Canvas><Canvas.RenderTransform><MatrixTransform Matrix='2,0,0,2,0,0'/>"
        f"</Canvas.RenderTransform>{moved}</Canvas>"
    )
    found = convert(page(glyphs(0, 10, "text of usual size"), held), context())[0].page
    assert shown(found.blocks) == [("p", 0, "", "text of usual size"), ("h", 1, "", "below")]
    assert found.blocks[1].font_size == 15.0


def test_lines_that_jump_about_are_put_in_order() -> None:
    rows = [glyphs(0, 100 * number, f"line {number}") for number in (4, 3, 2, 1)]
    assert texts(page(*rows)) == ["line 1", "line 2", "line 3", "line 4"]


def test_the_outline_tells_headings() -> None:
    held = glyphs(0, 10, "Kelp") + glyphs(0, 90, "text")
    body = package(
        {
            "Documents/1/Pages/1.fpage": f"<FixedPage>{held}</FixedPage>",
            "Documents/1/Structure/DocStructure.struct": "<DocumentStructure><OutlineEntry"
            ' OutlineLevel="2" Description="Kelp"/></DocumentStructure>',
        }
    )
    assert shown(convert(body, context())[0].page.blocks) == [
        ("h", 2, "", "Kelp"),
        ("p", 0, "", "text"),
    ]


def test_bold_and_links_of_the_sample() -> None:
    blocks = convert(SAMPLE.read_bytes(), context())[0].page.blocks
    start, end = blocks[1].bold[0]
    assert blocks[1].text[start:end] == "too"
    start, end, href = blocks[-1].links[0]
    assert (blocks[-1].text[start:end], href) == ("field guide", "https://reef.example/kelp")


@pytest.mark.parametrize("data", [b"", b"\0\1\0\0" * 9, b"\xff" * 200, b"ttcf" + b"\xff" * 60])
def test_a_broken_font_has_a_usual_width(data: bytes) -> None:
    font = Font(data, "0A1B2C3D-1111-4222-8333-445566778899.odttf")
    assert (font.width(None, "x"), font.width(65_000, "x"), font.bold) == (0.5, 0.5, False)


def test_glyphs_without_characters_are_looked_up() -> None:
    """The font of the sample shows a space by glyph 2, all else by glyph 1."""
    parts = Parts.of_zip(SAMPLE.read_bytes(), Limits())
    name = next(name for name in parts.names if name.endswith(".odttf"))
    held = f'<Glyphs FontUri="/{name}" FontRenderingEmSize="10" Indices="1;2,50;(1:2)1"/>'
    body = package({"1.fpage": f"<FixedPage>{held}</FixedPage>", name: parts.data(name)})
    text = texts(body)[0]
    assert (len(text), text[1]) == (3, " ")


def test_without_pages_it_says_so() -> None:
    assert convert(package({"x": ""}), context())[0].problem == "damaged: no pages in it"
