"""Packages: properties, wrappers of embedded files, and names that lead nowhere."""

import struct

import pytest

from shoal.converters.limits import Limits
from shoal.converters.ole.pack import pack
from shoal.converters.ooxml.embedded import unwrap
from shoal.converters.ooxml.math import math_text
from shoal.converters.ooxml.ooxml import Parts, describe, iso_date
from shoal.converters.ooxml.symbols import readable, symbol
from shoal.converters.xml import parse
from shoal.model.page import Page
from tests.converters.ooxml_package import package, relations


def test_properties_fill_the_page() -> None:
    core = (
        "<c><title>PowerPoint Presentation</title><creator>Mara  Teal</creator>"
        "<keywords>kelp</keywords><subject>seas</subject><created>2026-01-05T10:00:00Z</created>"
        "<modified>soon</modified></c>"
    )
    page = Page(title="found")
    describe(page, Parts.of_zip(package({"docProps/core.xml": core}), Limits()))
    assert (page.title, page.author, page.keywords) == ("found", "Mara Teal", "kelp")
    assert (page.description, page.published, page.modified) == ("seas", "2026-01-05T10:00:00Z", "")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"),
        ("2026", "2026"),
        ("0000-00-00", ""),
        ("x", ""),
    ],
)
def test_dates(written: str, kept: str) -> None:
    assert iso_date(written) == kept


def test_relations_are_resolved_within_the_package() -> None:
    links = relations(
        *[("a", "image", "../media/one%20fish.png"), ("b", "image", "/word/x.xml")],
        *[("c", "hyperlink", "https://reef.example/?a"), ("d", "image", "../../../../etc/passwd")],
    )
    parts = Parts.of_zip(
        package(
            {"word/_rels/document.xml.rels": links, "media/one fish.png": "", "word/x.xml": ""}
        ),
        Limits(),
    )
    found = parts.relations("word/document.xml")
    assert {key: each.target for key, each in found.items()} == {
        "a": "media/one fish.png",
        "b": "word/x.xml",
        "c": "https://reef.example/?a",
        "d": "etc/passwd",
    }
    assert [each.outside for each in found.values()] == [False, False, True, False]


def native(name: bytes, data: bytes) -> bytes:
    path = b"C:\\tmp\\" + name + b"\0"
    held = b"\2\0" + name + b"\0" + path + b"\0\0\3\0" + struct.pack("<I", len(path)) + path
    held += struct.pack("<I", len(data)) + data
    return struct.pack("<I", len(held)) + held


def test_embedded_files_come_out_of_their_wrappers() -> None:
    wrapped = pack({"\1Ole10Native": native(b"catch.csv", b"cod,3")})
    assert unwrap(wrapped, Limits()) == (b"cod,3", "catch.csv")
    assert unwrap(pack({"Package": b"PK..."}), Limits()) == (b"PK...", "")
    assert unwrap(pack({"\1Ole10Native": b"\5\0\0\0plain"}), Limits()) == (b"plain", "")
    document = pack({"WordDocument": b"x"})
    assert unwrap(document, Limits()) == (document, "")
    assert unwrap(b"text", Limits()) == (b"text", "")


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("<rad><deg><t>3</t></deg><e><t>x+1</t></e></rad>", "3√(x+1)"),
        ("<limLow><e><t>lim</t></e><lim><t>h→0</t></lim></limLow>", "lim_(h→0)"),
        ("<sSubSup><e><t>a</t></e><sub><t>1</t></sub><sup><t>2</t></sup></sSubSup>", "a_1^2"),
        ('<nary><naryPr><chr val="∑"/></naryPr><sub><t>i</t></sub><e><t>i</t></e></nary>', "∑_i i"),
        (
            '<d><dPr><begChr val="["/><endChr val="]"/></dPr><e><t>a</t></e><e><t>b</t></e></d>',
            "[a, b]",
        ),
        ("<m><mr><e><t>1</t></e><e><t>2</t></e></mr><mr><e><t>3</t></e></mr></m>", "1 2; 3"),
    ],
)
def test_formulas_in_a_line(formula: str, line: str) -> None:
    assert math_text(parse(f"<oMath>{formula}</oMath>".encode())) == line


def test_symbol_fonts() -> None:
    assert symbol("F0B0", "Symbol") == "°"
    assert symbol("2022", "Calibri") == "•"
    assert symbol("zz", "Symbol") == ""
    assert readable("a\uf0e0b", "Wingdings") == "a→b"


def test_parts_in_pieces_are_put_together() -> None:
    parts = Parts.of_zip(
        package({"a/x.xml/[1].last.piece": "c</a>", "a/x.xml/[0].piece": "<a>b", "b.xml": ""}),
        Limits(),
    )
    assert parts.data("a/X.xml") == b"<a>bc</a>"
    assert "a/x.xml" in parts


def test_a_part_of_very_many_tags_is_cut() -> None:
    parts = Parts.of_zip(package({"a.xml": "<a>" + "<b/>" * 2_000_000}), Limits())
    root = parts.root("a.xml")
    assert root is not None
    assert 500_000 < len(root) < 1_500_000
    assert parts.problem.startswith("cut: a part of")
