"""The dashboard over real HTTP: counts that add up to their lists, orders, events, crawls."""

import json
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator
from inspect import get_annotations
from pathlib import Path
from typing import Any

import httpx
import pytest

import shoal
from shoal.layout.layout import Layout, is_locked
from shoal.layout.snapshot import read_snapshot
from shoal.maintenance.verify import verifying
from shoal.web.server import series
from shoal.web.server.routes import views
from shoal.web.server.serve import make_app
from tests.crawl.run import crawl
from tests.web.little_web import Serving
from tests.world import Gone, RobotsMix, Running, Status, Web, serve

WEB = Web(seed=5, hosts=3, pages=45, skew=0, starts=3, robots=RobotsMix(error=0))
OWN = (
    *("dashboard", "urls", "sites", "failures", "store", "freshness", "duplicates", "log", "graph"),
    "runs",
)
PATIENCE_SECONDS = 90.0


def until(holds: Callable[[], bool]) -> None:
    """A bounded wait for what another process or thread does."""
    deadline_s = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline_s, "it did not come"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(WEB) as running:
        running.set(f"{running.web.host_name(1)}/*", Status(403, probability=0.4))
        running.set(f"{running.web.host_name(2)}/*", Gone(probability=0.3))
        yield running


def gathered(world: Running, directory: Path) -> Path:
    crawl(directory, world.web.seeds(), {"politeness.delay": 0.01, "crawl.max_pages": 24})
    return directory


@pytest.fixture(scope="module")
def corpus(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be read."""
    return gathered(world, tmp_path_factory.mktemp("dashboard") / "corpus")


@pytest.fixture(scope="module")
def address(corpus: Path) -> Iterator[str]:
    serving = Serving(make_app(corpus))
    yield serving.address
    serving.close()


@pytest.fixture
def watch(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, trust_env=False) as asking:
        yield asking


def posted(address: str, path: str, fields: dict[str, str]) -> httpx.Response:
    """As a form of the dashboard sends it."""
    with httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE_SECONDS) as client:
        token = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get("/dashboard").text)
        assert token
        return client.post(path, data={"csrf": token[1], **fields})


class Steered:
    """A collection that a test may change, and its pages."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.open()

    def open(self) -> None:
        self._serving = Serving(make_app(self.directory))
        self.address = self._serving.address
        self.client = httpx.Client(
            base_url=self._serving.address, trust_env=False, timeout=PATIENCE_SECONDS
        )

    def close(self) -> None:
        self.client.close()
        self._serving.close()

    def post(self, path: str, **fields: str) -> httpx.Response:
        return posted(self.address, path, fields)

    def json(self, path: str, **query: str) -> Any:
        return self.client.get(path, params=query).json()

    def hosts(self) -> dict[str, Any]:
        return {each["host"]: each for each in self.json("/sites.json")["table"]["hosts"]}

    def problems(self) -> list[Any]:
        with verifying(Layout(self.directory), lambda _: None) as verifier:
            return list(verifier.findings())

    @property
    def pid(self) -> int:
        """Of the crawl that is at work."""
        snapshot = read_snapshot(self.directory / "status.json")
        return snapshot.live.pid if snapshot is not None and snapshot.live is not None else 0

    @property
    def is_running(self) -> bool:
        return is_locked(Layout(self.directory))


@pytest.fixture
def steered(world: Running, tmp_path: Path) -> Iterator[Steered]:
    found = Steered(gathered(world, tmp_path / "corpus"))
    yield found
    found.close()


def listed(client: httpx.Client, href: str) -> list[str]:
    """All URLs of a list, over its pages."""
    found, path = [], href.replace("/urls", "/urls.json", 1)
    while path:
        answer = client.get(path, params=None)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        found += [each["url"] for each in told["urls"]]
        path = told["next"].replace("/urls", "/urls.json", 1)
    return found


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OWN)
def test_every_view_has_a_twin(watch: httpx.Client, name: str) -> None:
    view = next(each for each in views() if each.path == f"/{name}")
    page = watch.get(view.path)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "style=" not in page.text
    assert "<script>" not in page.text
    assert view.data is not None
    assert set(watch.get(f"{view.path}.json").json()) == set(get_annotations(view.data))


def test_every_number_of_the_funnel_is_that_of_its_list(watch: httpx.Client) -> None:
    def check(step: dict[str, Any]) -> None:
        assert len(set(listed(watch, step["href"]))) == step["count"], step["name"]
        if step["below"]:
            assert sum(part["count"] for part in step["below"]) == step["count"], step["name"]
        for part in step["below"]:
            check(part)

    funnel = watch.get("/dashboard.json").json()["funnel"]
    assert funnel["count"] > 40
    assert {"failed", "excluded", "queued"} <= {part["name"] for part in funnel["below"]}
    check(funnel)


