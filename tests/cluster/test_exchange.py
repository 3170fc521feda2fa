"""Every item has its effect once and in order, whatever becomes of deliveries, answers, tablets."""

import asyncio
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cluster.exchange import Sender
from shoal.cluster.outbox import Arrivals, Outbox, read_item
from shoal.model.messages import NOWHERE, Delivery, Receipt, Root
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import Partition
from tests.cluster.memory import MemoryTable

SENDER, RECEIVER, ANOTHER = 0, 1, 2
_EFFECTS = b"effects"


class Receiving:
    """A tablet that notes what has its effect, in the batch of its position."""

    def __init__(self) -> None:
        self.table = MemoryTable()
        self._durable = MemoryTable()
        self.arrivals = Arrivals(self.table)

    def effects(self) -> list[str]:
        stored = self.table.get("page", _EFFECTS)
        return [] if stored is None else unpack(list[str], stored)

    def take(self, delivery: Delivery) -> Receipt:
        new = self.arrivals.new(delivery)
        if new:
            batch = self.table.batch()
            items = [read_item(data) for _, data in new]
            said = [item.url for item in items if isinstance(item, Root)]
            batch.put("page", _EFFECTS, pack([*self.effects(), *said]))
            self.arrivals.note(batch, delivery.sender, new[-1][0])
            self.table.write(batch)
            self.arrivals.written(delivery.sender, new[-1][0], len(new))
        return self.arrivals.receipt(delivery.sender)

    def make_durable(self) -> None:
        now = self.arrivals.now()
        self._durable = MemoryTable(self.table.cells)
        self.arrivals.settle(now)

    def restore(self) -> None:
        self.table = MemoryTable(self._durable.cells)
        self.arrivals = Arrivals(self.table)


class Sending:
    """A tablet that sends numbered items, and the way of one delivery at a time (exchange.py)."""

    def __init__(self) -> None:
        self.table = MemoryTable()
        self._durable = (MemoryTable(), 0)
        self.said: list[str] = []
        """What it sent, as far as it remembers: in the life that it has now."""
        self._epoch = 0
        self._unique = 0
        self._open()

    def _open(self) -> None:
        self._epoch += 1
        self.outbox = Outbox(self.table, Partition(SENDER, 3), self._epoch)
        self.start = self.outbox.freed(RECEIVER)

    def say(self, items: int) -> None:
        batch = self.table.batch()
        for _ in range(items):
            self._unique += 1
            self.said.append(f"{self._epoch}:{self._unique}")
            self.outbox.send_to(batch, RECEIVER, Root(self.said[-1]))
        self.table.write(batch)

    def delivery(self, most: int = 3) -> Delivery:
        items = self.outbox.after(RECEIVER, self.start, most, 1 << 20)
        return Delivery(SENDER, RECEIVER, self.start, items)

    def use(self, receipt: Receipt) -> None:
        self.outbox.free(RECEIVER, receipt.durable)
        self.start = receipt.applied

    def make_durable(self) -> None:
        self._durable = (MemoryTable(self.table.cells), len(self.said))

    def restore(self) -> None:
        cells, said = self._durable
        self.table, self.said = MemoryTable(cells.cells), self.said[:said]
        self._open()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 4)),
        st.tuples(st.sampled_from(["send", "answer", "lose", "lose answer"]), st.integers(0, 9)),
        st.tuples(st.sampled_from(["arrive", "arrive twice"]), st.integers(0, 9)),
        st.tuples(
            st.sampled_from(["sender durable", "receiver durable", "sender dies", "receiver dies"]),
            st.just(0),
        ),
    ),
    max_size=60,
)


class Between:
    """Deliveries and answers under way: any may come next, twice, or never."""

    def __init__(self, sender: Sending, receiver: Receiving) -> None:
        self.sender, self.receiver = sender, receiver
        self._deliveries: list[Delivery] = []
        self._answers: list[Receipt] = []

    def do(self, step: str, number: int) -> None:
        deliveries, answers = self._deliveries, self._answers
        match step:
            case "say":
                self.sender.say(number)
            case "send":
                deliveries.append(self.sender.delivery())
            case "arrive" | "arrive twice" if deliveries:
                delivery = deliveries[number % len(deliveries)]
                answers.append(self.receiver.take(delivery))
                if step == "arrive":
                    deliveries.remove(delivery)
            case "answer" if answers:
                self.sender.use(answers.pop(number % len(answers)))
            case "lose" if deliveries:
                deliveries.pop(number % len(deliveries))
            case "lose answer" if answers:
                answers.pop(number % len(answers))
            case "sender durable":
                self.sender.make_durable()
            case "receiver durable":
                self.receiver.make_durable()
            case "sender dies":
                self.sender.restore()
            case "receiver dies":
                self.receiver.restore()

    def calm_down(self) -> None:
        """Nothing goes wrong any more, and what was late comes at last."""
        for delivery in self._deliveries:
            self.receiver.take(delivery)
        for _ in range(1000):
            if not self.sender.outbox.depth:
                return
            self.sender.use(self.receiver.take(self.sender.delivery()))
            self.receiver.make_durable()
        raise AssertionError("it never ends")


@given(STEPS)
def test_once_and_in_order_whatever_happens(steps: list[tuple[str, int]]) -> None:
    """What the sender said in a life that it lost may have had its effect, too, but no more than
    once: it does not know of it, and visits the pages again."""
    between = Between(Sending(), Receiving())
    for step, number in steps:
        between.do(step, number)
    between.calm_down()
    said, effects = between.sender.said, between.receiver.effects()
    assert len(effects) == len(set(effects))
    known = set(said)
    assert [each for each in effects if each in known] == said


