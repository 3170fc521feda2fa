"""What every suite may ask for: the outside data, and no deadlines on a slow machine."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.collection.many import Both, crawled, divided

PROJECT = Path(__file__).resolve().parent.parent

# A deadline per example fails by chance on a machine that others use too.
settings.register_profile("shoal", deadline=None)
settings.load_profile("shoal")

# What a shell starts in the background ignores Ctrl-C, and so would every program of a test.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shoal_data() -> Path:
    """The directory of outside test data (robots, URL, charset …)."""
    directory = PROJECT / os.environ.get("SHOAL_DATA", "../shared/data")
    if not directory.is_dir():
        pytest.skip(
            "no outside test data: SHOAL_DATA names no directory and ../shared/data is absent"
        )
    return directory


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A collection, and the same as tablets. To be read only."""
    place = tmp_path_factory.mktemp("many")
    sites = crawled(place / "one")
    return Both(place / "one", divided(place / "one", place / "tablets"), sites)
