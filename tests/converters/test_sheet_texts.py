"""The spreadsheets that are text: SYLK, DIF, XML of Excel 2003, Gnumeric."""

import gzip

from shoal.converters.sheet import dif as sheet_dif
from shoal.converters.sheet import gnumeric as sheet_gnumeric
from shoal.converters.sheet import sylk as sheet_sylk
from shoal.converters.sheet import xml2003 as sheet_xml2003
from shoal.model.page import Tag
from tests.converters.parts import context

EXCEL = 'xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:x"'


def test_sylk_fields_formats_and_accents() -> None:
    body = (
        "ID;PWXL\rP;PGeneral\rP;Pyyyy\\-mm\\-dd\rF;P1;FG0G;Y2;X1\r"
        'C;Y1;X1;K"semi;;colon"\rC;X2;K"Gr\x1bNHunbarsch"\rC;Y2;X1;K40896\rC;X2;KTRUE\r'
        "C;Y3;X3;AA remark\rE\r"
    )
    (document,) = sheet_sylk.convert(body.encode("latin-1"), context(charset=""))
    assert document.page.text == "semi;colon\tGrünbarsch\n2011-12-19\tTRUE\nA remark"


def test_dif_rows() -> None:
    body = (
        'TABLE\n0,1\n"Tides"\nVECTORS\n0,2\n""\nDATA\n0,0\n""\n'
        '-1,0\nBOT\n1,0\n"a ""b"""\n0,2.50\nV\n'
        "-1,0\nBOT\n0,1\nTRUE\n0,0\nNA\n-1,0\nEOD\n1,0\nbehind the end\n"
    )
    (document,) = sheet_dif.convert(body.encode(), context())
    assert document.page.title == "Tides"
    assert document.page.text == 'a "b"\t2.5\nTRUE\t#N/A'


def test_xml_of_excel_2003() -> None:
    body = (
        f'<?xml version="1.0"?><Workbook {EXCEL}><Styles><Style ss:ID="d">'
        '<NumberFormat ss:Format="Short Date"/><Font ss:Bold="1"/></Style><Style ss:ID="p">'
        '<NumberFormat ss:Format="Percent"/></Style></Styles><Worksheet ss:Name="Reef"><Table>'
        '<Column ss:Index="3" ss:StyleID="p"/><Row ss:Index="2"><Cell ss:StyleID="d">'
        '<Data ss:Type="DateTime">2011-12-19T00:00:00.000</Data></Cell>'
        '<Cell ss:Index="3"><Data ss:Type="Number">0.5</Data><Comment><ss:Data>why?</ss:Data>'
        '</Comment></Cell><Cell ss:HRef="https://reef.example/"><ss:Data ss:Type="String">'
        "plain <B>bold</B> tail</ss:Data></Cell></Row></Table></Worksheet></Workbook>"
    )
    (document,) = sheet_xml2003.convert(body.encode(), context())
    heading, table, note = document.page.blocks
    assert (heading.text, note.text, note.kind) == ("Reef", "why?", Tag.ASIDE)
    assert table.text == "12/19/2011\t50.00%\tplain bold tail"
    assert table.bold == [(0, 10), (24, 28)]
    assert {href for *_, href in table.links} == {"https://reef.example/"}


def test_gnumeric_shows_no_formulas() -> None:
    body = (
        '<g:Workbook xmlns:g="urn:g"><g:Sheets><g:Sheet><g:Name>Reef</g:Name><g:PrintInformation>'
        '<g:Header Left="" Middle="&amp;[TAB]" Right="Outer reef"/>'
        '<g:Footer Left="Page &amp;[PAGE]" Middle="" Right=""/></g:PrintInformation><g:Styles>'
        '<g:StyleRegion startCol="0" startRow="0" endCol="0" endRow="5">'
        '<g:Style Format="yyyy-mm-dd"><g:HyperLink target="https://reef.example/"/></g:Style>'
        '</g:StyleRegion></g:Styles><g:Cells><g:Cell Row="0" Col="0" ValueType="40">40896</g:Cell>'
        '<g:Cell Row="0" Col="1" ValueType="60">=cod</g:Cell><g:Cell Row="0" Col="2">=A1+1</g:Cell>'
        "</g:Cells></g:Sheet></g:Sheets></g:Workbook>"
    )
    (document,) = sheet_gnumeric.convert(gzip.compress(body.encode()), context())
    assert document.page.text == "Reef\nReef Outer reef\n2011-12-19\t=cod"
    assert document.page.blocks[-1].links == [(0, 10, "https://reef.example/")]


def test_a_gnumeric_bomb_is_cut() -> None:
    body = gzip.compress(b"<Workbook>" + b" " * 60_000_000)
    (document,) = sheet_gnumeric.convert(body, context())
    assert document.problem
