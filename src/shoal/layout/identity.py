"""What must an engine know to be one tablet of many?"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import CollectionError
from shoal.frontier.schedule.shares import Borrower
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import PARTITION_KEY, Partition
from shoal.ports import Table

CACHE_BYTES = 64 << 20
"""Of a table: several tablets share a machine."""


@dataclass(frozen=True)
class TabletIdentity:
    partition: Partition
    epoch: int
    holds: Callable[[], bool]
    """Whether the lease holds: without it nothing is asked for."""
    must_hold: Callable[[], None]
    """Raises when the lease does not hold: then nothing is written."""
    requested_by_others: float = 0.0
    """Until then another owner may have asked any host."""
    cache_bytes: int = CACHE_BYTES
    most_outbox: int = 200_000
    """Items: with more of them nothing new is asked for, until others have taken some."""


def partition_of(table: Table) -> Partition:
    """Which tablet a table is; of a collection of its own, the only one."""
    stored = table.get("site", PARTITION_KEY)
    return Partition() if stored is None else unpack(Partition, stored)


def borrower_of(identity: TabletIdentity | None, gap_seconds: float) -> Borrower | None:
    """Hosts of one address may be at any tablet: each has a part of it. None: all of it is ours."""
    if identity is None or identity.partition.tablets == 1:
        return None
    return Borrower(identity.partition.tablets, gap_seconds, identity.epoch)


def adopt_identity(
    table: Table, identity: TabletIdentity | None, directory: Path, *, at_rest: bool
) -> None:
    """A table knows which tablet it is, and nobody crawls in it as another, or as none."""
    stored = table.get("site", PARTITION_KEY)
    known = None if stored is None else unpack(Partition, stored)
    is_another = known is not None and identity is not None and known != identity.partition
    is_one_of_many = known is not None and known.tablets > 1
    if is_another or (is_one_of_many and identity is None and not at_rest):
        raise CollectionError(
            f"{directory} is a tablet of a cluster; crawl with: shoal cluster start PLACE"
        )
    if known is None and identity is not None:
        batch = table.batch()
        batch.put("site", PARTITION_KEY, pack(identity.partition))
        table.write(batch)
