"""Does the floor of a room hold?"""

from pathlib import Path

import pytest
from coverage import Coverage

from scripts.covered import FLOORS, measured, too_low
from scripts.house import SOURCE


def test_a_room_below_its_floor_or_without_one_is_named() -> None:
    found = {"store": 91.2, "index": 80.0, "attic": 100.0}
    low, new, gone = too_low(found, {"store": 92, "index": 80, "cellar": 10})
    assert low == "attic: it has no floor in scripts/covered.py; the tests run 100.0 %."
    assert new == "cellar: the tests run 0.0 % of it, its floor is 10 %."
    assert gone == "store: the tests run 91.2 % of it, its floor is 92 %."
    assert too_low({"store": 92.0}, {"store": 92}) == []


@pytest.mark.slow
def test_what_was_run_is_counted_by_room(tmp_path: Path) -> None:
    coverage = Coverage(data_file=str(tmp_path / "data.1"))
    coverage.get_data().add_lines({str(SOURCE / "clock.py"): range(1, 1000)})
    coverage.save()
    found = measured(tmp_path)
    assert 0 < found["shoal"] < 100
    assert found["store"] == 0
    assert found.keys() == FLOORS.keys()
