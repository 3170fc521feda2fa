"""R3: lists of feeds, as readers write them, in and out."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.sources.opml import MAX_FEEDS, Outline, looks_like_opml, read_opml, write_opml


def test_what_a_reader_writes() -> None:
    text = """<?xml version="1.0"?><opml version="1.0"><head><title>Mine</title></head><body>
      <outline text="Folder" title="Folder">
        <outline type="rss" text="A &amp; B" xmlUrl="https://a.org/feed?x=1&amp;y=2"
            htmlUrl="https://a.org/"/>
        <Outline TYPE='rss' TEXT='short' TITLE='Two
           lines' XMLURL='https://b.org/feed'></Outline>
      </outline>
      <outline text="no feed" htmlUrl="https://c.org/"/>
      <outline text="again" xmlUrl="https://a.org/feed?x=1&amp;y=2"/>
    </body></opml>"""
    assert looks_like_opml(text)
    assert read_opml(text) == [
        Outline("A & B", "https://a.org/feed?x=1&y=2", "https://a.org/"),
        Outline("Two lines", "https://b.org/feed"),
    ]


def test_what_is_written_is_xml_and_reads_back() -> None:
    outlines = [
        Outline('"Quotes" & <tags> – ü', "https://a.org/?a=1&b='2'", "https://a.org/"),
        Outline("", "https://b.org/feed"),
        Outline("bad \x00\x0b\ud800 characters", "https://c.org/feed"),
    ]
    text = write_opml(outlines, "Feeds <of> mine")
    root = ElementTree.fromstring(text)  # noqa: S314 - our own
    assert root.findtext("head/title") == "Feeds <of> mine"
    assert [each.get("xmlUrl") for each in root.iter("outline")] == [o.url for o in outlines]
    assert read_opml(text) == [
        outlines[0],
        Outline("https://b.org/feed", "https://b.org/feed"),
        Outline("bad characters", "https://c.org/feed"),
    ]


def test_a_list_is_bounded_and_harmless() -> None:
    many = "".join(f'<outline xmlUrl="https://a.org/{n}"/>' for n in range(MAX_FEEDS + 5))
    assert len(read_opml(many)) == MAX_FEEDS
    assert read_opml('<outline xmlUrl="' * 20_000) == []
    assert read_opml("<outline " * 20_000) == []
    assert read_opml(f'<outline xmlUrl="https://a.org/{"x" * 5000}"/>') == []
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><outline xmlUrl="&b;"/>'
    assert read_opml(bomb) == [Outline("", "&b;")]
    assert not looks_like_opml("<rss version='2.0'>")


@settings(max_examples=100)
@given(st.text(alphabet="<>outlinexmlUr=\"'/& ", max_size=200))
def test_no_text_raises(text: str) -> None:
    assert read_opml(write_opml(read_opml(text), "t")) == [
        each if each.title else Outline(" ".join(each.url.split())[:500], each.url, each.html_url)
        for each in read_opml(text)
    ]
