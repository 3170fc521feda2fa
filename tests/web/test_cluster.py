"""A cluster, served: every view, the page of its machines and tablets, and what it is told."""

import re
import shutil
import time
from collections.abc import Iterator
from inspect import get_annotations
from pathlib import Path
from typing import Any

import httpx
import pytest

from shoal.cluster.objects import open_objects
from shoal.control.cluster_commands import (
    ClusterCommand,
    ClusterCommands,
    Drain,
    Rebalance,
    StopAll,
    TabletCommands,
)
from shoal.errors import UsageError
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.cluster_file import create, directories
from shoal.layout.cluster_status import ClusterStatus, new_status, write_status
from shoal.layout.tablet_place import adopt
from shoal.maintenance.cluster_upkeep import ClusterUpkeep
from shoal.repartition.split_and_merge import split
from shoal.sources.inbox import Exclude, Include, Pause, Resume, Retry, Slow, Submit
from shoal.web.server import cluster_watching
from shoal.web.server.cluster_watching import Cluster
from shoal.web.server.routes import views
from shoal.web.server.serve import make_app, serve
from shoal.web.server.view import View
from tests.cluster.stores import s3_bucket
from tests.collection.many import crawled
from tests.web.clustered import HOSTILE, TABLETS, said_to_run
from tests.web.little_web import Serving, client_of

SITES = tuple(f"http://{name}.example" for name in ("reef", "kelp", "tide"))
GIVEN = {"url": f"{SITES[0]}/shared", "q": "page", "other": f"{SITES[1]}/shared"}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("served") / "one"
    crawled(directory)
    assert bring_up_to_date(directory) > 0
    return directory


@pytest.fixture(scope="module")
def place(one: Path) -> Path:
    """To be read; nobody runs it."""
    cluster = one.parent / "reef & <b>kelp"
    split(one, str(cluster), TABLETS)
    return cluster


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[str]:
    app = make_app(place)
    ClusterUpkeep(app.state.site.reading, app.state.site.watching.is_running).look()
    serving = Serving(app, copied=GIVEN["url"])
    yield serving.address
    serving.close()


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[httpx.Client]:
    with client_of(address) as asking:
        yield asking


@pytest.fixture(scope="module")
def alone(one: Path) -> Iterator[httpx.Client]:
    """The same pages as one collection."""
    serving = Serving(make_app(one), copied=GIVEN["url"])
    with client_of(serving.address) as asking:
        yield asking
    serving.close()


class Run:
    """A cluster that says that it runs, and its pages."""

    def __init__(self, directory: Path) -> None:
        self.place = directory
        self.status = said_to_run(directory)
        self._serving = Serving(make_app(directory))
        self.address = self._serving.address
        self.client = client_of(self.address)

    def post(self, path: str, **fields: str) -> httpx.Response:
        token = re.search(r'name="csrf" value="([0-9a-f]+)"', self.client.get("/cluster").text)
        assert token
        return self.client.post(path, data={"csrf": token[1], **fields})

    def orders(self) -> list[ClusterCommand]:
        return [order for _, order in ClusterCommands(open_objects(str(self.place))).take()]

    def close(self) -> None:
        self.client.close()
        self._serving.close()


@pytest.fixture
def run(place: Path, tmp_path: Path) -> Iterator[Run]:
    shutil.copytree(place, tmp_path / "cluster", symlinks=True)
    found = Run(tmp_path / "cluster")
    yield found
    found.close()


# --- the views of a collection, of a cluster ------------------------------------------------------


def get_views(only: str) -> list[View]:
    return [view for view in views() if view.method == "GET" and view.only == only]


OF_ONES_OWN = ("/mail", "/file")
"""Which a page of the web is not."""


