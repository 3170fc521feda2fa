"""Chromium draws saved pages with the network off, and no page keeps it from the next one."""

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from shoal.errors import UsageError
from shoal.fetch import render as module
from shoal.fetch.render import Renderer, RenderSettings, program, render
from shoal.model.rendered import Box, Rendered, Side

HAS_PLAYWRIGHT = importlib.util.find_spec("playwright") is not None
needs_browser = pytest.mark.skipif(
    not HAS_PLAYWRIGHT or not program(),
    reason="needs playwright (pip install 'shoal[js]') and Chromium on the PATH",
)
SCRIPTED = RenderSettings(scripts=True, settle_seconds=0.2)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as started:
        yield started


class Witness:
    """A server that counts the connections it gets."""

    def __init__(self) -> None:
        self.connections = 0
        witness = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                witness.connections += 1
                super().setup()

            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"<p>from the network")

        self.server = ThreadingHTTPServer(("127.77.1.9", 0), Handler)
        self.url = f"http://127.77.1.9:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def witness() -> Iterator[Witness]:
    serving = Witness()
    yield serving
    serving.close()


def boxes(rendered: Rendered, tag: str) -> list[Box]:
    return [box for box in rendered.boxes if box.tag == tag]


@needs_browser
def test_boxes_tell_what_is_seen(renderer: Renderer) -> None:
    drawn = renderer.render(
        """<style>#a{position:absolute;left:200px;top:300px;width:400px;height:50px;
        font:bold 30px serif;color:#010203;background:#ff0000;border-bottom:1px solid}</style>
        <body><div id=a role=Navigation>seven ch, <a href=x>link</a></div><p>not so</p>"""
    )
    [box] = boxes(drawn, "div")
    assert (box.x, box.y, box.width, box.height) == (200, 300, 400, 51)
    assert (box.font_size, box.font_weight, box.colour) == (30, 700, 0x010203)
    assert (box.background, box.borders, box.role) == (0xFF0000, Side.BOTTOM, "navigation")
    assert (box.chars, box.link_chars, box.marks) == (12, 4, 1)
    assert drawn.problem == ""
    assert drawn.width == 1280


@needs_browser
def test_numbers_are_those_in_the_document(renderer: Renderer) -> None:
    drawn = renderer.render("<div data-shoal-box=99>a<p data-shoal-box='0'>b</p></div>")
    assert [box.number for box in drawn.boxes] == list(range(len(drawn.boxes)))
    [outer], [inner] = boxes(drawn, "div"), boxes(drawn, "p")
    assert inner.parent == outer.number
    expected = f'<div data-shoal-box="{outer.number}">a<p data-shoal-box="{inner.number}">b</p>'
    assert expected in drawn.html
    assert drawn.html.count("data-shoal-box") == len(drawn.boxes)


@needs_browser
def test_what_is_not_shown_has_no_text(renderer: Renderer) -> None:
    hidden = [
        "<p id=t style='display:none'>x</p>",
        "<p id=t style='visibility:hidden'>x</p>",
        "<p id=t hidden>x</p>",
        "<div style='display:none'><p>x</p></div>",
        "<p style='position:absolute;left:-5000px;width:100px'>x</p>",
        "<p style='position:absolute;width:1px;height:1px;overflow:hidden'>x</p>",
        "<div style='height:0;overflow:hidden'><p>x</p></div>",
        "<select><option>x</select>",
        "<textarea>x</textarea>",
    ]
    # Each has twice the text of the one before, so that a wrong sum says which of them it was.
    page = "".join(each.replace(">x<", f">{'x' * 2**at}<") for at, each in enumerate(hidden))
    drawn = renderer.render(f"<p>{'seen' * 1000}</p>{page}")
    assert sum(box.chars for box in drawn.boxes) == 4000
    assert sum(not box.shown for box in drawn.boxes) == len(hidden)


