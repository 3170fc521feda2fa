import io
import zipfile

from shoal.converters.context import Converted
from shoal.converters.limits import Limits
from shoal.converters.ole.pack import pack
from shoal.converters.sheet.xlsx import convert
from shoal.converters.sheet.xlsx_package import pieces
from shoal.model.page import Page, Tag
from shoal.model.record import changed
from tests.converters.parts import context

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def relations(*rows: tuple[str, str]) -> str:
    items = "".join(
        f'<Relationship Id="rId{number}" Type="{KINDS}{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for number, (kind, target) in enumerate(rows, 1)
    )
    return f"<Relationships>{items}</Relationships>"


def package(parts: dict[str, str | bytes], separator: str = "/") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name.replace("/", separator)), data)
    return file.getvalue()


def book(sheet: str, **more: str | bytes) -> dict[str, str | bytes]:
    return {
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="urn:r"><sheets>'
            '<sheet name="Reef" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>',
        **{name.replace("__", "/"): data for name, data in more.items()},
    }


def page_of(parts: dict[str, str | bytes]) -> Page:
    document, *_ = convert(package(parts), context())
    return document.page


def texts(page: Page, kind: Tag) -> list[str]:
    return [block.text for block in page.blocks if block.kind is kind]


def test_cells_of_every_kind() -> None:
    cells = (
        '<c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>in line</t></is></c>'
        '<c r="C1" t="str"><f>A1</f><v>made_x000D_up</v></c><c r="D1" t="b"><v>1</v></c>'
        '<c r="E1" t="e"><v>#DIV/0!</v></c><c r="F1"><v>0.30000000000000004</v></c>'
        '<c r="H1" t="s"><v>99</v></c><c r="I1" t="d"><v>2011-12-19T10:30:00</v></c><c><v>7</v></c>'
    )
    parts = book(f"<sheetData><row>{cells}</row></sheetData>")
    parts["xl/sharedStrings.xml"] = (
        f'<sst xmlns="{MAIN}"><si><t>no</t></si><si><r><t>sea </t></r><r><rPr><b/></rPr>'
        "<t>bass</t></r><rPh><t>unseen</t></rPh></si></sst>"
    )
    page = page_of(parts)
    assert texts(page, Tag.TABLE) == [
        "sea bass\tin line\tmade up\tTRUE\t#DIV/0!\t0.3\t2011-12-19 10:30:00\t7"
    ]
    assert page.blocks[1].bold == [(4, 8)]


def test_styles_and_the_calendar_of_1904() -> None:
    parts = book(
        '<sheetData><row r="3"><c r="B3" s="1"><v>39434</v></c>'
        '<c s="1" t="d"><v>2011-12-20T00:00:00Z</v></c></row></sheetData>'
    )
    parts["xl/workbook.xml"] = str(parts["xl/workbook.xml"]).replace(
        "<sheets>", '<workbookPr date1904="1"/><sheets>'
    )
    parts["xl/styles.xml"] = (
        f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
        "</numFmts><fonts><font/><font><b/></font></fonts><cellXfs><xf/>"
        '<xf numFmtId="164" fontId="1"/></cellXfs></styleSheet>'
    )
    page = page_of(parts)
    assert texts(page, Tag.TABLE) == ["2011-12-19\t2011-12-20"]
    assert page.blocks[1].bold == [(0, 10), (11, 21)]


def test_links_by_relation_and_by_formula() -> None:
    parts = book(
        '<sheetData><row r="1"><c r="A1" t="str"><v>wall</v></c><c r="B1" t="str">'
        '<f>HYPERLINK("https://reef.example/b","x")</f><v>bay</v></c></row></sheetData>'
        '<hyperlinks><hyperlink xmlns:r="urn:r" ref="A1" r:id="rId1"/></hyperlinks>'
    )
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(
        ("hyperlink", "https://reef.example/a")
    )
    assert page_of(parts).blocks[1].links == [
        (0, 4, "https://reef.example/a"),
        (5, 8, "https://reef.example/b"),
    ]


