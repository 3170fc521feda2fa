"""E-books: the spine's order, XHTML that is no HTML, what only a licence opens."""

import io
import zipfile

from shoal.converters.ebook.epub import convert
from shoal.model.page import Tag
from tests.converters.parts import context

_CONTAINER = '<container><rootfiles><rootfile full-path="OPS/b.opf"/></rootfiles></container>'


def _book(chapters: dict[str, str], spine: str, **more: str) -> bytes:
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"'
        f' properties="{"nav" if name == "toc" else ""}"/>'
        for name in chapters
    )
    order = "".join(f'<itemref idref="{name}"/>' for name in spine.split())
    opf = (
        '<package><metadata xmlns:dc="urn:dc"><dc:title>Reefs</dc:title>'
        "<dc:creator>Ada</dc:creator><dc:creator>Ben</dc:creator>"
        "<dc:description>&lt;p&gt;Of fish&lt;/p&gt;</dc:description>"
        '<meta property="dcterms:modified">2024-05-06T07:08:09Z</meta></metadata>'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("OPS/b.opf", opf)
        for name, body in chapters.items():
            archive.writestr(f"OPS/{name}.xhtml", f"<html><head><title/></head>{body}</html>")
        for name, body in more.items():
            archive.writestr(f"META-INF/{name}.xml", body)
    return packed.getvalue()


def test_chapters_stand_in_the_order_of_the_spine() -> None:
    chapters = {"one": "<h1>Dawn</h1>", "two": "<h1>Dusk</h1>", "toc": "<p>Dawn, Dusk</p>"}
    (found,) = convert(_book(chapters, "toc two one"), context())
    assert [(b.kind, b.text) for b in found.page.blocks] == [
        (Tag.HEADING, "Dusk"),
        (Tag.HEADING, "Dawn"),
    ]
    page = found.page
    assert (page.title, page.author, page.description) == ("Reefs", "Ada, Ben", "Of fish")
    assert page.modified == "2024-05-06T07:08:09Z"


def test_empty_elements_of_xhtml_do_not_swallow_the_rest() -> None:
    body = '<script src="a.js"/><p><a id="x"/><b/>Fish&nbsp;here<br/>and there</p>'
    (found,) = convert(_book({"one": body}, "one"), context())
    (block,) = found.page.blocks
    assert (block.text, block.bold) == ("Fish here and there", [])


def test_only_links_out_of_the_book_are_kept() -> None:
    body = '<p><a href="two.xhtml">in</a> <a href="https://reef.example/">out</a></p>'
    (found,) = convert(_book({"one": body}, "one"), context())
    assert found.page.blocks[0].links == [(3, 6, "https://reef.example/")]


def test_numbers_of_notes_do_not_stick_to_words() -> None:
    body = '<p>fish<a epub:type="noteref" href="#n"><sup>1</sup></a> swim</p>'
    (found,) = convert(_book({"one": body}, "one"), context())
    assert found.page.text == "fish swim"


def test_a_licence_is_said_and_scrambled_fonts_are_not() -> None:
    def encryption(algorithm: str, name: str) -> str:
        return (
            f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData>'
            f'<CipherReference URI="OPS/{name}"/></CipherData></EncryptedData></encryption>'
        )

    locked = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "one.xhtml")
    (found,) = convert(_book({"one": "<p>x</p>"}, "one", encryption=locked), context())
    assert (found.problem, found.page.text) == ("encrypted", "")
    font = encryption("http://www.idpf.org/2008/embedding", "font.otf")
    (found,) = convert(_book({"one": "<p>x</p>"}, "one", encryption=font), context())
    assert (found.problem, found.page.text) == ("", "x")


def test_without_a_spine_chapters_are_found() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("b.html", "<p>second</p>")
        archive.writestr("a.html", "<p>first</p>")
    (found,) = convert(packed.getvalue(), context())
    assert found.page.text == "first\nsecond"
    assert found.problem == "damaged: no list of chapters"
    assert convert(b"", context())[0].problem.startswith("damaged")
