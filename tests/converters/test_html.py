"""HTML: text in reading order, links with anchor texts, forms, meta elements, and hostile pages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.html.head import refresh_target
from shoal.converters.limits import Limits
from shoal.model.link import Link, Rel
from shoal.model.page import Form, FormField
from tests.converters.parts import URL, converted

PAGE = """<!DOCTYPE html>
<html lang="en-GB">
<head>
  <meta charset="utf-8">
  <title>
    Keeping  clownfish &amp; anemones </title>
  <meta name="Description" content="How to keep  clownfish.">
  <meta name="robots" content="max-snippet:50">
  <meta property="og:description" content="not this">
  <link rel="canonical" href="/fish/clown#top">
  <link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">
  <link rel="alternate" hreflang="de" href="https://reef.example/de/">
  <link rel="alternate" type="application/json+oembed" href="/oembed">
  <link rel="stylesheet" href="/style.css">
  <link rel="next" href="page2.html">
  <link rel="icon" href="/favicon.ico">
  <style>p { color: red }</style>
  <script>document.write("<a href='/from-script'>never</a>")</script>
</head>
<body>
  <!-- <a href="/commented">no</a> -->
  <nav><ul><li><a href="/">Home</a></li><li><a href="/fish/">All <b>fish</b></a></ul></nav>
  <h1>Keeping clownfish</h1>
  <p>Clownfish live with<br>anemones.   They are <i>orange</i>, <b>white</b>
     and&nbsp;black.<p>A second paragraph without end
  <div>Loose text<div>Inner</div>after</div>
  <table><tr><th>Name</th><th>Size</th></tr><tr><td>Ocellaris</td><td>8&nbsp;cm</td></tr></table>
  <pre>line one
    line two</pre>
  <a href="/gallery"><img src="g.png" alt="The gallery"></a>
  <a href="/user" rel="nofollow UGC">a comment</a>
  <a href="mailto:x@reef.example">mail</a> <a href="javascript:void(0)">js</a>
  <a href="#top">up</a> <a name="anchor">no link</a> <a href="">self</a>
  <map><area href="/map/east" alt="East"></map>
  <iframe src="/embed" title="A film">no frames</iframe>
  <noscript><a href="/noscript">no script</a><iframe src="/tracker"></iframe></noscript>
  <template><a href="/template">template</a></template>
  <svg><title>icon</title><a xlink:href="/from-svg"><text>drawn</text></a></svg>