def test_what_floats_above_the_cells() -> None:
    parts = book("<sheetData/>")
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(
        ("drawing", "../drawings/drawing1.xml"),
        ("vmlDrawing", "../drawings/vml1.vml"),
        ("comments", "../comments1.xml"),
        ("threadedComment", "../threads1.xml"),
    )
    parts["xl/drawings/drawing1.xml"] = (
        '<d xmlns:a="urn:a" xmlns:m="urn:m"><sp><cNvPr descr="A crab"/><txBody><a:p><a:r>'
        '<a:rPr b="1"/><a:t>Box</a:t></a:r><a:br/><a:r><a:t>text</a:t></a:r></a:p></txBody></sp>'
        "<m:AlternateContent><m:Fallback><txBody><a:p><a:r><a:t>again</a:t></a:r></a:p></txBody>"
        "</m:Fallback></m:AlternateContent></d>"
    )
    parts["xl/drawings/_rels/drawing1.xml.rels"] = relations(("chart", "../charts/chart1.xml"))
    parts["xl/charts/chart1.xml"] = (
        '<c xmlns:a="urn:a"><title><a:p><a:r><a:t>Catch by year</a:t></a:r></a:p></title>'
        "<strCache><pt><v>Morays</v></pt><pt><v>Eels</v></pt></strCache>"
        "<numCache><pt><v>7</v></pt></numCache></c>"
    )
    parts["xl/drawings/vml1.vml"] = (
        '<xml xmlns:v="urn:v" xmlns:x="urn:x"><v:shape><v:textbox><div>Press<br>me</div>'
        "</v:textbox>"
        '<x:ClientData ObjectType="Button"/></v:shape><v:shape><v:textbox>Note</v:textbox>'
        '<x:ClientData ObjectType="Note"/></v:shape></xml>'
    )
    parts["xl/comments1.xml"] = (
        "<comments><authors><author>Ana</author><author>tc={1}</author></authors><commentList>"
        '<comment ref="A1" authorId="0"><text><t>Plain note</t></text></comment>'
        '<comment ref="A2" authorId="1"><text><t>[Threaded comment]</t></text></comment>'
        "</commentList></comments>"
    )
    parts["xl/threads1.xml"] = "<t><threadedComment><text>Is it a cod?</text></threadedComment></t>"
    page = page_of(parts)
    assert texts(page, Tag.PARAGRAPH)[0] == "Box text"
    assert texts(page, Tag.PARAGRAPH)[1].split() == ["Press", "me"]
    assert texts(page, Tag.CAPTION) == ["A crab", "Catch by year", "Morays, Eels"]
    assert texts(page, Tag.ASIDE) == ["Is it a cod?", "Plain note"]


def test_an_embedded_object_is_unwrapped() -> None:
    parts = book("<sheetData/>")
    pdf = b"%PDF-1.4 reef"
    native = b"\0\0\0\0\2\0crab.pdf\0C:\\crab.pdf\0\0\0\3\0\4\0\0\0tmp\0"
    native += len(pdf).to_bytes(4, "little") + pdf
    parts["xl/embeddings/oleObject1.bin"] = pack({"CONTENTS": pdf})
    parts["xl/embeddings/oleObject2.bin"] = pack({"\x01Ole10Native": native})
    parts["xl/embeddings/book.xlsx"] = b"PK plain"
    seen: list[tuple[bytes, str]] = []

    def inside(data: bytes, name: str, _declared: str = "") -> list[Converted]:
        seen.append((data, name))
        return [Converted(Page(), name)]

    documents = convert(package(parts), changed(context(), inside=inside))
    assert seen == [(pdf, "oleObject1.bin"), (pdf, "crab.pdf"), (b"PK plain", "book.xlsx")]
    assert len(documents) == 4


def test_a_package_with_the_separators_of_windows() -> None:
    parts = book('<sheetData><row><c t="str"><v>cod</v></c></row></sheetData>')
    (document,) = convert(package(parts, "\\"), context())
    assert document.page.text == "Reef\ncod"


def test_a_lost_list_of_sheets() -> None:
    parts = book('<sheetData><row><c t="str"><v>cod</v></c></row></sheetData>')
    del parts["xl/workbook.xml"]
    assert page_of(parts).text == "cod"


def test_a_file_cut_off_keeps_what_is_there() -> None:
    rows = "".join(f'<row><c t="str"><v>fish {number}</v></c></row>' for number in range(2000))
    body = package(book(f"<sheetData>{rows}</sheetData>"))
    (document,) = convert(body[: len(body) * 3 // 4], context())
    assert "fish 700" in document.page.text
    assert document.problem


def test_a_large_part_is_read_in_pieces() -> None:
    rows = b"".join(b'<x:row r="%d"><x:c/></x:row>' % number for number in range(1, 200_001))
    data = b'<x:sheet xmlns:x="urn:x"><x:data>' + rows + b"</x:data><x:last/></x:sheet>"
    trees = list(pieces(data, "row"))
    assert len(trees) > 3
    assert sum(len(list(tree.iter("{urn:x}row"))) for tree in trees) == 200_000
    assert next(trees[-1].iter("{urn:x}last"), None) is not None


def test_the_text_is_cut_at_the_limit() -> None:
    rows = '<row><c t="str"><v>herring</v></c></row>' * 1000
    body = package(book(f"<sheetData>{rows}</sheetData>"))
    (document,) = convert(body, context(limits=Limits(text_chars=100)))
    assert len(document.page.text) <= 120
