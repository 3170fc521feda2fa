"""How many? Counts that add up, kept in the same batch as what they count.

A page is counted in exactly one state at a time, so the sum over states is the number of pages
discovered, always. Documents inside others are counted by state, too, and apart: they are not
discovered, but come with their file. Totals (requests, bytes, …) only grow.
"""

from collections.abc import Mapping

TOTAL = "total/"
VISITS = "total/visits "
"""Before what they came to (model/visit_result.py)."""
WORDS = "total/words "
"""Before the words that are looked for: how many pages were read, and have them. For no report."""
INSIDE = "inside/"
_NO_STATES = (TOTAL, INSIDE)


class Counts:
    """Pages by state, and totals. Plain integers by name, so that a row of them can be stored."""

    def __init__(self, values: Mapping[str, int] | None = None) -> None:
        self._values: dict[str, int] = dict(values or {})

    def __getitem__(self, name: str) -> int:
        return self._values.get(name, 0)

    def add(self, name: str, amount: int = 1) -> None:
        value = self._values.get(name, 0) + amount
        if value:
            self._values[name] = value
        else:
            self._values.pop(name, None)

    def move(self, old: str | None, new: str | None) -> None:
        """A page leaves one state and enters another; None is 'not known before' or 'forgotten'."""
        if old == new:
            return
        if old is not None:
            self.add(old, -1)
        if new is not None:
            self.add(new)

    def starting_with(self, prefix: str) -> dict[str, int]:
        """`{reason: count}` of every name below a prefix."""
        return {k[len(prefix) :]: v for k, v in self._values.items() if k.startswith(prefix)}

    def total(self, prefix: str) -> int:
        return sum(self.starting_with(prefix).values())

    @property
    def discovered(self) -> int:
        """Pages in any state."""
        return sum(v for k, v in self._values.items() if not k.startswith(_NO_STATES))

    def as_dict(self) -> dict[str, int]:
        return dict(self._values)
