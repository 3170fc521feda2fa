"""XML: the text of any file, vocabularies, feeds, and entities that nobody declared."""

import gzip

import pytest

from shoal.converters.data import xml_text
from shoal.converters.xml_entities import mend
from tests.converters.text_samples import blocks_of, bold_of, links_of, run


def test_elements_among_elements_are_blocks_and_beside_text_are_not() -> None:
    source = "<a><t>Reef</t><p>Two <b>fish</b> swim</p><q><r>one</r><r>two</r></q></a>"
    assert [block[3] for block in blocks_of(xml_text.convert, source)] == [
        *("Reef", "Two fish swim", "one", "two"),
    ]


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        (b"<a>&ouml; &amp; b & c &none; &#246;</a>", b"<a>&#246; &amp; b &amp; c  &#246;</a>"),
        (b"<a><![CDATA[&ouml; & x]]><!-- & --></a>", b"<a><![CDATA[&ouml; & x]]><!-- & --></a>"),
        (b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e; &</a>', None),
    ],
)
def test_undeclared_entities(source: bytes, mended: bytes | None) -> None:
    assert mend(source) == (mended or source)


def test_encodings_by_the_rules_of_xml() -> None:
    for charset in ("iso-8859-1", "utf-16", "windows-1251"):
        word = "рыба" if charset == "windows-1251" else "blå"
        source = f'<?xml version="1.0" encoding="{charset}"?><a>{word} &amp; x</a>'.encode(charset)
        assert run(xml_text.convert, source).page.text == f"{word} & x"
    assert run(xml_text.convert, gzip.compress(b"<svg><desc>fish</desc></svg>")).page.text == "fish"


def test_billion_laughs_and_outer_files_stay_out() -> None:
    laughs = '<!DOCTYPE a [<!ENTITY l0 "ha">'
    laughs += "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    assert len(run(xml_text.convert, f"{laughs}]><a>&l9;</a>").page.text) < 1_000_000
    outer = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>x&f;y</a>'
    assert "root" not in run(xml_text.convert, outer).page.text


def test_attributes_speak_where_there_is_no_text() -> None:
    source = '<sites xmlns:x="u"><site name="North wall" depth="18"/><site name="Lagoon"/></sites>'
    assert run(xml_text.convert, source).page.text == "North wall\nLagoon"
    assert run(xml_text.convert, '<a b="no"><c>yes</c></a>').page.text == "yes"


def test_docbook() -> None:
    source = """<article><title>Reef</title><articleinfo><author><firstname>Mara</firstname>
<surname>Kelp</surname></author></articleinfo><section><title>Fish</title>
<para>See <ulink url="http://x.example">it</ulink>, <emphasis role="bold">now</emphasis>.
<footnote><para>Note.</para></footnote> More.<orderedlist><listitem><para>one</para><para>two</para>
</listitem></orderedlist></para><variablelist><varlistentry><term>eel</term><listitem><para>long
</para></listitem></varlistentry></variablelist><table><title>Counts</title><thead><row><entry>A
</entry></row></thead><row><entry>1</entry></row></table><programlisting>x
 y</programlisting></section></article>"""
    assert blocks_of(xml_text.convert, source) == [
        ("h", 1, "", "Reef"),
        ("h", 2, "", "Fish"),
        ("p", 0, "", "See it, now. More."),
        ("ol", 1, "1.", "one"),
        ("p", 0, "", "two"),
        ("aside", 0, "", "Note."),
        ("dt", 0, "", "eel"),
        ("dd", 0, "", "long"),
        ("caption", 0, "", "Counts"),
        ("table", 1, "", "A\n1"),
        ("pre", 0, "", "x\n y"),
    ]
    page = run(xml_text.convert, source).page
    assert (page.title, page.author) == ("Reef", "Mara Kelp")
    assert (bold_of(page.blocks[2]), links_of(page.blocks[2])) == (
        ["now"],
        [("it", "http://x.example")],
    )


def test_jats_metadata() -> None:
    source = """<article><front><journal-meta><journal-title>J</journal-title></journal-meta>
<article-meta><title-group><article-title>Reef fish</article-title></title-group><contrib-group>
<contrib contrib-type="author"><name><surname>Kelp</surname><given-names>Mara</given-names></name>
</contrib></contrib-group><abstract><p>Short.</p></abstract><kwd-group><kwd>eel</kwd></kwd-group>
</article-meta></front><body><sec><title>One</title><p>Text.</p></sec></body></article>"""
    page = run(xml_text.convert, source).page
    assert (page.title, page.author, page.keywords) == ("Reef fish", "Mara Kelp", "eel")
    assert page.text.split("\n") == ["Reef fish", "Short.", "eel", "One", "Text."]


def test_feed_items_with_html_and_dates() -> None:
    source = """<rss><channel><title>T</title><pubDate>Mon, 06 May 2024 08:00:00 GMT</pubDate>
<item><title>One</title><link>http://x.example/1</link><description><![CDATA[<p>A <b>ray</b></p>
<ul><li>x</li></ul>]]></description></item></channel></rss>"""
    page = run(xml_text.convert, source).page
    assert page.published == "2024-05-06T08:00:00+00:00"
    assert blocks_of(xml_text.convert, source) == [
        ("h", 1, "", "T"),
        ("h", 2, "", "One"),
        ("p", 0, "", "A ray"),
        ("li", 1, "", "x"),
    ]
    assert links_of(page.blocks[1]) == [("One", "http://x.example/1")]


def test_a_broken_file_says_what_came_before() -> None:
    assert run(xml_text.convert, "<a><p>one</p><p>tw").page.text == "one\ntw"
    assert run(xml_text.convert, "no xml at all").problem.startswith("damaged")
    deep = "<a>" * 5000 + "x" + "</a>" * 5000
    run(xml_text.convert, deep)
