"""Documents inside others are never asked for: they come, change and go with the file that holds
them."""

import asyncio
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.urls.rowkey import row_key
from shoal.ports import Batch
from tests.crawl.again import crawl_until, refresh
from tests.crawl.run import QUICK, crawl
from tests.world import RobotsMix, Running, Web, serve

FAST = {"politeness.delay": 0.02}
INDEXED = {**FAST, "index.follow": "yes"}


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=1, pages=1, robots=robots)) as running:
        yield running


def _mail(number: int, word: str) -> str:
    says = " ".join(f"{word} number {number} swam past the boat {i} times." for i in range(12))
    return (
        f"From a@example Mon Jan  5 10:00:0{number} 2026\nFrom: a@example\nTo: b@example\n"
        f"Subject: {word} {number}\nDate: Mon, 5 Jan 2026 10:00:0{number} +0000\n\n{says}\n\n"
    )


def _put_mailbox(site: Running, *words: str) -> str:
    body = "".join(_mail(number, word) for number, word in enumerate(words, 1))
    return site.put(0, "/x.mbox", body, headers={"Content-Type": "application/mbox"})


def _put_zip(site: Running, members: Mapping[str, str], status: int = 200) -> str:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text * 12)
    kind = {"Content-Type": "application/zip"}
    return site.put(0, "/x.zip", data.getvalue(), headers=kind, status=status)


def _asked(site: Running, since: int = 0) -> list[str]:
    return [request.target for request in site.log()[since:] if not request.is_robots]


def _stored(directory: Path) -> list[str]:
    with open_collection(directory) as collection:
        return [page.url.rpartition("/")[2] for page in collection.pages()]


def _found(directory: Path, word: str) -> list[str]:
    with open_collection(directory) as collection:
        return [each.url.rpartition("/")[2] for each in collection.search(word).results]


def _problems(directory: Path) -> list[object]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return list(verifier.findings())


def test_refreshes_ask_for_the_mailbox_alone_and_multiply_nothing(
    site: Running, tmp_path: Path
) -> None:
    box = _put_mailbox(site, "salmon", "herring")
    directory = tmp_path / "corpus"
    crawl(directory, [box], FAST)
    stored = _stored(directory)
    assert stored == ["x.mbox", "x.mbox#1.eml", "x.mbox#2.eml"]
    for _ in range(3):
        before = len(site.log())
        assert refresh(directory, FAST).finished
        assert _asked(site, before) == ["/x.mbox"]
        assert _stored(directory) == stored
    assert _problems(directory) == []


def test_a_steady_crawl_asks_for_the_mailbox_alone(site: Running, tmp_path: Path) -> None:
    box = _put_mailbox(site, "salmon", "herring")
    settings = {**FAST, "refresh.shortest": 0.1, "refresh.longest": 1.0, "refresh.budget": 1e6}
    directory = tmp_path / "corpus"
    crawl(directory, [box], FAST)  # of one pass: the steady one gives its pages their dates
    crawl_until(directory, [], settings, lambda: len(_asked(site)) >= 4)
    assert set(_asked(site)) == {"/x.mbox"}
    assert _stored(directory) == ["x.mbox", "x.mbox#1.eml", "x.mbox#2.eml"]
    assert _problems(directory) == []


def test_what_left_its_archive_goes_and_what_was_renamed_is_found_under_its_new_name(
    site: Running, tmp_path: Path
) -> None:
    directory = tmp_path / "corpus"
    old = {"a.txt": "The salmon swims upstream. ", "b.txt": "The herring stays at sea. "}
    crawl(directory, [_put_zip(site, old)], INDEXED)
    assert _found(directory, "salmon")[0] == "x.zip#a.txt"
    new = {"b.txt": "The herring stays at sea. ", "c.txt": "The salmon swims upstream. "}
    _put_zip(site, new)
    assert refresh(directory, INDEXED).finished
    assert _stored(directory) == ["x.zip", "x.zip#b.txt", "x.zip#c.txt"]
    assert _found(directory, "salmon")[0] == "x.zip#c.txt"
    assert "x.zip#a.txt" not in _found(directory, "salmon")
    assert _found(directory, "herring")[0] == "x.zip#b.txt"
    assert _problems(directory) == []


