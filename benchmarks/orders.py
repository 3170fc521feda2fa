"""How early do the important pages come, in each order, and what does an order cost?

    python -m benchmarks.orders                       the Wikipedia pages in SHOAL_DATA/classes
    python -m benchmarks.orders --made 5000           a web that is made up, of so many pages
    python -m benchmarks.orders --made 5000 --sites 50

One server on a loopback address serves the web, links that leave it left out. It is crawled for
real, each order once and breadth first twice (at the beginning and at the end, as the machine may
have changed). Important is the one page in twenty of the highest PageRank over all links. Reported
is the share of them that was asked for among the first tenth of the pages, the area under the whole
curve, and CPU per page, children included, beside breadth first's. A random and a perfect order are
played on the same links. Then queries: how many pages it takes until the fifty best answers of the
full crawl are there, in a crawl about the query and breadth first; how exactly a threshold stops;
and what a farm of 10,000 hosts gets of the requests (the web of tests/hostile, simulated).
"""

import argparse
import gzip
import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urljoin

import shoal
from benchmarks import report
from benchmarks.web import stop_on_sigterm
from shoal.analysis import replay
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.frontier.state.worth import Importance
from shoal.model.document import Document
from shoal.model.link import Evidence
from shoal.model.visit import Visit
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play, PlaySettings, link
from tests.hostile.farmweb import FarmWeb

PORT = 8670
QUERIES = (
    "unix shell",
    "free software license",
    "package manager",
    "file system",
    "window manager",
)
BEST = 50
_LOG = "/-asked"
_HREF = re.compile(r"""href=["']([^"'#]*)["'#]""")
_DAMPING = 0.85
_ROUNDS = 60
_IMPORTANT = 0.05


class Page(NamedTuple):
    host: str
    path: str
    body: bytes
    links: list[int]

    @property
    def url(self) -> str:
        return f"http://{self.host}:{PORT}{self.path}"


def wikipedia(data: Path) -> list[Page]:
    with gzip.open(data / "classes" / "wikipedia-linux.jsonl.gz") as file:
        found = [json.loads(line) for line in file]
    found.sort(key=lambda each: each["depth"] != 0)  # the seed is first
    numbers = {each["path"]: number for number, each in enumerate(found)}

    def inside(match: re.Match[str]) -> str:
        return f'href="{match[1]}"' if match[1] in numbers else 'data-dead=""'

    return [
        Page(
            "127.43.0.1",
            each["path"],
            _HREF.sub(inside, each["html"]).encode(),
            [numbers[to] for to in dict.fromkeys(each["links"]) if to in numbers],
        )
        for each in found
    ]


def made(pages: int, sites: int) -> list[Page]:
    """Topics of unequal size, a few pages of which are named far more often, here and from
    everywhere; in half of them every page carries the same box of links."""
    random = Random(7)
    topics = [min(int(random.paretovariate(1.0)), 60) for _ in range(pages)]
    members: dict[int, list[int]] = {}
    for page, topic in enumerate(topics):
        members.setdefault(topic, []).append(page)
    often = {
        topic: random.choices(of, [min(random.paretovariate(0.9), 500) for _ in of], k=4_000)
        for topic, of in members.items()
    }
    anywhere = random.choices(range(pages), [random.paretovariate(0.9) for _ in topics], k=20_000)
    boxes = {
        topic: random.sample(of, min(len(of), 30)) if random.random() < 1 / 2 else []
        for topic, of in members.items()
    }
    links = []
    for topic in topics:
        count = max(3, int(random.lognormvariate(2.5, 0.9)))
        some = [
            random.choice(often[topic] if random.random() < 0.6 else anywhere) for _ in range(count)
        ]
        links.append(some + boxes[topic])
    for page in range(1, pages):  # all can be reached
        links[random.randrange(page)].append(page)
    hosts = [f"127.43.{1 + topic % sites // 250}.{1 + topic % sites % 250}" for topic in topics]
    found = []
    for page, named in enumerate(links):
        targets = [each for each in dict.fromkeys(named) if each != page]
        anchors = " ".join(
            f'<a href="http://{hosts[to]}:{PORT}/{topics[to]}/{to}">page {to}</a>' for to in targets
        )
        text = " ".join(f"word{random.randrange(5000)}" for _ in range(300))
        body = f"<title>Page {page}</title><p>{text}</p>{anchors}".encode()
        found.append(Page(hosts[page], f"/{topics[page]}/{page}", body, targets))
    return found


