"""Every file type has a sample, and every sample says what it should: text, title, headings.

The samples are real files, made by the programs whose formats they are where one could be had.
`samples/*.json` says of each what must come out of it; here they go through the whole reader.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.converters import libreoffice
from shoal.converters.formats import Format, all_formats
from shoal.converters.reader import Reader, ReaderSettings
from shoal.converters.registry import Registry
from shoal.files.formats import readable
from shoal.model.compression import unzstd
from shoal.model.document import Understood
from shoal.model.page import Block, Tag
from shoal.model.record import unpack
from tests.converters import parts

SAMPLES = Path(__file__).parent / "samples"
PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
LIBREOFFICE = "LibreOffice"


def expectations() -> list[dict[str, Any]]:
    return [
        each for file in sorted(SAMPLES.glob("*.json")) for each in json.loads(file.read_text())
    ]


def read(name: str) -> Understood:
    settings = ReaderSettings(
        parts.WordScope(), parts.LengthPrioritizer(), "shoalbot", keep_blocks=True
    )
    url = f"https://reef.example/files/{name}"
    body = (SAMPLES / name).read_bytes()
    fetched = parts.page(body, ("content-type", "application/octet-stream"))
    return Reader(settings).read(parts.visit(url), fetched)


@pytest.mark.parametrize("expected", expectations(), ids=lambda each: each["file"])
def test_a_sample_says_what_it_should(expected: dict[str, Any]) -> None:
    if expected.get("needs") == LIBREOFFICE and not libreoffice.program():
        pytest.skip("LibreOffice is not installed: the formats it reads are not tested")
    understood = read(expected["file"])
    own = understood.documents[0]
    text = unzstd(own.text).decode() if own.text else ""
    blocks = unpack(list[Block], unzstd(own.blocks))
    if "title" in expected:
        assert own.title == expected["title"]
    if "headings" in expected:
        found = [[block.level, block.text] for block in blocks if block.kind is Tag.HEADING]
        assert found == expected["headings"]
    place = 0
    for phrase in expected.get("phrases", []):
        place = text.find(phrase, place)
        assert place >= 0, f"{phrase!r} is not in its place"
    names = [document.name.removeprefix("#") for document in understood.documents[1:]]
    for name in expected.get("inside", []):
        assert name in names


@pytest.mark.parametrize("each", all_formats(), ids=lambda each: each.id)
def test_every_file_type_has_a_sample(each: Format) -> None:
    """But for those of programs that are gone, which no program here writes."""
    if each.engine != LIBREOFFICE:
        assert each.id in {sample["type"] for sample in expectations()}


def test_there_are_a_hundred_file_types() -> None:
    assert len(all_formats()) >= 100
    names = [name for each in all_formats() for name in (each.media_type, *each.also)]
    assert len(set(names)) == len(names)
    endings = [ending for each in all_formats() for ending in each.extensions]
    assert sorted(ending for ending in set(endings) if endings.count(ending) > 1) == []


@pytest.mark.parametrize("each", all_formats(), ids=lambda each: each.id)
def test_every_converter_can_be_loaded(each: Format) -> None:
    assert Registry().converter(each.media_type) is not None


def test_the_page_has_a_row_for_every_file_type() -> None:
    """When this fails, copy the row it names into docs/formats.md."""
    rows = [
        f"| {each.id} | {each.name} | {each.extensions} | {each.engine.replace('Shoal', '')} |"
        for each in readable()
    ]
    shown = PAGE.read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in shown] == []
