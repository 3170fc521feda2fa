"""What a PDF says of itself: dates, titles that are none, XMP."""

import pytest

from shoal.converters.pdf.info import iso_date, sensible_title, xmp


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("D:20240131120500+01'00'", "2024-01-31T12:05:00+01:00"),
        ("D:20240131120500Z", "2024-01-31T12:05:00Z"),
        ("D:20240131120500Z00'00'", "2024-01-31T12:05:00Z"),
        ("D:202401311205", "2024-01-31T12:05:00"),
        ("20240131", "2024-01-31"),
        ("D:2024", "2024"),
        ("2024-01-31T12:05:00+01:00", "2024-01-31T12:05:00+01:00"),
        ("D:20249931", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates(written: str, meant: str) -> None:
    assert iso_date(written) == meant


@pytest.mark.parametrize(
    "title",
    ["", "untitled", "Microsoft Word - reef.doc", "reef_v2.pdf", "12-34", "Document1"],
)
def test_names_of_files_are_no_titles(title: str) -> None:
    assert not sensible_title(title)


@pytest.mark.parametrize("title", ["The reef", "Reef", "Fish & chips", "珊瑚礁"])
def test_titles(title: str) -> None:
    assert sensible_title(title)


def test_xmp() -> None:
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2024-05-06T07:08:09Z">'
        '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Kapitän</rdf:li></rdf:Alt></dc:title>'
        "<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Bo</rdf:li></rdf:Seq></dc:creator>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    found = xmp(b"%PDF-1.4\nstream\n" + packet.encode() + b"\nendstream")
    assert (found.title, found.author) == ("Kapitän", "Ada, Bo")
    assert found.published == "2024-05-06T07:08:09Z"
    assert xmp(b"<x:xmpmeta><rdf:RDF><broken").title == ""
