"""What does a page say of sites that other tablets have? It is sent there, with the page's commit.

All links of a page for one tablet are one item. Whether their targets are new is for the receiver
to say; here it is only remembered what was sent lately, because credit (credit.py) is handed to
domains that something new is named of, and a page that is named on every page is not.
"""

from collections.abc import Callable, Mapping, Sequence

from shoal.frontier.state.provenance import Provenance
from shoal.model.link import Link
from shoal.model.messages import Handed, Linked
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch, RemoteTablets

_SENT_REMEMBERED = 100_000
_SITES_REMEMBERED = 100_000


class Outbound:
    def __init__(self, remote: RemoteTablets, is_private: Callable[[bytes], bool]) -> None:
        self._remote = remote
        self._is_private = is_private
        self._is_own: dict[bytes, bool] = {}
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()
        self.linked: set[bytes] = set()
        """Sites elsewhere of which the page at hand names something that was not sent lately."""

    def send(
        self, batch: Batch, links: Sequence[Link], origin: Provenance, when_ms: int
    ) -> list[int]:
        """Send away what is not ours; returns the places of the links that are."""
        own: list[int] = []
        away: dict[bytes, list[Link]] = {}
        for place, link in enumerate(links):
            site = link.row[: link.site_length] if link.site_length else site_of_key(link.row)
            if self.owns(site):
                own.append(place)
            else:
                away.setdefault(site, []).append(link)
        finder = origin.found_from
        private = bool(away and finder) and self._is_private(site_of_key(finder))
        for site, linked in away.items():
            if not origin.readers and [link for link in linked if self._is_news(link.row)]:
                self.linked.add(site)
            item = Linked(
                linked,
                origin.depth,
                origin.hops,
                origin.found_from,
                when_ms,
                origin.history,
                origin.again,
                origin.readers,
                private,
                origin.told,
            )
            self._remote.send(batch, site, item)
        return own

    def take_linked(self) -> set[bytes]:
        linked, self.linked = self.linked, set()
        return linked

    def hand_on(self, batch: Batch, shares: Mapping[bytes, float]) -> None:
        for site, pages in shares.items():
            self._remote.send(batch, site, Handed(site, pages))

    def owns(self, site: bytes) -> bool:
        found = self._is_own.get(site)
        if found is None:
            if len(self._is_own) >= _SITES_REMEMBERED:
                self._is_own.clear()
            found = self._is_own[site] = self._remote.owns(site)
        return found

    def _is_news(self, row: bytes) -> bool:
        if row in self._young:
            return False
        if len(self._young) >= _SENT_REMEMBERED:
            self._old, self._young = self._young, set()
        self._young.add(row)
        return row not in self._old
