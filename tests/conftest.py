"""What holds for every suite, and what may each ask for?

Property tests draw the same cases every time; a test that leaves something behind fails by name;
the outside data is at hand.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from tests.collection.many import Both, crawled, divided
from tests.leftovers import Guard, Leftovers
from tests.wanting import note_skips
from tests.warm import warm

PROJECT = Path(__file__).resolve().parent.parent

# Every run draws the same cases: what a run proves does not hang on luck. Who found a failure by
# drawing others (./check --fuzz) keeps it as an explicit @example. A deadline per example fails by
# chance on a machine that others use too.
settings.register_profile("shoal", deadline=None, derandomize=True, database=None)
settings.register_profile("quick", settings.get_profile("shoal"), max_examples=30)
settings.register_profile(
    "fuzz", deadline=None, derandomize=False, phases=set(Phase) - {Phase.explicit}
)
settings.load_profile("fuzz" if os.environ.get("SHOAL_FUZZ") == "1" else "shoal")

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


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of this test start as they do for everyone, and import what they need."""
    monkeypatch.setattr(warm, "is_on", False)


def pytest_configure(config: pytest.Config) -> None:
    # As a plugin: of fixtures of the session, a conftest.py below the root hears nothing.
    config.pluginmanager.register(Guard(Leftovers()))
    if "coverage" not in sys.modules:  # each process is measured from its start
        warm.start()
    if os.environ.get("SHOAL_FUZZ") != "1" and config.option.markexpr == "not slow":
        settings.load_profile("quick")


def pytest_unconfigure() -> None:
    warm.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    note_skips(terminalreporter)
