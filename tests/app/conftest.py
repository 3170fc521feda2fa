"""What several suites of this folder ask for: a collection, and the same as tablets."""

import pytest

from tests.app.many import Both, crawled, divided


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """To be read only."""
    place = tmp_path_factory.mktemp("many")
    sites = crawled(place / "one")
    return Both(place / "one", divided(place / "one", place / "tablets"), sites)
