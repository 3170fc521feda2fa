"""Which visits were handed out and are not committed yet?

The queue entry of such a visit is still on disk, so that a kill loses nothing; it must not be
handed out a second time, and its site must stay marked in the table until the commit, or nobody
would look for the entry after a kill.
"""

from collections import Counter
from itertools import islice

from shoal.model.visit import Visit


class InFlight:
    def __init__(self) -> None:
        self._visits: dict[bytes, Visit] = {}
        self._per_site: Counter[bytes] = Counter()

    def __contains__(self, row: bytes) -> bool:
        return row in self._visits

    def __len__(self) -> int:
        return len(self._visits)

    def first_urls(self, most: int) -> list[str]:
        return [visit.url for visit in islice(self._visits.values(), most)]

    def has_site(self, site: bytes) -> bool:
        return site in self._per_site

    def add(self, visit: Visit) -> None:
        if visit.row not in self._visits:
            self._per_site[visit.site] += 1
        self._visits[visit.row] = visit

    def remove(self, row: bytes) -> Visit | None:
        visit = self._visits.pop(row, None)
        if visit is not None:
            self._per_site[visit.site] -= 1
            if not self._per_site[visit.site]:
                del self._per_site[visit.site]
        return visit
