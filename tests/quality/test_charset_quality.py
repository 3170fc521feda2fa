"""How many real texts are decoded right? Floors on SHOAL_DATA's chardet-sample and its pages."""

import gzip
import hashlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.converters.characters.charset import decode
from shoal.converters.characters.codecs import as_browsers, as_registered, euc_tw
from shoal.converters.characters.guess import guess

SAMPLE_SHA256 = "11432537c676c13ee247a03cf488dc768bf2d4ab7bcafd39de504740d30905bf"
"""Of all files and their names: with others the floors mean nothing."""
FLOOR_DECODED = 243
"""Of 245 files, the text as Python decodes it by the folder's name; the best peer has 236.

The other two are EUC-TW, for which Python has no codec (read right, by its C library's table), and
a page whose dashes browsers map otherwise than Python does.
"""
FLOOR_GUESSED = 222
"""Of the 224 that are neither UTF nor escaped, by statistics alone, declarations unread."""
CEILING_MS = 1.5
FLOOR_LEGACY_PAGES = 0.97
"""Of real pages written back in the charset of their language, declarations cut out."""

_LANGUAGE_OF_FOLDER = re.compile(
    "-(croatian|czech|hungarian|slovak|slovene|bulgarian|russian|arabic|greek|turkish|hebrew|polish"
    "|romanian)$"
)
_PYTHONS = {"MacCyrillic": "mac_cyrillic"}
_DECLARATION = re.compile(r"<meta[^>]*charset[^>]*>|<\?xml[^>]*\?>", re.IGNORECASE)
_PAGE_LANGUAGE = re.compile(r"""<html[^>]*\blang=["']?([a-zA-Z]{2})""", re.IGNORECASE)
_LEGACY = {
    "de": "windows-1252", "fr": "windows-1252", "es": "windows-1252", "pt": "windows-1252",
    "fi": "windows-1252", "pl": "iso-8859-2", "en": "windows-1252",
}  # fmt: skip


@pytest.fixture(scope="module")
def sample(shoal_data: Path) -> list[tuple[str, bytes]]:
    folder = shoal_data / "chardet-sample"
    if not folder.is_dir():
        pytest.skip("no chardet-sample under SHOAL_DATA")
    paths = sorted(path for path in folder.glob("*/*") if path.is_file())
    files = [(str(path.relative_to(folder)), path.read_bytes()) for path in paths]
    digest = hashlib.sha256()
    for name, data in files:
        digest.update(name.encode() + b"\0" + data)
    assert digest.hexdigest() == SAMPLE_SHA256
    return files


def _codec(name: str) -> str:
    folder = _LANGUAGE_OF_FOLDER.sub("", name.partition("/")[0])
    return _PYTHONS.get(folder, folder)


def test_files_are_decoded_to_the_right_text(sample: list[tuple[str, bytes]]) -> None:
    wrong = []
    for name, data in sample:
        codec = _codec(name)
        right = euc_tw(data)[0] if codec == "EUC-TW" else data.decode(codec, "replace")
        if decode(data).text.lstrip("\ufeff") != right.lstrip("\ufeff") or codec == "EUC-TW":
            wrong.append(name)
    assert len(sample) - len(wrong) >= FLOOR_DECODED, wrong


def test_files_are_decoded_in_little_time(sample: list[tuple[str, bytes]]) -> None:
    for _, data in sample:
        decode(data)
    start = time.process_time()
    for _, data in sample:
        decode(data)
    assert (time.process_time() - start) * 1000 / len(sample) < CEILING_MS


def test_statistics_alone_find_the_charset(sample: list[tuple[str, bytes]]) -> None:
    wrong = []
    tried = 0
    for name, data in sample:
        codec = _codec(name)
        if codec.lower().startswith(("utf", "iso-2022", "ascii")):
            continue
        tried += 1
        found = guess(data, "text", "")
        right = "" if codec == "EUC-TW" else data.decode(codec, "replace")
        readings = (as_registered(data, found)[0], as_browsers(data, found))
        if found != codec.lower() and right not in readings:
            wrong.append((name, found))
    assert tried - len(wrong) >= FLOOR_GUESSED, wrong


def _pages(shoal_data: Path) -> Iterator[str]:
    source = shoal_data / "extraction" / "trafilatura-dev.jsonl.gz"
    if not source.is_file():
        pytest.skip("no extraction/trafilatura-dev.jsonl.gz under SHOAL_DATA")
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _DECLARATION.sub("", json.loads(line)["html"])


def test_pages_without_declaration(shoal_data: Path) -> None:
    legacy = right = 0
    for page in _pages(shoal_data):
        data = page.encode("utf-8", "replace")
        if not data.isascii():
            assert decode(data, kind="html").charset == "utf-8"
        language = _PAGE_LANGUAGE.search(page)
        charset = _LEGACY.get(language[1].lower() if language else "en")
        old = page.encode(charset, "xmlcharrefreplace") if charset else b""
        if charset and not old.isascii():
            legacy += 1
            right += decode(old, kind="html").text == as_browsers(old, charset)
    assert legacy > 300
    assert right / legacy >= FLOOR_LEGACY_PAGES