@given(STEPS)
def test_without_deaths_there_is_nothing_else(steps: list[tuple[str, int]]) -> None:
    between = Between(Sending(), Receiving())
    for step, number in steps:
        if not step.endswith("dies"):
            between.do(step, number)
    between.calm_down()
    assert between.receiver.effects() == between.sender.said


# --- the sender itself ----------------------------------------------------------------------------

Pipe = Callable[[Delivery], Receipt]


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = ("_SHORTEST_PAUSE", "_LONGEST_PAUSE", "_MOMENT", "_LONGEST_MOMENT")
    for name in (f"{each}_SECONDS" for each in pauses):
        monkeypatch.setattr(f"shoal.cluster.exchange.{name}", 0.0)
    monkeypatch.setattr("shoal.cluster.exchange.MOST_ITEMS", 7)


def run(outbox: Outbox, pipe: Pipe, say: Callable[[int], None] = lambda _: None) -> Sender:
    """Until the outbox is empty; `say` is called now and then."""

    async def through(delivery: Delivery) -> Receipt:
        await asyncio.sleep(0)
        return pipe(delivery)

    async def all_of_it() -> Sender:
        sender = Sender(outbox, through)
        sending = asyncio.create_task(sender.run())
        for number in range(100_000):
            say(number)
            await asyncio.sleep(0)
            if number > 20 and not outbox.depth:
                break
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        return sender

    return asyncio.run(all_of_it())


class Two:
    """One that says, and two that hear."""

    def __init__(self) -> None:
        self.table = MemoryTable()
        self.outbox = Outbox(self.table, Partition(SENDER, 3), 1)
        self.heard = {RECEIVER: Receiving(), ANOTHER: Receiving()}
        self.said: dict[int, list[str]] = {RECEIVER: [], ANOTHER: []}

    def say(self, number: int) -> None:
        if number < 20:
            batch = self.table.batch()
            for target in self.heard:
                for each in range(5):
                    self.said[target].append(f"{target}:{number}:{each}")
                    self.outbox.send_to(batch, target, Root(self.said[target][-1]))
            self.table.write(batch)

    def pipe(self, delivery: Delivery) -> Receipt:
        assert delivery.sender == SENDER
        assert len(delivery.items) <= 7
        receiver = self.heard[delivery.target]
        receipt = receiver.take(delivery)
        receiver.make_durable()
        return receipt

    def check(self) -> None:
        assert self.outbox.depth == 0
        assert {target: each.effects() for target, each in self.heard.items()} == self.said


def test_a_sender_empties_its_outbox() -> None:
    two = Two()
    assert run(two.outbox, two.pipe, two.say).failures == 0
    two.check()


@pytest.mark.parametrize("seed", range(10))
def test_a_pipe_that_loses_repeats_and_goes_back(seed: int) -> None:
    """Deliveries and answers are dropped, old ones come again, receivers are restored."""
    two, dice = Two(), random.Random(seed)
    old: list[Delivery] = []

    def pipe(delivery: Delivery) -> Receipt:
        old.append(delivery)
        receiver = two.heard[delivery.target]
        chance = dice.random()
        if chance < 0.2:
            raise ConnectionError("it did not come through")
        if chance < 0.4:
            late = dice.choice(old)
            two.heard[late.target].take(late)
        if chance > 0.9:
            receiver.restore()
        receipt = receiver.take(delivery)
        if dice.random() < 0.3:
            receiver.make_durable()
        if dice.random() < 0.2:
            raise TimeoutError("its answer did not come through")
        return receipt

    run(two.outbox, pipe, two.say)
    two.check()


def test_one_that_does_not_answer_does_not_keep_the_others_waiting() -> None:
    two = Two()

    def pipe(delivery: Delivery) -> Receipt:
        if delivery.target == ANOTHER and two.outbox.depth_for(RECEIVER):
            raise ConnectionError("not there")
        return two.pipe(delivery)

    run(two.outbox, pipe, two.say)
    two.check()


def test_what_is_not_durable_is_asked_about_until_it_is() -> None:
    two, asked = Two(), 0

    def pipe(delivery: Delivery) -> Receipt:
        nonlocal asked
        receiver = two.heard[delivery.target]
        receipt = receiver.take(delivery)
        if not delivery.items:
            asked += 1
            if asked > 10:
                receiver.make_durable()
        assert two.outbox.depth, "nothing is forgotten before"
        return receipt

    run(two.outbox, pipe, two.say)
    two.check()
    assert asked > 10


def test_it_begins_behind_what_was_freed() -> None:
    two = Two()
    two.say(0)
    first = two.outbox.after(RECEIVER, NOWHERE, 2, 1 << 20)
    two.heard[RECEIVER].take(Delivery(SENDER, RECEIVER, NOWHERE, first))
    two.heard[RECEIVER].make_durable()
    two.outbox.free(RECEIVER, first[-1][0])
    starts: list[Delivery] = []

    def pipe(delivery: Delivery) -> Receipt:
        starts.append(delivery)
        return two.pipe(delivery)

    run(Outbox(two.table, Partition(SENDER, 3), 2), pipe)
    of_receiver = [each.after for each in starts if each.target == RECEIVER]
    assert of_receiver[0] == first[-1][0]
    assert {target: each.effects() for target, each in two.heard.items()} == two.said
