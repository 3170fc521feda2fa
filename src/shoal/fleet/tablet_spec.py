"""What is a tablet told when it is started?"""

from shoal.frontier.background.revisit_dates import Selection
from shoal.model.record import Struct


class TabletSpec(Struct, frozen=True):
    """Which tablet of which cluster, and how it is kept."""

    place: str
    number: int
    tablets: int
    who: str = ""
    """Which machine and process, for people."""
    lease: float = 15.0
    checkpoint: float = 60.0
    """Seconds between two checkpoints, where there is no shared file system."""
    work: str = ""
    """Where a machine keeps its working copies, likewise."""
    selection: Selection | None = None
    """The stored pages that are asked for again, and nothing else is; None: new ones."""
    are_pages_granted: bool = False
    """It counts no more pages than whoever watches over all tablets has granted it."""
