"""The read-ahead of one site: in order, nothing lost below the cursor, bounded memory."""

from random import Random

import pytest

from shoal.frontier.schedule.site_queue import SiteQueue
from shoal.frontier.state.in_flight import InFlight
from shoal.frontier.state.rows import Entry, entry_key
from shoal.model.visit import Visit
from shoal.store.table import RocksTable

SITE = b"test,a)80:http"
LEVELS = 4
NOW = 1_000
MOST_HELD_PER_LEVEL = 256


def entry(order: int, level: int = 1, due_ms: int = 0, path: str = "") -> Entry:
    return Entry(level, due_ms, order, SITE + f"/{path or order}".encode())


class Queue:
    """A site's queue with its range of the table."""

    def __init__(self, table: RocksTable) -> None:
        self.table = table
        self.in_flight = InFlight()
        self.read = SiteQueue(table, SITE, LEVELS, self.in_flight)

    def put(self, *entries: Entry) -> None:
        batch = self.table.batch()
        for each in entries:
            batch.put("queue", entry_key(SITE, each), b"")
        self.table.write(batch)

    def insert(self, each: Entry) -> None:
        self.put(each)
        self.read.offer(each)

    def delete(self, each: Entry) -> None:
        batch = self.table.batch()
        batch.delete("queue", entry_key(SITE, each))
        self.table.write(batch)

    def take(self) -> Entry | None:
        """Pop, and hold it as in flight: its entry stays in the table."""
        taken = self.read.pop(NOW)
        if taken is not None:
            self.in_flight.add(Visit("", taken.row, SITE))
        return taken

    def finish(self, taken: Entry) -> None:
        self.in_flight.remove(taken.row)
        self.delete(taken)

    def drain(self) -> list[Entry]:
        found = []
        while (taken := self.take()) is not None:
            found.append(taken)
            self.finish(taken)
        return found

    def held(self) -> int:
        return max(len(level) for level in self.read._ahead)


@pytest.fixture
def queue(table: RocksTable) -> Queue:
    return Queue(table)


def test_the_order_is_level_then_due_time_then_arrival(queue: Queue) -> None:
    entries = [entry(5, 0), entry(9, 1, 0), entry(1, 1, 700), entry(2, 1, 700), entry(0, 3)]
    queue.put(*reversed(entries))
    assert queue.drain() == entries


def test_what_is_not_due_is_not_taken_and_does_not_hide_a_lower_level(queue: Queue) -> None:
    queue.put(entry(1, 1, due_ms=NOW + 1), entry(2, 3, due_ms=NOW))
    assert queue.read.next(NOW) == (3, NOW)
    assert queue.drain() == [entry(2, 3, NOW)]
    assert queue.read.next(NOW) == (1, NOW + 1)
    assert queue.read.pop(NOW + 1) == entry(1, 1, NOW + 1)


@pytest.mark.parametrize("waiting", [1, 63, 64, 65, 500])
def test_an_entry_inserted_below_the_cursor_is_next(queue: Queue, waiting: int) -> None:
    queue.put(*(entry(1000 + n) for n in range(waiting)))
    first = queue.take()
    assert first == entry(1000)
    queue.insert(entry(7))
    assert queue.take() == entry(7)
    assert [e.order for e in queue.drain()] == [1000 + n for n in range(1, waiting)]


@pytest.mark.parametrize("waiting", [0, 1, 64, 65, 500])
def test_an_entry_inserted_at_the_end_is_last(queue: Queue, waiting: int) -> None:
    queue.put(*(entry(n) for n in range(waiting)))
    queue.read.next(NOW)
    queue.insert(entry(9000))
    assert [e.order for e in queue.drain()] == [*range(waiting), 9000]


def test_depth_first_with_thousands_of_inserts_keeps_memory_bounded(queue: Queue) -> None:
    """Every insert is a new head: the worst case for a read-ahead."""
    queue.put(entry(100_000))
    queue.read.next(NOW)
    for n in range(5_000):
        queue.insert(entry(50_000 - n))
        assert queue.held() <= MOST_HELD_PER_LEVEL
    assert [e.order for e in queue.drain()] == [*range(45_001, 50_001), 100_000]


def test_what_is_in_flight_is_not_read_a_second_time(queue: Queue) -> None:
    entries = [entry(n) for n in range(100)]
    queue.put(*entries)
    in_flight = [queue.take() for _ in range(70)]
    assert in_flight == entries[:70]
    again = SiteQueue(queue.table, SITE, LEVELS, queue.in_flight)
    assert again.pop(NOW) == entries[70]


def test_a_whole_batch_in_flight_does_not_hide_what_follows(queue: Queue) -> None:
    entries = [entry(n) for n in range(200)]
    queue.put(*entries)
    for each in entries[:150]:
        queue.in_flight.add(Visit("", each.row, SITE))
    assert queue.drain() == entries[150:]


def test_an_entry_that_is_given_back_is_next_again(queue: Queue) -> None:
    queue.put(*(entry(n) for n in range(3)))
    taken = queue.take()
    assert taken is not None
    queue.in_flight.remove(taken.row)
    queue.read.offer(taken)
    assert queue.take() == taken


def test_a_withdrawn_entry_is_gone(queue: Queue) -> None:
    entries = [entry(n) for n in range(10)]
    queue.put(*entries)
    queue.read.next(NOW)
    queue.delete(entries[0])
    queue.read.withdraw(entries[0])
    assert queue.read.next(NOW) == (1, 0)
    assert queue.drain() == entries[1:]
    queue.read.withdraw(entries[0])  # not there: nothing happens
    assert queue.read.next(NOW) is None


@pytest.mark.parametrize("seed", range(8))
def test_it_behaves_as_a_sorted_list(queue: Queue, seed: int) -> None:
    """Random inserts, takes, ends, gifts and withdrawals, against the plainest model of a queue."""
    random = Random(seed)
    waiting: list[Entry] = [entry(n * 10, random.randrange(LEVELS)) for n in range(seed * 40)]
    queue.put(*waiting)
    taken: list[Entry] = []
    for n in range(3_000):
        action = random.random()
        if action < 0.45:
            each = entry(random.randrange(100_000), random.randrange(LEVELS), path=f"new{n}")
            queue.insert(each)
            waiting.append(each)
        elif action < 0.85:
            best = min(waiting, default=None)
            assert queue.take() == best
            if best is not None:
                waiting.remove(best)
                taken.append(best)
        elif taken and action < 0.95:
            queue.finish(taken.pop(random.randrange(len(taken))))
        elif taken and action < 0.98:
            each = taken.pop()
            queue.in_flight.remove(each.row)
            queue.read.offer(each)
            waiting.append(each)
        elif waiting:
            each = waiting.pop(random.randrange(len(waiting)))
            queue.delete(each)
            queue.read.withdraw(each)
        assert queue.held() <= MOST_HELD_PER_LEVEL
    assert queue.drain() == sorted(waiting)
