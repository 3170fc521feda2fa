"""Who is reading? Every read takes a principal, so that nobody finds what they may not read.

A document lists its readers; an empty list is public. The owner of a collection on one's own
machine reads everything.
"""

from collections.abc import Iterable

from shoal.model.record import Struct


class Principal(Struct, frozen=True):
    names: frozenset[str] = frozenset()
    everything: bool = False

    def may_read(self, readers: Iterable[str]) -> bool:
        readers = list(readers)
        return self.everything or not readers or any(name in self.names for name in readers)


PUBLIC = Principal()
OWNER = Principal(everything=True)
