"""The same page under many URLs, by real crawls: marked, archived once, and still whole."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.api import open as open_collection
from shoal.collection.collection import Collection
from shoal.collection.page import Page
from shoal.config import load
from shoal.duplicates.exact.exact import LEAST_TEXT_CHARS
from shoal.engine.engine import Engine
from shoal.engine.summary import Summary
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.document import Fate
from shoal.model.urls.rowkey import row_key
from shoal.store.archive import files
from tests.crawl.run import QUICK
from tests.crawl.run import crawl as crawl_with
from tests.store.readers import check
from tests.world import RobotsMix, Running, Web, serve

STORY = "Clownfish live among the tentacles of sea anemones, which sting others and spare them. "


def crawl(
    directory: Path, seeds: list[str], settings: Mapping[str, object] | None = None
) -> Summary:
    """By bytes alone: what says nearly the same is told apart."""
    told = {"politeness.delay": 0.02, "dedupe.near": "no", **(settings or {})}
    return crawl_with(directory, seeds, told)


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=7, hosts=2, pages=2, robots=robots)) as running:
        yield running


def page(text: str, *links: str) -> str:
    return f"<title>Fish</title><p>{text}</p>" + "".join(f"<a href='{to}'>x</a>" for to in links)


def start(site: Running, *links: str) -> str:
    """A page that is like no other, with links that are found in this order."""
    return site.put(0, "/start", page("", *links))


def asked(site: Running) -> list[str]:
    return [request.target for request in site.log() if not request.is_robots]


def findings(directory: Path) -> list[str]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return [f"{found.where}: {found.says}" for found in verifier.findings()]


def records(directory: Path) -> list[dict[str, str]]:
    """The header fields of every archived record, read by another program."""
    found = []
    for path in sorted((directory / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            found += [dict(record.rec_headers.headers) for record in ArchiveIterator(file)]
    return found


def again(directory: Path, *urls: str) -> None:
    """A second crawl of URLs that are known, as a person's wish."""

    async def queue() -> None:
        engine = Engine(directory, load(directory, QUICK, {}))
        for url in urls:
            assert engine.raise_url(row_key(url), 1.0)
        await engine.close()

    asyncio.run(queue())
    crawl(directory, [])


def get(collection: Collection, url: str) -> Page:
    found = collection.page(url)
    assert found is not None, url
    return found


def test_the_same_body_under_another_url(site: Running, tmp_path: Path) -> None:
    body = page(STORY, "http://127.0.0.1:9/", "/start")
    seed = start(site, "/a", "/b")
    first, second = site.put(0, "/a", body), site.put(0, "/b", body)
    directory = tmp_path / "corpus"
    # The first has to be read before the second comes, or nobody knows yet that it is the same.
    summary = crawl(directory, [seed], {"crawl.scope": "host", "politeness.delay": 0.3})
    assert summary.status.fetched_by_fate == {"waiting for the index": 2, "duplicate": 1}
    with open_collection(directory) as collection:
        original, duplicate = get(collection, first), get(collection, second)
        assert (original.document.duplicate_of, original.document.fate) == ("", Fate.WAITING)
        assert (duplicate.document.duplicate_of, duplicate.document.fate) == (first, Fate.DUPLICATE)
        assert original.body == duplicate.body == body.encode()
        assert original.text == duplicate.text != ""
        assert [url for url, _ in collection.links(second)] == [
            url for url, _ in collection.links(first)
        ]
        # Both link to the start page; only the first is credited with it.
        assert [source for source, _ in collection.anchors(seed)] == [first]
        told = collection.explain(second)
    assert f"It is a duplicate of {first} (the same bytes)." in [line.says for line in told.lines]
    revisits = [each for each in records(directory) if each["WARC-Type"] == "revisit"]
    (revisit,) = revisits
    assert revisit["WARC-Target-URI"] == second
    assert revisit["WARC-Refers-To-Target-URI"] == first
    assert revisit["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    (response,) = [
        each
        for each in records(directory)
        if each["WARC-Type"] == "response" and each["WARC-Target-URI"] == first
    ]
    assert revisit["WARC-Refers-To-Date"] == response["WARC-Date"]
    assert revisit["WARC-Payload-Digest"] == response["WARC-Payload-Digest"]
    assert findings(directory) == []


