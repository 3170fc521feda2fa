"""What is a page worth by the links to it? For searches and whoever else asks for many pages.

The files are mapped, not read, and looked at again when `shoal rank` has replaced them: that check
is one look at the file system. Without ranks every page has 0.
"""

from collections.abc import Sequence
from pathlib import Path

from shoal.graph.generations import Summary
from shoal.graph.scores import NewestRanks, RankFile
from shoal.layout.layout import live_data
from shoal.model.urls.rowkey import site_or_row

GRAPH = "graph"
"""Beside the table."""


class Ranks:
    """The ranks of a collection's pages, on a scale from 0 to 1.

    0: nobody links to it, or it is not known. 1: the highest rank of the collection. Between them
    by the logarithm of PageRank, and with less than 1 for the highest where ranks are nearly even:
    score = log(rank / lowest) / log(max(100, highest / lowest)).
    """

    def __init__(self, directory: Path) -> None:
        """Of the collection in that directory."""
        self._directory = directory
        self._place = graph_of(directory)
        self._newest = NewestRanks(self._place)

    def rank_of(self, rows: Sequence[bytes]) -> list[float]:
        """The score of each row."""
        file = self._file()
        return [0.0] * len(rows) if file is None else file.pages(rows)

    def site_rank_of(self, rows: Sequence[bytes]) -> list[float]:
        """The score of the site of each row, by the links of other sites."""
        file = self._file()
        return [0.0] * len(rows) if file is None else [file.site(site_or_row(row)) for row in rows]

    def unfetched(self) -> list[bytes]:
        """The rows of the highest scores that were not fetched when links were ranked."""
        file = self._file()
        return [] if file is None else file.unfetched()

    def summary(self) -> Summary | None:
        """Of what they were computed, and when; None without ranks."""
        file = self._file()
        return None if file is None else file.summary

    def _file(self) -> RankFile | None:
        place = graph_of(self._directory)  # another one after `shoal shadow apply`
        if place != self._place:
            self._place, self._newest = place, NewestRanks(place)
        self._newest.refresh()
        return self._newest.file


def graph_of(directory: Path) -> Path:
    """Where the graph of a collection stands."""
    return live_data(directory) / GRAPH
