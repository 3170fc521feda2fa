"""OpenDocument: numbering, styles, what is hidden, what is embedded, and what is hostile."""

import io
import zipfile

from shoal.converters.context import Converted
from shoal.converters.odf.odf import convert
from shoal.model.page import Block, Page, Tag
from shoal.model.record import changed
from tests.converters.parts import context

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "style", "text", "table", "drawing", "meta", "presentation", "form")
)
_OTHERS = (
    'xmlns:fo="urn:fo" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:draw="urn:draw"'
    ' xmlns:svg="urn:svg" xmlns:math="http://www.w3.org/1998/Math/MathML"'
)


def _flat(body: str, styles: str = "", kind: str = "text", before: str = "") -> bytes:
    return (
        f"<office:document {_NAMES} {_OTHERS}>{before}"
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()


def _page(body: bytes) -> Page:
    return convert(body, context("https://reef.example/fish/reef.odt"))[0].page


def _blocks(body: str, styles: str = "", kind: str = "text", before: str = "") -> list[Block]:
    return _page(_flat(body, styles, kind, before)).blocks


def _level(number: int, num_format: str, more: str = "") -> str:
    return (
        f'<text:list-level-style-number text:level="{number}" style:num-format="{num_format}"'
        f' style:num-suffix="." {more}/>'
    )


def _items(*texts: str, more: str = "") -> str:
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in texts)
    return f'<text:list text:style-name="L" {more}>{items}</text:list>'


def test_a_list_begins_anew_unless_it_goes_on() -> None:
    style = f'<text:list-style style:name="L">{_level(1, "I")}</text:list-style>'
    found = _blocks(
        _items("a", "b", more='xml:id="one"')
        + _items("c")
        + _items("d", more='text:continue-numbering="true"')
        + _items("e", more='text:continue-list="one"'),
        style,
    )
    assert [block.marker for block in found] == ["I.", "II.", "I.", "II.", "III."]


def test_numbers_may_show_those_above_and_begin_anywhere() -> None:
    levels = _level(1, "1", 'text:start-value="4"') + _level(2, "a", 'text:display-levels="2"')
    inner = '<text:list><text:list-item text:start-value="27"><text:p>in</text:p></text:list-item>'
    found = _blocks(
        '<text:list text:style-name="L"><text:list-item><text:p>out</text:p><text:p>more</text:p>'
        f"{inner}</text:list></text:list-item><text:list-header><text:p>head</text:p>"
        "</text:list-header></text:list>",
        f'<text:list-style style:name="L">{levels}</text:list-style>',
    )
    assert [(block.kind, block.level, block.marker) for block in found] == [
        (Tag.NUMBERED, 1, "4."),
        (Tag.PARAGRAPH, 0, ""),
        (Tag.NUMBERED, 2, "4.aa."),
        (Tag.PARAGRAPH, 0, ""),
    ]


def test_headings_are_numbered_by_the_outline() -> None:
    outline = "".join(
        f'<text:outline-level-style text:level="{level}" style:num-format="1"'
        f' text:display-levels="{level}"/>'
        for level in (1, 2)
    )
    found = _blocks(
        "".join(
            f'<text:h text:outline-level="{level}">{text}</text:h>'
            for level, text in ((1, "Sea"), (2, "Reef"), (2, "Wall"), (1, "Land"))
        ),
        before=f"<office:styles><text:outline-style>{outline}</text:outline-style></office:styles>",
    )
    assert [block.marker for block in found] == ["1", "1.1", "1.2", "2"]


def test_styles_inherit_and_heading_weight_is_no_bold() -> None:
    styles = (
        '<style:style style:name="Heading_20_2" style:family="paragraph"'
        ' style:default-outline-level="2"><style:text-properties fo:font-weight="bold"/>'
        '</style:style><style:style style:name="P1" style:family="paragraph"'
        ' style:parent-style-name="Heading_20_2"/>'
        '<style:style style:name="T" style:family="text"><style:text-properties'
        ' fo:font-weight="700"/></style:style><style:style style:name="T1" style:family="text"'
        ' style:parent-style-name="T"/><style:style style:name="T2" style:family="text"'
        ' style:parent-style-name="T2"/>'
    )
    heading, line = _blocks(
        '<text:p text:style-name="P1">Reef</text:p><text:p>one'
        ' <text:span text:style-name="T1">two <text:span text:style-name="T2">three</text:span>'
        "</text:span></text:p>",
        styles,
    )
    assert (heading.kind, heading.level, heading.bold) == (Tag.HEADING, 2, [])
    assert line.bold == [(4, 13)]


