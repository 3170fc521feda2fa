"""The event loop that a test of the pool runs on."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from tests.understand.parts import LOOPS, Run


@pytest.fixture(autouse=True)
def as_for_everyone(cold: None) -> None:
    """How readers start and die is what these tests are about."""


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with asyncio.Runner(loop_factory=LOOPS[getattr(request, "param", "uvloop")]) as runner:
        yield runner.run
    gc.collect()  # a child that was forgotten warns now, and warnings are errors
