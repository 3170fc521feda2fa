"""What is hard in Word documents: numbers, toggles, fields, boxes, changes, merged cells."""

import random

import pytest

from shoal.converters.context import Converted
from shoal.converters.ooxml.docx import convert
from shoal.converters.ooxml.docx_formats import formatted
from shoal.model.page import Tag
from tests.converters.ooxml_package import noting_context, package, relations, shown, xml
from tests.converters.parts import context

STYLES = """
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>
  <w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Riffkapitel"/>
  <w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop2"><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Loud"><w:name w:val="Loud"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Grid"><w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr>
  </w:tblStylePr></w:style>
"""
LEVELS = "".join(
    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
    f'<w:lvlText w:val="{text}"/></w:lvl>'
    for depth, (kind, text) in enumerate(
        [("decimal", "%1."), ("lowerLetter", "%1.%2"), ("upperRoman", "%1.%2.%3")]
    )
)
NUMBERING = f"""
<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>
  <w:lvlText w:val="\uf0b7"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="none"/></w:lvl>
  </w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="0"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="6"/></w:lvlOverride></w:num>
"""


def docx(body: str, links: str = "", held: dict[str, str | bytes] | None = None) -> bytes:
    return package(
        {
            "word/document.xml": xml("w:document", f"<w:body>{body}</w:body>"),
            "word/styles.xml": xml("w:styles", STYLES),
            "word/numbering.xml": xml("w:numbering", NUMBERING),
            "word/_rels/document.xml.rels": links or relations(),
            **{f"word/{name}": part for name, part in (held or {}).items()},
        }
    )


def read(body: str, links: str = "", held: dict[str, str | bytes] | None = None) -> Converted:
    return convert(docx(body, links, held), context())[0]


