"""What is asked for in a search? The words, and what of the answer is wanted."""

from shoal.errors import UsageError
from shoal.model.record import Struct

MOST_PER_PAGE = 100
SITE_LIMIT = 2
"""Results of one site before the others of it come behind those of other sites."""


class SearchRequest(Struct, frozen=True):
    text: str
    limit: int = 10
    """Results on a page."""
    page: int = 1
    site_limit: int = SITE_LIMIT
    """0: as many of a site as there are."""
    explain: bool = False
    """Whether each result says how it came to its score."""
    facets: bool = False
    """Whether the sites, languages, types and years of all that was found are counted."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"what to search for must be a string, not {self.text!r:.60}")
        if not 1 <= self.limit <= MOST_PER_PAGE:
            raise UsageError(f"limit must be from 1 to {MOST_PER_PAGE}, not {self.limit}")
        if self.page < 1:
            raise UsageError(f"page must be 1 or more, not {self.page}")
