"""`shoal.clean`: any page in, its content out, with its structure, its scores and its comments."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.files.content import content
from shoal.model.page import Block, Tag
from tests.converters.test_samples import SAMPLES
from tests.crawl.run import crawl
from tests.world import RobotsMix, Web, serve

URL = "https://kelp.example/forest/page.html"
SAID = (
    "Kelp grows up to half a metre a day, faster than any other plant of the sea, and where it "
    "grows thickly it makes forests in which otters, urchins and many fish live together. "
)
MORE = [
    (
        "Otters wrap themselves into the blades while they sleep, so that no current carries "
        "them off, and dive for urchins as soon as they are awake again in the morning."
    ),
    (
        "A holdfast is no root: it feeds nothing, and does no more than to grip the rock, yet "
        "hundreds of brittle stars, worms and small crabs spend their whole lives inside of it."
    ),
    (
        "Every spring two divers swim along the same line with a slate, count what stands "
        "within reach of their arms, and compare their numbers before they come up to the boat."
    ),
    (
        "Storms tear out whole plants in winter; they drift ashore in heaps as high as a "
        "person, where flies and birds live on them until the next high tide takes the rest "
        "away."
    ),
    (
        "Where urchins have eaten everything the rock is bare and pink, and such a desert can "
        "stay for decades, because the hungry animals neither die nor wander to another place."
    ),
]
ITEMS = "".join(f"<li><a href='/{each}'>Topic {each}</a></li>" for each in range(12))
PAGE = f"""<html lang=en><meta property=og:type content=article><title>Kelp forests</title>
<body><nav class="menu"><ul>{ITEMS}</ul></nav>
<main><article><h1>Kelp forests</h1>
<p>{SAID} See <a href="otters.html">the otters</a> and <a href="/urchins">the urchins</a>.</p>
<p>{MORE[0]}</p><p><img src="kelp.jpg" alt="Sunlight between the blades of giant kelp"></p>
<h2>How it is measured</h2>
<p>{MORE[1]}</p>
<ul><li>{MORE[2]}</li>
<li>Divers count the stipes along a line of twenty metres every spring.</li></ul>
<pre><code>def density(stipes, metres):
    return stipes / metres</code></pre>
