"""W13: orders from other processes. Whole or not at all, in order, repeated until done."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import CollectionError, UsageError
from shoal.sources import inbox as inbox_module
from shoal.sources.inbox import (
    MAX_COMMAND_BYTES,
    AddFeed,
    Command,
    Exclude,
    Inbox,
    Include,
    Pause,
    ReadSitemap,
    RemoveFeed,
    Resume,
    Retry,
    Slow,
    Stop,
    Submit,
    Unreadable,
    posted_at,
)
from tests.fake_clock import FakeClock

ORDERS: list[Command] = [
    Submit("https://a.org/ä"),
    ReadSitemap("https://a.org/map.xml"),
    Pause("a.org"),
    Resume("a.org"),
    Slow("a.org", 2.5),
    Exclude("a.org"),
    Include("a.org"),
    Retry("timeout", "a.org"),
    AddFeed("https://a.org/feed"),
    RemoveFeed("https://a.org/feed"),
    Stop(),
]
BAD_NAME = "1700000000000000-0123abcd.order"


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "inbox"


def test_orders_come_in_the_order_of_posting(spool: Path) -> None:
    clock = FakeClock()  # it stands still: the order does not hang on its resolution
    posted = [Inbox(spool, clock).post(ORDERS[0])]
    inbox = Inbox(spool, clock)
    clock.advance(1)
    posted += [inbox.post(order) for order in ORDERS * 5]
    clock.advance(-100)  # nor on a wall clock that never jumps
    posted.append(inbox.post(ORDERS[1]))
    assert Inbox(spool).take() == list(
        zip(posted, [ORDERS[0], *ORDERS * 5, ORDERS[1]], strict=True)
    )


def test_an_order_stays_until_it_is_done(spool: Path) -> None:
    inbox = Inbox(spool)
    first, second = inbox.post(ORDERS[0]), inbox.post(ORDERS[1])
    assert inbox.take() == inbox.take() == [(first, ORDERS[0]), (second, ORDERS[1])]
    inbox.done(first)
    assert Inbox(spool).take() == [(second, ORDERS[1])]
    inbox.done(first)  # again, after a kill in between
    inbox.done(second)
    assert inbox.take() == []
    assert list(spool.iterdir()) == []


def test_when_it_was_posted(spool: Path) -> None:
    clock = FakeClock(1_700_000_000.25)
    assert posted_at(Inbox(spool, clock).post(Stop())) == pytest.approx(1_700_000_000.25, abs=1e-5)


@pytest.mark.parametrize("name", ["../x", "x.order", "", BAD_NAME + ".bad", "." + BAD_NAME])
def test_only_an_order_can_be_done(spool: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of an order"):
        Inbox(spool).done(name)


def test_without_a_directory_there_are_no_orders(spool: Path) -> None:
    assert Inbox(spool).take() == []
    assert not spool.exists()


def test_without_a_collection_nothing_is_posted(spool: Path) -> None:
    with pytest.raises(CollectionError, match="can't be written: No such file or directory"):
        Inbox(spool / "deeper").post(Stop())
    spool.write_text("a file in the way")
    with pytest.raises(CollectionError, match="can't be written"):
        Inbox(spool).post(Stop())
    with pytest.raises(CollectionError, match="can't be written"):
        Inbox(spool).done(BAD_NAME)


def test_a_failed_post_leaves_nothing(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CollectionError, match="No space left on device"):
        Inbox(spool).post(Stop())
    assert list(spool.iterdir()) == []


def test_an_order_is_seen_only_when_it_is_on_disk(
    spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox, seen = Inbox(spool), []
    sync = os.fsync

    def looking(handle: int) -> None:
        seen.append([order for _, order in inbox.take()])
        sync(handle)

    monkeypatch.setattr(os, "fsync", looking)
    inbox.post(ORDERS[0])
    assert seen == [[], [ORDERS[0]]]  # the file is synced, renamed, and then its directory


def test_an_order_is_bounded(spool: Path) -> None:
    with pytest.raises(UsageError, match="an order may have 16,384 bytes"):
        Inbox(spool).post(Submit("https://a.org/" + "a" * MAX_COMMAND_BYTES))
    assert Inbox(spool).take() == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"fish",
        b"{}",
        b'{"order":{"type":"Explode"}}',
        b'{"order":{"type":"Submit"}}',
        b'{"order":{"type":"Submit","url":7}}',
        b'{"order":{"type":"Submit","url":"\\ud800"}}',
        b"[" * 9000,
        b'{"x":' + b"[" * 9000,
        b'{"order":{"type":"Stop"}}' + b" " * MAX_COMMAND_BYTES,
    ],
)
def test_a_bad_file_is_set_aside(spool: Path, data: bytes) -> None:
    inbox = Inbox(spool)
    good = inbox.post(ORDERS[0])
    (spool / BAD_NAME).write_bytes(data)
    (name, warning), other = inbox.take()
    assert (name, other) == (BAD_NAME, (good, ORDERS[0]))
    assert isinstance(warning, Unreadable)
    assert "is no order" in warning.warning
    assert BAD_NAME + ".bad" in warning.warning
    assert inbox.take() == [(good, ORDERS[0])]
    assert (spool / f"{BAD_NAME}.bad").read_bytes() == data
    inbox.done(name)


def test_what_is_no_plain_file_is_neither_followed_nor_waited_for(
    spool: Path, tmp_path: Path
) -> None:
    inbox = Inbox(spool)
    elsewhere = tmp_path / "order"
    (spool / inbox.post(Stop())).rename(elsewhere)
    (spool / BAD_NAME).symlink_to(elsewhere)
    os.mkfifo(spool / BAD_NAME.replace("abcd", "aaaa"))
    (spool / BAD_NAME.replace("abcd", "bbbb")).mkdir()
    assert [type(order) for _, order in inbox.take()] == [Unreadable] * 3
    assert inbox.take() == []
    assert elsewhere.exists()


def test_strangers_and_drafts_are_left_alone(spool: Path) -> None:
    spool.mkdir()
    for name in (f".{BAD_NAME}", "notes.txt", f"{BAD_NAME}.bad"):
        (spool / name).write_bytes(b"x")
    assert Inbox(spool).take() == []
    assert len(list(spool.iterdir())) == 3


def test_so_many_at_a_time(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox_module, "MAX_TAKEN", 3)
    inbox = Inbox(spool)
    posted = [inbox.post(Submit(str(number))) for number in range(5)]
    assert [name for name, _ in inbox.take()] == posted[:3]
    for name in posted[:3]:
        inbox.done(name)
    assert [name for name, _ in inbox.take()] == posted[3:]


POSTER = """
import sys
from pathlib import Path
from shoal.sources.inbox import Inbox, Submit
inbox = Inbox(Path(sys.argv[1]))
for number in range(500):
    inbox.post(Submit(f"https://a.org/{number}"))
    print(number, flush=True)
