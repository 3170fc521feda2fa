"""Documents inside others on the dashboard: a line of their own, with the list behind it."""

from pathlib import Path

from shoal.api import open as open_collection
from shoal.collection.report.url_list import Wanted, url_page
from shoal.web.views.funnel import counts, funnel, inside
from tests.crawl.counted_site import counted_site
from tests.crawl.run import crawl

SETTINGS = {"politeness.delay": 0.01}


def test_every_number_is_that_of_its_list(tmp_path: Path) -> None:
    with counted_site() as site:
        crawl(tmp_path, [site.url("/")], SETTINGS)
    with open_collection(tmp_path) as collection:
        status = collection.status()
        step = inside(status)
        assert counts(step) == {"inside": 5, "inside/waiting for the index": 5}
        assert counts(funnel(status))["discovered"] == status.discovered == 11
        for each in (step, *step.below):
            reason = "" if each is step else each.name
            listed = url_page(collection, Wanted("inside", reason)).urls
            assert len(listed) == each.count
            assert all("#" in line.url for line in listed)
        everything = url_page(collection, Wanted()).urls
        assert len(everything) == status.discovered + status.inside
        assert len(url_page(collection, Wanted("fetched")).urls) == status.fetched
