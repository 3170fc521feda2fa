"""How much of an address is this tablet's? Its hosts may be at any tablet.

Half of what an address bears is divided among all tablets for good: nobody has to be asked for a
first request. The other half is lent, for a minute at a time, to tablets whose hosts wait for it:
by the *owner* of the address, a tablet by its hash, in equal parts to all that have asked lately.
So a host that is alone at its address is not held up by the number of tablets, and all of them
together ask an address no more often than one machine would.

A loan ends by itself, counted from before it was asked for. Who asks again says what it still has,
and until then that is counted as taken: an answer that was lost, or a question that comes late,
lends nothing twice. An owner that was reopened lends nothing until all that was lent before it
has ended. So nothing is stored, and clocks of machines are never compared.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shoal.model.digest import stable_number
from shoal.model.messages import NOWHERE, Position, Wanted

LENT = 0.5
"""Of what an address bears."""
LOAN_SECONDS = 60.0
ENDED_SECONDS = 1.1 * LOAN_SECONDS
"""After so long a loan has ended, by whichever clock: two may run at a different speed."""
_AGAIN_SECONDS = 20.0
_SOON_SECONDS = 2.0
"""While the parts of an address are still being settled."""
_MOST_ADDRESSES = 100_000
_MOST_AT_ONCE = 1000

Clock = Callable[[], float]


def owner_of(address: str, tablets: int) -> int:
    return stable_number(address.encode()) % tablets


class _Lent(NamedTuple):
    share: float
    until: float


class Lender:
    """What the owner of some addresses has lent. `after`: seconds from now, before which it lends
    nothing."""

    def __init__(self, after: float = 0.0, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._from = clock() + after
        self._lent: OrderedDict[str, dict[int, _Lent]] = OrderedDict()
        self._asked: dict[int, Position] = {}

    def lend(self, asker: int, wanted: Wanted) -> list[float]:
        """The share of each address that is the asker's for a minute, beside what it always has."""
        now = self._clock()
        if wanted.position <= self._asked.get(asker, NOWHERE) or now < self._from:
            return [0.0] * len(wanted.addresses)  # late: nobody waits for this answer
        self._asked[asker] = wanted.position
        return [self._lend(asker, address, held, now) for address, held in wanted.addresses]

    def _lend(self, asker: int, address: str, held: float, now: float) -> float:
        stored = self._lent.get(address, {})
        lent = {tablet: each for tablet, each in stored.items() if each.until > now}
        others = [each.share for tablet, each in lent.items() if tablet != asker]
        share = max(0.0, min(LENT / (len(others) + 1), LENT - sum(others)))
        if address not in self._lent and not self._make_room(now):
            return 0.0
        # Also when nothing is left: the others see that one more is there, and get less.
        lent[asker] = _Lent(max(share, min(held, LENT)), now + ENDED_SECONDS)
        self._lent[address] = lent
        self._lent.move_to_end(address)
        return share

    def _make_room(self, now: float) -> bool:
        while len(self._lent) >= _MOST_ADDRESSES:
            oldest = next(iter(self._lent))
            if any(each.until > now for each in self._lent[oldest].values()):
                return False
            del self._lent[oldest]
        return True


@dataclass
class _Loan:
    share: float = 0.0
    until: float = 0.0
    ask_at: float = 0.0
    pressed: float = 0.0
    """When somebody last waited for the address."""


class Borrower:
    """What one tablet may ask of each address."""

    def __init__(
        self, tablets: int, gap_seconds: float, epoch: int = 0, clock: Clock = time.monotonic
    ) -> None:
        """`gap_seconds` is what lies between two requests to an address, of all tablets."""
        self._tablets = tablets
        self._gap = gap_seconds
        self._own = (1 - LENT) / tablets
        self._clock = clock
        self._position = Position(epoch, 0)
        self._loans: OrderedDict[str, _Loan] = OrderedDict()

    @property
    def longest_gap(self) -> float:
        """Of an address of which nothing is lent to it."""
        return self._gap / self._own

    def gap(self, address: str) -> float:
        return self._gap / (self._own + self._held(address, self._clock()))

    def press(self, address: str) -> None:
        """A host there may be asked, but for its address."""
        now = self._clock()
        loan = self._loans.get(address)
        if loan is None:
            if self._gap <= 0 or len(self._loans) >= _MOST_ADDRESSES:
                return
            loan = self._loans[address] = _Loan()
        loan.pressed = now

    def due(self) -> dict[int, Wanted]:
        """What is to be asked of each owner now."""
        now, due = self._clock(), dict[int, list[tuple[str, float]]]()
        for address, loan in list(self._loans.items()):
            if now > max(loan.pressed + LOAN_SECONDS, loan.until):
                del self._loans[address]
            elif loan.ask_at <= now <= loan.pressed + LOAN_SECONDS:
                asked = due.setdefault(owner_of(address, self._tablets), [])
                if len(asked) < _MOST_AT_ONCE:
                    asked.append((address, self._held(address, now)))
                    loan.ask_at = now + _SOON_SECONDS
        if due:
            self._position = Position(self._position.epoch, self._position.number + 1)
        return {owner: Wanted(self._position, asked) for owner, asked in due.items()}

    def take(self, wanted: Wanted, lent: Sequence[float], asked_at: float) -> list[str]:
        """What was lent, and when it was asked for; returns the addresses of which it is more."""
        grown = []
        for (address, held), share in zip(wanted.addresses, lent, strict=True):
            loan = self._loans.get(address)
            if loan is None:
                continue
            if share > held:
                grown.append(address)
            loan.share, loan.until = share, asked_at + LOAN_SECONDS
            loan.ask_at = asked_at + (_AGAIN_SECONDS if share == held > 0 else _SOON_SECONDS)
        return grown

    def _held(self, address: str, now: float) -> float:
        loan = self._loans.get(address)
        return loan.share if loan is not None and now < loan.until else 0.0