"""


def test_a_kill_while_posting_leaves_only_whole_orders(spool: Path) -> None:
    """What was acknowledged is there, in order, and nothing that is half written is ever seen."""
    posters = [
        subprocess.Popen([sys.executable, "-c", POSTER, spool], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    acknowledged: list[int] = []
    for poster in posters:
        assert poster.stdout is not None
        for line in poster.stdout:
            if int(line) >= 20:
                break
            assert not [order for _, order in Inbox(spool).take() if isinstance(order, Unreadable)]
        poster.send_signal(signal.SIGKILL)
        rest = poster.stdout.read().split()
        acknowledged.append(max([20, *map(int, rest)]))
        poster.wait()
        poster.stdout.close()
    taken = [order for _, order in Inbox(spool).take()]
    found = [order.url for order in taken if isinstance(order, Submit)]
    assert len(found) == len(taken)
    for number in range(21):
        assert found.count(f"https://a.org/{number}") == 2
    assert len(found) >= sum(acknowledged) + 2


@given(st.text(max_size=50))
def test_any_text_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    inbox = Inbox(tmp_path_factory.mktemp("collection"))
    for order in (Submit(text), Pause(text), Resume(text)):
        inbox.post(order)
    assert [order for _, order in inbox.take()] == [Submit(text), Pause(text), Resume(text)]