def test_urls_open_with_the_pages_of_the_collection(watch: httpx.Client) -> None:
    every = listed(watch, "/urls?state=any")
    told = watch.get("/urls.json").json()
    assert told["state"] == "stored"
    assert {each["state"] for each in told["urls"]} == {"fetched"}
    assert listed(watch, "/urls") == listed(watch, "/urls?state=fetched")
    assert 0 < len(listed(watch, "/urls")) < len(every)
    assert listed(watch, "/urls?reason=403") == listed(watch, "/urls?state=failed&reason=403") != []
    page = watch.get("/urls").text
    assert "URLs: stored" in page
    assert "<option selected>stored</option>" in page


def test_urls_are_filtered_and_sorted(watch: httpx.Client) -> None:
    every = listed(watch, "/urls?state=any")
    for sort in ("address", "state", "time"):
        assert sorted(listed(watch, f"/urls?state=any&sort={sort}&limit=9")) == sorted(every)
        page = watch.get(f"/urls?state=any&sort={sort}").text
        assert f"<option selected>{sort}</option>" in page
        assert page.count("aria-sort=") == 1
    text = every[0].rpartition("/")[2][:4]
    found = listed(watch, f"/urls?state=any&text={text.upper()}&limit=2")
    assert found == [url for url in every if text in url.lower()] != []
    times = [each["fetched"] for each in watch.get("/urls.json?sort=time").json()["urls"]]
    assert times == sorted(times, reverse=True) != []
    links = watch.get("/urls.json?sort=state&text=a").json()["sorts"]
    assert links["time"] == "/urls?state=stored&text=a&sort=time"
    refused = watch.get("/urls.json?sort=weight")
    assert refused.status_code == 400
    assert "'weight' is no order of a list" in refused.json()["says"]


def test_a_list_is_paged_by_a_cursor(watch: httpx.Client) -> None:
    whole = listed(watch, "/urls?state=any&limit=100")
    assert listed(watch, "/urls?state=any&limit=7") == whole
    assert len(set(whole)) == len(whole)
    host = whole[0].split("/")[2]
    assert listed(watch, f"/urls?state=any&where={host}") == [
        url for url in whole if f"//{host}/" in url
    ]
    refused = watch.get("/urls.json", params={"state": "lost"})
    assert refused.status_code == 400
    assert "'lost' is no state of a URL" in refused.json()["says"]