def test_other_readers_find_nothing_wrong_with_the_archive(site: Running, tmp_path: Path) -> None:
    seed = start(site, "/a", "/b", "/c")
    for path in ("/a", "/b", "/c"):
        site.put(0, path, page(STORY))
    crawl(tmp_path / "corpus", [seed])

    assert check(*files(tmp_path / "corpus" / "warc")) == ""


def test_links_that_lead_elsewhere_are_followed(site: Running, tmp_path: Path) -> None:
    """The same bytes in another directory: what is relative resolves to other URLs."""
    body = page(STORY, "more")
    seed = start(site, "/one/", "/two/")
    site.put(0, "/one/", body)
    second = site.put(0, "/two/", body)
    site.put(0, "/one/more", page("One"))
    site.put(0, "/two/more", page("Two"))
    directory = tmp_path / "corpus"
    crawl(directory, [seed])
    assert sorted(asked(site)) == ["/one/", "/one/more", "/start", "/two/", "/two/more"]
    with open_collection(directory) as collection:
        assert get(collection, second).document.fate is Fate.DUPLICATE
        (source,) = [source for source, _ in collection.anchors(second + "more")]
        assert source == second


def test_a_duplicate_that_is_nearer_brings_its_links_nearer(site: Running, tmp_path: Path) -> None:
    """The first is met at depth 3, so its links are beyond the limit; the second is at depth 2."""
    body = page(STORY, "/end")
    seed = start(site, "/way", "/near")
    site.put(0, "/way", page("", "/far"))
    site.put(0, "/far", body)
    site.put(0, "/near", body)
    site.put(0, "/end", page("The end"))
    crawl(tmp_path / "corpus", [seed], {"crawl.max_depth": 3, "crawl.order": "depth"})
    order = asked(site)
    assert "/end" in order


def test_the_same_text_in_another_body_is_marked_and_kept(site: Running, tmp_path: Path) -> None:
    seed = start(site, "/a", "/b")
    first = site.put(0, "/a", page(STORY, "/x"))
    second = site.put(0, "/b", "<!-- printed at 12:00 -->" + page(STORY, "/y"))
    site.put(0, "/x", page("x"))
    site.put(0, "/y", page("y"))
    directory = tmp_path / "corpus"
    crawl(directory, [seed])
    assert {"/x", "/y"} <= set(asked(site))
    with open_collection(directory) as collection:
        found = get(collection, second)
        assert found.document.same_text_as == first
        assert (found.document.duplicate_of, found.document.fate) == ("", Fate.WAITING)
        assert found.body.startswith(b"<!-- printed")
        assert found.text == get(collection, first).text
    assert not [each for each in records(directory) if each["WARC-Type"] == "revisit"]


@pytest.mark.parametrize("text", ["", "Loading …", "x" * (LEAST_TEXT_CHARS - 6)])
def test_shells_are_nobodys_duplicates(site: Running, tmp_path: Path, text: str) -> None:
    body = page(text, "/start") + "<script src='/app.js'></script>"
    seed = start(site, "/a", "/b")
    urls = [site.put(0, path, body) for path in ("/a", "/b")]
    directory = tmp_path / "corpus"
    crawl(directory, [seed])
    with open_collection(directory) as collection:
        for url in urls:
            found = get(collection, url)
            assert (found.document.duplicate_of, found.document.same_text_as) == ("", "")
            assert found.document.fate is not Fate.DUPLICATE
            assert found.body == body.encode()
        # They are pages of their own: each is credited with its links.
        assert len(collection.anchors(seed)) == 2
    assert findings(directory) == []


def test_what_can_not_be_read_is_a_duplicate_too(site: Running, tmp_path: Path) -> None:
    binary = {"Content-Type": "application/x-fish"}
    seed = start(site, "/a.bin", "/b.bin")
    for path in ("/a.bin", "/b.bin"):
        site.put(0, path, bytes(range(256)) * 8, headers=binary)
    summary = crawl(tmp_path / "corpus", [seed])
    assert summary.status.fetched_by_fate == {
        "waiting for the index": 1,
        "unconvertible": 1,
        "duplicate": 1,
    }


