"""What hubs push while no crawl runs is carried out by the server, and only then."""

import threading
from pathlib import Path

import pytest

from shoal.errors import Busy
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance import pushed_items as carrying
from shoal.maintenance.pushed_items import Carrier
from shoal.sources.inbox import Inbox, Push, Submit

PATIENCE_SECONDS = 90


class Delivering:
    """Stands for the crawl's own way with the inbox."""

    def __init__(self) -> None:
        self.carried: list[bytes | None] = []
        self.looked = threading.Semaphore(0)
        self.refuses = False

    def __call__(self, directory: Path) -> None:
        if self.refuses:
            self.looked.release()
            raise Busy("a crawl has just started")
        inbox = Inbox(Layout(directory).inbox)
        for name, order in inbox.take():
            if isinstance(order, Push):
                self.carried.append(inbox.body_of(order))
                inbox.done(name)

    def then(self) -> None:
        self.looked.release()


@pytest.fixture
def delivering(monkeypatch: pytest.MonkeyPatch) -> Delivering:
    made = Delivering()
    monkeypatch.setattr(carrying, "deliver", made)
    return made


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    return Inbox(Layout(tmp_path).inbox)


def test_deliveries_are_carried_out_as_they_come(
    tmp_path: Path, inbox: Inbox, delivering: Delivering
) -> None:
    pushed = threading.Event()
    inbox.push("http://a.test/feed", "text/xml", b"left by an earlier server")
    with Carrier(tmp_path, pushed, delivering.then):
        assert delivering.looked.acquire(timeout=PATIENCE_SECONDS)
        inbox.push("http://a.test/feed", "text/xml", b"new")
        pushed.set()
        assert delivering.looked.acquire(timeout=PATIENCE_SECONDS)
    assert delivering.carried == [b"left by an earlier server", b"new"]


def test_a_running_crawl_does_it_itself(
    tmp_path: Path, inbox: Inbox, delivering: Delivering
) -> None:
    inbox.push("http://a.test/feed", "text/xml", b"new")
    carrier = Carrier(tmp_path, threading.Event(), delivering.then)
    with WriteLock(Layout(tmp_path)):
        carrier.look()
    assert delivering.carried == []
    carrier.look()
    assert delivering.carried == [b"new"]


def test_without_a_delivery_the_collection_is_not_opened(
    tmp_path: Path, inbox: Inbox, delivering: Delivering
) -> None:
    inbox.post(Submit("http://a.test/"))
    Carrier(tmp_path, threading.Event(), delivering.then).look()
    assert not delivering.looked.acquire(blocking=False)


def test_a_crawl_that_starts_in_between_is_no_fault(
    tmp_path: Path, inbox: Inbox, delivering: Delivering
) -> None:
    pushed = threading.Event()
    delivering.refuses = True
    inbox.push("http://a.test/feed", "text/xml", b"new")
    with Carrier(tmp_path, pushed, delivering.then):
        assert delivering.looked.acquire(timeout=PATIENCE_SECONDS)
        pushed.set()
        assert delivering.looked.acquire(timeout=PATIENCE_SECONDS)  # it has gone on
    assert len(inbox.take()) == 1
