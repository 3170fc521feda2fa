"""Every method by its name, what the default falls back to, and pages that mean harm."""

import time
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cleaners import cleaners
from shoal.cleaners.cleaners import METHODS, cleaner_for
from shoal.errors import UsageError
from shoal.model.content import COMMENT, KEPT, NOSCRIPT, Content

needs_native = pytest.mark.skipif(
    cleaners.native is None, reason="_content.c was not compiled: no C compiler at installation"
)
IN_SOURCE = tuple(method for method in METHODS if method != "visual")
SAID = (
    "Rays are flat fish that live on the sand of warm seas, where they eat what they find there, "
    "and rest for most of the day under a thin layer of it. They have no bones, like sharks. "
)
MORE = [
    (
        "Their mouth is below, and so they find clams and worms by smell, dig them out with "
        "their fins and crush the shells between plates of teeth that grow again all their "
        "life."
    ),
    (
        "Most of them bear their young alive: two to seven pups, which are rolled up like a "
        "cigar when they are born, unroll within a minute and swim away without any help."
    ),
    (
        "Some can sting with a barb on their tail, which they use against sharks and against "
        "the feet of people who do not shuffle when they wade in the shallow water of a bay."
    ),
]
ITEMS = "".join(f"<li><a href='/{each}'>Topic {each}</a></li>" for each in range(12))
PAGE = (
    f"<title>Rays</title><body><nav class=menu><ul>{ITEMS}</ul></nav><main><article><h1>Rays</h1>"
    + "".join(f"<p>{said}</p>" for said in (SAID, *MORE))
    + f"</article></main><footer class=footer><ul>{ITEMS}</ul><p>Imprint</p></footer>"
)


def pieces(found: Content) -> list[tuple[int, int]]:
    places = array("i", found.places).tolist()
    return list(zip(places[::2], places[1::2], strict=True))


def is_sound(found: Content, html: str) -> bool:
    """Ascending, apart, within the source, and each with a shade and a mark."""
    every = [place for pair in pieces(found) for place in pair]
    return (
        all(one <= other for one, other in zip([0, *every], [*every, len(html)], strict=True))
        and all(start < end for start, end in pieces(found))
        and len(found.line_scores) == len(found.marks) == len(pieces(found))
        and all(mark in (0, COMMENT, NOSCRIPT, COMMENT | NOSCRIPT) for mark in found.marks)
    )


def kept(found: Content, html: str) -> str:
    chosen = zip(pieces(found), found.line_scores, strict=True)
    return "".join(html[start:end] for (start, end), shade in chosen if shade >= KEPT)


@pytest.mark.parametrize("method", IN_SOURCE)
def test_each_method_by_its_name(method: str) -> None:
    found = cleaner_for(method).content(PAGE)
    assert found.method in {method, "dom"}
    assert found.method == method or (method == "model" and cleaners.native is None)
    assert is_sound(found, PAGE)
    assert all(said in kept(found, PAGE) for said in (SAID.strip(), *MORE))
    assert "Imprint" not in kept(found, PAGE)


@pytest.mark.parametrize("method", IN_SOURCE)
def test_the_same_page_gives_the_same_every_time(method: str) -> None:
    assert cleaner_for(method).content(PAGE) == cleaner_for(method).content(PAGE)


@pytest.mark.parametrize("method", ["magic", "", "visual", "none"])
def test_an_unknown_method_is_refused_in_one_sentence(method: str) -> None:
    with pytest.raises(UsageError, match="is no method; there are model, dom, slope, window"):
        cleaner_for(method)


def test_without_the_compiled_module_the_tags_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaners._by_model.cache_clear()
    monkeypatch.setattr(cleaners, "native", None)
    try:
        found = cleaner_for("model").content(PAGE)
    finally:
        cleaners._by_model.cache_clear()
    assert found == cleaner_for("dom").content(PAGE)
    assert found.method == "dom"


@needs_native
def test_a_page_that_the_model_does_not_see_is_read_by_its_tags() -> None:
    odd = f"<template><p>{SAID * 9}</p></template>"
    assert cleaner_for("model").content(odd).method == "dom"
    assert cleaner_for("model").content("<p>").method == "model"  # short, and so not odd


@needs_native
def test_a_page_of_a_few_words_is_all_content() -> None:
    html = "<nav><a href=/>Home</a></nav><p>Here is nothing much.</p><footer>Imprint</footer>"
    found = cleaner_for("model").content(html)
    assert found.method == "model"
    assert min(found.line_scores) >= KEPT
    assert all(words in kept(found, html) for words in ("Home", "nothing much.", "Imprint"))


@needs_native
def test_what_readers_wrote_is_marked() -> None:
    html = PAGE + f"<div class=comments><p>{SAID}</p></div><noscript><p>{SAID}</p></noscript>"
    found = cleaner_for("model").content(html)
    at = {
        mark: html[start:end]
        for (start, end), mark in zip(pieces(found), found.marks, strict=True)
        if mark
    }
    assert set(at) == {COMMENT, NOSCRIPT}
    assert all(text.strip() == SAID.strip() for text in at.values())


