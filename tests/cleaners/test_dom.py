"""DOM filters: the content of pages of each type, and of odd ones."""

import re
from itertools import pairwise

import pytest

from shoal.cleaners.dom import content
from shoal.cleaners.vocabulary import LAST_HEADINGS, TagRole, tag_role

SENTENCE = "The ferry leaves the old harbour at nine, and on most days it is full by a quarter to. "
PROSE = SENTENCE * 4
MENU = "<ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a></li>" for n in range(12)) + "</ul>"


def kept(html: str) -> str:
    ranges = content(html)
    for (_, end), (start, _) in pairwise(ranges):
        assert end <= start
    assert all(0 <= start < end <= len(html) for start, end in ranges)
    return " ".join(re.sub(r"<[^>]*>", " ", " ".join(html[a:b] for a, b in ranges)).split())


def page(body: str) -> str:
    return f"<html><head><title>Title</title></head><body>{body}</body></html>"


def test_article_without_menu_sidebar_footer_comments_and_related() -> None:
    text = kept(
        page(
            f"<header><nav>{MENU}</nav></header><div id=wrap><article><h1>Harbour</h1>"
            f"<p>{PROSE}</p><div class='share-buttons'>Tweet this</div><p>{PROSE}</p>"
            f"<h3>Related articles</h3><p>Bridges of the north</p></article>"
            f"<div class=sidebar>Weather today</div><div id=comments><p>First comment</p>"
            f"</div></div><footer>All rights reserved</footer>"
        )
    )
    assert text.startswith("Harbour The ferry")
    assert text.count("ferry") == 8
    for noise in ("Menu", "Tweet", "Related", "Bridges", "Weather", "First", "rights", "Title"):
        assert noise not in text


def test_forum_keeps_every_post() -> None:
    posts = "".join(
        f"<div class='comment' id=comment-{n}><b>user{n}</b><p>Post {n}. {SENTENCE}</p></div>"
        for n in range(8)
    )
    text = kept(page(f"<nav>{MENU}</nav><div class=replies>{posts}</div>"))
    assert [f"Post {n}." in text for n in range(8)] == [True] * 8
    assert "Menu" not in text


def test_schema_of_a_forum_keeps_few_replies() -> None:
    page_ = page(
        "<div itemtype='http://schema.org/{}'><p>" + PROSE + "</p></div>"
        "<div class=reply><p>A short answer from a reader who knows.</p></div>"
    )
    assert "short answer" in kept(page_.replace("{}", "DiscussionForumPosting"))
    assert "short answer" not in kept(page_.replace("{}", "Article"))


def test_listing_keeps_its_cards_and_not_its_menu() -> None:
    cards = "".join(
        f"<div class=card><a href=/p{n}><h3>Canvas walking shoe number {n}</h3></a>"
        f"<span>$ {n}9.00</span></div>"
        for n in range(20)
    )
    text = kept(page(f"<div>{MENU}</div><div class=grid>{cards}</div>"))
    assert [f"number {n}" in text for n in range(20)] == [True] * 20
    assert "$ 39.00" in text
    assert "Menu" not in text


def test_article_loses_the_same_cards() -> None:
    cards = "".join(f"<a href=/p{n}><h3>Canvas walking shoe {n}</h3></a>" for n in range(5))
    text = kept(page(f"<div><p>{PROSE}</p><p>{PROSE}</p></div><div class=grid>{cards}</div>"))
    assert "ferry" in text
    assert "Canvas" not in text


def test_answers_that_open_at_a_click_are_content_and_popups_are_not() -> None:
    text = kept(
        page(
            f"<main><p>{PROSE}</p><h3><button>When does it leave?</button></h3>"
            f"<div class='accordion-panel' hidden>At nine. {SENTENCE}</div></main>"
            f"<div style='display: none'>Hidden offer</div><div aria-hidden=true>Icon</div>"
            f"<div id=onetrust-sdk>We value your privacy. {PROSE}</div>"
        )
    )
    assert "When does it leave?" in text
    assert "At nine." in text
    assert not {"offer", "Icon", "privacy"} & set(re.findall(r"\w+", text))


def test_a_name_is_wrong_where_the_page_is() -> None:
    assert kept(page(f"<div class=sidebar><p>{PROSE}</p></div>")).count("ferry") == 4
    assert kept(page(f"<form class=modal><p>{PROSE}</p></form>")).count("ferry") == 4
    assert kept(page("<footer>Only this</footer>")) == "Only this"