def page_ranks(pages: list[Page]) -> list[float]:
    ranks = [1 / len(pages)] * len(pages)
    for _ in range(_ROUNDS):
        given = [0.0] * len(pages)
        for page, rank in zip(pages, ranks, strict=True):
            for each in page.links:
                given[each] += _DAMPING * rank / len(page.links)
        lost = (1 - sum(given)) / len(pages)
        ranks = [each + lost for each in given]
    return ranks


# --- a server that remembers what it was asked for, in order --------------------------------------


@contextmanager
def served(pages: list[Page]) -> Iterator[None]:
    ready = multiprocessing.Event()
    process = multiprocessing.Process(target=_serve, args=(pages, ready), daemon=True)
    process.start()
    try:
        ready.wait(30)
        yield
    finally:
        process.terminate()
        process.join()


def _serve(pages: list[Page], ready: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    bodies = {f"{page.host}:{PORT}{page.path}": page.body for page in pages}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = f"{self.headers['Host']}{self.path}"
            body = json.dumps(asked).encode() if self.path == _LOG else bodies.get(name)
            if self.path != _LOG and body is not None:
                asked.append(f"http://{name}")
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            pass

    server = ThreadingHTTPServer(("0.0.0.0", PORT), Handler)  # noqa: S104 - all of 127.43
    ready.set()
    server.serve_forever()


class Crawled(NamedTuple):
    order: list[int]
    cpu_ms: float
    """Per page, of this process and its children."""
    directory: Path


def crawl(pages: list[Page], work: Path, *, follow: str = "no", **how: Any) -> Crawled:
    numbers = {page.url: number for number, page in enumerate(pages)}
    settings = {
        "politeness.delay": 0.001,
        "politeness.delay_factor": 0,
        "politeness.address_share": 1000,
        "crawl.scope": "any",
        "fetch.allow_private": "yes",
        "index.follow": follow,
    }
    directory = Path(tempfile.mkdtemp(dir=work))
    with served(pages):
        before = _cpu_seconds()
        shoal.crawl(pages[0].url, dir=directory, settings=settings, **how)
        spent = _cpu_seconds() - before
        log = urllib.request.urlopen(f"http://{pages[0].host}:{PORT}{_LOG}").read()
    order = [numbers[url] for url in dict.fromkeys(json.loads(log))]
    return Crawled(order, 1000 * spent / len(order), directory)


def _cpu_seconds() -> float:
    every = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in every)


# --- the questions --------------------------------------------------------------------------------


