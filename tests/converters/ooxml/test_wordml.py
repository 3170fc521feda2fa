"""What is different in one XML file: shown numbers, notes within the text, annotated changes."""

from shoal.converters.ooxml.wordml import convert
from tests.converters.ooxml_package import NAMESPACES, relations, shown, xml
from tests.converters.parts import context


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def listed(text: str, marker: str, depth: int = 0) -> str:
    return p(text, f'<w:listPr><w:ilvl w:val="{depth}"/><wx:t wx:val="{marker}"/></w:listPr>')


def test_the_forerunner_of_2003() -> None:
    note = f"<w:r><w:footnote>{p('a note')}</w:footnote></w:r>"
    changed = "".join(
        f'<aml:annotation w:type="Word.{kind}"><aml:content><w:r><w:t>{text}</w:t></w:r>'
        "</aml:content></aml:annotation>"
        for kind, text in [("Deletion", "out"), ("Insertion", "in")]
    )
    heading = p("Head", '<w:pStyle w:val="H"/>')
    link = '<w:hlink w:dest="https://reef.example/"><w:r><w:t>link</w:t></w:r></w:hlink>'
    body = xml(
        "w:wordDocument",
        "<o:DocumentProperties><o:Title>Old log</o:Title><o:Author>Mara</o:Author>"
        "<o:Created>2003-05-01T08:00:00Z</o:Created></o:DocumentProperties>"
        '<w:styles><w:style w:styleId="H"><w:name w:val="heading 2"/></w:style></w:styles>'
        f"<w:body><wx:sect><wx:sub-section>{heading}"
        f"{listed('first', '1.')}{listed('dot', '·', 1)}<w:p>{changed}{note}{link}</w:p>"
        f"</wx:sub-section><w:sectPr><w:hdr>{p('on top')}</w:hdr></w:sectPr></wx:sect></w:body>",
    )
    page = convert(body.encode(), context())[0].page
    assert shown(page.blocks) == [
        ("aside", 0, "", "on top"),
        ("h", 2, "", "Head"),
        ("ol", 1, "1.", "first"),
        ("li", 2, "", "dot"),
        ("p", 0, "", "inlink"),
        ("aside", 0, "", "a note"),
    ]
    assert page.blocks[4].links == [(2, 6, "https://reef.example/")]
    assert (page.title, page.author, page.published) == ("Old log", "Mara", "2003-05-01T08:00:00Z")


def part(name: str, held: str) -> str:
    return f'<pkg:part pkg:name="{name}"><pkg:xmlData>{held}</pkg:xmlData></pkg:part>'


def test_slides_in_one_file() -> None:
    tree = "<p:sp><p:txBody><a:p><a:r><a:t>fish</a:t></a:r></a:p></p:txBody></p:sp>"
    body = xml(
        "pkg:package",
        part("/_rels/.rels", relations(("r", "officeDocument", "ppt/presentation.xml")))
        + part("/ppt/presentation.xml", "<p:presentation/>")
        + part(
            "/ppt/slides/slide1.xml", f"<p:sld><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"
        ),
    )
    assert shown(convert(body.encode(), context())[0].page.blocks) == [("p", 0, "", "fish")]


def test_what_is_no_document_is_survived() -> None:
    for body in (b"", b"<a/>", b"<w:wordDocument", f"<package {NAMESPACES}><part/>".encode()):
        assert convert(body, context())
