"""`shoal clean`, `show --text` and `--whole`, and what `explain` says of it."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import ReadReef
from tests.cli.test_converting import Here

SAID = (
    "Rays are flat fish that live on the sand of warm seas, where they eat what they find there, "
    "and rest for most of the day under a thin layer of it. "
)
FOOD = (
    "Their mouth is below, and so they find clams and worms by smell, dig them out with their fins "
    "and crush the shells between plates of teeth that grow again all their life. "
)
YOUNG = (
    "Most of them bear their young alive: two to seven pups, which are rolled up like a cigar when "
    "they are born, unroll within a minute and swim away without any help. "
)
ITEMS = "".join(f"<li><a href='/{each}'>Topic {each}</a></li>" for each in range(12))
RAYS = (
    f"<html lang=en><title>Rays</title><body><nav class=menu><ul>{ITEMS}</ul></nav><article>"
    f"<h2>Where they live</h2><p>{SAID}</p><p>{FOOD} See <a href='/sharks'>the sharks</a>.</p>"
    f"<p>{YOUNG}</p></article><footer class=footer><ul>{ITEMS}</ul><p>Imprint</p></footer>"
)
CLOWNFISH = "http://www.reef.example/species/clownfish.html"
METHODS = ("model", "dom", "slope", "window")


@pytest.fixture
def here(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Here:
    (tmp_path / "rays.html").write_text(RAYS)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SHOAL_")]:
        monkeypatch.delenv(name)
    return Here(capfdbinary, monkeypatch)


@pytest.mark.parametrize("method", METHODS)
def test_the_content_of_a_file(here: Here, method: str) -> None:
    done = here.ok("clean", "rays.html", f"--method={method}")
    assert done.err == ""
    assert all(said.strip() in done.text for said in (SAID, FOOD, YOUNG))
    assert "Imprint" not in done.text


def test_as_html_markdown_and_json(here: Here) -> None:
    text = here.ok("clean", "rays.html").text
    assert here.ok("clean", "rays.html", "--to=text").text == text
    html = here.ok("clean", "rays.html", "--to=html").text
    assert "<h2>Where they live</h2>" in html
    assert "<title>Rays</title>" in html
    assert "Topic 3" not in html
    markdown = here.ok("clean", "rays.html", "--to=markdown").text
    assert "## Where they live" in markdown
    told = here.ok("clean", "rays.html", "--to=json").json
    assert (told["page"], told["title"], told["method"]) == ("rays.html", "Rays", "model")
    assert told["text"] == text.removesuffix("\n")
    assert 0 < told["share"] < 1
    scores = {block["text"]: block["score"] for block in told["blocks"]}
    assert scores["Topic 3"] < 0.5 <= scores[SAID.strip()]


def test_a_stored_page(read: ReadReef) -> None:
    text = read("clean", CLOWNFISH).text
    assert "Each anemone holds one breeding pair" in text
    assert "Scientific name Amphiprion ocellaris" in text
    assert "We use two cookies" not in text
    told = read("clean", CLOWNFISH, "--to=json").json
    assert told["page"] == CLOWNFISH
    assert told["method"] == "model"
    links = [to for block in told["blocks"] for _, _, to in block.get("links", [])]
    assert "http://www.reef.example/" in links


def test_what_has_no_frame_is_all_content(here: Here) -> None:
    Path("notes.md").write_text("# Eels\n\nAn eel has one fin.\n")
    assert here.ok("clean", "notes.md", "--to=markdown").text == "# Eels\n\nAn eel has one fin.\n"


def test_nothing_kept_is_said(here: Here) -> None:
    Path("empty.html").write_text("<title>Nothing</title><body><p> </p>")
    done = here("clean", "empty.html")
    assert (done.code, done.out) == (1, b"")
    assert "Nothing of empty.html is content; `shoal convert empty.html` shows all" in done.err
    found = here.ok("clean", "empty.html", "--to=json").json
    assert (found["text"], found["blocks"]) == ("", [])


def test_a_page_too_odd_for_the_model_says_so(here: Here) -> None:
    Path("odd.html").write_text(f"<template><p>{SAID}</p></template><!-- {SAID} -->")
    done = here("clean", "odd.html")
    assert done.code == 1
    assert "odd.html is too odd for the model; read by its tags (--method dom)." in done.err


def test_mistakes_are_one_sentence(here: Here, read: ReadReef) -> None:
    assert "none.html is no file here, and no URL written in full" in here.refuses(
        "clean", "none.html"
    )
    assert "can't be read" in here.refuses("clean", os.curdir)
    assert "--method" in here.refuses("clean", "rays.html", "--method=magic")
    assert "--to" in here.refuses("clean", "rays.html", "--to=pdf")
    assert "There is no collection" in here.refuses("clean", "http://a.example/")
    unknown = "http://www.reef.example/never-heard-of.html"
    assert f"{unknown} is not stored" in read.refuses("clean", unknown)


def test_show_gives_the_content_or_all_of_the_text(read: ReadReef) -> None:
    text, whole = (read("show", CLOWNFISH, flag).text for flag in ("--text", "--whole"))
    assert set(text.splitlines()) < set(whole.splitlines())
    for flag, shown in (("--text", text), ("--whole", whole)):
        told = read("show", CLOWNFISH, flag, "--json").json
        assert told == {"url": CLOWNFISH, "text": shown.removesuffix("\n")}


def test_explain_says_how_much_was_kept(read: ReadReef) -> None:
    text, whole = (
        read("show", CLOWNFISH, flag, "--json").json["text"] for flag in ("--text", "--whole")
    )
    share = f"{len(text) / len(whole):.0%} of the text is content"
    assert share in read("explain", CLOWNFISH).text
    lines = json.loads(read("explain", CLOWNFISH, "--json").out)["lines"]
    [kept] = [line["says"] for line in lines if line["topic"] == "kept"]
    assert kept.startswith(share)