def test_what_is_hidden_or_deleted_is_left_out() -> None:
    styles = (
        '<style:style style:name="H" style:family="text"><style:text-properties'
        ' text:display="none"/></style:style>'
    )
    found = _blocks(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        '<text:section text:display="none"><text:p>gone</text:p></text:section>'
        '<text:p>seen<text:span text:style-name="H">gone</text:span></text:p>'
        '<text:p>gone<text:hidden-paragraph text:is-hidden="true"/></text:p>',
        styles,
    )
    assert [block.text for block in found] == ["seen"]


def test_links_are_relative_to_the_package_as_a_folder() -> None:
    links = "".join(
        f'<text:a xlink:href="{href}">x</text:a> '
        for href in ("../eel.odt", "#place", "Pictures/1.png", "mailto:ada@reef.example")
    )
    (block,) = _blocks(f"<text:p>{links}</text:p>")
    assert [href for _, _, href in block.links] == ["eel.odt", "mailto:ada@reef.example"]


def test_notes_of_a_table_follow_it() -> None:
    def cell(text: str) -> str:
        return f"<table:table-cell>{text}</table:table-cell>"

    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
    row = cell(f"<text:p>eel{note}<text:p>shy</text:p></text:note-body></text:note></text:p>")
    found = _blocks(
        f"<table:table><table:table-row>{row}{cell('<text:p>2</text:p>')}</table:table-row>"
        "</table:table>"
    )
    assert [(block.kind, block.text) for block in found] == [
        (Tag.TABLE, "eel\t2"),
        (Tag.ASIDE, "shy"),
    ]


def test_headers_are_told_once_and_page_numbers_not_at_all() -> None:
    styles = (
        "<office:master-styles>"
        '<style:master-page style:name="Standard"><style:header><text:p>Log of the bay</text:p>'
        "</style:header><style:header-left><text:p>Log of the bay</text:p></style:header-left>"
        "<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>"
        '</style:master-page><style:master-page style:name="Unused"><style:header>'
        "<text:p>never seen</text:p></style:header></style:master-page></office:master-styles>"
    )
    found = _blocks("<text:p>fish</text:p>", before=styles)
    assert [(block.kind, block.text) for block in found] == [
        (Tag.PARAGRAPH, "fish"),
        (Tag.ASIDE, "Log of the bay"),
    ]


def test_sheets_repeat_within_bounds() -> None:
    rows = (
        '<table:table-row table:number-rows-repeated="99999999"><table:table-cell'
        ' table:number-columns-repeated="99999999"><text:p>eel</text:p></table:table-cell>'
        "</table:table-row>"
    )
    end = (
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell'
        ' table:number-columns-repeated="16384"/></table:table-row>'
    )
    name, table = _blocks(
        f'<table:table table:name="A">{rows}{end}</table:table>', "", "spreadsheet"
    )
    assert name.text == "A"
    assert 100 <= table.text.count("eel") < 1_000_000


def test_cells_without_a_shown_text_give_their_value() -> None:
    cell = '<table:table-cell office:value-type="float" office:value="4.5"/>'
    _, table = _blocks(
        f'<table:table table:name="A"><table:table-row><table:table-cell/>{cell}'
        "</table:table-row></table:table>",
        "",
        "spreadsheet",
    )
    assert table.text == "\t4.5"


def test_hidden_sheets_are_left_out() -> None:
    style = (
        '<style:style style:name="ta1" style:family="table"><style:table-properties'
        ' table:display="false"/></style:style>'
    )
    sheet = (
        "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
    )
    body = f'<table:table table:name="A" table:style-name="ta1">{sheet}</table:table>'
    assert _blocks(body, style, "spreadsheet") == []