def test_sites_are_sorted_and_filtered(watch: httpx.Client) -> None:
    def hosts(**query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = watch.get("/sites.json", params=query).json()["table"][
            "hosts"
        ]
        return found

    by_fetched = [each["fetched"] for each in hosts(sort="fetched")]
    assert by_fetched == sorted(by_fetched, reverse=True)
    names = [each["host"] for each in hosts(sort="host")]
    assert len(names) == 3
    assert names == sorted(names)
    assert [each["host"] for each in hosts(name=names[1])] == [names[1]]
    assert hosts(state="paused") == []
    assert hosts(page="2") == []


def test_what_is_counted_nowhere_is_sampled_and_says_so(watch: httpx.Client) -> None:
    told = watch.get("/store.json").json()
    assert told["sample"]["is_whole"]
    assert told["sample"]["media_types"]["text/html"] > 0
    assert told["sample"]["statuses"]["403"] > 0
    assert sum(told["sample"]["ages"].values()) == told["pages"]
    assert {each["name"] for each in told["sizes"]["parts"]} == {
        "table",
        "archive",
        "index",
        "graph",
    }
    assert told["sizes"]["total_bytes"] > 0
    assert "page" in told["sizes"]["families"]


def test_past_crawls_are_listed(watch: httpx.Client) -> None:
    [run] = watch.get("/runs.json").json()["runs"]
    assert (run["kind"], run["failed"] > 0, run["asked"] >= 24) == ("new", True, True)
    assert "limit of 24 pages" in run["why"]
    page = watch.get("/runs").text
    assert run["why"] in page
    assert 'aria-current="page">Past crawls' in page


def test_without_a_script_the_page_says_how_to_reload_it(watch: httpx.Client) -> None:
    assert '<a href="/dashboard">Reload</a>' in watch.get("/dashboard").text
    assert '<meta http-equiv="refresh" content="10">' in watch.get("/dashboard?every=10").text
    assert 'content="2"' in watch.get("/dashboard?every=1").text


# --- orders ---------------------------------------------------------------------------------------


def test_nothing_changes_without_the_token(watch: httpx.Client) -> None:
    changing = [view.path for view in views() if view.method == "POST"]
    assert len(changing) >= 11
    for path in changing:
        assert watch.post(path, data={"host": "x", "csrf": "0" * 64}).status_code == 403
        assert watch.get(path).status_code == 405


def test_hosts_are_steered_from_the_table(steered: Steered) -> None:
    host = next(name for name, each in steered.hosts().items() if each["waiting"])
    answer = steered.post("/sites/pause", host=host, back="/sites?sort=host")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sites?sort=host")
    with httpx.Client(base_url=steered.address, cookies=answer.cookies) as browser:
        assert f"{host} is paused." in browser.get("/sites").text
    assert steered.hosts()[host]["state"] == "paused"
    steered.post("/sites/resume", host=host)
    steered.post("/sites/slow", host=host, seconds="7.5")
    found = steered.hosts()[host]
    assert (found["state"] != "paused", found["delay_seconds"]) == (True, 7.5)
    waiting = found["waiting"]
    steered.post("/sites/exclude", host=host)
    excluded = steered.json("/urls.json", where=host, state="excluded", reason="by hand")
    assert len(excluded["urls"]) == waiting > 0
    assert steered.hosts()[host]["state"] == "excluded"
    steered.post("/sites/include", host=host)
    assert steered.hosts()[host]["waiting"] == waiting
    refused = steered.post("/sites/slow", host=host, seconds="soon")
    assert (refused.status_code, "number of seconds" in refused.text) == (400, True)
    assert steered.problems() == []


def test_a_host_is_excluded_after_a_question(watch: httpx.Client) -> None:
    page = watch.get("/sites").text
    asked = page.count('<details class="question">')
    assert asked == page.count('action="/sites/exclude"') > 0
    for question in page.split('<details class="question">')[1:]:
        said, _, form = question.partition('action="/sites/exclude"')
        assert "Fetch nothing more of" in said
        assert "</details>" in form


def test_a_choice_stands_beside_its_words(watch: httpx.Client) -> None:
    assert '<p class="choice"><input type="checkbox" id="forever"' in watch.get("/dashboard").text
    style = watch.get("/static/dashboard.css").text
    assert "form.crawl .choice input { width: auto;" in style


def test_what_failed_is_tried_again(steered: Steered) -> None:
    causes = {each["reason"]: each for each in steered.json("/failures.json")["causes"]}
    before = steered.json("/dashboard.json")["figures"]["counts"]["queued"]
    answer = steered.post("/failures/retry", reason="forbidden")
    assert answer.headers["location"] == "/failures"
    counts = steered.json("/dashboard.json")["figures"]["counts"]
    assert counts["queued"] == before + causes["forbidden"]["count"]
    assert steered.json("/failures.json")["failed"] == 0
    assert steered.post("/failures/retry", reason="nonsense").status_code == 400


# --- crawls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"max_pages": "many"}, "--max-pages must be a whole number"),
        ({"seeds": "htp://x/"}, "htp"),
        ({"seeds": "file:///etc/passwd"}, "is not on the web"),
        ({"seeds": "@/etc/passwd"}, "@/etc/passwd"),
        ({"seeds": "--help"}, "--help"),
        ({"scope": "world"}, "scope"),
        ({"seeds": "http://93.184.216.34/", "delay": "0.1"}, "is too short for 93.184.216.34"),
        ({"seeds": "http://93.184.216.34/", "scope": "any", "delay": "3"}, "who runs it"),
    ],
)
def test_a_wish_is_refused_in_the_form(
    corpus: Path, address: str, fields: dict[str, str], says: str
) -> None:
    answer = posted(address, "/crawl/start", fields)
    assert answer.status_code == 400
    problem = re.search(r'role="alert">([^<]*)<', answer.text)
    assert problem
    assert says in problem[1].replace("&#39;", "'")
    for typed in fields.values():
        assert typed in answer.text, "what was typed is still there"
    assert answer.text.index('role="alert"') < answer.text.index("data-says"), "above the fold"
    assert not is_locked(Layout(corpus))


def test_a_crawl_is_started_outlives_the_server_and_is_stopped(
    steered: Steered, world: Running
) -> None:
    url = world.put(0, "/wished.html", "<title>wished</title><p>a wish")
    for host in steered.hosts():  # so that it does not end by itself
        steered.post("/sites/slow", host=host, seconds="4")
    answer = steered.post("/crawl/start", max_pages="1000", delay="0.01")
    assert answer.status_code == 303, answer.text
    assert steered.is_running
    assert steered.post("/crawl/start").status_code == 409, "one at a time"
    refused = steered.post("/crawl/start.json")
    says = {"status": 409, "says": "A crawl is running; stop it first."}
    assert (refused.status_code, refused.json()) == (409, says)
    assert "handed to the running crawl" in steered.post("/crawl/submit.json", urls=url).text
    until(lambda: steered.json("/dashboard.json")["standing"]["state"] == "running")
    steered.close()
    assert steered.is_running
    steered.open()
    assert steered.json("/dashboard.json")["standing"]["state"] == "running"
    assert "Crawling into" in "".join(steered.json("/log.json")["lines"])
    assert steered.post("/crawl/change", max_pages="many").status_code == 400
    first = steered.pid
    assert steered.post("/crawl/change", max_pages="2000", delay="0.02").status_code == 303
    until(lambda: steered.pid not in (0, first))
    assert steered.post("/crawl/stop").status_code == 303
    until(lambda: not steered.is_running)
    assert steered.post("/crawl/stop").status_code == 409, "there is none to end"
    says = steered.json("/dashboard.json")["standing"]["says"]
    assert says.startswith("At rest: asked to stop, ")
    assert "go on with: shoal crawl --delay 0.02 --max-pages 2000 --dir " in says
    assert steered.problems() == []