@needs_native
@pytest.mark.parametrize("cut", [0, 7, 8, 100, 20_000, -4, -1])
def test_a_damaged_model_is_told_in_one_sentence(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "content.bin"
    file.write_bytes(cleaners._SHIPPED.read_bytes()[:cut])
    with pytest.raises(UsageError, match=r"content\.bin is no model of content: "):
        cleaner_for("model", file)


@needs_native
def test_a_model_that_is_not_there_or_is_something_else(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no model of content"):
        cleaner_for("model", tmp_path / "none.bin")
    (tmp_path / "page.bin").write_bytes(PAGE.encode() * 100)
    with pytest.raises(UsageError, match="is no model of content"):
        cleaner_for("model", tmp_path / "page.bin")


@needs_native
@given(st.data())
def test_a_model_with_wrong_bytes_is_refused_or_answers(data: st.DataObject) -> None:
    assert cleaners.native is not None
    model = bytearray(cleaners._SHIPPED.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        model[data.draw(st.integers(0, len(model) - 1))] = data.draw(st.integers(0, 255))
    try:
        places, shades, marks = cleaners.native.Model(bytes(model)).content(PAGE)
    except ValueError:
        return
    assert is_sound(Content("model", places, shades, marks), PAGE)


# --- hostile pages ----------------------------------------------------------------------------

HOSTILE = {
    "nested": "<div>" * 100_000 + SAID,
    "nested and closed": "<div>" * 100_000 + SAID + "</div>" * 100_000 + SAID,
    "nested formats": "<b><i><a href=x>" * 40_000 + SAID,
    "nested tables": "<table><tr><td>" * 40_000 + SAID,
    "many tags at once": f"<p>{SAID}</p>" * 20_000,
    "stray ends": "</div></p></td></a>" * 30_000 + SAID,
    "a huge attribute": f"<p class='{'word ' * 400_000}'>{SAID}",
    "a huge name": f"<{'x' * 1_000_000}>{SAID}",
    "many attributes": f"<p {'a=b ' * 300_000}>{SAID}",
    "an attribute without end": f'{SAID}<p class="{SAID * 10_000}',
    "one word": "x" * 2_000_000,
    "only <": "<" * 1_000_000,
    "comments without end": "<!--" * 300_000,
    "scripts without end": "<script>" * 100_000,
    "references": "&#x1F41F;&amp;&;&#;&#x;&#99999999999;" * 30_000,
    "lone surrogates": f"<p class='\ud800'>\udfff {SAID}\ud83d</p>" * 100,
    "two bytes a character": f"<p class='中文'>魚は水の中に住んでいる。{SAID}</p>" * 100,
    "four bytes a character": f"<p class='🐟'>🐟🐠 {SAID}</p>" * 100,
    "breaks": "word<br><br>" * 100_000,
    "items without end": "<li><a href=x>word" * 60_000,
    "NULs": f"<p\0class=x>\0{SAID}\0" * 100,
    "nothing": "",
    "half a tag": "<",
    "half an end tag": "</",
    "half a comment": "<!--",
    "half a reference": "&",
    "half an attribute": "<p class=",
}


@needs_native
@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_no_page_is_too_hostile(html: str) -> None:
    started = time.process_time()
    assert cleaners.native is not None
    model = cleaners.native.Model(cleaners._SHIPPED.read_bytes())
    places, shades, marks = model.content(html)
    assert is_sound(Content("model", places, shades, marks), html)
    assert time.process_time() - started < 20


_BITS = [
    *("<", ">", "</", "/>", "=", '"', "'", " ", "\n", "&", ";", "#", "-", "!", "\0", "&nbsp;", "x"),
    *(
        "<p>",
        "</p>",
        "<div class=comments>",
        "</div>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<li>",
    ),
    *("<ul>", "<a href=x>", "</a>", "<b>", "</b>", "<script>", "</script>", "<noscript>", "<!--"),
    *(
        "</noscript>",
        "-->",
        "<title>",
        "</title>",
        "<br>",
        "<form>",
        "<select>",
        "<option>",
        "<h1>",
    ),
    *("<pre>", "<p style='display:none'>", "<p hidden>", "word ", "中", "😀", "\ud800", SAID),
]


@needs_native
@given(st.lists(st.sampled_from(_BITS) | st.text(max_size=4), max_size=60))
def test_any_page_has_sound_pieces(bits: list[str]) -> None:
    html = "".join(bits)
    found = cleaner_for("model").content(html)
    assert is_sound(found, html)
    assert found == cleaner_for("model").content(html)


@needs_native
@given(st.binary(max_size=2000))
def test_any_bytes_have_sound_pieces(body: bytes) -> None:
    html = body.decode("latin-1")
    assert is_sound(cleaner_for("model").content(html), html)


@needs_native
@pytest.mark.parametrize("wrong", [b"<p>", None, 3])
def test_what_is_no_text_is_refused(wrong: object) -> None:
    assert cleaners.native is not None
    model = cleaners.native.Model(cleaners._SHIPPED.read_bytes())
    with pytest.raises(TypeError):
        model.content(wrong)
