"""How much of real documents is read? A floor on the documents of SHOAL_DATA/tika-sample."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from shoal.worker.converting import Converter

EXPECTATIONS_SHA256 = "a49eb1467281d7ddd58f0281dde3ab40ed505984ec64f4e4f7f3c35cf42393dd"
"""Of expect.jsonl: with other expectations the floor means nothing."""
FLOOR = 88
"""Documents of 90 whose every phrase is found; the best peer, Tika, finds 77."""

_SPACE = re.compile(r"\s+")


def plain(text: str) -> str:
    return _SPACE.sub(" ", text)


def test_the_phrases_of_real_documents_are_found(shoal_data: Path) -> None:
    listed = shoal_data / "tika-sample" / "expect.jsonl"
    if not listed.is_file():
        pytest.skip("no tika-sample under SHOAL_DATA")
    assert hashlib.sha256(listed.read_bytes()).hexdigest() == EXPECTATIONS_SHA256
    cases = [json.loads(line) for line in listed.read_text("utf-8").splitlines()]
    paths = [listed.parent / "files" / case["file"] for case in cases]
    missing = []
    with Converter() as converter:
        for case, (path, found) in zip(cases, converter.convert_all(paths), strict=True):
            everything = (found, *found.inside)
            text = plain(
                "\n".join(f"{each.title}\n{each.name}\n{each.text}" for each in everything)
            )
            if not all(plain(phrase) in text for phrase in case["expect"]):
                missing.append(path.name)
        assert converter.deaths == 0
    assert len(cases) - len(missing) >= FLOOR, missing