@pytest.mark.parametrize(
    "view",
    [view for only in ("", "cluster") for view in get_views(only) if view.path != "/events"],
    ids=lambda view: view.path,
)
def test_every_view_answers(client: httpx.Client, view: View) -> None:
    page = client.get(view.path, params=GIVEN)
    if view.path in OF_ONES_OWN:
        assert page.status_code == 404
        assert "This is no file" in page.text or "This page is no mail" in page.text
        return
    assert page.status_code == (303 if view.path == "/open" else 200), page.text
    if not view.twin:
        return
    assert "style=" not in page.text
    assert "<script>" not in page.text
    twin = client.get(f"{view.path}.json", params=GIVEN)
    assert twin.headers["content-type"] == "application/json"
    if view.data is not None:
        assert set(twin.json()) == set(get_annotations(view.data))


@pytest.mark.parametrize("view", get_views("collection"), ids=lambda view: view.path)
def test_what_a_cluster_has_not_says_so(client: httpx.Client, view: View) -> None:
    for path in (view.path, f"{view.path}.json"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "A cluster is served here" in answer.text


def test_no_page_leads_to_what_is_not_there(client: httpx.Client) -> None:
    absent = {view.path for view in views() if view.only == "collection"}
    for path in ("/", "/dashboard", "/cluster", "/sites", "/urls", "/failures", "/duplicates"):
        page = client.get(path).text
        led = {each.partition("?")[0] for each in re.findall(r'(?:href|action)="(/[^"#]*)', page)}
        assert led & absent == set(), path
        assert '<a href="/cluster"' in page


def test_hosts_and_failures_are_steered_as_a_collections_are(run: Run) -> None:
    assert 'action="/sites/slow"' in run.client.get("/sites").text
    assert 'action="/crawl/submit"' in run.client.get("/dashboard").text
    for path in ("/sites/pause", "/sites/resume", "/sites/exclude", "/sites/include"):
        assert run.post(path, host="reef.example").status_code == 303
    assert run.post("/sites/slow", host="reef.example", seconds="9").status_code == 303
    assert run.post("/crawl/submit", urls="http://reef.example/new").status_code == 303
    assert run.post("/failures/retry").status_code == 303
    told = [
        command
        for each in run.orders()
        if isinstance(each, TabletCommands)
        for command in each.commands
    ]
    assert told == [
        Pause("reef.example"),
        Resume("reef.example"),
        Exclude("reef.example"),
        Include("reef.example"),
        Slow("reef.example", 9.0),
        Submit("http://reef.example/new"),
        Retry("", ""),
    ]


def test_orders_for_a_collection_are_refused_in_one_sentence(run: Run) -> None:
    for view in views():
        if view.method == "POST" and view.only == "collection":
            answer = run.post(f"{view.path}.json", host="reef.example", urls="http://x.example/")
            assert answer.status_code == 409, view.path
            assert "takes no such order" in answer.json()["says"]
    assert run.orders() == []


@pytest.mark.parametrize("path", [view.path for view in views() if view.only == "cluster"])
def test_a_collection_has_no_page_of_a_cluster(alone: httpx.Client, path: str) -> None:
    told = alone.get(f"{path}.json")
    assert told.status_code == (404 if path == "/cluster" else 405)
    assert 'href="/cluster"' not in alone.get("/dashboard").text


def test_search_finds_what_one_collection_finds(client: httpx.Client, alone: httpx.Client) -> None:
    for query in ({"q": "page"}, {"q": "page", "site": "reef.example"}, {"q": "things move"}):
        found = client.get("/search.json", params=query).json()
        same = alone.get("/search.json", params=query).json()
        assert found["found"]["total"] == same["found"]["total"] > 0
        assert found["facets"] == same["facets"]
        assert {each["url"] for each in found["found"]["results"]}


def test_pages_and_copies_are_those_of_the_collection(
    client: httpx.Client, alone: httpx.Client
) -> None:
    for url in (f"{SITES[0]}/shared", f"{SITES[1]}/slash/", f"{SITES[2]}/page/1"):
        page, same = (
            each.get("/page.json", params={"url": url}).json() for each in (client, alone)
        )
        for name in ("title", "facts", "visits", "versions", "links", "rules", "headers"):
            assert page[name] == same[name], name
        assert page["explanation"]["verdict"] == same["explanation"]["verdict"]
        copies = [each.get("/copy/raw", params={"url": url}).text for each in (client, alone)]
        assert copies[0] == copies[1]
    for each in (client, alone):
        answer = each.get("/page.json", params={"url": "http://nowhere.example/x"})
        assert not answer.json()["is_stored"]


def test_lists_and_counts_are_those_of_the_collection(
    client: httpx.Client, alone: httpx.Client
) -> None:
    def urls(asking: httpx.Client, **query: str) -> list[str]:
        found, path = [], "/urls.json"
        told = asking.get(path, params=query).json()
        while True:
            found += [each["url"] for each in told["urls"]]
            if not told["next"]:
                return found
            told = asking.get(told["next"].replace("/urls", "/urls.json", 1)).json()

    every = urls(alone, state="any", limit="100")
    for sort in ("address", "state", "time"):
        alike = {"state": "any", "sort": sort}
        assert urls(client, **alike, limit="100") == urls(client, **alike, limit="7")
        assert sorted(urls(client, **alike)) == sorted(every)
    assert urls(client, state="any", limit="7") == every
    assert urls(client, state="gone", limit="3") == urls(alone, state="gone") != []
    wrong = client.get("/urls.json", params={"state": "lost"})
    assert (wrong.status_code, "no state of a URL" in wrong.text) == (400, True)
    funnels = [each.get("/dashboard.json").json()["funnel"] for each in (client, alone)]
    assert funnels[0] == funnels[1]
    hosts = [each.get("/sites.json?sort=host").json()["table"] for each in (client, alone)]
    assert hosts[0]["hosts"] == hosts[1]["hosts"]
    samples = [each.get("/store.json").json()["sample"] for each in (client, alone)]
    for name in ("looked_at", "is_whole", "statuses", "media_types"):
        assert samples[0][name] == samples[1][name]


def test_numbers_for_prometheus(client: httpx.Client, run: Run) -> None:
    resting, running = client.get("/metrics").text, run.client.get("/metrics").text
    assert f'shoal_cluster_tablets{{state="resting"}} {TABLETS}\n' in resting
    assert "shoal_cluster_machines 0\n" in resting
    assert "shoal_crawl_running 0\n" in resting
    assert 'shoal_cluster_tablets{state="running"} 3\n' in running
    assert 'shoal_cluster_tablets{state="failed"} 1\n' in running
    assert "shoal_cluster_outbox_items 8\n" in running
    assert "shoal_cluster_machines 2\n" in running
    assert "shoal_crawl_running 1\n" in running
    assert "shoal_pages_per_second 4.5\n" in running
    assert ".example" not in running


# --- its own page ---------------------------------------------------------------------------------


def test_a_cluster_at_rest(client: httpx.Client, place: Path) -> None:
    told = client.get("/cluster.json").json()
    assert (told["running"], told["since"], told["machines"]) == (False, "", [])
    assert told["place"] == str(place)
    assert told["standing"]["says"].startswith("At rest: it was never started")
    assert [each["number"] for each in told["lines"]] == list(range(TABLETS))
    assert {each["state"] for each in told["lines"]} == {"resting"}
    status = client.get("/dashboard.json").json()
    assert told["fetched"] == status["figures"]["counts"]["answered/fetched"] > 0
    assert status["standing"] == told["standing"]
    page = client.get("/cluster").text
    assert "reef &amp; &lt;b&gt;kelp" in page
    assert "<b>kelp" not in page
    assert "<form" not in page, "nothing can be ordered of what does not run"


def test_a_running_cluster(run: Run) -> None:
    told = run.client.get("/cluster.json").json()
    assert told["running"]
    assert "Running at 4.5 pages/s on 2 machines, 20 URLs wait, 8 items" in told["standing"]["says"]
    assert (told["fetched"], told["queued"], told["outbox"], told["tablets"]) == (44, 20, 8, 4)
    machines = {each["name"]: (each["state"], each["tablets"]) for each in told["machines"]}
    assert machines == {"a1b2": ("alive", 3), "c3d4": ("drained", 1), "gone": ("gone", 0)}
    second, last = told["lines"][1], told["lines"][3]
    assert (second["epoch"], second["machine"], second["idle"]) == (2, "a1b2", True)
    assert (last["state"], HOSTILE in last["problem"]) == ("failed", True)
    assert all(each["last_durable"] for each in told["lines"])
    move = told["moves"][0]
    assert (move["tablet"], move["before"], move["now"]) == (2, "a1b2", "c3d4")
    assert move["pause_seconds"] == 4.25
    assert told["since"] < move["when"]
    only = run.client.get("/cluster.json", params={"machine": "c3d4"}).json()
    assert [each["number"] for each in only["lines"]] == [2]
    only = run.client.get("/cluster.json", params={"state": "failed"}).json()
    assert [each["number"] for each in only["lines"]] == [3]
    assert run.client.get("/cluster.json", params={"page": "2"}).json()["lines"] == []


def test_names_and_problems_stay_text(run: Run) -> None:
    for query in ({}, {"machine": HOSTILE, "state": HOSTILE[:40]}):
        page = run.client.get("/cluster", params=query)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "\u202e" not in page.text
        assert "&lt;script&gt;" in page.text
        assert "style=" not in page.text


def test_it_is_loaded_again_without_a_script(run: Run) -> None:
    assert '<a href="/cluster">Reload</a>' in run.client.get("/cluster").text
    page = run.client.get("/cluster?every=1&machine=a1b2").text
    assert '<meta http-equiv="refresh" content="2">' in page
    assert '<a href="/cluster?machine=a1b2">Stop that</a>' in page


def test_events_tell_of_a_cluster(run: Run) -> None:
    with run.client.stream("GET", "/events") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: history"
        assert '"state":"running"' in next(lines)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"ended": "asked to stop"}, "Stopping (asked to stop): 1 of 4 tablets have ended."),
        ({"running": False, "ended": "asked to stop"}, "At rest: asked to stop, 20 URLs wait;"),
        ({"written": 1.0}, "At rest: it was killed, or not heard of since 1970-01-01"),
    ],
)
def test_how_it_stands(
    run: Run, changed: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_watching, "_LOOK_SECONDS", 0.0)
    said_to_run(run.place, **changed)
    told = run.client.get("/cluster.json").json()["standing"]
    assert told["says"].startswith(says)
    if "rest" in told["state"]:
        assert told["says"].endswith(f"go on with: shoal cluster start {run.place}")


