"""A collection on a read-only disk can be read: verified, searched, shown, and served."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.indexing import update_index
from shoal.api import open as open_collection
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from tests.cli.command import Shoal
from tests.crawl.run import crawl
from tests.world import Latency, RobotsMix, Web, serve

WEB = Web(
    seed=29, hosts=3, pages=20, skew=0, mean_bytes=2000, robots=RobotsMix(crawl_delay=0, error=0)
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("written") / "corpus"
    with serve(WEB, {"*": Latency(0.001)}) as running:
        crawl(directory, running.web.seeds(), {"politeness.delay": 0.02})
    return directory


@pytest.fixture(params=["indexed", "not indexed"])
def frozen(
    request: pytest.FixtureRequest, written: Path, tmp_path: Path
) -> Iterator[tuple[Path, bool]]:
    """The same on a disk that can only be read: root may write to any other directory."""
    is_indexed = request.param == "indexed"
    if os.getuid() != 0:
        pytest.skip("only root can mount")
    copy, place = tmp_path / "copy", tmp_path / "corpus"
    subprocess.run(["cp", "-r", str(written), str(copy)], check=True)
    if is_indexed:
        update_index(str(copy))
    place.mkdir()
    for step in (["--bind", str(copy)], ["-o", "remount,ro,bind"]):
        if subprocess.run(["mount", *step, str(place)], check=False).returncode:
            pytest.skip("nothing can be mounted here")
    yield place, is_indexed
    subprocess.run(["umount", "-l", str(place)], check=True)  # files may still be mapped


def test_a_collection_on_a_read_only_disk_can_be_read(frozen: tuple[Path, bool]) -> None:
    place, is_indexed = frozen
    with verifying(Layout(place), lambda _: None) as verifier:
        assert list(verifier.findings()) == []
    with open_collection(place) as collection:
        pages = list(collection.pages())
        assert len(pages) > 10
        assert collection.page(pages[0].url) is not None
        collection.refresh()
        if is_indexed:
            assert collection.search("the").total > 0
    shoal = Shoal(place.parent)
    assert "answered" in shoal.ok("status").text
    assert "All is well" in shoal.ok("verify").text
    if is_indexed:
        assert "http://" in shoal.ok("search", "the").text
    else:
        assert "no full-text index" in shoal("search", "the").err


def test_what_writes_says_that_it_can_not(frozen: tuple[Path, bool]) -> None:
    place, _ = frozen
    done = Shoal(place.parent)("repair")
    assert done.code != 0
    assert "Traceback" not in done.err
    assert "Read-only file system" in done.err
