"""No damage makes a reader of this family raise, hang or grow: every sample, cut and flipped."""

import json
import random
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from shoal.converters.context import Converter
from shoal.converters.formats import all_formats
from tests.converters.parts import context

SAMPLES = Path(__file__).parent.parent / "samples"
FLIPPED_FILES = 15


@cache
def samples() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((SAMPLES / "media.json").read_text())
    return listed


def converter(kind: str) -> Converter:
    spec = next(each.converter for each in all_formats() if each.id == kind)
    module, _, function = spec.partition(":")
    found: Converter = getattr(import_module(f"shoal.converters.{module}"), function)
    return found


@pytest.mark.parametrize("sample", samples(), ids=lambda each: each["file"])
def test_damaged_files_give_what_is_left(sample: dict[str, Any]) -> None:
    body = (SAMPLES / sample["file"]).read_bytes()
    convert = converter(sample["type"])
    dice = random.Random(sample["file"])
    damaged = [body[: len(body) * tenth // 10] for tenth in range(10)]
    for _ in range(FLIPPED_FILES):
        flipped = bytearray(body)
        for _ in range(dice.choice((1, 3, 20))):
            flipped[dice.randrange(min(len(body), 3000))] = dice.choice(
                (0, 1, 255, dice.randrange(256))
            )
        damaged.append(bytes(flipped))
    start = time.process_time()
    for each in damaged:
        (found,) = convert(each, context())
        assert len(found.page.text) < 10 * len(body) + 1000
    assert time.process_time() - start < 10


@pytest.mark.parametrize("sample", samples(), ids=lambda each: each["file"])
def test_numbers_that_are_all_ones_are_no_sizes(sample: dict[str, Any]) -> None:
    body = (SAMPLES / sample["file"]).read_bytes()
    convert = converter(sample["type"])
    for place in range(4, min(len(body), 200), 12):
        convert(body[:place] + b"\xff" * 8 + body[place + 8 :], context())
    convert(body[:16] + b"\xff" * 4000, context())
    convert(body[:16] + b"\x00" * 4000, context())
