"""What is hard in presentations: what is inherited, in which order, and what is only a pattern."""

from shoal.converters.ooxml.pptx import convert
from tests.converters.ooxml_package import package, relations, shown, xml
from tests.converters.parts import context

BULLETS = '<a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr>'
MASTER = xml(
    "p:sldMaster",
    "<p:cSld><p:spTree>"
    '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>'
    "Click to edit</a:t></a:r></a:p></p:txBody></p:sp>"
    "<p:sp><p:txBody><a:p><a:r><a:t>Reef Society</a:t></a:r></a:p></p:txBody></p:sp>"
    f"</p:spTree></p:cSld><p:txStyles><p:bodyStyle>{BULLETS}</p:bodyStyle></p:txStyles>",
)
LAYOUT = xml(
    "p:sldLayout",
    "<p:cSld><p:spTree>"
    '<p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="7"/></p:nvPr></p:nvSpPr><p:txBody><a:lstStyle>'
    '<a:lvl1pPr><a:buNone/><a:defRPr b="1"/></a:lvl1pPr></a:lstStyle></p:txBody></p:sp>'
    "</p:spTree></p:cSld>",
)


def paragraph(text: str, properties: str = "", run: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:rPr{run}/><a:t>{text}</a:t></a:r></a:p>"


def shape(held: str, placeholder: str = "", about: str = "") -> str:
    mark = f"<p:ph {placeholder}/>" if placeholder else ""
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr {about}/><p:nvPr>{mark}</p:nvPr></p:nvSpPr>"
        f"<p:txBody>{held}</p:txBody></p:sp>"
    )


def deck(*slides: str, order: str = "", more: dict[str, str] | None = None) -> bytes:
    parts = {
        "ppt/slideLayouts/layout1.xml": LAYOUT,
        "ppt/slideLayouts/_rels/layout1.xml.rels": relations(
            ("m", "slideMaster", "../slideMasters/master1.xml")
        ),
        "ppt/slideMasters/master1.xml": MASTER,
        "ppt/slideMasters/_rels/master1.xml.rels": relations(
            ("l", "slideLayout", "../slideLayouts/layout1.xml")
        ),
    }
    for number, held in enumerate(slides, 1):
        tree = f"<p:cSld><p:spTree>{held}</p:spTree></p:cSld>"
        parts[f"ppt/slides/slide{number}.xml"] = xml("p:sld", tree)
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(
            ("l", "slideLayout", "../slideLayouts/layout1.xml"),
            ("n", "notesSlide", f"../notes{number}.xml"),
            ("c", "comments", f"../comments{number}.xml"),
            ("u", "hyperlink", "https://reef.example/"),
        )
    if order:
        entries = "".join(f'<p:sldId id="{256 + int(n)}" r:id="r{n}"/>' for n in order)
        parts["ppt/presentation.xml"] = xml("p:presentation", f"<p:sldIdLst>{entries}</p:sldIdLst>")
        parts["ppt/_rels/presentation.xml.rels"] = relations(
            *((f"r{n}", "slide", f"slides/slide{n}.xml") for n in order)
        )
    return package({**parts, **(more or {})})


def blocks(body: bytes) -> list[tuple[str, int, str, str]]:
    return shown(convert(body, context())[0].page.blocks)


def test_order_titles_and_what_the_master_shows() -> None:
    body = deck(
        shape(paragraph("last")),
        shape(paragraph("text")) + shape(paragraph("Opening"), 'type="ctrTitle"'),
        shape(paragraph("Second"), 'type="title"'),
        order="231",
    )
    assert blocks(body) == [
        ("h", 1, "", "Opening"),
        ("p", 0, "", "text"),
        ("h", 2, "", "Second"),
        ("p", 0, "", "last"),
        ("aside", 0, "", "Reef Society"),
    ]


