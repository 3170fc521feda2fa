"""Every number of `status` is explained by the visits made: before a refresh, after it, and after
another, of a site with an archive, a mailbox, duplicates and pages that change and go."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.frontier.state.rows import COUNTS_KEY, pack_url, row_of_url_key, unpack_url
from shoal.layout.layout import Layout
from shoal.layout.snapshot import Status
from shoal.maintenance.verify import verifying
from shoal.model.outcome import State
from shoal.model.record import pack, unpack
from shoal.store.table import RocksTable
from tests.crawl.again import refresh
from tests.crawl.own_site import OwnSite, own_site
from tests.crawl.run import crawl

TALES = {
    "reef": "The parrotfish of the outer reef sleep in a cocoon, and grind the coral to sand. ",
    "wreck": "A ketch lies on the bank since the winter of the long frost, its bell unclaimed. ",
    "buoy": "The red buoy was towed off by ice in March, and came ashore two parishes down. ",
    "pilot": "Pilots of this sound read the colour of the water, and trust no chart of it. ",
    "eel": "Eels leave the ponds in autumn nights, over wet grass, and nobody sees them go. ",
}
SAME = "Kelp grows a hand each day, and the otters wrap themselves in it to sleep at sea. "


def page(tale: str, links: str = "") -> str:
    return f"<title>{tale[:20]}</title><main><p>{tale * 3}</p></main>{links}"


def mailbox(*words: str) -> str:
    mails = []
    for number, word in enumerate(words, 1):
        says = " ".join(f"{word} number {number} swam past the boat {i} times." for i in range(12))
        when = f"Mon, 5 Jan 2026 10:00:0{number} +0000"
        mails.append(
            f"From a@example Mon Jan  5 10:00:0{number} 2026\nFrom: a@example\nTo: b@example\n"
            f"Subject: {word} {number}\nDate: {when}\n\n{says}\n\n"
        )
    return "".join(mails)


def archive(*tales: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for number, tale in enumerate(tales):
            file.writestr(zipfile.ZipInfo(f"{number}.txt"), tale * 12)
    return data.getvalue()


GULLS = "Gulls drop mussels on the quay until they break, and know which stones are best. "
TIDES = "The tide tables of the old harbour are right on every day but that of the fair. "
NETS = "Nets are mended on the south wall, where the wind dries them and the cats wait. "
MEMBERS, MAILS = (GULLS, TIDES, NETS), ("haddock", "turbot")


@pytest.fixture
def site() -> Iterator[OwnSite]:
    with own_site() as running:
        names = [*TALES, "twin-a", "twin-b", "old.zip", "post.mbox", "nowhere"]
        links = "".join(f"<a href='/{name}'>{name}</a> " for name in names)
        running.put("/", page("The harbour master keeps a book of all ships. ", links))
        for name, tale in TALES.items():
            running.put(f"/{name}", page(tale))
        running.put("/twin-a", page(SAME))
        running.put("/twin-b", page(SAME))
        running.put("/old.zip", archive(*MEMBERS), "application/zip")
        running.put("/post.mbox", mailbox(*MAILS), "application/mbox")
        running.put("/sitemap.xml", b"", status=404)
        yield running


def adds_up(status: Status) -> None:
    answered = status.fetched + status.unchanged + status.redirect + status.gone + status.source
    assert status.answered == answered
    waits = status.queued + status.in_flight
    assert status.discovered == waits + answered + status.excluded + status.failed
    assert status.fetched == sum(status.fetched_by_fate.values())
    assert status.gone == sum(status.gone_by_status.values())
    assert status.failed == sum(status.failed_by_reason.values())
    assert status.excluded == sum(status.excluded_by_reason.values())
    assert status.inside == sum(status.inside_by_fate.values())
    assert status.indexed == status.fetched_by_fate.get("indexed", 0) + status.kept
    assert status.inside_indexed == status.inside_by_fate.get("indexed", 0)


SETTINGS = {"politeness.delay": 0.01, "index.follow": "yes"}


def test_documents_inside_others_are_counted_apart(site: OwnSite, tmp_path: Path) -> None:
    before = crawl(tmp_path, [site.url("/")], SETTINGS).status
    adds_up(before)
    assert (before.discovered, before.fetched, before.gone) == (11, 10, 1)
    assert (before.inside, before.inside_by_fate) == (5, {"indexed": 5})
    assert (before.indexed, before.inside_indexed, before.stored) == (9, 5, 15)
    site.put("/old.zip", archive(GULLS, TIDES), "application/zip")
    after = refresh(tmp_path, SETTINGS).status
    adds_up(after)
    assert (after.discovered, after.fetched, after.gone) == (11, 10, 1)
    assert (after.inside, after.inside_gone, after.inside_indexed) == (4, 1, 4)
    with open_collection(tmp_path) as collection:
        assert collection.status() == after
        listed = [url.removeprefix(site.origin) for url, _ in collection.urls(state="inside")]
        assert listed == [
            "/old.zip#0.txt",
            "/old.zip#1.txt",
            "/post.mbox#1.eml",
            "/post.mbox#2.eml",
        ]
        assert len(list(collection.urls(state="fetched"))) == after.fetched
        assert f"with {after.fetched} pages of {after.discovered} URLs" in repr(collection)
    site.fail("/old.zip", 410)
    gone = refresh(tmp_path, SETTINGS).status
    adds_up(gone)
    assert (gone.inside, gone.inside_gone, gone.fetched, gone.gone) == (2, 3, 9, 2)


def test_what_an_older_release_counted_with_the_pages(site: OwnSite, tmp_path: Path) -> None:
    """The counts agree with the rows at any time, and a refresh makes them as they are meant."""
    crawl(tmp_path, [site.url("/")], SETTINGS)
    with RocksTable(Layout(tmp_path).table) as table:
        _as_before(table)
    with open_collection(tmp_path) as collection:
        old = collection.status()
        assert (old.fetched, old.unchanged, old.inside) == (14, 1, 0)
    after = refresh(tmp_path, SETTINGS).status
    adds_up(after)
    assert (after.fetched, after.unchanged, after.inside) == (10, 0, 5)
    assert after.fetched_by_fate == {"indexed": 9, "duplicate": 1}
    with verifying(Layout(tmp_path), lambda _: None) as verifier:
        assert list(verifier.findings()) == []


def _as_before(table: RocksTable) -> None:
    """Rows as they were written by a release that knew of no documents inside others, and that
    counted a page apart that was unchanged."""
    batch, counts = table.batch(), dict[str, int]()
    for key, stored in list(table.scan("page", b"")):
        if row_of_url_key(key) is None:
            continue
        url = unpack_url(stored)
        url.inside = False
        if url.reason == "duplicate":
            url.state, url.reason = State.UNCHANGED, ""
        counts[url.counted_as] = counts.get(url.counted_as, 0) + 1
        batch.put("page", key, pack_url(url, 1.0))
    known = unpack(dict[str, int], table.get("site", COUNTS_KEY) or b"")
    totals = {name: n for name, n in known.items() if name.startswith("total/")}
    batch.put("site", COUNTS_KEY, pack(counts | totals))
    table.write(batch)
