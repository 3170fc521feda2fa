"""The simulation of many machines on webs small enough to know the answer, and the model's sums."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from benchmarks import scale_checkpoints, scale_exchange, scale_model, scale_sim
from benchmarks.scale_cluster import AddressClock, Cluster, Machines, Steps, crawl
from benchmarks.scale_model import Costs, Machine, Model
from benchmarks.scale_model import Web as ModelWeb
from benchmarks.scale_world import Hosts, Web, hosts_of

DAY = 86_400.0
TINY = Web(pages=1e6, hosts=20_000, singly=200, bundles=200)
SMALL = Cluster(machines=4, tablets=16, address_clock=AddressClock.NONE)
EVEN = Steps(30.0, 0.0)


def hosts(count: int, pages: float, address: int | None = None) -> Hosts:
    """Hosts alike, one after the other to the tablets; a response takes half a second."""
    numbers = np.arange(count)
    return Hosts(
        alike=np.ones(count),
        pages=np.full(count, float(pages)),
        hashes=numbers.astype(np.uint64),
        address=numbers if address is None else np.full(count, address),
        fetch_seconds=np.full(count, 0.5),
        turn_seconds=np.full(count, 3.5),
    )


def test_the_web_has_as_many_pages_and_hosts_as_asked() -> None:
    for skew in (0.8, 1.0, 1.3):
        found = hosts_of(replace(TINY, skew=skew))
        assert found.pages.sum() == pytest.approx(1e6)
        assert found.alike.sum() == 20_000
        assert found.pages[0] / found.pages[9] == pytest.approx(10**skew)
    assert hosts_of(replace(TINY, budget=100)).pages[:200].max() == 100


def test_bundles_change_little() -> None:
    """Each host by itself, and most of them in bundles: the crawl is the same."""
    web = Web(pages=2e5, hosts=4000, singly=4000, fetch_spread=0.0)
    singly, bundled = (
        crawl(hosts_of(each), SMALL, EVEN, until_share=0.9).seconds_until(0.9 - 1e-6)
        for each in (web, replace(web, singly=200, bundles=400))
    )
    assert bundled == pytest.approx(singly, rel=0.05)


def test_the_same_seed_gives_the_same_run() -> None:
    failing = replace(SMALL, mean_seconds_to_failure=3600.0)
    web = replace(TINY, budget=5000)
    first, again = (crawl(hosts_of(web), failing, EVEN) for _ in range(2))
    other = crawl(hosts_of(web), replace(failing, seed=2), EVEN)
    assert first == again
    assert first.failures > 0
    assert first.fetched != other.fetched


def test_one_host_gives_one_page_a_turn() -> None:
    run = crawl(hosts(1, 1000), SMALL, EVEN)
    assert run.seconds_until(0.5) == pytest.approx(500 * 3.5)


def test_cores_limit_where_hosts_do_not() -> None:
    many = replace(SMALL, tablets=32)
    run = crawl(hosts(64_000, 1e5), many, EVEN, until_seconds=600)
    saving = 8 * many.checkpoint_cpu_seconds / many.checkpoint_every_seconds
    assert run.pages_per_second() == pytest.approx(4 * (16 - saving) / many.cpu_seconds)


def test_event_loops_limit_where_tablets_are_few() -> None:
    few = replace(SMALL, tablets=2)
    run = crawl(hosts(64_000, 1e5), few, EVEN, until_seconds=600)
    assert run.pages_per_second() == pytest.approx(2 / few.main_cpu_seconds)


def test_calls_between_tablets_take_their_part() -> None:
    many = replace(SMALL, tablets=32, call_cpu_seconds=0.01)
    run = crawl(hosts(64_000, 1e5), many, EVEN, until_seconds=600)
    beside = 8 * many.checkpoint_cpu_seconds / many.checkpoint_every_seconds + 8 * 31 / 2 * 0.01
    assert run.pages_per_second() == pytest.approx(4 * (16 - beside) / many.cpu_seconds)
    assert replace(many, tablets=4096).calling == 1.0


def test_workers_limit_where_answers_are_slow() -> None:
    few = replace(SMALL, workers=10)
    run = crawl(hosts(64_000, 1e5), few, EVEN, until_seconds=600)
    assert run.pages_per_second() == pytest.approx(16 * 10 / 0.5)


@pytest.mark.parametrize(
    ("rule", "lone", "shared"),
    [
        (AddressClock.ALL, 1 / 6.4, 10.0),
        (AddressClock.AT_MOST_DELAY, 1 / 3.5, 64 / 3.5),
        (AddressClock.PRESENT, 1 / 3.5, 10.0),
        (AddressClock.NONE, 1 / 3.5, 64 / 3.5),
    ],
)
def test_the_clock_of_an_address(rule: AddressClock, lone: float, shared: float) -> None:
    """With 64 tablets, a tenth of a second divided among all of them slows a host that is alone."""
    cluster = replace(SMALL, tablets=64, address_clock=rule)
    alone = crawl(hosts(1, 1e5), cluster, EVEN, until_seconds=6400)
    together = crawl(hosts(64, 1e5, address=7), cluster, EVEN, until_seconds=6400)
    assert alone.pages_per_second() == pytest.approx(lone)
    assert together.pages_per_second() == pytest.approx(shared)


def test_what_failures_cost_is_what_they_should() -> None:
    """On average half an interval is fetched again, at each failure of each machine."""
    cluster = replace(
        SMALL,
        machines=100,
        tablets=800,
        mean_seconds_to_failure=DAY,
        checkpoint_every_seconds=3600.0,
    )
    run = scale_sim.endless(cluster, 2 * DAY)
    could = cluster.cpu_pages_per_second * 2 * DAY
    a_machine = cluster.cpu_pages_per_second / 100
    assert 150 < run.failures < 250
    assert run.repeated == pytest.approx(run.failures * a_machine * 1800, rel=0.15)
    assert 0.02 < 1 - run.fetched[-1] / could < 0.06


def test_without_failures_nothing_is_fetched_twice() -> None:
    run = crawl(hosts_of(replace(TINY, budget=1000)), SMALL, EVEN)
    assert (run.repeated, run.failures, run.moves) == (0.0, 0, 0)
    assert run.fetched == sorted(run.fetched)
    assert run.fetched[-1] == pytest.approx(run.pages, rel=1e-4)


def test_a_dead_machines_tablets_go_on_elsewhere_and_come_back() -> None:
    machines = Machines(replace(SMALL, mean_seconds_to_failure=1e12))
    machines._fails_at[2] = 100.0
    assert machines.failed(99.0).tolist() == []
    assert machines.failed(101.0).tolist() == [2]
    orphans = np.flatnonzero(machines.place == 2)
    machines.give_away(orphans, 101.0)
    assert np.bincount(machines.place, minlength=4).tolist() == [6, 5, 0, 5]
    assert (machines.resumes_at[orphans] == 101.0 + SMALL.pause_seconds).all()
    assert machines.rebalance(102.0 + 3600) != []
    assert np.bincount(machines.place, minlength=4).tolist() == [4, 4, 4, 4]


def test_when_all_machines_are_down_tablets_wait_for_the_first() -> None:
    machines = Machines(replace(SMALL, mean_seconds_to_failure=1e12))
    machines._fails_at[:] = [10.0, 10.0, 10.0, 10.0]
    machines.failed(10.0)
    machines.give_away(np.arange(16), 10.0)
    assert (machines.resumes_at == 10.0 + 1800.0 + SMALL.pause_seconds).all()


@pytest.mark.parametrize("name", ["throughput", "tail", "addresses", "imbalance"])
def test_every_figure_is_drawn(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale_sim, "Web", lambda *_, **named: replace(TINY, **named))
    arguments = ["--machines", "4", "--only", name, "--pictures", str(tmp_path)]
    scale_sim.main(arguments)
    first = capsys.readouterr().out
    drawn = (tmp_path / f"scale-{name}.svg").read_bytes()
    assert len(Xml.fromstring(drawn).findall("{*}polyline")) >= 3  # noqa: S314 - our own
    scale_sim.main(arguments)
    assert capsys.readouterr().out == first
    assert (tmp_path / f"scale-{name}.svg").read_bytes() == drawn


def test_the_models_first_limit_is_the_least() -> None:
    cheap = replace(Costs(), call_us=0)
    roomy = Machine(outbox_items=1e9)
    wide, narrow = (Model(cheap, ModelWeb(), replace(roomy, tablets=n)) for n in (1600, 64))
    assert wide.first_limit().what == "cores"
    assert narrow.first_limit().what == "event loops of the tablets"
    rare = Model(cheap, ModelWeb(), Machine(checkpoint_minutes=60))
    assert rare.first_limit().what == "outboxes, until the next checkpoint"
    slow = Model(Costs(), ModelWeb(), Machine(web_mbit=1))
    assert slow.first_limit().what == "network from the web"


def test_the_models_sums() -> None:
    """Of a page like those that were measured nothing is added but the frontier's growth."""
    web = ModelWeb(pages=1e6, links=11.5, known=1, elsewhere=0, sketches=0)
    model = Model(Costs(), web, Machine(tablets=1))
    costs = Costs()
    assert model.main_seconds == pytest.approx(costs.main_ms / 1e3)
    in_children = (costs.children_ms + costs.saved_us / 1e3) / 1e3
    assert model.cpu_seconds == pytest.approx(model.main_seconds + in_children)
    assert model.table_bytes == Costs().table_bytes
    assert model.exchanged_bytes == 0
    longer = Model(Costs(), replace(web, page_bytes=2 * 29_400), Machine(tablets=1))
    assert longer.disk_bytes == pytest.approx(2 * model.disk_bytes)
    assert longer.main_seconds == model.main_seconds


def test_what_does_not_fit_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    scale_model.main(["--disk-gb", "10", "--pages", "1e9"])
    disk = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("disk"))
    assert disk.endswith("too much")


def test_what_travels_is_weighed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scale_exchange.main(["--links", "600", "--work", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.rstrip("0123456789. ") for line in lines[1:-1]] == [
        "put into the outbox",
        "read from it",
        "taken in",
        "taken in, all known",
        "deleted",
    ]
    assert all(float(line.split()[-1]) > 0 for line in lines[1:-1])


def test_checkpoints_are_weighed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scale_checkpoints.main(["--pages", "20", "--times", "2", "--work", str(tmp_path)])
    pages, cpu, _, table, archive, _ = capsys.readouterr().out.splitlines()[1].split()
    assert (int(pages), int(archive)) == (20, 6632)
    assert float(cpu) > 0
    assert float(table) > 5000


def test_the_document_shows_what_the_model_says() -> None:
    document = Path(scale_model.__file__).parents[1] / "docs" / "scale.md"
    told = "\n".join(
        f"    {line}" for line in Model(Costs(), ModelWeb(), Machine()).report().split("\n")
    )
    assert told.replace("    \n", "\n") in document.read_text(encoding="utf-8")
