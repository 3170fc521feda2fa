"""What a hub pushed waits in the inbox: body before order, both gone when it is done."""

from pathlib import Path

import pytest

from shoal.errors import CollectionError, UsageError
from shoal.sources.inbox import MAX_BODY_BYTES, Inbox, Pause, Push
from tests.fake_clock import FakeClock

URL, KIND, BODY = "http://a.test/feed", "text/xml; charset=utf-8", b"<rss/>\x00\xff"


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "inbox"


def test_a_push_comes_with_its_body_and_goes_with_it(spool: Path) -> None:
    inbox = Inbox(spool)
    first = inbox.push(URL, KIND, BODY)
    pause = inbox.post(Pause("a.test"))
    second = inbox.push(URL, KIND, b"more")
    (name, order), (between, _), (later, other) = Inbox(spool).take()
    assert [name, between, later] == [first, pause, second]
    assert order == Push(URL, KIND, first.replace(".order", ".body"))
    assert isinstance(order, Push)
    assert isinstance(other, Push)
    assert inbox.body_of(order) == BODY
    assert inbox.body_of(other) == b"more"
    assert inbox.pushed_bytes() == len(BODY) + 4
    inbox.done(first)
    assert inbox.body_of(order) is None  # a kill before `done` was durable would repeat this
    inbox.done(first)
    inbox.done(pause)
    assert inbox.body_of(other) == b"more"
    inbox.done(second)
    assert list(spool.iterdir()) == []


def test_what_is_too_long_is_not_kept(spool: Path) -> None:
    with pytest.raises(UsageError, match="5,000,000 bytes"):
        Inbox(spool).push(URL, KIND, bytes(MAX_BODY_BYTES + 1))
    with pytest.raises(UsageError, match="an order may have"):
        Inbox(spool).push("http://a.test/" + "x" * 20_000, KIND, BODY)
    assert Inbox(spool).pushed_bytes() == 0


@pytest.mark.parametrize("file", ["../secret", "/etc/hostname", "", "x.body", "1.order"])
def test_only_bodies_are_read(spool: Path, file: str) -> None:
    inbox = Inbox(spool)
    inbox.push(URL, KIND, BODY)
    (spool.parent / "secret").write_text("x", encoding="utf-8")
    assert inbox.body_of(Push(URL, KIND, file)) is None


def test_a_link_in_the_place_of_a_body_is_not_followed(spool: Path) -> None:
    inbox = Inbox(spool)
    name = inbox.push(URL, KIND, BODY)
    file = name.replace(".order", ".body")
    (spool / file).unlink()
    (spool / file).symlink_to("/etc/hostname")
    assert inbox.body_of(Push(URL, KIND, file)) is None


def test_a_body_without_its_order_is_cleared_away_after_a_while(spool: Path) -> None:
    clock = FakeClock()
    inbox = Inbox(spool, clock)
    name = inbox.push(URL, KIND, BODY)
    (spool / name).unlink()  # as a kill between the two leaves it
    kept = inbox.push(URL, KIND, b"kept")
    assert inbox.pushed_bytes() == len(BODY) + 4  # it may be being written
    clock.advance(3601)
    assert inbox.pushed_bytes() == 4
    assert [each.stem for each in spool.glob("*.body")] == [kept.removesuffix(".order")]
    assert Inbox(spool.parent / "none").pushed_bytes() == 0


def test_a_disk_that_takes_no_order_keeps_no_body(
    spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox, replace = Inbox(spool), Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.suffix == ".order":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CollectionError, match="No space left"):
        inbox.push(URL, KIND, BODY)
    assert list(spool.iterdir()) == []