def test_slides_have_titles_notes_and_no_empty_places() -> None:
    def box(kind: str, text: str, more: str = "") -> str:
        return (
            f'<draw:frame presentation:class="{kind}" {more}><draw:text-box><text:p>{text}</text:p>'
            "</draw:text-box></draw:frame>"
        )

    empty = box("subtitle", "Click", 'presentation:placeholder="true"')
    found = _blocks(
        f"<draw:page>{empty}"
        f"{box('outline', 'eels')}{box('title', 'Night')}{box('page-number', '7')}"
        f"<presentation:notes>{box('notes', 'whisper')}</presentation:notes></draw:page>",
        "",
        "presentation",
    )
    assert [(block.kind, block.text, block.source) for block in found] == [
        (Tag.HEADING, "Night", 1),
        (Tag.PARAGRAPH, "eels", 1),
        (Tag.ASIDE, "whisper", 1),
    ]


def test_a_flat_document_holds_others() -> None:
    inner = (
        "<draw:frame><draw:object><office:document><office:body><office:text><text:p>inner</text:p>"
        "</office:text></office:body></office:document></draw:object></draw:frame>"
    )
    formula = "<draw:frame><draw:object><math:math><math:msqrt><math:mi>n</math:mi></math:msqrt>"
    body = f"<text:p>a {formula}</math:math></draw:object></draw:frame> b{inner}</text:p>"
    outer, within = convert(_flat(body), context())
    assert outer.page.text == "a √(n) b"
    assert (within.name, within.page.text) == ("object 1", "inner")


def test_content_alone_is_read() -> None:
    body = f"<office:document-content {_NAMES}><office:body><office:text><text:p>fish</text:p>"
    assert _page(f"{body}</office:text></office:body></office:document-content>".encode()).text == (
        "fish"
    )


def _package(**members: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return packed.getvalue()


def test_files_of_other_programs_are_given_on() -> None:
    given: list[tuple[bytes, str, str]] = []

    def inside(data: bytes, name: str, media_type: str = "") -> list[Converted]:
        given.append((data, name, media_type))
        return [Converted(Page(), name)]

    content = _flat('<text:p><draw:object-ole xlink:href="./OLE"/></text:p>' * 2).decode()
    body = _package(content_xml=content, OLE="old sheet")
    _, within = convert(body, changed(context(), inside=inside))
    assert within.name == "OLE"
    assert given == [(b"old sheet", "OLE", "")]


def test_a_password_is_said() -> None:
    manifest = "<manifest><file-entry full-path='content.xml'><encryption-data/></file-entry>"
    body = _package(content_xml="\x01\x02", **{"META-INF__manifest_xml": f"{manifest}</manifest>"})
    (found,) = convert(body, context())
    assert (found.problem, found.page.text) == ("encrypted", "")


def test_damage_is_said() -> None:
    assert convert(b"", context())[0].problem.startswith("damaged")
    assert convert(b"<html/>", context())[0].problem.startswith("damaged")
    assert convert(_package(mimetype="x"), context())[0].problem.startswith("damaged")


def test_depth_is_bounded() -> None:
    for opened, closed in (
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        ("<text:list>", "</text:list>"),
        ("<text:section>", "</text:section>"),
        ("<draw:g>", "</draw:g>"),
        ("<text:p><draw:frame>", "</draw:frame></text:p>"),
        (
            "<table:table><table:table-row><table:table-cell>",
            "</table:table-cell></table:table-row></table:table>",
        ),
    ):
        body = f"<text:p>first</text:p>{opened * 3_000}<text:p>x</text:p>{closed * 3_000}"
        assert _blocks(body)[0].text == "first"
    spans = f"<text:p>first{'<text:span>' * 3_000}x{'</text:span>' * 3_000}</text:p>"
    assert _blocks(spans)[0].text.startswith("first")


def test_entities_do_not_grow() -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    body = _flat("<text:p>&e11;</text:p>").decode()
    found = convert(f'<!DOCTYPE x [<!ENTITY e0 "fish">{entities}]>{body}'.encode(), context())
    assert len(found[0].page.text) < 6_000_000