def scores(order: list[int], wanted: frozenset[int]) -> tuple[float, float]:
    shares = replay.share_found(order, wanted)
    return shares[len(shares) // 10 - 1], replay.area_under(shares)


def orders(pages: list[Page], work: Path) -> list[str]:
    ranks = page_ranks(pages)
    most = round(_IMPORTANT * len(pages))
    wanted = frozenset(sorted(range(len(pages)), key=ranks.__getitem__)[-most:])
    links = [page.links for page in pages]
    only = {"popularity": 1.0}
    ways: dict[str, dict[str, Any]] = {
        "breadth": {"order": "breadth"},
        "shares": {"order": "importance", "weights": only},
        "links": {"order": "importance", "weights": only, "popularity": "links"},
        "depth": {"order": "depth"},
        "breadth again": {"order": "breadth"},
    }
    rows, lines, costs = [], list[str](), dict[str, float]()
    found: dict[str, tuple[float, float]] = {}
    for name, how in ways.items():
        done = crawl(pages, work, **how)
        found[name], costs[name] = scores(done.order, wanted), done.cpu_ms
        rows.append([name, len(done.order), *found[name], done.cpu_ms])
    played = {
        "random": replay.at_random(links, [0], 1),
        "perfect": replay.best_known_first(links, [0], ranks),
    }
    for name, order in played.items():
        rows.append([name, len(order), *scores(order, wanted), "-"])
    print(report.table(["order", "pages", "after a tenth", "area", "CPU ms a page"], rows))
    breadth = (costs["breadth"] + costs["breadth again"]) / 2
    for name in ("shares", "links"):
        lines.append(report.line(f"found {name}", found[name][0], found["breadth"][0]))
        lines.append(report.line(f"area {name}", found[name][1], found["breadth"][1]))
        lines.append(report.line(f"cpu {name}", costs[name], breadth))
    return lines


def queries(pages: list[Page], work: Path) -> list[str]:
    """Until the best answers of the full crawl are there: all, nine in ten, and in the mean."""
    whole = crawl(pages, work, follow="yes", order="breadth")
    numbers = {page.url: number for number, page in enumerate(pages)}
    rows, lines = [], []
    shoal.update_index(whole.directory)
    with shoal.open(whole.directory) as collection:
        answers = {
            query: [
                numbers[each.url]
                for each in collection.search(query, limit=BEST, site_limit=0).results
                if each.url in numbers
            ]
            for query in QUERIES
        }
    for query, best in answers.items():
        weights = {"content": 1.0, "popularity": 0.1}
        done = crawl(pages, work, order="importance", about=query, weights=weights)
        places = [
            sorted(order.index(page) + 1 for page in best) for order in (whole.order, done.order)
        ]
        nine = [each[len(each) * 9 // 10 - 1] for each in places]
        last = [each[-1] for each in places]
        mean = [sum(each) / len(each) for each in places]
        rows.append([query, *(each[way] for each in (last, nine, mean) for way in (0, 1))])
        lines.append(report.line(f"answers {query.replace(' ', '-')}", mean[1], mean[0]))
    head = ["query", "all, breadth", "about", "nine in ten, breadth", "about"]
    print(report.table([*head, "mean, breadth", "about"], rows))
    return lines


def threshold(pages: list[Page], work: Path) -> str:
    wanted = max(10, len(pages) // 8)
    weights = {"popularity": 1.0}
    done = crawl(pages, work, order="importance", weights=weights, stop_when=wanted, value=0.4)
    with shoal.open(done.directory) as collection:
        values = sorted(
            (row.fetched_ms, row.priority) for _, row in collection.urls() if row.fetched_ms
        )
    passed, first = 0, len(values)
    for place, (_, value) in enumerate(values, 1):
        passed += value >= 0.4
        if passed == wanted:
            first = place
            break
    return report.line("threshold stop", len(values), first)


def farm(work: Path) -> str:
    """What 10,000 hosts that link to each other get, until all honest pages are there."""
    web = FarmWeb(honest=50, pages=40, farm=10_000)
    honest = web.honest_urls()
    polite = Politeness(delay=1, delay_factor=0, address_share=0)
    shares = []
    for importance in (Importance(), None):
        settings = FrontierSettings(
            seed=1, importance=importance, max_pages=2 * len(honest), politeness=polite
        )
        with RocksTable(Path(tempfile.mkdtemp(dir=work)) / "table") as table:
            play = Play(table, FakeClock(), PlaySettings(settings))
            play.seed(*(f"http://h{number}.test/" for number in range(5)))

            def answer(visit: Visit) -> Answer:
                host, _, path = visit.url.removeprefix("http://").partition("/")
                names = dict.fromkeys(urljoin(visit.url, to) for to in web.links(host, f"/{path}"))
                links = [link(url, evidence=Evidence(among=len(names))) for url in names]
                return Answer(200, links, documents=[Document(text_digest=visit.url)])

            asked = play.crawl(answer, most=2 * len(honest))
            last = max(place for place, url in enumerate(asked) if url in honest) + 1
            shares.append(sum(url.startswith("http://f") for url in asked[:last]) / last)
    return report.line("farm", *shares)


def main() -> int:
    stop_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SHOAL_DATA", "data")))
    parser.add_argument("--made", type=int, default=0, help="pages of a web that is made up")
    parser.add_argument("--sites", type=int, default=1)
    given = parser.parse_args()
    file = given.data / "classes" / "wikipedia-linux.jsonl.gz"
    if not given.made and not file.exists():
        sys.exit(f"{file} is not there: SHOAL_DATA says where the data is.")
    pages = made(given.made, given.sites) if given.made else wikipedia(given.data)
    with tempfile.TemporaryDirectory(prefix="shoal-orders-") as place:
        work = Path(place)
        lines = orders(pages, work)
        if not given.made:
            lines += queries(pages, work)
        lines += [threshold(pages, work), farm(work)]
    print("\n".join(["", *lines]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
