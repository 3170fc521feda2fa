"""A cluster in an object store is read while it runs: its tablets are asked over Ray."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Shoal, Started
from tests.cluster.stores import Bucket, s3_bucket
from tests.world import Running, Web, serve

pytest.importorskip("ray", reason="Ray is not installed")

HOSTS, PAGES = 4, 30
_PATIENCE_SECONDS = 90.0


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with s3_bucket() as made:
        yield made


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(Web(seed=3, hosts=HOSTS, pages=PAGES, skew=0, mean_bytes=2000)) as running:
        yield running


class AtWork:
    """A cluster that goes on without end, and commands on it."""

    def __init__(self, shoal: Shoal, bucket: Bucket, world: Running, home: Path) -> None:
        self._shoal, self._place = shoal, bucket.place
        self._environment = {**bucket.environment, "HOME": str(home), "SHOAL_INDEX_FOLLOW": "yes"}
        self._seeds = [f"http://{world.web.host_name(n)}:{world.port}/" for n in range(HOSTS)]

    def start(self) -> Started:
        self._shoal.ok("cluster", "create", self._place, "--tablets=2", **self._environment)
        return self._shoal.start(
            *("cluster", "start", self._place, *self._seeds, "--scope=any", "--delay=0.1"),
            *("--contact=tests@example.org", "--forever", "--checkpoint=5s", "--quiet"),
            **self._environment,
        )

    def ok(self, *arguments: str) -> str:
        return self._shoal.ok(*arguments, "--dir", self._place, **self._environment).text

    def wait_for(self, words: str, *arguments: str) -> str:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            done = self._shoal(*arguments, "--dir", self._place, **self._environment)
            if done.code == 0 and words in done.text:
                return done.text
            assert time.monotonic() < deadline, done.err or done.text
            time.sleep(1.0)

    def stop(self) -> None:
        self._shoal.ok("cluster", "stop", self._place, **self._environment)

    @property
    def seeds(self) -> list[str]:
        return self._seeds


@pytest.mark.slow
def test_a_running_cluster_is_asked(
    shoal: Shoal, bucket: Bucket, world: Running, tmp_path: Path
) -> None:
    at_work = AtWork(shoal, bucket, world, tmp_path / "home")
    started = at_work.start()
    status = at_work.wait_for("indexed", "status")
    assert f"{bucket.place}: a crawl is running" in status
    assert "This crawl (all tablets)" in status
    assert not list((tmp_path / "home").glob("**/read/0000")), "no checkpoint was fetched"
    assert "documents for" in at_work.ok("search", "the")
    assert "ranked by" in at_work.ok("rank", "--top=2")
    assert at_work.seeds[0] in at_work.ok("explain", at_work.seeds[0])
    hidden = f"{at_work.seeds[1]}hidden"
    world.put(1, "/hidden", "<p>Nobody links here.</p>")
    assert "1 URL handed to the running crawl." in at_work.ok("submit", hidden)
    at_work.wait_for(hidden, "export", "urls")
    known = at_work.ok("export", "urls").splitlines()
    assert set(at_work.seeds) <= set(known)
    at_work.stop()
    assert started.wait().code == 0
    assert f"{bucket.place}: at rest" in at_work.ok("status")
    assert set(known) <= set(at_work.ok("export", "urls").splitlines())
    assert "documents for" in at_work.ok("search", "the")