def test_the_documents_of_an_archive_that_is_gone_are_gone_and_come_back_with_it(
    site: Running, tmp_path: Path
) -> None:
    directory = tmp_path / "corpus"
    members = {"a.txt": "The salmon swims upstream. ", "b.txt": "The herring stays at sea. "}
    crawl(directory, [_put_zip(site, members)], INDEXED)
    _put_zip(site, {}, status=410)
    assert refresh(directory, INDEXED).finished
    assert _found(directory, "salmon") == _found(directory, "herring") == []
    assert _problems(directory) == []
    archive = _put_zip(site, members)
    with open_collection(directory) as collection:
        collection.submit(archive)
    crawl(directory, [], INDEXED)
    assert _found(directory, "salmon")[0] == "x.zip#a.txt"
    assert _problems(directory) == []


def test_what_an_older_release_queued_is_not_asked_for(site: Running, tmp_path: Path) -> None:
    """It gave documents inside others dates of their own."""
    box = _put_mailbox(site, "salmon", "herring")
    directory = tmp_path / "corpus"
    crawl(directory, [box], FAST)
    before = len(site.log())
    _queue(directory, f"{box}#1.eml")
    assert crawl(directory, [], FAST).finished
    assert _asked(site, before) == []
    assert _stored(directory) == ["x.mbox", "x.mbox#1.eml", "x.mbox#2.eml"]
    assert _problems(directory) == []


def _queue(directory: Path, url: str) -> None:
    async def queue() -> None:
        engine = Engine(directory, load(directory, QUICK, {}), at_rest=True)
        frontier = engine._frontier

        def give_entry(batch: Batch, now: float) -> None:
            state = frontier.urls.state_of(row_key(url))
            assert state is not None
            frontier.discovery.enqueue(batch, state, 0, now)

        frontier.change(give_entry)
        await engine.close()

    asyncio.run(queue())


def test_near_duplicates_in_one_file_have_one_representative(site: Running, tmp_path: Path) -> None:
    text = " ".join(f"The herring of catch {number} swims north." for number in range(80))
    members = {"a.txt": f"{text} One. ", "b.txt": f"{text} Two, and a little more. "}
    crawl(tmp_path, [_put_zip(site, members)], FAST)
    with verifying(Layout(tmp_path), lambda _: None) as verifier:
        assert [str(finding) for finding in verifier.findings()] == []
    with open_collection(tmp_path) as collection:
        fates = sorted(page.fate for page in collection.pages() if "#" in page.url)
    assert fates.count("duplicate") == 1


@pytest.mark.parametrize("name", ["a.txt", "b c%41.txt"])
def test_explain_answers_for_the_document_inside(site: Running, tmp_path: Path, name: str) -> None:
    directory = tmp_path / "corpus"
    members = {"a.txt": "The salmon swims upstream. ", "b c%41.txt": "The herring stays at sea. "}
    box = _put_zip(site, members)
    crawl(directory, [box], FAST)
    with open_collection(directory) as collection:
        url = next(
            page.url for page in collection.pages() if name[:1] in page.url.partition("#")[2]
        )
        told = collection.explain(url)
        assert told.url == url
        says = {line.topic: line.says for line in told.lines}
        assert says["discovered"].startswith(f"Inside {box}, which is asked for in its place, ")
        assert says["content"].startswith("text/plain")
        assert "address" not in says
        page = collection.page(url)
        assert page is not None
        assert page.text == collection.page(f"{box}#{name}").text != ""  # type: ignore[union-attr]
        whole = collection.explain(f"{box}#no-such-part")
        assert whole.url == box
        assert whole.lines[0].says == f"It stands for {box}."
