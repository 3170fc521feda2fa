"""What is hard in drawings: the order of shapes, groups, and texts that stand in masters."""

from shoal.converters.ooxml.vsdx import convert, convert_vdx
from tests.converters.ooxml_package import package, shown
from tests.converters.parts import context


def shape(text: str, x: float, y: float, held: str = "") -> str:
    words = f"<Text>{text}</Text>" if text else ""
    return f'<Shape ID="1"><Cell N="PinX" V="{x}"/><Cell N="PinY" V="{y}"/>{held}{words}</Shape>'


def drawing(*shapes: str) -> bytes:
    held = f"<Shapes>{''.join(shapes)}</Shapes>"
    return package(
        {
            "visio/pages/page1.xml": f"<PageContents>{held}</PageContents>",
            "visio/comments.xml": "<Comments><CommentEntry>check</CommentEntry></Comments>",
        }
    )


def test_shapes_are_read_from_the_top_left() -> None:
    hidden = '<Cell N="HideText" V="1"/>'
    group = f"<Shapes>{shape('low', 0, 1)}{shape('high', 0, 2)}</Shapes>"
    body = drawing(
        shape("right", 5, 9),
        shape("bottom", 1, 1),
        shape("left", 1, 9.01),
        shape("gone", 1, 8, hidden),
        shape("", 1, 5, group),
        shape("odd", 0, 0).replace('V="0"', 'V="nan"'),
    )
    assert shown(convert(body, context())[0].page.blocks) == [
        *[("p", 0, "", text) for text in ("left", "right", "high", "low", "bottom", "odd")],
        ("aside", 0, "", "check"),
    ]


def test_broken_xml_of_2003_says_so() -> None:
    assert convert_vdx(b"\0\0", context())[0].problem == "damaged: no XML"
