"""Who is reading? Every read takes a principal, so that nobody finds what they may not read.

A document lists its readers (access.py has the words); an empty list is public. The owner of a
collection on one's own machine reads everything.
"""

from collections.abc import Iterable

from shoal.model.access import is_meant
from shoal.model.record import Struct


class Principal(Struct, frozen=True):
    names: frozenset[str] = frozenset()
    everything: bool = False

    def may_read(self, readers: Iterable[str]) -> bool:
        if self.everything:
            return True
        readers = list(readers)
        return not readers or any(is_meant(word, self.names) for word in readers)


PUBLIC = Principal()
OWNER = Principal(everything=True)
