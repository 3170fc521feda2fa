"""`shoal.convert`: any file in, its tagged text out, in scripts, notebooks and over collections."""

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.files.formats import readable
from shoal.model.page import Block, Tag
from tests.converters.test_samples import SAMPLES
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

PAGE = (
    "<html lang=en><title>Kelp & co</title><h1>Kelp</h1><p>Kelp is <b>brown</b>, see "
    "<a href=/forest>the forest</a>.</p><ol><li>first</ol><table><tr><th>a<th>b<tr><td>1<td>2"
    "</table><script>alert(1)</script>"
)
NOTES = "# Kelp notes\n\nIt grows **fast**.\n"
BLOCKS = [
    Block(Tag.HEADING, "Kelp", 1),
    Block(
        Tag.PARAGRAPH,
        "Kelp is brown, see the forest.",
        bold=[(8, 13)],
        links=[(19, 29, "https://kelp.example/forest")],
    ),
    Block(Tag.NUMBERED, "first", 1, "1."),
    Block(Tag.TABLE, "a\tb\n1\t2", 1),
]


def packed(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return file.getvalue()


@pytest.fixture(scope="module")
def converter() -> Iterator[shoal.Converter]:
    with shoal.Converter(processes=2) as converter:
        converter.convert(b"its processes start")
        yield converter


def test_a_page_out_of_bytes() -> None:
    found = shoal.convert(PAGE.encode(), url="https://kelp.example/a.html")
    assert (found.title, found.media_type, found.language) == ("Kelp & co", "text/html", "en")
    assert (found.name, found.problem, found.inside) == ("", "", [])
    assert found.blocks == BLOCKS
    assert found.text.startswith("Kelp\nKelp is brown, see the forest.")
    assert "text/html 'Kelp & co'" in repr(found)


def test_its_renditions(converter: shoal.Converter) -> None:
    found = converter.convert(PAGE.encode(), url="https://kelp.example/")
    assert '<html lang="en">' in found.html
    assert "<title>Kelp &amp; co</title>" in found.html
    assert "<h1>Kelp</h1>" in found.html
    assert "<b>brown</b>" in found.html
    assert '<a href="https://kelp.example/forest">the forest</a>' in found.html
    assert "<tr><th>a</th><th>b</th></tr>" in found.html
    assert "script" not in found.html
    assert found.markdown.splitlines()[:3] == [
        "# Kelp",
        "",
        "Kelp is **brown**, see [the forest](https://kelp.example/forest).",
    ]


def test_everything_as_json(converter: shoal.Converter) -> None:
    found = converter.convert(PAGE.encode(), url="https://kelp.example/")
    told = json.loads(json.dumps(found.as_dict()))
    assert (told["title"], told["language"], told["text"]) == ("Kelp & co", "en", found.text)
    assert told["blocks"][0] == {"kind": "h", "text": "Kelp", "level": 1, "source": -1}
    assert told["blocks"][1]["bold"] == [[8, 13]]
    assert told["blocks"][1]["links"] == [[19, 29, "https://kelp.example/forest"]]
    assert "problem" not in told


@pytest.mark.parametrize("as_text", [True, False])
def test_a_file_by_its_path(converter: shoal.Converter, tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "kelp #1 50%.md"
    path.write_text(NOTES)
    found = converter.convert(str(path) if as_text else path)
    assert found.media_type == "text/markdown"
    assert [(block.kind, block.text) for block in found.blocks] == [
        (Tag.HEADING, "Kelp notes"),
        (Tag.PARAGRAPH, "It grows fast."),
    ]


def test_an_office_file_by_its_path(converter: shoal.Converter) -> None:
    found = converter.convert(SAMPLES / "round-trip.docx")
    assert found.title == "The seagrass meadow"
    assert [block.level for block in found.blocks if block.kind is Tag.HEADING] == [1, 2, 3, 2]


@pytest.mark.parametrize(
    ("name", "media_type", "kind"),
    [
        ("", "", "text/plain"),
        ("notes.md", "", "text/markdown"),
        ("", "text/markdown; charset=utf-8", "text/markdown"),
        ("notes.md", "text/plain", "text/markdown"),
        ("Ein 'Seetang' – (1); x.md", "", "text/markdown"),
    ],
)
def test_hints_for_bytes(converter: shoal.Converter, name: str, media_type: str, kind: str) -> None:
    found = converter.convert(NOTES.encode(), name=name, media_type=media_type)
    assert found.media_type == kind
    assert found.name == ""


def test_a_charset_that_was_said_is_believed(converter: shoal.Converter) -> None:
    body = "Я плыву".encode("koi8-r")
    assert converter.convert(body, media_type="text/plain; charset=koi8-r").text == "Я плыву"


def test_documents_inside(converter: shoal.Converter) -> None:
    found = converter.convert(packed(kelp_html=PAGE, notes_md=NOTES))
    assert found.media_type == "application/zip"
    assert [(each.name, each.media_type) for each in found.inside] == [
        ("kelp.html", "text/html"),
        ("notes.md", "text/markdown"),
    ]
    page = found.inside[0]
    assert (page.title, page.language, page.blocks[0]) == ("Kelp & co", "en", BLOCKS[0])
    assert json.loads(json.dumps(page.as_dict()))["name"] == "kelp.html"


def test_nothing_in_nothing_out(converter: shoal.Converter) -> None:
    found = converter.convert(b"")
    assert (found.text, found.blocks, found.inside) == ("", [], [])
    assert "<body>" in found.html
    assert found.markdown == ""


@pytest.mark.parametrize(
    ("path", "says"), [("none.pdf", "No such file"), (".", "Is a directory"), ("a\0b", "null")]
)
def test_a_file_that_is_not_there(path: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(shoal.UsageError, match=says):
        shoal.convert(tmp_path / path)


def test_inside_a_running_event_loop(converter: shoal.Converter) -> None:
    async def notebook() -> list[str]:
        return [shoal.convert(NOTES.encode()).text, converter.convert(NOTES.encode()).text]

    assert asyncio.run(notebook()) == [NOTES.strip(), NOTES.strip()]


def test_outside_of_its_block() -> None:
    converter = shoal.Converter(processes=1)
    with pytest.raises(shoal.UsageError, match="in a with block"):
        converter.convert(b"early")
    with converter:
        assert converter.convert(b"in time").text == "in time"
        assert converter.cpu_seconds > 0
    with pytest.raises(shoal.UsageError, match="in a with block"):
        converter.convert(b"late")


def test_many_files_keep_their_order(converter: shoal.Converter, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number:02}.txt" for number in range(20)]
    for number, path in enumerate(paths):
        if number != 7:
            path.write_text(f"fish {number}")
    found = list(converter.convert_all(paths))
    assert [path for path, _ in found] == paths
    assert [each.text for _, each in found] == [
        "" if number == 7 else f"fish {number}" for number in range(20)
    ]
    missing = found[7][1]
    assert missing.title == "07.txt"
    assert "No such file" in missing.problem


POISON = """
import os, signal, time
from shoal.converters.context import Converted
from shoal.model.page import Page

def convert(body, context):
    match body:
        case b"hang": time.sleep(3600)
        case b"crash": os.kill(os.getpid(), signal.SIGSEGV)
        case b"leave": os._exit(3)
        case b"eat": bytearray(1 << 40)
        case b"fail": raise KeyError("no such thing")
    return [Converted(Page(text="survived"))]
"""


@pytest.fixture
def poison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution whose converter does whatever its file says."""
    home = tmp_path / "installed"
    meta = home / "shoal_poison-1.dist-info"
    meta.mkdir(parents=True)
    (home / "shoal_poison.py").write_text(POISON)
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: shoal-poison\nVersion: 1\n")
    (meta / "entry_points.txt").write_text(
        "[shoal.converters]\napplication/x-poison = shoal_poison:convert\n"
    )
    monkeypatch.syspath_prepend(home)


@pytest.mark.usefixtures("poison")
def test_a_file_that_kills_its_reader_costs_itself() -> None:
    bodies = [b"live", b"hang", b"crash", b"leave", b"eat", b"fail", b"live again"]
    with shoal.Converter(processes=1, max_seconds=1.0) as converter:
        found = [
            converter.convert(body, media_type="application/x-poison", name="f") for body in bodies
        ]
        assert converter.deaths == 4
    assert [each.text for each in found] == ["survived", "", "", "", "", "", "survived"]
    problems = [each.problem for each in found]
    assert problems[0] == problems[-1] == ""
    assert problems[1] == "took longer than 1 s"
    assert "signal 11" in problems[2]
    assert "exit code 3" in problems[3]
    assert "memory" in problems[4]
    assert "KeyError" in problems[5]


@pytest.mark.usefixtures("poison")
def test_a_plug_in_is_listed() -> None:
    (row,) = [each for each in readable() if each.media_type == "application/x-poison"]
    assert row.engine == "shoal_poison:convert"


# --- of a collection --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[shoal.Collection, str]]:
    directory = tmp_path_factory.mktemp("converted") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=1, pages=1, robots=robots)) as site:
        urls = _put(site)
        crawl(directory, urls, {"politeness.delay": 0.02})
    with shoal.open(directory) as collection:
        yield collection, urls[0].rpartition("/")[0]


def _put(site: Running) -> list[str]:
    """A page, a zip file, a Word file, and notes whose kind only their download's name tells."""
    plain = {"Content-Type": "application/octet-stream"}
    named = {**plain, "Content-Disposition": 'attachment; filename="notes.md"'}
    word = (SAMPLES / "round-trip.docx").read_bytes()
    return [
        site.put(0, "/kelp.html", PAGE),
        site.put(0, "/all.zip", packed(kelp_html=PAGE, notes_md=NOTES), headers=plain),
        site.put(0, "/meadow.docx", word, headers=plain),
        site.put(0, "/download", NOTES, headers=named),
    ]


def page_of(corpus: tuple[shoal.Collection, str], path: str) -> shoal.Page:
    collection, root = corpus
    page = collection.page(root + path)
    assert page is not None
    return page


def test_the_cached_copy_of_a_page(corpus: tuple[shoal.Collection, str]) -> None:
    found = page_of(corpus, "/kelp.html").converted()
    assert found.blocks[0] == BLOCKS[0]
    assert f'<a href="{corpus[1]}/forest">the forest</a>' in found.html
    assert "script" not in found.html


def test_the_cached_copy_of_a_word_file(corpus: tuple[shoal.Collection, str]) -> None:
    page = page_of(corpus, "/meadow.docx")
    assert "The seagrass meadow" in page.text
    html = page.html
    assert "<h3>How to count them</h3>" in html
    assert "<th>Animal</th>" in html


def test_each_document_of_a_visit_has_a_row(corpus: tuple[shoal.Collection, str]) -> None:
    collection, root = corpus
    found = {page.document.name: page for page in collection.pages() if "/all.zip" in page.url}
    assert sorted(found) == ["", "#kelp.html", "#notes.md"]
    assert len({page.url for page in found.values()}) == 3
    member = found["#kelp.html"]
    assert member.title == "Kelp & co"
    assert "the forest" in member.text
    converted = member.converted()
    assert (converted.name, converted.blocks[0]) == ("kelp.html", BLOCKS[0])
    again = collection.page(member.url)
    assert again is not None
    assert again.document.name == "#kelp.html"
    assert (f"{root}/forest", "the forest") in collection.links(f"{root}/all.zip")
