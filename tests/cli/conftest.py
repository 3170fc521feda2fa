"""A command line to type at, and a crawled collection of the bundled web to read from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.indexing import update_index
from shoal.demo import serve
from tests.cli.command import Done, Shoal


@pytest.fixture
def shoal(tmp_path: Path) -> Iterator[Shoal]:
    shoal = Shoal(tmp_path)
    yield shoal
    shoal.close()


@pytest.fixture(scope="session")
def reef(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of the whole bundled web, for reading only."""
    directory = tmp_path_factory.mktemp("reef")
    shoal = Shoal(directory)
    with serve("127.71.0") as web:
        places = [f"--resolve={host}={address}" for host, address in web.resolve.items()]
        shoal.ok(
            "crawl",
            *web.seeds,
            *places,
            "--scope=any",
            "--delay=0.05",
            "--set=politeness.crawl_delay_cap=0.05",
            "--quiet",
        )
    update_index(directory / "corpus")
    return directory / "corpus"


@pytest.fixture
def read(shoal: Shoal, reef: Path) -> "ReadReef":
    return ReadReef(shoal, reef)


class ReadReef:
    """A command on the collection of the bundled web."""

    def __init__(self, shoal: Shoal, directory: Path) -> None:
        self._shoal = shoal
        self.directory = directory

    def __call__(self, *arguments: str) -> Done:
        return self._shoal.ok(*arguments, "--dir", str(self.directory))

    def refuses(self, *arguments: str) -> str:
        return self._shoal.refuses(*arguments, "--dir", str(self.directory))