def p(text: str, properties: str = "", run: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def item(text: str, depth: int = 0, number: int = 1) -> str:
    held = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    return p(text, held)


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def texts(found: Converted) -> list[str]:
    return [block.text for block in found.page.blocks]


def test_headings_by_style_outline_and_what_a_style_is_based_on() -> None:
    found = read(
        p("Reef", style("berschrift1"))
        + p("Lagoon", style("Own"))
        + p("Direct", '<w:outlineLvl w:val="1"/>')
        + p("No more", style("berschrift1") + '<w:outlineLvl w:val="9"/>')
        + p("Undefined", style("Heading4"))
        + p("Circle", style("Loop"))
        + p("The sea", style("T"))
    )
    assert [row[:2] for row in shown(found.page.blocks)] == [
        *[("h", 1), ("h", 3), ("h", 2), ("p", 0), ("h", 4), ("p", 0), ("h", 1)]
    ]
    assert found.page.title == "The sea"
    assert found.page.blocks[0].bold == []  # the style's, not the author's


@pytest.mark.parametrize(
    ("properties", "run", "bold"),
    [
        ("", "", False),
        ("", "<w:b/>", True),
        ("", '<w:b w:val="0"/>', False),
        (style("Loud"), "", True),
        (style("Loud"), '<w:b w:val="false"/>', False),
        ("", '<w:rStyle w:val="Strong"/>', True),
        (style("Loud"), '<w:rStyle w:val="Strong"/>', False),  # two toggles
        (style("Loud"), '<w:rStyle w:val="Strong"/><w:b/>', True),
    ],
)
def test_bold_is_a_toggle(properties: str, run: str, bold: bool) -> None:
    (block,) = read(p("fish", properties, run)).page.blocks
    assert block.bold == ([(0, 4)] if bold else [])


def test_numbers_are_counted() -> None:
    found = read(
        item("one")
        + item("below", 1)
        + item("deep", 2)
        + item("deep too", 2)
        + item("two")
        + item("anew", 1)
        + item("dot", number=2)
        + item("plain", number=3)
        + item("six", number=4)
        + item("seven", number=4)
        + item("goes on", number=1)
        + item("unknown", number=77)
    )
    assert shown(found.page.blocks) == [
        ("ol", 1, "1.", "one"),
        ("ol", 2, "1.a", "below"),
        ("ol", 3, "1.a.I", "deep"),
        ("ol", 3, "1.a.II", "deep too"),
        ("ol", 1, "2.", "two"),
        ("ol", 2, "2.a", "anew"),
        ("li", 1, "", "dot"),
        ("p", 0, "", "plain"),
        ("ol", 1, "6.", "six"),
        ("ol", 1, "7.", "seven"),
        ("ol", 1, "8.", "goes on"),
        ("p", 0, "", "unknown"),
    ]


def test_an_overridden_start_counts_at_every_new_beginning() -> None:
    override = (
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="1">'
        '<w:startOverride w:val="3"/></w:lvlOverride></w:num>'
    )
    part = xml(
        "w:numbering", f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>{override}'
    )
    body = item("one") + item("c", 1) + item("two") + item("again", 1)
    found = read(body, held={"numbering.xml": part})
    assert [block.marker for block in found.page.blocks] == ["1.", "1.c", "2.", "2.c"]


def test_a_level_left_out_counts_as_used() -> None:
    found = read(item("one") + item("deep", 2) + item("then", 1))
    assert [block.marker for block in found.page.blocks] == ["1.", "1.a.I", "1.b"]


@pytest.mark.parametrize(
    ("number", "name", "written"),
    [
        (4, "lowerRoman", "iv"),
        (1999, "upperRoman", "MCMXCIX"),
        (28, "lowerLetter", "bb"),
        (3, "ordinal", "3rd"),
        (12, "ordinal", "12th"),
        (21, "cardinalText", "Twenty-one"),
        (20, "ordinalText", "Twentieth"),
        (7, "decimalZero", "07"),
        (21, "chineseCounting", "二十一"),
        (3, "decimalEnclosedCircle", "③"),
        (10**9, "upperRoman", "1000000000"),
        (5, "nobody knows", "5"),
    ],
)
def test_number_formats(number: int, name: str, written: str) -> None:
    assert formatted(number, name) == written


def field(code: str, result: str) -> str:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    return (
        f"{mark('begin')}<w:r><w:instrText>{code}</w:instrText></w:r>"
        f"{mark('separate')}{result}{mark('end')}"
    )


def test_links_by_relationship_and_by_field() -> None:
    run = "<w:r><w:t>tides</w:t></w:r>"
    nested = field(' HYPERLINK "https://c.example/" \\l "low" ', run + field("PAGE", run))
    found = read(
        f'<w:p><w:hyperlink r:id="r1">{run}{run}</w:hyperlink></w:p><w:p>{nested}</w:p>'
        f'<w:p><w:fldSimple w:instr="HYPERLINK https://d.example/">{run}</w:fldSimple></w:p>'
        f'<w:p><w:hyperlink w:anchor="top">{run}</w:hyperlink></w:p>',
        links=relations(("r1", "hyperlink", "https://b.example/")),
    )
    assert [block.links for block in found.page.blocks] == [
        [(0, 10, "https://b.example/")],
        [(0, 10, "https://c.example/#low")],
        [(0, 5, "https://d.example/")],
        [(0, 5, "#top")],
    ]


def test_a_code_that_never_ends_hides_only_its_paragraph() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    found = read(f"<w:p>{begin}<w:r><w:instrText>IF</w:instrText></w:r></w:p>{p('seen')}")
    assert texts(found) == ["seen"]


def test_changes_hidden_text_and_content_controls() -> None:
    found = read(
        "<w:p><w:ins><w:r><w:t>put in </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>taken out </w:delText></w:r></w:del>"
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>controlled</w:t></w:r></w:sdtContent></w:sdt></w:p>"
        + p("hidden", run="<w:vanish/>")
        + p("by style", run='<w:rStyle w:val="Gone"/>')
        + p("torn ", "<w:rPr><w:del/></w:rPr>")
        + p("apart")
        + p("D", '<w:framePr w:dropCap="drop"/>')
        + p("olphin")
        + "<w:moveFrom><w:p><w:r><w:t>old place</w:t></w:r></w:p></w:moveFrom>"
    )
    assert texts(found) == ["put in controlled", "torn apart", "Dolphin"]


def test_a_text_box_is_read_once_and_after_its_paragraph() -> None:
    box = f"<w:txbxContent>{p('boxed')}{item('counted')}</w:txbxContent>"
    found = read(
        "<w:p><w:r><w:t>anchor</w:t><mc:AlternateContent><mc:Choice><w:drawing>"
        f'<wp:docPr descr="A ray over sand"/><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert shown(found.page.blocks) == [
        ("p", 0, "", "anchor"),
        ("caption", 0, "", "A ray over sand"),
        ("p", 0, "", "boxed"),
        ("ol", 1, "1.", "counted"),
    ]


def cell(held: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{held}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def test_tables_with_merges_and_header_rows() -> None:
    found = read(
        "<w:tbl>"
        + row(
            cell(p("Fish")), cell(p("Seen"), '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>"
        )
        + row(cell(p("Ray"), '<w:vMerge w:val="restart"/>'), cell(p("1")), cell(item("first")))
        + row(cell(p(""), "<w:vMerge/>"), cell(p("2") + p("3")), cell(p("last")))
        + row(cell(p("gone")), properties="<w:del/>")
        + "</w:tbl>"
    )
    (table,) = found.page.blocks
    assert (table.kind, table.level) == (Tag.TABLE, 1)
    assert table.text == "Fish\tSeen\t\nRay\t1\t1. first\n\t2 3\tlast"


def test_the_first_row_of_a_styled_table_is_its_head() -> None:
    look = '<w:tblPr><w:tblStyle w:val="Grid"/><w:tblLook w:val="04A0"/></w:tblPr>'
    rows = row(cell(p("Fish")), cell(p("Seen"))) + row(cell(p("Ray")), cell(p("1")))
    (table,) = read(f"<w:tbl>{look}{rows}</w:tbl>").page.blocks
    assert (table.level, table.bold) == (1, [])


def test_a_table_that_lays_out_a_page_is_read_cell_by_cell() -> None:
    inner = f"<w:tbl>{row(cell(p('a')), cell(p('b')))}</w:tbl>"
    left = p("Left", style("berschrift1")) + p("text")
    found = read(
        f"<w:tbl>{row(cell(left), cell(inner + p('c')))}</w:tbl>"
        f"<w:tbl>{row(cell(p('framed')))}</w:tbl>"
    )
    assert shown(found.page.blocks) == [
        ("h", 1, "", "Left"),
        ("p", 0, "", "text"),
        ("table", 0, "", "a\tb"),
        ("p", 0, "", "c"),
        ("p", 0, "", "framed"),
    ]


def test_notes_comments_headers_and_footers_stand_aside() -> None:
    note = '<w:footnote w:id="2">{}</w:footnote><w:footnote w:type="separator">{}</w:footnote>'
    section = "<w:sectPr>{}</w:sectPr>".format(
        "".join(
            f'<w:{kind}Reference r:id="{identity}"/>'
            for kind, identity in [
                ("header", "h1"),
                ("header", "h2"),
                ("footer", "f1"),
                ("footer", "f2"),
            ]
        )
    )
    found = read(
        '<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/><w:commentReference w:id="1"/>'
        f"</w:r></w:p>{p('More')}{section}",
        links=relations(
            ("h1", "header", "header1.xml"),
            ("h2", "header", "header2.xml"),
            ("f1", "footer", "footer1.xml"),
            ("f2", "footer", "footer2.xml"),
            ("n", "footnotes", "footnotes.xml"),
            ("c", "comments", "comments.xml"),
        ),
        held={
            "header1.xml": xml("w:hdr", p("Reef weekly")),
            "header2.xml": xml("w:hdr", p("Reef weekly")),
            "footer1.xml": xml("w:ftr", p("3")),
            "footer2.xml": xml("w:ftr", f"<w:tbl>{row(cell(p('left')), cell(p('right')))}</w:tbl>"),
            "footnotes.xml": xml("w:footnotes", note.format(p("deep down"), p("-----"))),
            "comments.xml": xml(
                "w:comments",
                f'<w:comment w:id="5">{p("nowhere")}</w:comment>'
                f'<w:comment w:id="1">{p("really?")}</w:comment>',
            ),
        },
    )
    assert shown(found.page.blocks) == [
        ("aside", 0, "", "Reef weekly"),
        ("p", 0, "", "Text"),
        ("aside", 0, "", "deep down"),
        ("aside", 0, "", "really?"),
        ("p", 0, "", "More"),
        ("aside", 0, "", "nowhere"),
        ("aside", 0, "", "left right"),
    ]


def test_a_note_of_an_empty_paragraph_is_kept() -> None:
    note = xml("w:footnotes", f'<w:footnote w:id="2">{p("alone")}</w:footnote>')
    found = read(
        '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>', held={"footnotes.xml": note}
    )
    assert texts(found) == ["alone"]


def test_symbols_formulas_and_signs() -> None:
    formula = (
        "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den>"
        "</m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        "</m:oMath>"
    )
    found = read(
        '<w:p><w:r><w:sym w:font="Symbol" w:char="F061"/><w:tab/><w:sym w:font="Wingdings"'
        ' w:char="F0FC"/><w:t xml:space="preserve"> twenty</w:t><w:noBreakHyphen/><w:t>two</w:t>'
        f"<w:br/></w:r>{formula}</w:p>"
    )
    assert texts(found) == ["α ✓ twenty-two (a+b)/2x^2"]


def test_charts_and_diagrams_say_their_words() -> None:
    chart = xml(
        "c:chartSpace",
        "<c:title><a:p><a:r><a:t>Catch</a:t></a:r></a:p></c:title><c:ser><c:tx><c:v>2025</c:v></c:tx>"
        "<c:cat><c:pt><c:v>Cod</c:v></c:pt><c:pt><c:v>Ling</c:v></c:pt></c:cat>"
        "<c:val><c:pt><c:v>17.5</c:v></c:pt></c:val></c:ser>",
    )
    points = "".join(
        f'<dgm:pt modelId="{name}"{kind}><dgm:t><a:p><a:t>{name}</a:t></a:p></dgm:t></dgm:pt>'
        for name, kind in [("root", ' type="doc"'), ("second", ""), ("first", ""), ("below", "")]
    )
    links = "".join(
        f'<dgm:cxn srcId="{source}" destId="{target}" srcOrd="{order}"/>'
        for source, target, order in [
            *[
                ("root", "first", 0),
                ("root", "second", 1),
                ("first", "below", 0),
                ("below", "first", 0),
            ]
        ]
    )
    found = read(
        '<w:p><w:r><w:drawing><c:chart r:id="r1"/></w:drawing></w:r></w:p>'
        '<w:p><w:r><w:drawing><dgm:relIds r:dm="r2"/></w:drawing></w:r></w:p>',
        links=relations(("r1", "chart", "chart1.xml"), ("r2", "diagramData", "data1.xml")),
        held={"chart1.xml": chart, "data1.xml": xml("dgm:dataModel", points + links)},
    )
    assert shown(found.page.blocks) == [
        ("caption", 0, "", "Catch"),
        ("caption", 0, "", "2025"),
        ("caption", 0, "", "Cod, Ling"),
        ("li", 1, "", "first"),
        ("li", 2, "", "below"),
        ("li", 1, "", "second"),
    ]


def test_what_lies_within_is_handed_on() -> None:
    held, noted = noting_context()
    inner = package({"word/x": ""})
    body = docx(
        '<w:altChunk r:id="r1"/>',
        relations(("r1", "aFChunk", "afchunk.htm")),
        {
            "afchunk.htm": "<p>chunk</p>",
            "charts/chart1.xml": xml("c:chartSpace", ""),
            "charts/_rels/chart1.xml.rels": relations(
                ("x", "package", "../embeddings/behind.xlsx")
            ),
            "embeddings/behind.xlsx": inner,
            "embeddings/inner.docx": inner,
        },
    )
    found = convert(body, held)
    assert [name for name, _ in noted] == ["afchunk.htm", "inner.docx"]
    assert [each.name for each in found[1:]] == ["afchunk.htm", "inner.docx"]


def test_encrypted_and_empty_files_say_so() -> None:
    locked = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    )
    assert convert(locked, context())[0].problem == "encrypted"
    assert convert(package({"a.txt": "x"}), context())[0].problem == "damaged: no document in it"
    assert "damaged" in convert(b"", context())[0].problem


def test_deep_nesting_is_survived() -> None:
    tables = "<w:tbl><w:tr><w:tc>" * 80 + p("in") + "</w:tc></w:tr></w:tbl>" * 80
    assert texts(read(tables + p("after"))) == ["in", "after"]
    for element in ("w:tbl", "w:sdt", "w:hyperlink", "w:r", "w:ins", "m:f"):
        read(f"<w:p>{f'<{element}>' * 240}<w:t>x</w:t>{f'</{element}>' * 240}</w:p>{p('y')}")


def test_broken_parts_are_survived() -> None:
    whole = xml("w:document", f"<w:body>{p('a', style('Own'))}{item('b')}</w:body>").encode()
    chance = random.Random(3)
    for _ in range(150):
        body = bytearray(whole)
        for _ in range(8):
            place = chance.randrange(len(body))
            body[place : place + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
        convert(package({"word/document.xml": bytes(body)}), context())
