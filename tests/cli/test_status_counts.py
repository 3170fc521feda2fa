"""Every number of `shoal status` is explained by the visits made: after a crawl, a refresh, and
another, of a site with an archive, a mailbox, duplicates and pages that change, move and go.

What is expected is worked out from what the site was asked and answered, and from nothing else.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.command import Shoal
from tests.crawl.counted_site import (
    GULLS,
    NETS,
    SAME,
    TALES,
    TIDES,
    archive,
    counted_site,
    page,
)
from tests.crawl.own_site import OwnSite

FAST = (
    "--set=politeness.delay=0.01",
    "--set=politeness.delay_factor=0",
    "--set=index.follow=yes",
    "--quiet",
)
TWINS = ("/twin-a", "/twin-b")
LISTING = "/sitemap.xml"
FOUND = (200, 304)


@pytest.fixture
def site() -> Iterator[OwnSite]:
    with counted_site() as running:
        running.put(
            "/robots.txt", f"User-agent: *\nSitemap: {running.url(LISTING)}\n", "text/plain"
        )
        listed = f"<url><loc>{running.url('/lighthouse')}</loc></url>"
        scheme = "http://www.sitemaps.org/schemas/sitemap/0.9"
        body = f'<?xml version="1.0"?><urlset xmlns="{scheme}">{listed}</urlset>'
        running.put(LISTING, body, "application/xml")
        running.put("/lighthouse", page("The keeper wrote down every ship and every storm. "))
        yield running


class Ledger:
    """What the site was asked, a list for each run, and what then must be counted."""

    def __init__(self, site: OwnSite) -> None:
        self._site = site
        self._runs: list[list[tuple[str, int]]] = []
        self._robots: list[int] = []
        self.changed: list[set[str]] = []
        """The paths whose page was another than before, by run."""

    def close_run(self, *changed: str) -> None:
        self._runs.append(self._site.asked(sum(map(len, self._runs))))
        self._robots.append(self._site.robots_asked() - sum(self._robots))
        self.changed.append(set(changed))

    @property
    def last(self) -> dict[str, int]:
        """The last answer to each path."""
        return {path: status for run in self._runs for path, status in run}

    def pages(self, *statuses: int) -> set[str]:
        return {path for path, status in self.last.items() if status in statuses} - {LISTING}

    def were_found(self) -> set[str]:
        return {path for run in self._runs for path, status in run if status in FOUND}

    def visits(self, number: int) -> Counter[str]:
        """Of one run."""
        before = {path for run in self._runs[:number] for path, _ in run}
        found = Counter({"robots": self._robots[number]})
        for path, status in self._runs[number]:
            if path == LISTING:
                found["source"] += 1
            elif path not in before:
                found["first"] += 1
                before.add(path)
            elif status in FOUND:
                found["changed" if path in self.changed[number] else "unchanged"] += 1
            else:
                found[{404: "gone", 410: "gone", 301: "moved", 403: "failed"}[status]] += 1
        return found

    def all_visits(self) -> Counter[str]:
        return sum((self.visits(number) for number in range(len(self._runs))), Counter())


def check(status: dict[str, Any], ledger: Ledger, inside: int, left: int) -> None:
    fetched = ledger.pages(*FOUND)
    gone = Counter(str(ledger.last[path]) for path in ledger.pages(404, 410))
    duplicates = max(0, len(fetched.intersection(TWINS)) - 1)
    assert status["fetched"] == len(fetched)
    assert (status["gone"], status["gone_by_status"]) == (gone.total(), gone)
    assert (status["redirect"], status["failed"]) == (
        len(ledger.pages(301)),
        len(ledger.pages(403)),
    )
    assert (status["source"], status["queued"], status["excluded"], status["unchanged"]) == (
        1, 0, 0, 0,
    )  # fmt: skip
    assert status["discovered"] == status["answered"] + status["failed"] == len(ledger.last)
    fates = {"indexed": len(fetched) - duplicates, "duplicate": duplicates}
    assert status["fetched_by_fate"] == {name: n for name, n in fates.items() if n}
    # What was there and now is missing, or does not answer, is kept; a 410 and a 301 are taken at
    # their word.
    kept = ledger.pages(404, 403) & ledger.were_found()
    assert (status["kept"], status["indexed"]) == (len(kept), fates["indexed"] + len(kept))
    assert (status["inside"], status["inside_gone"]) == (inside, left)
    assert status["inside_indexed"] == inside
    assert status["inside_by_fate"] == ({"indexed": inside} if inside else {})
    visits = ledger.all_visits()
    assert Counter(status["visits"]) == visits
    assert status["totals"]["requests"] == visits.total()
    assert status["totals"]["robots_requests"] == visits["robots"]
    assert Counter(status["last_visits"]) == ledger.visits(len(ledger.changed) - 1)


def test_before_and_after_two_refreshes(shoal: Shoal, site: OwnSite) -> None:
    ledger = Ledger(site)
    shoal.ok("crawl", site.url("/"), *FAST)
    ledger.close_run()
    status = shoal.ok("status", "--json").json
    check(status, ledger, inside=5, left=0)
    assert (status["fetched"], status["indexed"], status["discovered"]) == (11, 10, 13)

    site.put("/reef", page(TALES["reef"] + "Divers have seen it. "))  # changed
    site.fail("/wreck", 410)  # gone for good
    site.fail("/buoy", 404)  # missing
    site.move("/pilot", "/pilots")  # moved
    site.put("/pilots", page(TALES["pilot"]))
    site.fail("/eel", 403)  # does not answer
    site.fail(TWINS[0], 404)  # of two that are the same
    site.put("/old.zip", archive(GULLS, TIDES), "application/zip")  # one member has left it
    shoal.ok("refresh", *FAST)
    ledger.close_run("/reef", "/old.zip")
    status = shoal.ok("status", "--json").json
    check(status, ledger, inside=4, left=1)
    assert (status["fetched"], status["gone"], status["kept"]) == (7, 4, 3)

    site.put("/buoy", page(TALES["buoy"]))  # there again
    site.put("/eel", page(TALES["eel"]))
    site.put(TWINS[0], page(SAME))
    site.fail("/post.mbox", 410)  # and all mails with it
    site.put("/old.zip", archive(GULLS, TIDES, NETS), "application/zip")  # there again
    shoal.ok("refresh", *FAST)
    ledger.close_run("/old.zip")
    status = shoal.ok("status", "--json").json
    check(status, ledger, inside=3, left=2)
    assert (status["fetched"], status["gone"], status["kept"]) == (9, 3, 0)
    _is_shown(shoal, status)
    _is_listed(shoal, status)
    _is_exported(shoal, status)
    assert shoal.ok("verify").code == 0


def _is_shown(shoal: Shoal, status: dict[str, Any]) -> None:
    text = shoal.ok("status").text
    assert f"inside {status['inside']:>8}  = indexed {status['inside']}\n" in text
    assert f"  left {status['inside_gone']:>8}\n" in text
    assert f"visits {status['totals']['requests']:>8}  = " in text
    assert f"last run {sum(status['last_visits'].values()):>6}  = " in text
    assert "8 pages and 3 documents inside others in the index" in text


def _is_listed(shoal: Shoal, status: dict[str, Any]) -> None:
    """The lists behind the numbers are as long as these."""
    for state in ("fetched", "gone", "redirect", "failed", "source", "inside"):
        assert len(shoal("urls", "--state", state).lines) == status[state], state
    assert len(shoal.ok("urls", "--state=fetched", "--reason=duplicate").lines) == 1


def _is_exported(shoal: Shoal, status: dict[str, Any]) -> None:
    """Each stored page with its fate: also those that are gone, and nothing waits for the index."""
    lines = shoal.ok("export", "jsonl").json_lines
    fates = Counter(line["fate"] for line in lines)
    found = Counter(status["fetched_by_fate"]) + Counter(status["inside_by_fate"])
    assert fates == found + Counter({"gone": 2, "redirect": 1})
    by_path = {line["url"].rpartition("/")[2]: line["fate"] for line in lines}
    assert (by_path["wreck"], by_path["post.mbox"], by_path["pilot"]) == (
        "gone",
        "gone",
        "redirect",
    )
    assert by_path["old.zip#2.txt"] == "indexed"
    shown = shoal.ok("show", next(line["url"] for line in lines if line["fate"] == "gone")).text
    assert "waiting" not in shown