def test_the_same_bytes_read_in_another_way_are_no_duplicate(site: Running, tmp_path: Path) -> None:
    seed = start(site, "/a", "/b")
    body = page(STORY)
    site.put(0, "/a", body)
    second = site.put(0, "/b", body, headers={"Content-Type": "text/plain; charset=utf-8"})
    directory = tmp_path / "corpus"
    crawl(directory, [seed])
    with open_collection(directory) as collection:
        found = get(collection, second)
        assert found.document.duplicate_of == ""
        assert "<title>" in found.text
        assert found.body == body.encode()


def test_a_first_that_has_changed_claims_nothing(site: Running, tmp_path: Path) -> None:
    """/a changes; /c then comes with the body that /a had, and is the first from now on."""
    body = page(STORY)
    directory = tmp_path / "corpus"
    first, second = site.put(0, "/a", body), site.put(0, "/b", body)
    third, fourth = site.put(0, "/c", body), site.put(0, "/d", body)
    settings = {"crawl.versions": 1}
    crawl(directory, [first], settings)
    crawl(directory, [second], settings)
    site.put(0, "/a", page(STORY + "And now something else."))
    again(directory, first)
    crawl(directory, [third], settings)
    crawl(directory, [fourth], settings)
    with open_collection(directory) as collection:
        assert get(collection, second).document.duplicate_of == first  # as it was when fetched
        assert get(collection, second).body == body.encode()
        assert get(collection, third).document.duplicate_of == ""
        assert get(collection, fourth).document.duplicate_of == third
        assert get(collection, fourth).body == body.encode()
    again(directory, second)
    with open_collection(directory) as collection:
        found = get(collection, second)
        assert (found.document.duplicate_of, found.body) == (third, body.encode())
    assert findings(directory) == []


def test_a_duplicate_that_changes_is_a_page_of_its_own(site: Running, tmp_path: Path) -> None:
    body, other = page(STORY), page(STORY + "This one is about goatfish.")
    directory = tmp_path / "corpus"
    first, second = site.put(0, "/a", body), site.put(0, "/b", body)
    crawl(directory, [first])
    crawl(directory, [second])
    site.put(0, "/b", other)
    again(directory, second)
    with open_collection(directory) as collection:
        found = get(collection, second)
        assert (found.document.duplicate_of, found.document.fate) == ("", Fate.WAITING)
        assert found.body == other.encode()
        before = collection.page(second, collection.history(second)[1][0])
        assert before is not None
        assert (before.document.duplicate_of, before.body) == (first, body.encode())
        assert collection.status().fetched_by_fate == {"waiting for the index": 2}
    site.put(0, "/b", body)
    again(directory, second)
    with open_collection(directory) as collection:
        assert get(collection, second).body == body.encode()
        assert get(collection, second).document.duplicate_of == first
    assert findings(directory) == []


def test_a_page_that_comes_again_is_not_its_own_duplicate(site: Running, tmp_path: Path) -> None:
    url = site.put(0, "/a", page(STORY))
    directory = tmp_path / "corpus"
    crawl(directory, [url])
    again(directory, url)
    with open_collection(directory) as collection:
        found = get(collection, url)
        assert (found.document.duplicate_of, found.document.same_text_as) == ("", "")
        assert found.body == page(STORY).encode()
    kinds = [each["WARC-Type"] for each in records(directory) if each.get("WARC-Target-URI") == url]
    assert kinds.count("revisit") == 1


def test_a_body_that_was_cut_is_nobodys_duplicate(site: Running, tmp_path: Path) -> None:
    long = page(STORY * 40)
    seed = start(site, "/a", "/b")
    urls = [site.put(0, path, long + path) for path in ("/a", "/b")]
    directory = tmp_path / "corpus"
    crawl(directory, [seed], {"fetch.max_body": 2000})
    with open_collection(directory) as collection:
        for url in urls:
            assert get(collection, url).document.duplicate_of == ""
