"""What a page needs may stand on hosts of other tablets: who has the host archives it."""

from collections import Counter
from pathlib import Path

from shoal.api import open as open_collection
from tests.cluster.local import Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_be_polite, must_verify, places_of
from tests.world import RobotsMix, Web, serve

TABLETS, HOSTS = 4, 8
PNG = {"Content-Type": "image/png"}


def test_each_is_archived_by_whoever_has_its_host(tmp_path: Path) -> None:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=HOSTS, pages=8, robots=robots)) as world:
        roots = [f"http://{world.web.host_name(host)}:{world.port}" for host in range(HOSTS)]
        needed = [f"{root}/picture.png" for root in roots]
        for host in range(HOSTS):
            world.put(host, "/picture.png", f"a picture of {host}", headers=PNG)
        pictures = "".join(f"<img src='{url}'>" for url in needed)
        seeds = [world.put(host, "/page", f"{pictures}A text, {host}.") for host in range(2)]
        settings = {**SETTINGS, "crawl.scope": "host", "archive.requisites": "yes"}
        with crawling(Fleet(str(tmp_path), seeds, settings, TABLETS)) as fleet:
            fleet.wait_until_quiet()
            fleet.finish()
        must_be_polite(world.log())
        asked = Counter(f"http://{each.host}{each.target}" for each in world.log())
    assert {url: n for url, n in asked.items() if "robots" not in url} == dict.fromkeys(
        [*needed, *seeds], 1
    )
    must_verify(places_of(tmp_path, TABLETS))
    found = Counter[str]()
    for place in places_of(tmp_path, TABLETS):
        with open_collection(place) as collection:
            status = collection.status()
            found.update(pages=status.fetched, requisites=status.requisites)
            anchors = [collection.anchors(url) for url in needed]
            assert anchors == [[]] * HOSTS
    assert found == Counter(pages=2, requisites=HOSTS)