def test_bullets_numbers_and_bold_are_inherited() -> None:
    def number(text: str, depth: int = 0) -> str:
        return paragraph(
            text, f'<a:pPr lvl="{depth}"><a:buAutoNum type="alphaLcParenBoth" startAt="3"/></a:pPr>'
        )

    body = deck(
        shape(
            paragraph("dot")
            + paragraph("below", '<a:pPr lvl="1"/>')
            + paragraph("none", "<a:pPr><a:buNone/></a:pPr>")
            + number("c")
            + number("deep", 1)
            + number("d")
            + paragraph("dot")
            + number("anew"),
            'idx="1"',
        )
        + shape(paragraph("loud") + paragraph("soft", run=' b="0"'), 'type="body" idx="7"')
    )
    page = convert(body, context())[0].page
    assert shown(page.blocks)[:-1] == [
        ("li", 1, "", "dot"),
        ("li", 2, "", "below"),
        ("p", 0, "", "none"),
        ("ol", 1, "(c)", "c"),
        ("ol", 2, "(c)", "deep"),
        ("ol", 1, "(d)", "d"),
        ("li", 1, "", "dot"),
        ("ol", 1, "(c)", "anew"),
        ("p", 0, "", "loud"),
        ("p", 0, "", "soft"),
    ]
    assert [block.bold for block in page.blocks[8:10]] == [[(0, 4)], []]


def test_groups_tables_pictures_links_and_edges() -> None:
    cells = "".join(
        f"<a:tc{merged}><a:txBody>{paragraph(text)}</a:txBody></a:tc>"
        for text, merged in [("Ray", ""), ("2", ""), ("x", ' hMerge="1"')]
    )
    table = f'<a:tbl><a:tblPr firstRow="1"/>{f"<a:tr>{cells}</a:tr>" * 2}</a:tbl>'
    link = '<a:p><a:r><a:rPr><a:hlinkClick r:id="u"/></a:rPr><a:t>site</a:t></a:r></a:p>'
    date = '<a:p><a:fld type="datetime1"><a:t>1 May 2026</a:t></a:fld></a:p>'
    edges = shape(date, 'type="dt"') + shape(paragraph("‹#›"), 'type="sldNum"')
    body = deck(
        f"<p:grpSp><p:grpSp>{shape(paragraph('inner'))}</p:grpSp>{shape(link)}</p:grpSp>"
        f"<p:graphicFrame><a:graphic>{table}</a:graphic></p:graphicFrame>"
        '<p:pic><p:nvPicPr><p:cNvPr descr="A turtle"/></p:nvPicPr></p:pic>'
        f"{shape(paragraph('secret'), about='hidden=' + chr(34) + '1' + chr(34))}{edges}",
        edges,
    )
    page = convert(body, context())[0].page
    assert shown(page.blocks)[:-1] == [
        ("p", 0, "", "inner"),
        ("p", 0, "", "site"),
        ("table", 1, "", "Ray\t2\t\nRay\t2\t"),
        ("caption", 0, "", "A turtle"),
        ("aside", 0, "", "1 May 2026"),
    ]
    assert page.blocks[1].links == [(0, 4, "https://reef.example/")]


def test_notes_and_comments_of_both_kinds() -> None:
    notes = (
        f"<p:cSld><p:spTree>{shape(paragraph('say this'), 'type=' + chr(34) + 'body' + chr(34))}"
    )
    notes += f"{shape(paragraph('9'), 'type=' + chr(34) + 'sldNum' + chr(34))}</p:spTree></p:cSld>"
    body = deck(
        shape(paragraph("seen")),
        shape(paragraph("too")),
        more={
            "ppt/notes1.xml": xml("p:notes", notes),
            "ppt/comments1.xml": xml("p:cmLst", "<p:cm><p:text>old kind</p:text></p:cm>"),
            "ppt/comments2.xml": xml(
                "p:cmLst", f"<p:cm><p:txBody>{paragraph('new kind')}</p:txBody></p:cm>"
            ),
        },
    )
    assert [row[3] for row in blocks(body)] == [
        *["seen", "say this", "old kind", "too", "new kind", "Reef Society"]
    ]


def test_without_slides_it_says_so() -> None:
    assert convert(package({"x": ""}), context())[0].problem == "damaged: no slides in it"
