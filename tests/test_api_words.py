"""Words of the Python API: what a program may hand over, and what it gets."""

import inspect
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.demo.server import serve
from shoal.layout.layout import Layout
from shoal.store.table import RocksTable


def test_one_pattern_and_a_list_of_seeds(tmp_path: Path) -> None:
    with serve() as web:
        settings = {f"resolve.{host}": address for host, address in web.resolve.items()}
        summary = shoal.crawl(
            list(web.seeds),
            dir=tmp_path,
            max_pages=3,
            delay=0.05,
            include="/species/",
            keep="text",
            order="depth",
            rules="documents",
            settings=settings,
        )
    assert summary.trouble == []
    with shoal.open(tmp_path) as corpus:
        crawl = corpus.config.crawl
        assert (crawl.include, crawl.keep, crawl.order) == (("/species/",), "text", "depth")
        assert crawl.rules == "documents"


def test_a_seed_that_is_no_word(tmp_path: Path) -> None:
    with pytest.raises(shoal.UsageError, match="a seed must be a string or a list of strings"):
        shoal.crawl(3, dir=tmp_path)  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize("wrong", ["maybe", "no", 1, None])
def test_forever_is_yes_or_no(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(shoal.UsageError, match="forever must be True or False, not"):
        shoal.crawl("http://127.0.0.1:9/", dir=tmp_path, max_time=1, forever=wrong)


def an_empty_one(directory: Path) -> Path:
    layout = Layout(directory)
    layout.create("")
    RocksTable(layout.table).close()
    return directory


@pytest.mark.parametrize("older", ["yore", "-7d", [7], True, -1])
def test_older_is_a_length_of_time(tmp_path: Path, older: object) -> None:
    with pytest.raises(shoal.UsageError, match="older must be"):
        shoal.refresh(dir=an_empty_one(tmp_path), older=older)  # type: ignore[arg-type]


def test_older_as_a_text(tmp_path: Path) -> None:
    assert shoal.refresh(dir=an_empty_one(tmp_path), older="7d").finished


def test_a_collection_explains_and_takes_orders(tmp_path: Path) -> None:
    with serve() as web:
        settings = {f"resolve.{host}": address for host, address in web.resolve.items()}
        shoal.crawl(*web.seeds, dir=tmp_path, max_pages=1, delay=0.05, settings=settings)
    with shoal.open(tmp_path) as corpus:
        url = next(corpus.pages()).url
        host = url.split("/")[2]
        assert "fetched and is stored" in corpus.explain(url).verdict
        corpus.pause(host)
        assert corpus.submit(f"http://{host}/x") == [f"http://{host}/x"]
        corpus.refresh()
        assert any(each.clock.paused and each.row.waiting for each in corpus.hosts())
        corpus.resume(host)
        with pytest.raises(shoal.UsageError, match="does not know the host"):
            corpus.pause("nowhere.example")


def test_the_public_names_are_listed() -> None:
    assert set(shoal.__all__) <= set(dir(shoal))
    assert all(getattr(shoal, name) for name in shoal.__all__)
    assert shoal.plan(10e6, 10e3, 0.5, 10).hosts == 10_000


def test_every_public_name_says_what_it_is() -> None:
    """In a notebook `corpus.hosts?` answers."""
    silent = []
    for name in shoal.__all__:
        value = getattr(shoal, name)
        if callable(value) and not value.__doc__:
            silent.append(name)
        members = inspect.getmembers(value) if inspect.isclass(value) else []
        silent += [
            f"{name}.{member}"
            for member, each in members
            if not member.startswith("_")
            and (inspect.isfunction(each) or isinstance(each, property))
            and not inspect.getdoc(each)
        ]
    assert silent == []


def test_hosts_are_readable(tmp_path: Path) -> None:
    with serve() as web:
        settings = {f"resolve.{host}": address for host, address in web.resolve.items()}
        seed = web.seeds[0]
        shoal.crawl(seed, dir=tmp_path, max_pages=2, delay=0.05, scope="host", settings=settings)
    with shoal.open(tmp_path) as corpus:
        [host] = [each for each in corpus.hosts() if each.fetched]
        assert host.origin == f"http://{host.name}"
        assert (host.fetched, host.failed, host.paused) == (2, 0, False)
        assert host.waiting > 0
        assert host.delay_seconds == 0.05
        shown = f"<Host {host.origin} 2 fetched, {host.waiting:,} waiting, 0 failed>"
        assert repr(host) == shown
        corpus.pause(host.name)
        corpus.refresh()
        assert " paused, " in repr(next(each for each in corpus.hosts() if each.fetched))