@needs_browser
def test_what_waits_for_a_click_or_a_script_is_shown(renderer: Renderer) -> None:
    folded = "<details name=a><summary>ab</summary>cd</details>"
    assert sum(box.chars for box in renderer.render(folded * 2).boxes) == 8
    waiting = "<style>body{visibility:hidden}</style><body><p>abc"
    assert sum(box.chars for box in renderer.render(waiting).boxes) == 3
    streamed = "<p>ab<form hidden><input name=style><p>cdefghijk</form><div hidden>l</div>"
    drawn = renderer.render(streamed)
    assert [box.chars for box in boxes(drawn, "p")] == [2, 9]
    assert [box.shown for box in boxes(drawn, "div")] == [False]
    noscript = "<noscript><p>abc</p></noscript>"
    assert [box.chars for box in boxes(renderer.render(noscript), "p")] == [3]


@needs_browser
def test_the_network_is_off(renderer: Renderer, witness: Witness) -> None:
    at = witness.url
    page = f"""<head><base href="{at}/"><meta http-equiv=refresh content="0;url={at}/refresh">
        <link rel=prefetch href={at}/prefetch><link rel=preconnect href={at}>
        <link rel=dns-prefetch href={at}><link rel=stylesheet href={at}/style>
        <link rel=icon href={at}/icon><link rel=prerender href={at}/prerender>
        <link rel=manifest href={at}/manifest><link rel=modulepreload href={at}/module>
        <style>@import "{at}/import"; p{{background:url({at}/background)}}
        @font-face{{font-family:f;src:url({at}/font)}} p{{font-family:f}}</style>
        <script type=speculationrules>{{"prerender":[{{"urls":["{at}/guess"]}}]}}</script>
        <p>still here<img src={at}/image srcset="{at}/set 2x"><script src={at}/script></script>
        <iframe src={at}/frame></iframe><object data={at}/object></object><embed src={at}/embed>
        <video src={at}/film poster={at}/poster autoplay></video>
        <form action={at}/form><input name=q></form>
        <script>fetch("{at}/fetch").catch(() => 0); new Image().src = "{at}/made";
        navigator.sendBeacon("{at}/beacon"); new EventSource("{at}/events");
        new WebSocket("{at.replace("http", "ws")}/socket");
        try {{ navigator.serviceWorker.register("{at}/worker") }} catch (e) {{ }}
        addEventListener("DOMContentLoaded", () => document.forms[0].submit());</script>"""
    for settings in (RenderSettings(), SCRIPTED):
        for url in ("", f"{at}/page"):
            drawn = renderer.render(page, url, settings)
            assert drawn.problem == ""
            assert "still here" in drawn.html
            assert "from the network" not in drawn.html
    assert witness.connections == 0


