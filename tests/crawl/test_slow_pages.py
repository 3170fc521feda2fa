"""A page whose understanding takes long does not idle its site."""

import threading
from pathlib import Path

import pytest

from shoal.engine import engine
from tests.crawl.run import crawl
from tests.crawl.slow_reader import SLOW
from tests.world import Running, Web, serve


def _let_go_when_all_are_asked(running: Running, host: int, requests: int, gate: Path) -> None:
    running.wait(requests, host=host)
    gate.touch()


def test_a_slow_page_does_not_idle_its_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FACTORY", "tests.crawl.slow_reader:make_slow")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    others = [f"/page{i}" for i in range(8)]
    with serve(Web(seed=1, hosts=1, pages=1)) as running:
        host = running.web.host_name(0)
        links = "".join(f'<a href="{path}">x</a>' for path in [SLOW, *others])
        running.put(host, "/start", links.encode())
        for path in [SLOW, *others]:
            running.put(host, path, b"<p>text</p>")
        # The slow page is let go only when the server has seen all the others: a site that waited
        # for its slow page would never get there.
        releaser = threading.Thread(
            target=_let_go_when_all_are_asked,
            args=(running, 0, 3 + len(others), tmp_path / "corpus" / "gate"),
        )
        releaser.start()
        summary = crawl(
            tmp_path / "corpus",
            [f"http://{host}:{running.port}/start"],
            {"crawl.children": 2, "crawl.max_time": 60},
        )
        releaser.join()
        log = running.log()
    assert summary.finished
    assert summary.status.fetched == 2 + len(others)
    assert len([request for request in log if not request.is_robots]) == 2 + len(others)