</body></html>"""


def by_path(links: list[Link]) -> dict[str, Link]:
    return {link.url.removeprefix("https://reef.example"): link for link in links}


def test_the_head_of_a_page() -> None:
    result = converted(PAGE)
    page = result.page
    assert page.title == "Keeping clownfish & anemones"
    assert page.language == "en-GB"
    assert page.description == "How to keep clownfish."
    assert page.canonical == "https://reef.example/fish/clown"
    assert (page.charset, page.charset_from) == ("utf-8", "http")
    assert ("robots", "max-snippet:50") in result.meta
    assert result.problem == ""


def test_the_text_of_a_page() -> None:
    assert converted(PAGE).page.text.split("\n") == [
        "Home",
        "All fish",
        "Keeping clownfish",
        "Clownfish live with",
        "anemones. They are orange, white and black.",
        "A second paragraph without end",
        "Loose text",
        "Inner",
        "after",
        "Name Size",
        "Ocellaris 8 cm",
        "line one",
        "    line two",
        "a comment mail js up no link self drawn",
    ]


def test_the_links_of_a_page() -> None:
    links = by_path(converted(PAGE).page.links)
    found = {path: (link.text, link.rel) for path, link in links.items()}
    assert found == {
        "/fish/clown": ("", Rel.CANONICAL),
        "/feed.xml": ("News", Rel.FEED),
        "/de/": ("", 0),
        "/fish/page2.html": ("", 0),
        "/": ("Home", 0),
        "/fish/": ("All fish", 0),
        "/gallery": ("The gallery", 0),
        "/user": ("a comment", Rel.NOFOLLOW | Rel.UGC),
        "/map/east": ("East", 0),
        "/embed": ("A film", Rel.EMBED),
        "/noscript": ("no script", 0),
        "/from-svg": ("drawn", 0),
    }


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<b>a</b><i>b</i>", "ab"),
        ("<b>a</b> <i>b</i>", "a b"),
        ("<p>a</p>b", "a\nb"),
        ("<span><div>a</div></span>b", "a\nb"),
        ("a<br><br>b<hr>c", "a\nb\nc"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("a<script>x</script>b", "ab"),
        ("a<textarea>x</textarea>b<select><option>y</select>c", "a\nb\nc"),
        ("<h1>a</h1><p>", "a"),
        ("a\u00a0 \u3000b", "a b"),
        ("a\x1eb", "a b"),
        ("&#0;a&#xD800;", "\ufffda\ufffd"),
        ("", ""),
        ("   \n ", ""),
        ("<pre>a\n\n  b  c</pre>c", "a\n  b  c\nc"),
        ("<pre>a\n  b&amp;</pre><select><option>x</select>c", "a\n  b&\nc"),
        ("<pre>a\n<pre>b\nc</pre>d\ne</pre>", "a\nb\nc\nd\ne"),
    ],
)
def test_text(html: str, text: str) -> None:
    assert converted(html).page.text == text


def test_a_forum_may_stand_in_noscript() -> None:
    posts = "<p>A post about fish.</p>" * 50
    text = converted(
        f"<body><noscript><p>Enable scripts!</p></noscript>x<noscript>{posts}</noscript>y"
    ).page.text
    assert text.startswith("x\ny\nEnable scripts!\nA post about fish.\n")
    longer = "word " * 1000
    assert converted(f"<body><noscript>{posts}</noscript>{longer}").page.text == longer.strip()
    assert (
        converted("<body><noscript><pre>a<noscript>b</noscript></pre></noscript>c").page.text == "c"
    )


def test_repeats_are_one_link() -> None:
    html = """<a href="/a" rel=nofollow></a><a href="/a/">slash</a><a href="/a#part">part</a>
        <a href="/b">first</a><a href="https://reef.example/b?utm_source=x">second</a>
        <a href="/c" rel="nofollow">c</a><a href="../c" rel="nofollow sponsored">d</a>"""
    links = by_path(converted(html).page.links)
    assert set(links) == {"/a", "/b", "/c"}
    assert (links["/a"].text, links["/a"].rel) == ("part", 0)
    assert links["/b"].text == "first"
    assert links["/c"].rel == Rel.NOFOLLOW


def test_a_page_does_not_link_to_itself() -> None:
    html = f'<a href="{URL}">x</a><a href="index.html#a">y</a><a href="?">z</a>'
    assert [link.url for link in converted(html).page.links] == []


def test_a_link_is_ready_for_the_frontier() -> None:
    (link,) = converted('<a href="/secret/Plan?b=1&a=2">0123456789</a>').page.links
    assert link.url == "https://reef.example/secret/Plan?b=1&a=2"
    assert link.row == b"example,reef)443:https/secret/Plan?b=1&a=2"
    assert link.excluded == "a rule against secrets"
    assert link.priority == pytest.approx(0.1)


def test_the_weighed_text_is_the_folded_one() -> None:
    (link,) = converted('<a href="/a"></a><a href="/a">0123456789</a>').page.links
    assert link.priority == pytest.approx(0.1)


def test_base_holds_for_the_whole_page() -> None:
    html = '<a href="a">x</a><base href="//other.example/dir/"><base href="/no/"><a href="b">y</a>'
    assert [link.url for link in converted(html).page.links] == [
        "https://other.example/dir/a",
        "https://other.example/dir/b",
    ]


@pytest.mark.parametrize("base", ["javascript:1", "data:text/html,x", "http://[", "mailto:a@b"])
def test_a_senseless_base_is_ignored(base: str) -> None:
    (link,) = converted(f'<base href="{base}"><a href="a">x</a>').page.links
    assert link.url == "https://reef.example/fish/a"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/next", "/next"),
        ("5;URL='/next'", "/next"),
        ('0; url="/next" ', "/next"),
        ("0,/next", "/next"),
        ("0 /next", "/next"),
        ("3.5 ; Url = /next?a=b;c", "/next?a=b;c"),
        ("5", ""),
        ("5;", ""),
        ("", ""),
        ("url=/next", ""),
        ("0;/path?url=x", "/path?url=x"),
        (" " * 100_000, ""),
        ("0" + " " * 100_000 + ";", ""),
    ],
)
def test_refresh(content: str, target: str) -> None:
    assert refresh_target(content) == target


def test_a_refresh_is_a_link() -> None:
    page = converted('<meta http-equiv="Refresh" content="0; url=../moved">').page
    assert page.refresh_to == "https://reef.example/moved"
    assert [link.url for link in page.links] == ["https://reef.example/moved"]


def test_forms() -> None:
    html = """<input name="outside">
      <form action="/search" method="GET"><input name="q" value="reef"><input type=HIDDEN name=s>
        <select name="sea"><option value="r">Red</option><option>Dead</option></select>
        <textarea name="note">x</textarea><button name="go" value="1">Go</button></form>
      <form method="post" action="https://login.example/in"><input type="password" name="p"></form>
      <form></form>"""
    assert converted(html).page.forms == [
        Form(
            "https://reef.example/search",
            "get",
            [
                FormField("q", "text", "reef"),
                FormField("s", "hidden"),
                FormField("sea", "select", "", ["r", "Dead"]),
                FormField("note", "textarea"),
                FormField("go", "button", "1"),
            ],
        ),
        Form("https://login.example/in", "post", [FormField("p", "password")]),
        Form(URL, "get", []),
    ]


def test_frames_are_parts_of_the_page() -> None:
    html = '<frameset><frame src="menu.html"><frame src="/main.html"></frameset>'
    links = converted(html).page.links
    assert [(link.url, link.rel) for link in links] == [
        ("https://reef.example/fish/menu.html", Rel.EMBED),
        ("https://reef.example/main.html", Rel.EMBED),
    ]


def test_limits() -> None:
    limits = Limits(
        text_chars=20, links=3, forms=1, fields=2, anchor_chars=5, title_chars=4, metas=1
    )
    html = (
        "<title>A long title</title><meta name=a content=1><meta name=b content=2>"
        + "".join(f'<a href="/{i}">anchor {i}</a> ' for i in range(10))
        + "<form><input name=a><input name=b><input name=c></form>"
        + "<form><select name=x><option>1<option>2<option>3</select></form>"
    )
    result = converted(html, limits=limits)
    assert result.page.title == "A lo"
    assert len(result.page.text) == 20
    assert [link.text for link in result.page.links] == ["ancho"] * 3
    assert len(result.page.forms) == 1
    assert [field.name for field in result.page.forms[0].fields] == ["a", "b"]
    assert result.meta == [("a", "1")]
    assert result.problem == "text cut at 20 characters"


@pytest.mark.parametrize(
    "tags",
    [
        *("<div>", "<a href=x>", "<table><tr><td>"),
        *(
            pytest.param(tags, marks=pytest.mark.slow)
            for tags in ("<b>", "<svg><a href=y>", "<pre>", "<ul><li>")
        ),
    ],
)
def test_deep_nesting_neither_crashes_nor_lasts(tags: str) -> None:
    started = time.process_time()
    result = converted("start " + tags * 100_000 + "deep")
    assert result.page.text.startswith("start")
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>a <a href=/1>one</body></html>", ["one"]),
        ("<a href=/1>one<p>no<a href=/2>two</a>", ["one", "two"]),
        ("<a href=/1><h3>one</h3><p>more</p></a>", ["one more"]),
        ("<a href=/1>\n<p>one</p>no<a href=/2>two<p>no", ["one", "two"]),
    ],
)
def test_an_anchor_that_is_not_closed_has_its_first_line(html: str, texts: list[str]) -> None:
    assert [link.text for link in converted(html).page.links] == texts


def test_no_depth_is_too_deep_to_be_read() -> None:
    result = converted("start " + "<div>" * 100_000 + "deep")
    assert result.problem == ""
    assert result.page.text == "start\ndeep"


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_million_links(count: int) -> None:
    html = "".join(f"<a href=/{i}>x</a>" for i in range(count))
    started = time.process_time()
    page = converted(html).page
    assert len(page.links) == 10_000
    assert page.links[0].url == "https://reef.example/0"
    assert time.process_time() - started < 60


@given(st.text(max_size=200))
def test_nothing_raises(html: str) -> None:
    html = html.encode("utf-8", "replace").decode()
    page = converted(html).page
    assert isinstance(page.text, str)


FRAGMENTS = st.sampled_from(
    [
        *("<a href=", "<a>", "</a>", "<form>", "</form>", "<pre>", "</pre>", "<svg>", "</svg>"),
        *("<table>", "<td>", "<base href=", "<meta http-equiv=refresh content=", "<title>"),
        *("<link rel=canonical href=", "</title>", "<select>", "<option>", "<iframe src=", "x"),
        *(
            "<p>",
            "</p>",
            "<template>",
            "</template>",
            "<input name=",
            "http:",
            "\0",
            "&#0;",
            "<!--",
        ),
        *("<![CDATA[", "<math>", "<img alt=", "<area href=", "javascript:", "//", "?", "#", "/y"),
        *(">", '"', "'", " ", "\ud7ff"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=40))
def test_no_mixture_of_tags_raises(fragments: list[str]) -> None:
    page = converted("".join(fragments)).page
    assert len({link.url for link in page.links}) == len(page.links)
    assert URL not in {link.url for link in page.links}