# --- orders ---------------------------------------------------------------------------------------


def test_orders_are_laid_down(run: Run) -> None:
    answer = run.post("/cluster/drain", machine="a1b2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/cluster")
    with client_of(run.address) as browser:
        browser.cookies = answer.cookies
        assert "Tablets leave a1b2" in browser.get("/cluster").text
    assert run.post("/cluster/rebalance.json").json()["says"].startswith("Tablets are spread")
    assert run.post("/cluster/stop").status_code == 303
    assert run.orders() == [Drain("a1b2"), Rebalance(), StopAll()]


def test_only_a_form_of_ours_orders_anything(run: Run) -> None:
    for path in ("/cluster/drain", "/cluster/rebalance", "/cluster/stop"):
        assert run.client.post(path, data={"machine": "a1b2"}).status_code == 403
        assert run.client.post(path, data={"csrf": "0" * 64}).status_code == 403
        other = {"origin": "http://evil.example"}
        assert run.client.post(path, data={}, headers=other).status_code == 403
        assert run.client.get(path).status_code == 405
    assert run.orders() == []


def test_what_can_not_be_ordered(run: Run) -> None:
    for machine in ("gone", "", HOSTILE):
        answer = run.post("/cluster/drain", machine=machine)
        assert answer.status_code == 400
        assert "<script>alert" not in answer.text
    token = re.search(r'name="csrf" value="([0-9a-f]+)"', run.client.get("/cluster").text)
    assert token
    said_to_run(run.place, running=False, ended="finished")
    for path in ("/cluster/drain", "/cluster/rebalance", "/cluster/stop"):
        answer = run.client.post(f"{path}.json", data={"csrf": token[1], "machine": "a1b2"})
        assert answer.status_code == 400
        assert "does not run" in answer.json()["says"]
    assert run.orders() == []


