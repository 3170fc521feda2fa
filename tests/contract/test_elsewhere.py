"""The Elsewhere port: whose a site is, and that what is sent leaves in order."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.cluster.outbox import Outbox, read_item
from shoal.model.messages import NOWHERE, Handed, Item
from shoal.model.urls.partition import Partition
from shoal.ports import RemoteTablets, Table
from shoal.store.table import RocksTable
from tests.frontier.remote_tablets import Away

SITES = [f"test,h{number})80:http".encode() for number in range(30)]


class Stage(NamedTuple):
    elsewhere: RemoteTablets
    table: Table
    sent: Callable[[], list[Item]]


@pytest.fixture(params=[Outbox, Away])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with RocksTable(tmp_path / "table") as table:
        if request.param is Away:
            away = Away(b"1")
            yield Stage(away, table, lambda: away.sent)
        else:
            outbox = Outbox(table, Partition(0, 2), 1)
            yield Stage(
                outbox,
                table,
                lambda: [read_item(data) for _, data in outbox.after(1, NOWHERE, 100, 1 << 20)],
            )


def test_a_site_is_ours_or_another_s_and_stays_so(stage: Stage) -> None:
    ours = [stage.elsewhere.owns(site) for site in SITES]
    assert set(ours) == {True, False}
    assert ours == [stage.elsewhere.owns(site) for site in SITES]


def test_what_is_sent_leaves_with_its_batch_in_order(stage: Stage) -> None:
    theirs = [site for site in SITES if not stage.elsewhere.owns(site)]
    items = [Handed(site, float(number)) for number, site in enumerate(theirs)]
    batch = stage.table.batch()
    for site, item in zip(theirs, items, strict=True):
        stage.elsewhere.send(batch, site, item)
    stage.table.write(batch)
    assert stage.sent() == items