<p>{MORE[3]}</p>
<table><tr><th>Place</th><th>Stipes per square metre</th></tr>
<tr><td>Monterey</td><td>seven in spring</td></tr>
<tr><td>Santa Cruz</td><td>five in spring</td></tr></table>
<p>{MORE[4]}</p>
</article>
<section id="comments" class="comments"><h3>Comments</h3>
<div class="comment"><p>I dived there last summer and the water was clear.</p></div>
</section></main>
<footer class="footer"><ul>{ITEMS}</ul><p>Imprint and privacy</p></footer>"""


@pytest.fixture(scope="module")
def found() -> shoal.Cleaned:
    return shoal.clean(PAGE, URL)


def told(found: shoal.Cleaned) -> tuple[object, ...]:
    """All that a page gave, to be compared."""
    return (found.as_dict(), found.whole_text, found.html, found.markdown)


def kinds(found: shoal.Cleaned) -> dict[Tag, Block]:
    """Of each kind of block the last that was kept."""
    return {block.kind: block for block in found.kept}


def test_the_content_and_not_its_frame(found: shoal.Cleaned) -> None:
    assert (found.title, found.language, found.problem) == ("Kelp forests", "en", "")
    assert all(said in found.text for said in (SAID.strip(), *MORE))
    assert "Topic 3" not in found.text
    assert "Imprint" not in found.text
    assert "Topic 3" in found.whole_text
    assert found.share == len(found.text) / len(found.whole_text)
    assert 0.5 < found.share < 1
    assert f"'Kelp forests', {len(found.text)} of" in repr(found)


def test_blocks_are_all_of_the_page_with_their_scores(found: shoal.Cleaned) -> None:
    scores = {block.text: block.score for block in found.blocks}
    assert scores["Topic 3"] < 0.5
    assert scores["Imprint and privacy"] < 0.5
    assert all(scores[said] >= 0.5 for said in MORE)
    assert all(0 <= score <= 1 for score in scores.values())
    assert found.kept == [block for block in found.blocks if block.score >= 0.5]


@pytest.mark.parametrize("method", ["model", "dom"])
def test_its_structure_is_kept(method: str) -> None:
    known = kinds(content(PAGE, URL, method))
    assert (known[Tag.HEADING].text, known[Tag.HEADING].level) == ("How it is measured", 2)
    assert known[Tag.ITEM].text.startswith("Divers count the stipes")
    assert known[Tag.PRE].text == "def density(stipes, metres):\n    return stipes / metres"
    assert known[Tag.TABLE].text.splitlines()[1:] == [
        "Monterey\tseven in spring",
        "Santa Cruz\tfive in spring",
    ]
    assert known[Tag.CAPTION].text == "Sunlight between the blades of giant kelp"


def test_links_are_resolved_by_the_address(found: shoal.Cleaned) -> None:
    links = [to for block in found.kept for _, _, to in block.links]
    assert links == ["https://kelp.example/forest/otters.html", "https://kelp.example/urchins"]


def test_its_renditions(found: shoal.Cleaned) -> None:
    assert "<title>Kelp forests</title>" in found.html
    assert "<h2>How it is measured</h2>" in found.html
    assert '<a href="https://kelp.example/urchins">the urchins</a>' in found.html
    assert "<tr><td>Monterey</td><td>seven in spring</td></tr>" in found.html
    assert "Topic 3" not in found.html
    assert "## How it is measured" in found.markdown.splitlines()
    assert "[the urchins](https://kelp.example/urchins)" in found.markdown
    assert "Topic 3" not in found.markdown


def test_comments_are_marked(found: shoal.Cleaned) -> None:
    comments = [block for block in found.blocks if block.is_comment]
    assert "I dived there last summer" in " ".join(block.text for block in comments)
    assert not {block.text for block in comments} & set(MORE)


def test_everything_as_json(found: shoal.Cleaned) -> None:
    known = json.loads(json.dumps(found.as_dict()))
    assert (known["title"], known["method"], known["text"]) == (found.title, "model", found.text)
    assert known["share"] == round(found.share, 3)
    assert [block["score"] for block in known["blocks"]] == [block.score for block in found.blocks]
    assert any(block.get("is_comment") for block in known["blocks"])


def test_the_same_page_gives_the_same_every_time(found: shoal.Cleaned) -> None:
    assert told(shoal.clean(PAGE, URL)) == told(found)


@pytest.mark.parametrize("method", ["model", "dom", "slope", "window"])
def test_every_method_reads_as_it_does_in_this_process(method: str) -> None:
    read = shoal.clean(PAGE, URL, method=method)
    assert read.method == method
    here = content(PAGE, URL, method)
    assert (read.title, read.text, read.whole_text) == (here.title, here.text, here.whole_text)
    assert read.blocks == here.blocks


def test_an_unknown_method_is_one_sentence() -> None:
    with pytest.raises(shoal.UsageError, match="'magic' is no method; there are model, dom"):
        shoal.clean(PAGE, method="magic")


def test_bytes_and_a_file(found: shoal.Cleaned, tmp_path: Path) -> None:
    assert told(shoal.clean(PAGE.encode(), URL)) == told(found)
    file = tmp_path / "kelp.html"
    file.write_text(PAGE)
    assert told(shoal.clean(file, URL)) == told(found)


def test_text_that_is_no_unicode_and_no_page() -> None:
    assert "half" in shoal.clean("<p>half \ud800 a character").text
    empty = shoal.clean("")
    assert (empty.text, empty.blocks, empty.share) == ("", [], 0.0)


def test_what_has_no_frame_is_all_content() -> None:
    report = shoal.clean(SAMPLES / "pdf-plain.pdf")
    assert report.method == ""
    assert report.text
    assert report.share == 1
    notes = shoal.clean(b"Kelp notes.\n\nIt grows fast.\n")
    assert (notes.method, notes.share) == ("", 1)
    assert "It grows fast." in notes.text


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(shoal.UsageError, match=r"none\.html"):
        shoal.clean(tmp_path / "none.html")


# --- of a collection --------------------------------------------------------------------------


def crawled(directory: Path, settings: dict[str, object]) -> str:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=1, pages=1, robots=robots)) as site:
        url = site.put(0, "/kelp.html", PAGE)
        crawl(directory, [url], {"politeness.delay": 0.02, "crawl.max_depth": 1, **settings})
    return url


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[shoal.Collection, str]]:
    directory = tmp_path_factory.mktemp("cleaned") / "corpus"
    url = crawled(directory, {})
    with shoal.open(directory) as collection:
        yield collection, url


def page_of(collection: shoal.Collection, url: str) -> shoal.Page:
    page = collection.page(url)
    assert page is not None
    return page


def test_a_stored_page(stored: tuple[shoal.Collection, str], found: shoal.Cleaned) -> None:
    collection, url = stored
    read = shoal.clean(page_of(collection, url))
    assert (read.title, read.text) == (found.title, found.text)
    links = [to for block in read.kept for _, _, to in block.links]
    assert links == [url.replace("kelp", "otters"), url.replace("kelp.html", "urchins")]
    elsewhere = shoal.clean(page_of(collection, url), URL)
    assert elsewhere.kept == found.kept


def test_its_text_is_its_content_and_its_whole_text_all(
    stored: tuple[shoal.Collection, str],
) -> None:
    page = page_of(*stored)
    assert all(said in page.text for said in (SAID.strip(), *MORE))
    assert "Topic 3" not in page.text
    assert {"Topic 3", "Imprint and privacy"} <= set(page.whole_text.splitlines())
    assert set(page.text.splitlines()) < set(page.whole_text.splitlines())
    document = page.document
    assert document.cleaned_by == "model"
    assert document.content_chars == len(page.text)
    assert document.text_chars == len(page.whole_text)
    assert len(document.line_scores) == len(page.whole_text.splitlines())


def test_how_much_was_kept_is_explained(stored: tuple[shoal.Collection, str]) -> None:
    collection, url = stored
    share = len(page_of(collection, url).text) / len(page_of(collection, url).whole_text)
    [kept] = [line.says for line in collection.explain(url).lines if line.topic == "kept"]
    says = f"{share:.0%} of the text is content, the rest its frame (by model)."
    assert kept == f"{says} It calls itself article."


def test_without_a_method_all_is_content(tmp_path: Path) -> None:
    url = crawled(tmp_path / "corpus", {"understand.content": "none"})
    with shoal.open(tmp_path / "corpus") as collection:
        page = page_of(collection, url)
        document = page.document
        assert (document.line_scores, document.cleaned_by) == (b"", "")
        assert document.content_chars == document.text_chars
        assert page.text == page.whole_text
        assert "Topic 3" in page.text
        assert not [line for line in collection.explain(url).lines if line.topic == "kept"]


def test_another_method_for_a_crawl(tmp_path: Path) -> None:
    url = crawled(tmp_path / "corpus", {"understand.content": "slope"})
    with shoal.open(tmp_path / "corpus") as collection:
        page = page_of(collection, url)
        assert page.document.cleaned_by == "slope"
        assert set(page.document.line_scores) == {0, 255}
        assert len(page.text) < len(page.whole_text)


# --- the name ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "import shoal; found = shoal.clean('<p>kelp'); import shoal.cleaners.dom",
        "import shoal.cleaners.dom; found = shoal.clean('<p>kelp')",
        "from shoal.cleaners import dom; import shoal; found = shoal.clean('<p>kelp')",
        "from shoal import clean; found = clean('<p>kelp'); from shoal.cleaners.dom import content",
    ],
)
def test_the_function_and_the_room_of_its_name(program: str) -> None:
    program += "; import shoal; from shoal.cleaners import dom; assert dom.content"
    program += "; print(found.text)"
    program += "; assert shoal.clean is shoal.api.clean"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("kelp\n", "")


def test_the_curve_of_a_page() -> None:
    curve = shoal.slope(PAGE)
    assert curve.tags < curve.tokens


@pytest.mark.parametrize("name", ["article.html", "https://example.org/article"])
def test_a_name_is_no_source(name: str) -> None:
    with pytest.raises(shoal.UsageError, match="is no HTML: for a file give a Path"):
        shoal.clean(name)


def test_the_pages_own_heading_stands_in_html_and_markdown(found: shoal.Cleaned) -> None:
    own = next(block for block in found.blocks if block.kind is Tag.HEADING and block.level == 1)
    assert found.markdown.startswith(f"# {own.text}\n")
    assert f"<h1>{own.text}</h1>" in found.html
