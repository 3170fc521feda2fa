"""What a page needs to look as it did: every way in which pages and style sheets name it."""

import time

import pytest

from shoal.converters.html.requisites import of_css, of_page


def needs(html: str) -> list[str]:
    return of_page(html)[1]


@pytest.mark.parametrize(
    ("html", "needed"),
    [
        ("<img src=a.png>", ["a.png"]),
        ("<IMG SRC=' a.png '>", ["a.png"]),
        ("<img src=a.png?x=1&amp;y=2>", ["a.png?x=1&y=2"]),
        ("<img srcset='a.png 1x, b,c.png 2x,d.png'>", ["a.png", "b,c.png", "d.png"]),
        ("<picture><source srcset='w.webp 2x'><img src=a.png></picture>", ["w.webp", "a.png"]),
        ("<link rel=stylesheet href=a.css>", ["a.css"]),
        ("<link rel='Shortcut ICON' href=/favicon.ico>", ["/favicon.ico"]),
        ("<link rel=apple-touch-icon href=t.png>", ["t.png"]),
        ("<link rel=preload as=font href=a.woff2>", ["a.woff2"]),
        ("<script src=a.js></script>", ["a.js"]),
        ("<script type=module src=a.mjs></script>", ["a.mjs"]),
        ("<style>@import 'b.css'; p{background:url(c.png)}</style>", ["b.css", "c.png"]),
        ("<div style='background: url(&quot;d.png&quot;)'>x</div>", ["d.png"]),
        ("<body background=old.gif><td background=cell.gif>", ["old.gif", "cell.gif"]),
        ("<input type=image src=go.png>", ["go.png"]),
        ("<video src=film.mp4 poster=p.jpg><source src=film.webm></video>", ["p.jpg"]),
        (
            "<svg><image href=i.png /><use xlink:href='sprite.svg#x' /></svg>",
            ["i.png", "sprite.svg"],
        ),
        ("<img src=a.png><img src=a.png>", ["a.png"]),
    ],
)
def test_what_is_needed(html: str, needed: list[str]) -> None:
    assert needs(html) == needed


@pytest.mark.parametrize(
    "html",
    [
        "<a href=a.html>x</a>",
        "<iframe src=frame.html></iframe>",
        "<link rel=alternate href=feed.xml><link rel=dns-prefetch href=//x.test>",
        "<link rel=preload as=fetch href=data.json>",
        "<img src='data:image/png;base64,AAAA'><img src=''><img>",
        "<!-- <img src=a.png> -->",
        "<script>document.write('<img src=a.png>'); x = 'url(b.png)'</script>",
        "<noscript><img src=tracker.gif></noscript>",
        "<template><img src={{picture}}></template>",
        "<input type=text src=x.png>",
        "<use href='#own'>",
    ],
)
def test_what_is_not(html: str) -> None:
    assert needs(html) == []


def test_the_first_base_is_told() -> None:
    assert of_page("<base href=/a/?x&amp;y><base href=/b/><img src=c>") == ("/a/?x&y", ["c"])


def test_style_sheets_with_and_without_their_imports() -> None:
    css = (
        '@charset "utf-8"; @import url("a.css") print; @import url(b.css);@IMPORT \'c.css\';\n'
        "/* url(no.png) */ p { background: URL( 'd.png' ) } @font-face { src: url(e.woff2) "
        "format('woff2'), url(\"f.woff\") } i { x: url(data:image/gif;base64,AA) } url(broken"
    )
    pictures = ["d.png", "e.woff2", "f.woff"]
    assert of_css(css, imports=True) == ["a.css", "b.css", "c.css", *pictures]
    assert of_css(css, imports=False) == pictures


@pytest.mark.parametrize(
    "piece",
    [
        "/*",
        "url(",
        'url("',
        "url( ",
        "@import ",
        "@import url(",
        "url(a",
        "/**/",
        "url('a",
        "@import\t'",
    ],
)
def test_hostile_style_sheets_take_linear_time(piece: str) -> None:
    def seconds(chars: int) -> float:
        css = piece * (chars // len(piece))
        began = time.process_time()
        of_css(css, imports=True)
        return time.process_time() - began

    assert seconds(1_000_000) < 2  # quadratic, it would be hours


@pytest.mark.parametrize(
    "piece", ["<img srcset='", "<img srcset=',,,,", "<style>", "<img src=", ", "]
)
def test_hostile_pages_take_linear_time(piece: str) -> None:
    began = time.process_time()
    of_page(piece * (1_000_000 // len(piece)))
    of_page("<img srcset='" + piece.replace("'", "") * 100_000 + "'>")
    assert time.process_time() - began < 4