# --- what changes, and what is not there ----------------------------------------------------------


def test_a_tablet_that_moved_is_read_where_it_is(run: Run) -> None:
    given = {"url": f"{SITES[0]}/shared"}
    assert run.client.get("/page.json", params=given).json()["is_stored"]
    before = directories(run.place, TABLETS)
    for number in range(TABLETS):
        adopt(run.place / "tablets" / f"{number:04}", 7)
    for directory in before:
        shutil.rmtree(directory)
    assert run.client.get("/page.json", params=given).json()["is_stored"]
    assert run.client.get("/search.json", params={"q": "page"}).json()["found"]["total"] > 0


def test_one_that_nobody_started(tmp_path: Path) -> None:
    create(str(tmp_path / "new"), 3)
    serving = Serving(make_app(tmp_path / "new"))
    with client_of(serving.address) as asking:
        told = asking.get("/cluster.json").json()
        assert (told["tablets"], told["running"], told["fetched"]) == (3, False, 0)
        assert asking.get("/cluster").status_code == 200
        for path in ("/", "/dashboard", "/sites", "/urls", "/metrics", "/page?url=a.example"):
            answer = asking.get(path)
            assert answer.status_code == 503, path
            assert "was never started" in answer.text
    serving.close()


def test_a_status_that_can_not_be_read_is_no_fault(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_watching, "_LOOK_SECONDS", 0.0)
    (run.place / "status.json").write_bytes(b"{")
    assert not run.client.get("/cluster.json").json()["running"]
    assert run.client.get("/dashboard").status_code == 200
    (run.place / "cluster.json").write_bytes(b"{")
    told = run.client.get("/cluster.json")
    assert (told.status_code, "can't be read" in told.json()["says"]) == (503, True)


