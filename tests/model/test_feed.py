"""What is remembered of a feed: which items are new, and what is forgotten."""

from shoal.model.listings.feed import (
    ITEM_KEY_BYTES,
    MAX_SEEN,
    FeedRow,
    feed_key,
    remember,
    row_of_feed_key,
    unseen,
)
from shoal.model.record import pack, unpack


def keys(*numbers: int) -> list[bytes]:
    return [number.to_bytes(ITEM_KEY_BYTES) for number in numbers]


def test_only_items_that_were_not_there_are_new() -> None:
    row = FeedRow()
    assert unseen(row, keys(3, 2, 1, 2)) == [0, 1, 2]
    remember(row, keys(3, 2, 1))
    assert unseen(row, keys(5, 3, 4, 2)) == [0, 2]
    remember(row, keys(5, 3, 4, 2))
    assert row.seen == b"".join(keys(5, 3, 4, 2, 1))
    assert unseen(row, keys(1, 2, 3, 4, 5)) == []


def test_the_oldest_are_forgotten() -> None:
    row = FeedRow()
    remember(row, keys(*range(MAX_SEEN)))
    remember(row, keys(99_999))
    assert len(row.seen) == MAX_SEEN * ITEM_KEY_BYTES
    assert unseen(row, keys(99_999, 0, MAX_SEEN - 1)) == [2]


def test_a_row_reads_back() -> None:
    row = FeedRow(title="T", hubs=["https://hub.example/"], posted=[1.5], removed=True)
    assert unpack(FeedRow, pack(row)) == row
    assert unpack(FeedRow, pack([])) == FeedRow()


def test_keys_of_rows() -> None:
    assert row_of_feed_key(feed_key(b"org,a)443:https/feed")) == b"org,a)443:https/feed"
    assert row_of_feed_key(b"\x00robots\x00org,a)443:https") is None
