"""Headings and bold text, for the index to weigh."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from shoal.converters.html.emphasis import ALL_CHARS, PIECE_CHARS
from shoal.worker.converting import convert


def stressed(html: str) -> tuple[list[str], list[str]]:
    document = convert(html.encode(), name="page.html").document
    return document.headings.splitlines(), document.bold.splitlines()


@pytest.mark.parametrize(
    ("html", "headings", "bold"),
    [
        ("<h1>Cod &amp; <a href=/x>haddock</a></h1><p>text", ["Cod & haddock"], []),
        ("<h2>One</h2><p>a <b>big</b> <strong>fish</strong></p><h6>Two</h6>", ["One", "Two"],
         ["big", "fish"]),
        ("<h1>Same</h1><h1>Same</h1><b>x</b><b>x</b>", ["Same"], ["x"]),
        ("<h2>never closed <h3>Closed</h3>", ["Closed"], []),
        ("<h2>closed by another</h4><p>text", ["closed by another"], []),
        ("<h1></h1><b> </b><p>text", [], []),
        ("</h1></b>text", [], []),
        ("<template><h1>not there</h1></template><h1>there</h1>", ["there"], []),
    ],
)  # fmt: skip
def test_what_a_page_stresses(html: str, headings: list[str], bold: list[str]) -> None:
    assert stressed(html) == (headings, bold)


def test_there_is_a_limit() -> None:
    long = "".join(f"<h2>{number} {'x' * 1000}</h2>" for number in range(100))
    headings, _ = stressed(long)
    assert headings
    assert max(map(len, headings)) <= PIECE_CHARS
    assert len("\n".join(headings)) <= ALL_CHARS


def test_other_formats_have_them_too() -> None:
    body, names = BytesIO(), "urn:oasis:names:tc:opendocument:xmlns"
    with ZipFile(body, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{names}:office:1.0"'
            f' xmlns:text="{names}:text:1.0"><office:body><office:text>'
            '<text:h text:outline-level="1">The sea</text:h><text:p>and its fish</text:p>'
            "</office:text></office:body></office:document-content>",
        )
    assert convert(body.getvalue(), name="a.odt").document.headings == "The sea"