def test_one_in_an_object_store(one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where checkpoints are restored to
    monkeypatch.setattr(cluster_watching, "_LOOK_SECONDS", 0.0)
    given = {"url": f"{SITES[0]}/shared"}
    with s3_bucket() as bucket:
        for name, value in bucket.environment.items():
            monkeypatch.setenv(name, value)
        split(one, bucket.place, 2)
        serving = Serving(make_app(bucket.place))
        with client_of(serving.address) as asking:
            assert asking.get("/search.json?q=page").json()["found"]["total"] > 0
            told = asking.get("/cluster.json").json()
            assert (told["name"], told["place"], told["running"]) == ("here", bucket.place, False)
            assert told["fetched"] > 0
            status = new_status("c1", bucket.place, 2)
            status.written = status.started = time.time()
            status.ended, status.running = "finished", False
            write_status(open_objects(bucket.place), status)  # it ran: its tablets are others now
            assert asking.get("/page.json", params=given).json()["is_stored"]
            assert asking.get("/dashboard.json").json()["standing"]["state"] == "resting"
        serving.close()


def test_a_place_is_looked_at_once_a_second(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []

    def look(place: str) -> ClusterStatus:
        looks.append(place)
        return run.status

    monkeypatch.setattr("shoal.web.server.cluster_watching.status_at", look)
    cluster = Cluster("s3://bucket/reef/")
    assert cluster.name == "reef"
    assert cluster.status() is cluster.status()
    assert cluster.is_running()
    assert looks == ["s3://bucket/reef/"]


def test_serve_refuses_what_is_not_for_a_cluster(place: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--crawl is for a collection"):
        serve(place, port=0, crawl=True)
    (tmp_path / "cluster.json").write_text("{")
    with pytest.raises(Exception, match="can't be read"):
        serve(tmp_path, port=0)
