"""`submit` and its kind with `--dir` of a cluster: an order is laid down for its coordinator."""

import time
from pathlib import Path

from shoal.cluster.objects import open_objects
from shoal.control.cluster_commands import ClusterCommands, TabletCommands
from shoal.layout.cluster_file import create
from shoal.layout.cluster_status import new_status, write_status
from shoal.sources.inbox import ReadSitemap, Submit
from tests.cli.command import Shoal

URL = "http://www.example.org/new.html"


def test_what_is_submitted_is_laid_down_for_the_coordinator(shoal: Shoal, tmp_path: Path) -> None:
    place = str(tmp_path / "c")
    create(place, 2)
    objects = open_objects(place)
    status = new_status("c", place, 2)
    status.written = time.time()
    write_status(objects, status)
    listing = "http://www.example.org/pages.xml"
    done = shoal("submit", URL, "--sitemap", listing, "--dir", place)
    assert done.code == 0
    assert "2 URLs handed to the running crawl." in done.text
    ((_, order),) = ClusterCommands(objects).take()
    assert order == TabletCommands([ReadSitemap(listing), Submit(URL)])


def test_at_rest_it_waits_for_the_next_start(shoal: Shoal, tmp_path: Path) -> None:
    place = str(tmp_path / "c")
    create(place, 2)
    done = shoal("submit", URL, "--dir", place)
    assert done.code == 0
    assert done.text.rstrip().endswith(f"1 URL queued; fetch with: shoal crawl --dir {place}")
    ((_, order),) = ClusterCommands(open_objects(place)).take()
    assert order == TabletCommands([Submit(URL)])
