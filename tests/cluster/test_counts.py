"""The counts of a cluster mean the same after a refresh, as those of a collection do."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from shoal.collection.report.status_sum import summed
from shoal.collection.view import TabletView
from shoal.frontier.background.revisit_dates import Selection
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.layout import Layout
from shoal.layout.snapshot import Status
from shoal.model.record import changed
from tests.cluster.local import Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_verify, places_of
from tests.crawl.counted_site import MEMBERS, archive, page
from tests.crawl.own_site import OwnSite, own_site

TABLETS = 2
SITES = 4
QUICK = {**SETTINGS, "politeness.delay": 0.02}


@pytest.fixture
def sites() -> Iterator[list[OwnSite]]:
    """Of each a start, two pages that are the same, one that changes, one that goes, a zip."""
    with ExitStack() as stack:
        found = [stack.enter_context(own_site(f"127.47.0.{n}")) for n in range(1, SITES + 1)]
        names = ("twin-a", "twin-b", "changes", "goes", "old.zip")
        for site in found:
            links = "".join(f"<a href='/{name}'>{name}</a> " for name in names)
            site.put("/", page(f"Charts of {site.origin} are sold here. ", links))
            for name in names[:-1]:
                site.put(f"/{name}", page(f"{name[:4]} was seen at {site.origin} by night. "))
            site.put(
                "/old.zip", archive(*(site.origin + each for each in MEMBERS)), "application/zip"
            )
        yield found


def status_of(place: Path) -> Status:
    every = []
    for each in places_of(place, TABLETS):
        bring_up_to_date(each)
        with TabletView(Layout(each)) as view:
            every.append(view.status())
    return summed(every, str(place))


def run(place: Path, sites: list[OwnSite], selection: Selection | None = None) -> None:
    fleet = Fleet(str(place), [site.url("/") for site in sites], QUICK, TABLETS)
    if selection is not None:
        fleet.seeds = []
        fleet.specs = [changed(spec, selection=selection) for spec in fleet.specs]
    with crawling(fleet):
        fleet.wait_until_quiet()
        fleet.finish()


def test_they_mean_the_same_after_two_refreshes(sites: list[OwnSite], tmp_path: Path) -> None:
    run(tmp_path, sites)
    before = status_of(tmp_path)
    assert (before.discovered, before.fetched, before.inside) == (6 * SITES, 6 * SITES, 3 * SITES)
    assert before.visits["first"] == 6 * SITES
    for site in sites:
        site.put("/changes", page(f"Something else was seen at {site.origin}, twice. "))
        site.fail("/goes", 410)
    for number in (1, 2):
        run(tmp_path, sites, Selection())
        after = status_of(tmp_path)
        assert (after.fetched, after.unchanged, after.gone) == (5 * SITES, 0, SITES)
        assert after.inside == 3 * SITES
        assert after.indexed == after.fetched_by_fate["indexed"] + after.kept
        assert after.inside_indexed == after.inside_by_fate["indexed"]
        assert sum(after.visits.values()) == after.totals["requests"]
        last = {name: n for name, n in after.last_visits.items() if n and name != "robots"}
        if number == 1:
            assert last == {"unchanged": 4 * SITES, "changed": SITES, "gone": SITES}
        else:
            assert last == {"unchanged": 5 * SITES}, "what is gone for good is not asked for"
    must_verify(places_of(tmp_path, TABLETS))
