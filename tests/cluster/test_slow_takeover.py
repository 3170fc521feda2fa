"""A host with a delay of its own, longer than the settings ask for, when its tablet is lost: the
next owner keeps that delay from the last request that the former one can have ended."""

from pathlib import Path

import pytest

from shoal.cluster.ownership import Ownership
from tests.cluster.local import Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_verify, places_of
from tests.world import Latency, RobotsMix, Web, by_host, gaps, overlaps, serve

ANSWER_SECONDS = 0.25
FACTOR = 4.0
WEB = Web(seed=5, hosts=3, pages=12, skew=0, mean_bytes=1000, robots=RobotsMix(0, 0, 0, 0))


@pytest.mark.parametrize("is_cut_off", [True, False])
def test_the_next_owner_keeps_a_slow_hosts_own_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_cut_off: bool
) -> None:
    """Either it goes on for as long as its lease lets it, and can't even renew that, or it hears at
    once that another has claimed its tablet."""
    settings = {**SETTINGS, "politeness.delay_factor": FACTOR}
    with serve(WEB, {"*": Latency(ANSWER_SECONDS)}) as world:
        fleet = Fleet(str(tmp_path / "cluster"), world.web.seeds(), settings, 1, lease=2.0)
        with crawling(fleet):
            world.wait(7)
            lost = fleet.tablets[0]
            assert lost is not None
            if is_cut_off:
                renew = Ownership.renew
                monkeypatch.setattr(
                    Ownership, "renew", lambda each: renew(each) if each.epoch > 1 else None
                )
            fleet.start(0)
            fleet.wait_until_quiet()
            fleet.finish()
            lost.join(60.0)
        log = world.log()
    assert lost.report().state == "fenced"
    assert [report.epoch for report in fleet.reports()] == [2]
    assert overlaps(log) == []
    shortest = min(gap for host in gaps(log).values() for gap in host)
    assert shortest >= FACTOR * ANSWER_SECONDS
    assert len(by_host(log)) == WEB.hosts
    assert {each.url for each in log if not each.is_robots} == world.web.crawlable()
    must_verify(places_of(tmp_path / "cluster", 1))