@needs_browser
def test_the_flags_alone_keep_the_network_off(
    renderer: Renderer, witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were a request to slip past the answers, it would find no way out."""

    async def let_through(self: object, route: object) -> None:
        await route.continue_()  # type: ignore[attr-defined]  # playwright may be absent

    monkeypatch.setattr(module._Answers, "answer", let_through)
    assert renderer.render("<p>x", f"{witness.url}/").problem != ""
    assert witness.connections == 0


@needs_browser
def test_scripts_run_only_when_asked_for(renderer: Renderer) -> None:
    page = "<body><script>document.body.innerHTML = '<p>made'</script><noscript>none</noscript>"
    assert boxes(renderer.render(page), "p") == []
    assert [box.chars for box in boxes(renderer.render(page, "", SCRIPTED), "p")] == [4]


@needs_browser
def test_pages_that_never_end(renderer: Renderer) -> None:
    page = """<p>abc<script>setInterval(() => document.body.append("."), 1);
        alert("stop"); confirm("?"); print(); window.open("about:blank");
        onbeforeunload = () => "stay";
        (function again() { requestAnimationFrame(again) })()</script>"""
    drawn = renderer.render(page, "", SCRIPTED)
    assert drawn.problem == ""
    assert boxes(drawn, "p")[0].chars >= 3


@needs_browser
def test_a_page_that_hangs_costs_only_itself(renderer: Renderer) -> None:
    settings = RenderSettings(scripts=True, page_seconds=1.5, settle_seconds=0.0)
    hung = renderer.render("<p>abc<script>for (;;) ;</script>", "", settings)
    assert hung.problem == "not drawn within 1.5 seconds"
    assert hung.boxes == []
    assert hung.html.startswith("<p>abc")
    assert [box.chars for box in boxes(renderer.render("<p>next"), "p")] == [4]


@needs_browser
def test_what_a_page_names_its_own_does_not_matter(renderer: Renderer) -> None:
    clobbered = """<form><input name=parentNode><input name=childNodes><input name=localName>
        <input name=getAttribute><input name=setAttribute><input name=outerHTML><p>abc</form>
        <img name=documentElement><img name=body><img name=querySelectorAll>
        <script>Array.prototype.map = JSON.stringify = Node.prototype.toJSON = null;
        document.createTreeWalker = getComputedStyle = () => { throw 1 }</script>"""
    drawn = renderer.render(clobbered, "", SCRIPTED)
    assert drawn.problem == ""
    assert [box.chars for box in boxes(drawn, "p")] == [3]


@needs_browser
def test_large_pages(renderer: Renderer) -> None:
    drawn = renderer.render(("<p>" + "some words of it " * 1000) * 310)
    assert drawn.problem == ""
    assert sum(box.chars for box in boxes(drawn, "p")) == 13 * 310_000


@needs_browser
def test_limits_are_told(renderer: Renderer) -> None:
    settings = RenderSettings(max_chars=5000, max_elements=50)
    many = renderer.render("<p>a" * 200, "", settings)
    assert many.problem == "more than 50 elements: the rest has no boxes"
    assert 0 < len(boxes(many, "p")) < 50
    long = renderer.render("x" * 5001, "", settings)
    assert long.problem == "longer than 5,000 characters: not drawn"
    assert long.html == "x" * 5001


@needs_browser
@pytest.mark.parametrize(
    "page",
    [
        *("", "<", "\0", "\ud800", "<frameset><frame src=x>", "<svg><p>x", "<plaintext>" * 9),
        *("<div>" * 3000 + "deep", "<html style='display:none'>x"),
    ],
    ids=["empty", "cut", "null", "surrogate", "frames", "svg", "plain", "deep", "hidden"],
)
def test_odd_pages(renderer: Renderer, page: str) -> None:
    drawn = renderer.render(page, "not a url")
    assert drawn.problem == ""
    assert drawn.boxes[0].tag == "html"


@needs_browser
def test_the_same_page_looks_the_same(renderer: Renderer) -> None:
    page = "<h1>t</h1>" + "<p>word <b>word</b> <a href=x>word</a>" * 50
    assert renderer.render(page) == renderer.render(page)


@needs_browser
def test_it_works_inside_a_running_loop() -> None:
    async def in_loop() -> Rendered:
        return render("<p>abc")

    assert [box.chars for box in boxes(asyncio.run(in_loop()), "p")] == [3]


@pytest.mark.skipif(not HAS_PLAYWRIGHT, reason="needs playwright: pip install 'shoal[js]'")
def test_a_missing_browser_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_CHROMIUM", "no-such-program")
    with pytest.raises(UsageError, match="needs Chromium"):
        render("<p>x")


@pytest.mark.skipif(not HAS_PLAYWRIGHT, reason="needs playwright: pip install 'shoal[js]'")
def test_a_program_that_is_no_browser_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_CHROMIUM", "false")
    with pytest.raises(UsageError, match="does not start"):
        render("<p>x")


def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(UsageError, match=r"pip install 'shoal\[js\]'"):
        render("<p>x")
