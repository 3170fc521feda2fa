"""A crawl gathered apart and applied in one step, while readers see the old state."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.config import load
from shoal.engine.running import crawl_into
from shoal.engine.summary import Summary
from shoal.errors import Busy, CollectionError
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance import shadow
from shoal.maintenance.verify import verifying
from shoal.model.link import Link, LinkSource
from shoal.model.urls.rowkey import row_key
from tests.crawl.run import QUICK, crawl
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.02, "crawl.scope": "host"}
OLD = "The old state of this page, which has a good deal to say of sea anemones and their guests."
NEW = "The new state of this page, which has a good deal to say of parrotfish and white beaches."


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=9, hosts=2, pages=2, robots=robots)) as running:
        put(running, OLD)
        running.put(0, "/dropped", f"<p>{OLD} And it goes.</p>")
        yield running


def put(site: Running, text: str) -> None:
    links = "<p><a href='/page'>a page</a></p>" + (
        "<p><a href='/dropped'>x</a></p>" if text is OLD else ""
    )
    site.put(0, "/start", links)
    site.put(0, "/page", f"<p>{text}</p>")


@pytest.fixture
def directory(site: Running, tmp_path: Path) -> Path:
    """A collection of the old state, as collections always were."""
    crawl(tmp_path / "corpus", [url(site, "/start")], SETTINGS)
    return tmp_path / "corpus"


def url(site: Running, path: str) -> str:
    return f"http://{site.web.host_name(0)}:{site.port}{path}"


def gather(directory: Path, *seeds: str) -> Summary:
    given = [Link(seed, row_key(seed), source=LinkSource.SEED) for seed in seeds]
    apart, links = shadow.prepare(directory, given)
    config = load(directory, {**QUICK, **SETTINGS}, {})
    return asyncio.run(crawl_into(apart, config, links))


def state(directory: Path) -> dict[str, str]:
    """Everything that a reader sees: each page's text, which must be that of its body."""
    with open_collection(directory) as collection:
        found = {page.url.rpartition("/")[2]: page.text for page in collection.pages()}
        for page in collection.pages():
            assert page.text.split("\n")[0] in page.body.decode()
        return found


def findings(directory: Path) -> list[str]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return [f"{found.where}: {found.says}" for found in verifier.findings()]


def old_state() -> dict[str, str]:
    return {"start": "a page\nx", "page": OLD, "dropped": f"{OLD} And it goes."}


def new_state() -> dict[str, str]:
    return {"start": "a page", "page": NEW}


def test_readers_see_the_old_state_until_it_is_applied(site: Running, directory: Path) -> None:
    put(site, NEW)
    summary = gather(directory)
    assert summary.finished
    assert summary.status.fetched == 2
    assert state(directory) == old_state()
    assert shadow.status(directory).pages == 2
    assert shadow.apply(directory) == shadow.Applied(2, 3, still_read=False)
    assert state(directory) == new_state()
    assert not shadow.status(directory).gathered
    assert findings(directory) == []
    assert sorted(each.name for each in directory.iterdir()) == [
        "classes", "generations", "inbox", "live", "lock",
        "shoal.toml", "shoal.toml.last", "status.json",
    ]  # fmt: skip


def test_who_has_it_open_goes_on_with_the_old_state(site: Running, directory: Path) -> None:
    put(site, NEW)
    gather(directory)
    with open_collection(directory) as collection:
        page = collection.page(url(site, "/page"))
        assert page is not None
        assert shadow.apply(directory).still_read
        assert page.text == OLD
        assert OLD in page.body.decode()
        assert len(list(collection.pages())) == 3
        assert state(directory) == new_state()
    # It is nobody's now: the next command deletes it.
    assert (directory / "table").exists()
    gather(directory)
    assert not (directory / "table").exists()


def test_crawls_go_on_in_the_new_state_and_it_can_be_replaced_again(
    site: Running, directory: Path
) -> None:
    put(site, NEW)
    gather(directory)
    shadow.apply(directory)
    extra = site.put(0, "/extra", "<p>extra</p>")
    crawl(directory, [extra], SETTINGS)
    assert state(directory) == {**new_state(), "extra": "extra"}
    put(site, OLD)
    gather(directory)
    assert state(directory) == {**new_state(), "extra": "extra"}
    shadow.apply(directory)
    assert state(directory) == {**old_state(), "extra": "extra"}  # its seeds are seeds here too
    assert [path.name for path in (directory / "generations").iterdir()] == ["2"]
    assert findings(directory) == []