def test_noscript_is_content_where_the_page_lives_there() -> None:
    shell = page(f"<div id=app></div><noscript><p>{PROSE}</p></noscript>")
    assert kept(shell).count("ferry") == 4
    assert kept(page("<div id=app></div><noscript>Please enable JavaScript.</noscript>")) == ""
    assert "enable" not in kept(page(f"<p>{PROSE}</p><noscript>Please enable it.</noscript>"))


@pytest.mark.parametrize(
    "sentence",
    [
        "天気が良かったので、私たちは港まで歩いて行き、そこで九時に出る船を待つことにした。",
        "由于天气很好,我们决定步行到港口,在那里等待九点钟出发的渡轮,然后再去岛上的小村庄。",
        "كان الطقس جميلاً فقررنا أن نمشي إلى الميناء وننتظر العبارة التي تغادر في الساعة التاسعة.",
        "מזג האוויר היה נאה ולכן החלטנו ללכת ברגל אל הנמל ולחכות שם למעבורת שיוצאת בשעה תשע.",
    ],
)
def test_other_scripts(sentence: str) -> None:
    menu = "<div>" + "".join(f"<a href=/{n}>メニュー</a>" for n in range(9)) + "</div>"
    body = f"{menu}<div dir=auto><p>{sentence * 2}</p><p>{sentence}</p></div>"
    assert kept(page(body)).count(sentence) == 3
    assert "メニュー" not in kept(page(body))


def test_everything_in_one_table_without_closing_tags() -> None:
    menu = "".join(f"<a href=/{n}>Menu {n}</a><br>" for n in range(12))
    text = kept(f"<table><tr><td>{menu}<td><p>{PROSE}<p>{PROSE}<tr><td colspan=2>Imprint")
    assert text.count("ferry") == 8
    assert "Menu" not in text


def test_ranges_hold_the_tags_of_what_is_kept() -> None:
    html = page(
        f"<div><nav>{MENU}</nav><ul><li>{PROSE}</li><li>{PROSE}</li></ul><p>{PROSE}</p></div>"
    )
    ((start, end),) = content(html)
    assert html[start:end].startswith("<ul><li>")
    assert html[start:end].endswith("</p>")


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n",
        "<html><body></body></html>",
        "<frameset cols='1,2'><frame src=a><frame src=b></frameset>",
        "<title>Only a title</title>",
        "<script>var text = 'not content';</script>",
        "<nav>",
        "<",
        "<!--" + PROSE,
    ],
)
def test_no_content(html: str) -> None:
    assert kept(html) in {"", "<"}


def test_text_without_tags_is_content() -> None:
    assert content(PROSE) == [(0, len(PROSE))]


def test_five_megabytes_twice_the_same() -> None:
    html = page(f"<nav>{MENU}</nav><div>" + f"<p>{PROSE}</p>" * 14_000 + "</div>")
    assert len(html) > 4_900_000
    first = content(html)
    assert len(first) == 1
    assert first == content(html)


@pytest.mark.parametrize("unit", ["<div>", "<a href=x>y", "<h2>Related</h2><p>x", "<td>x", "</p>"])
def test_hostile_repetition_ends(unit: str) -> None:
    kept(unit * 20_000)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<div class='mainNav'>", TagRole.NOISE),
        ("<div class='no-sidebar has-footer'>", TagRole.PLAIN),
        ("<div class='most-read'>", TagRole.NOISE),
        ("<div role=Navigation>", TagRole.NOISE),
        ("<div id=sharing-with-a-friend>", TagRole.PLAIN),
        ("<div role=main>", TagRole.MAIN),
        ("<div class=cookie_notice hidden>", TagRole.PLEA),
        ("<div hidden>", TagRole.HIDDEN),
        ("<div style='DISPLAY : none'>", TagRole.HIDDEN),
        ("<div id=comment-12>", TagRole.TALK),
        ("<ul class=menu>", TagRole.WEAK),
        ("<div class=navigate>", TagRole.PLAIN),
    ],
)
def test_verdicts(tag: str, expected: TagRole) -> None:
    assert tag_role(tag) == expected


@pytest.mark.parametrize(
    "text", ["You may also like", "Leave a Reply", "Lesen Sie auch", "関連記事"]
)
def test_headings_that_end_an_article(text: str) -> None:
    assert LAST_HEADINGS.match(text)
    assert not LAST_HEADINGS.match("About " + text.lower())
