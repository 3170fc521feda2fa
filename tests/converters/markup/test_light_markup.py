"""Org, AsciiDoc, MediaWiki, Textile, POD, Texinfo: what is theirs alone."""

from shoal.converters.markup import asciidoc, org, pod, texinfo, wiki
from tests.converters.text_samples import blocks_of, links_of, run


def test_org() -> None:
    source = (
        "#+TITLE: Reef\n* TODO [#A] Head :tag:\n:PROPERTIES:\n:ID: 1\n:END:\n"
        "- a :: what it is\n  1. in\n#+BEGIN_SRC c\nx;\n#+END_SRC\n| A |\n|---|\n| 1 |\n# remark\n"
    )
    assert blocks_of(org.convert, source) == [
        ("h", 1, "", "Head"),
        ("dt", 0, "", "a"),
        ("dd", 0, "", "what it is"),
        ("ol", 2, "1.", "in"),
        ("pre", 0, "", "x;"),
        ("table", 1, "", "A\n1"),
    ]
    assert run(org.convert, source).page.title == "Reef"


def test_asciidoc() -> None:
    source = (
        "= Reef\nMara Kelp <m@x.example>\n:toc:\n\nPart\n----\n\n* a\n** b\n. c\n\n"
        ".Counts\n[cols=2*]\n"
        '[options="header"]\n|===\n|A |B\n\n|1\n|2\n|===\n\n////\nhidden\n////\n'
        "NOTE: Mind link:a.html[the *eel*].\n"
    )
    result = run(asciidoc.convert, source)
    assert result.page.author == "Mara Kelp"
    assert blocks_of(asciidoc.convert, source) == [
        ("h", 1, "", "Reef"),
        ("h", 2, "", "Part"),
        ("li", 1, "", "a"),
        ("li", 2, "", "b"),
        ("ol", 3, "1.", "c"),
        ("caption", 0, "", "Counts"),
        ("table", 1, "", "A\tB\n1\t2"),
        ("aside", 0, "", "Mind the eel."),
    ]
    assert {href for _, href in links_of(result.page.blocks[-1])} == {"a.html"}


def test_mediawiki() -> None:
    source = (
        "{{Box|a={{b}}|c}}'''Reef''' is [[coral reef|one]].<ref>{{x}} A book.</ref> <!-- no -->\n"
        "== Fish ==\n* a\n*# b\n; term : means\n[[File:a.png|thumb|A ''fish'']]\n"
        '{| class="x"\n|+ Counts\n! A !! B\n|-\n| style="y" | 1 || 2\n|}\n[[Category:Reefs]]\n'
    )
    assert blocks_of(wiki.convert, source) == [
        ("p", 0, "", "Reef is one."),
        ("h", 2, "", "Fish"),
        ("li", 1, "", "a"),
        ("ol", 2, "1.", "b"),
        ("dt", 0, "", "term"),
        ("dd", 0, "", "means"),
        ("caption", 0, "", "A fish"),
        ("caption", 0, "", "Counts"),
        ("table", 1, "", "A\tB\n1\t2"),
        ("aside", 0, "", "A book."),
    ]


def test_textile() -> None:
    source = (
        "h2(#id). Head\n\n* a\n** b\n\nbc. x\n y\n\n"
        'bq. Said "so":https://x.example.\n\n|_. A|_. B|\n|1|2|\n'
    )
    assert blocks_of(wiki.convert_textile, source) == [
        ("h", 2, "", "Head"),
        ("li", 1, "", "a"),
        ("li", 2, "", "b"),
        ("pre", 0, "", "x\n y"),
        ("quote", 0, "", "Said so."),
        ("table", 1, "", "A\tB\n1\t2"),
    ]


def test_pod_amid_code() -> None:
    source = (
        "sub a {}\n\n=head2 H B<b C<c>>\n\n=over\n\n=item 1.\n\none\n\n=item --x\n\n"
        "F<<  a > b  >>\n\n"
        "=back\n\n=begin html\n\n<p>no\n\n=end html\n\n=cut\n\nsub b {}\n"
    )
    assert blocks_of(pod.convert, source) == [
        ("h", 2, "", "H b c"),
        ("ol", 1, "1.", "one"),
        ("dt", 0, "", "--x"),
        ("p", 0, "", "a > b"),
    ]


def test_texinfo() -> None:
    source = (
        "\\input texinfo\n@settitle Reef\n@menu\n* x::\n@end menu\n@chapter Fish\n"
        "Text @strong{bold}@dots{}\n@enumerate\n@item one\n@item two\n@end enumerate\n"
        "@multitable @columnfractions .5 .5\n@headitem A @tab B\n@item 1 @tab 2\n@end multitable\n"
    )
    assert blocks_of(texinfo.convert, source) == [
        ("h", 1, "", "Fish"),
        ("p", 0, "", "Text bold…"),
        ("ol", 1, "1.", "one"),
        ("ol", 1, "2.", "two"),
        ("table", 1, "", "A\tB\n1\t2"),
    ]
    assert run(texinfo.convert, source).page.title == "Reef"
