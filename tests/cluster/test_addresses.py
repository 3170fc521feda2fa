"""Many hosts at one address, at several tablets: together they ask it as one machine would."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from shoal.model.messages import Delivery, Receipt
from tests.cluster.local import Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_be_polite, must_verify, places_of
from tests.world import Latency, Web, serve

TABLETS = 4
HOSTS = [f"h{number}.test" for number in range(8)]
PAGES = 3
GAP_SECONDS = 0.2
_SLACK_SECONDS = 2.0
"""A server that is kept waiting may see requests closer together than they were sent."""


class Watching:
    """Counts what is asked for and lent between tablets."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.asked = 0
        self.lent = 0.0

    def __call__(self, delivery: Delivery, deliver: Callable[[Delivery], Receipt]) -> Receipt:
        receipt = deliver(delivery)
        if delivery.wanted is not None:
            assert not delivery.items
            assert len(receipt.lent) == len(delivery.wanted.addresses)
            with self._lock:
                self.asked += 1
                self.lent = max([self.lent, *receipt.lent])
        return receipt


def test_an_address_is_asked_as_by_one_machine_and_parts_are_lent(tmp_path: Path) -> None:
    with serve(Web(seed=9, hosts=1, pages=1), {"*": Latency(0.002)}) as world:
        for host in HOSTS:
            world.put(host, "/robots.txt", "User-agent: *\nDisallow:\n", headers={})
            links = "".join(f"<a href='/{number}'>page {number}</a> " for number in range(PAGES))
            world.put(host, "/", f"<p>The pages of {host}.</p>{links}")
            for number in range(PAGES):
                world.put(host, f"/{number}", f"<p>Page {number} of {host}.</p>")
        address = f"{world.web.host_name(0)}:{world.port}"
        settings = SETTINGS | {f"resolve.{host}": address for host in HOSTS}
        settings |= {"politeness.delay": GAP_SECONDS, "politeness.address_share": 1}
        seeds = [f"http://{host}/" for host in HOSTS]
        fleet = Fleet(str(tmp_path), seeds, settings, TABLETS)
        fleet.disturb = watching = Watching()
        with crawling(fleet):
            fleet.wait_until_quiet()
            fleet.finish()
        log = world.log()
    asked = [each for each in log if each.target != "/robots.txt"]
    assert {each.url for each in asked if each.status == 200} == {
        f"http://{host}/{path}" for host in HOSTS for path in ("", *map(str, range(PAGES)))
    }
    must_be_polite(log, GAP_SECONDS)
    must_verify(places_of(tmp_path, TABLETS))
    lasted = max(each.start for each in log) - min(each.start for each in log)
    assert len(log) <= (lasted + _SLACK_SECONDS) / GAP_SECONDS + TABLETS
    assert watching.asked > 0
    assert watching.lent > 0
