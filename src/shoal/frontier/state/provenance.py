"""How did one come to a link?"""

from shoal.model.change_history import ChangeHistory
from shoal.model.record import Struct


class Provenance(Struct, array_like=True):
    """How one came to a link."""

    depth: int
    hops: int = 0
    found_from: bytes = b""
    history: ChangeHistory | None = None
    """How a page changes that has moved there."""
    again: bool = False
    """Whether a page that has moved there was being visited again."""
    readers: list[str] | None = None
    """Who may read the page that the link stands on; None: as it was said before."""
    told: bool = False
    """Whether the page may have been read before: then some of its links are known already."""