def test_a_shadow_that_was_stopped_goes_on(site: Running, directory: Path) -> None:
    apart, links = shadow.prepare(directory, [])
    config = load(directory, {**QUICK, **SETTINGS, "crawl.max_pages": 1}, {})
    asyncio.run(crawl_into(apart, config, links))
    assert shadow.status(directory).queued == 2
    gather(directory)
    found = shadow.status(directory)
    assert (found.pages, found.queued) == (3, 0)


def test_discarded_it_was_never_there(site: Running, directory: Path) -> None:
    put(site, NEW)
    gather(directory)
    shadow.discard(directory)
    assert state(directory) == old_state()
    assert list((directory / "generations").iterdir()) == []
    with pytest.raises(CollectionError, match="Nothing was gathered apart"):
        shadow.apply(directory)
    with pytest.raises(CollectionError, match="Nothing was gathered apart"):
        shadow.discard(directory)


def test_an_empty_shadow_replaces_nothing(site: Running, directory: Path) -> None:
    gather(directory, url(site, "/missing"))
    with pytest.raises(CollectionError, match="has no page"):
        shadow.apply(directory)
    assert state(directory) == old_state()


def test_a_shadow_that_would_shrink_the_collection_is_refused(
    site: Running, directory: Path
) -> None:
    site.put(0, "/start", "<p>It has no links any more, and is all that is left.</p>")
    gather(directory)
    with pytest.raises(CollectionError, match=r"has 3 pages, what .* only 1, so .*apply --shrink"):
        shadow.apply(directory)
    assert state(directory) == old_state()
    assert shadow.apply(directory, shrink=True) == shadow.Applied(1, 3, still_read=False)


def test_an_unfinished_shadow_is_refused_sooner(site: Running, directory: Path) -> None:
    put(site, NEW)
    apart, links = shadow.prepare(directory, [])
    config = load(directory, {**QUICK, **SETTINGS, "crawl.max_pages": 1}, {})
    assert not asyncio.run(crawl_into(apart, config, links)).finished
    with pytest.raises(
        CollectionError, match=r"only 1, and 1 URL still waits, .*go on with: shoal"
    ):
        shadow.apply(directory)
    assert state(directory) == old_state()


def test_not_while_somebody_writes(directory: Path) -> None:
    gather(directory)
    with WriteLock(Layout(directory)):
        for refused in (shadow.apply, shadow.discard):
            with pytest.raises(Busy):
                refused(directory)
        with pytest.raises(Busy):
            shadow.prepare(directory, [])


def test_a_paused_host_is_left_alone_by_a_shadow_too(site: Running, directory: Path) -> None:
    from shoal.control.commands import pause  # noqa: PLC0415 - it starts an engine

    asked = len(site.log())
    pause(directory, f"{site.web.host_name(0)}:{site.port}", paused=True)
    summary = gather(directory)
    assert summary.status.fetched == 0
    assert len(site.log()) == asked


PROGRAM = """
import sys
from pathlib import Path
from shoal.maintenance import shadow
getattr(shadow, sys.argv[1])(Path(sys.argv[2]))
"""


def killed_at(point: str, command: str, directory: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, command, str(directory)],
        env={**os.environ, "SHOAL_FAULT": point},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize(
    ("point", "applied"),
    [
        ("shadow.checked", False),
        ("shadow.applied", True),
        pytest.param("shadow.cleaning", True, marks=pytest.mark.slow),
    ],
)
def test_a_kill_leaves_one_of_the_two_states(
    site: Running, directory: Path, point: str, applied: bool
) -> None:
    put(site, NEW)
    gather(directory)
    killed_at(point, "apply", directory)
    assert state(directory) == (new_state() if applied else old_state())
    assert findings(directory) == []
    if not applied:
        shadow.apply(directory)
        assert state(directory) == new_state()
    gather(directory)  # what was left over is deleted
    assert not (directory / "table").exists()
    assert not (directory / "warc").exists()
    assert findings(directory) == []


def test_a_kill_in_the_middle_of_a_discard(site: Running, directory: Path) -> None:
    put(site, NEW)
    gather(directory)
    killed_at("shadow.discarded", "discard", directory)
    assert not shadow.status(directory).gathered
    assert state(directory) == old_state()
    gather(directory)
    assert [path.name for path in (directory / "generations").iterdir()] == ["1"]