# --- what is watched ------------------------------------------------------------------------------


def events(client: httpx.Client, most: int) -> Generator[tuple[str, Any], None, None]:
    with client.stream("GET", "/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))
                most -= 1
                if not most:
                    return


def test_events_begin_with_the_history(watch: httpx.Client) -> None:
    [(name, told)] = events(watch, 1)
    assert name == "history"
    assert len(told["points"][-1]) == 5
    counts = told["figures"]["counts"]
    assert counts == watch.get("/dashboard.json").json()["figures"]["counts"]


def test_listeners_are_few_and_their_places_come_free(
    watch: httpx.Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series, "MOST_LISTENERS", 1)

    def has_room() -> bool:
        with watch.stream("GET", "/events") as answer:
            return answer.status_code == 200

    until(has_room)  # an earlier test's place may not be free yet
    with httpx.Client(base_url=address, trust_env=False) as other:
        listening = events(other, 9)
        assert next(listening)[0] == "history"
        assert not has_room()
        listening.close()
    until(has_room)


def test_the_thread_that_samples_ends_with_the_server(corpus: Path) -> None:
    def sampling() -> int:
        return sum(thread.name == "shoal-series" for thread in threading.enumerate())

    before = sampling()
    serving = Serving(make_app(corpus))
    until(lambda: sampling() == before + 1)
    serving.close()
    until(lambda: sampling() == before)


# --- metrics --------------------------------------------------------------------------------------

_NAME = r"[a-z][a-z0-9_]*"
_LABEL = rf'{_NAME}="(?:[^"\\\n]|\\["\\n])*"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{({_LABEL}(?:,{_LABEL})*)\}})? " + r"(\+Inf|-?[0-9.e+-]+)")


def parsed(text: str) -> dict[str, dict[str, float]]:
    """The text format, strictly: HELP and TYPE once before the samples, which stand together."""
    assert text.endswith("\n")
    found: dict[str, dict[str, float]] = {}
    kinds: dict[str, str] = {}
    current = ""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("# HELP "):
            current = line.split(" ")[2]
            assert current not in kinds, f"{current} is told twice"
            assert lines[at + 1].startswith(f"# TYPE {current} ")
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            kinds[name] = kind
            assert kind in ("counter", "gauge", "histogram")
            assert name.endswith("_total") == (kind == "counter")
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, line
            name, labels, value = match.groups()
            ends = ("_bucket", "_sum", "_count") if kinds[current] == "histogram" else ("",)
            assert name in [current + end for end in ends], line
            below = found.setdefault(name, {})
            assert (labels or "") not in below
            below[labels or ""] = float(value)
    return found


def test_metrics_are_as_prometheus_wants_them(watch: httpx.Client, world: Running) -> None:
    answer = watch.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = parsed(answer.text)
    counts = watch.get("/dashboard.json").json()["figures"]["counts"]
    assert found["shoal_urls_discovered"][""] == counts["discovered"]
    assert sum(found["shoal_urls"].values()) == counts["discovered"]
    assert sum(found["shoal_pages"].values()) == counts["answered/fetched"]
    assert found["shoal_failed"]['cause="forbidden"'] == counts["failed/forbidden"]
    assert found["process_resident_memory_bytes"][""] > 1_000_000
    buckets = list(found["shoal_search_duration_seconds_bucket"].values())
    assert buckets == sorted(buckets)
    assert buckets[-1] == found["shoal_search_duration_seconds_count"][""]
    assert world.web.host_name(0) not in answer.text
    assert "http:" not in answer.text


def test_yes_and_no_are_said_beside_a_pages_story(steered: Steered) -> None:
    with shoal.open(steered.directory) as collection:
        url = next(page.url for page in collection.pages() if page.text)
    shoal.make_topic("fish", words="reef fish", dir=steered.directory)
    assert 'action="/topic/teach"' in steered.client.get("/page", params={"url": url}).text
    told = steered.post("/topic/teach.json", topic="fish", url=url, answer="yes")
    assert told.status_code == 200, told.text
    [line] = shoal.topics(steered.directory)
    assert line.yes == 1
    assert (
        steered.post("/topic/teach.json", topic="whales", url=url, answer="yes").status_code == 400
    )
