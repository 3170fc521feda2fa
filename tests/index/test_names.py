"""What a page is called as a whole: by its title, and by others, exactly in the query's words."""

from pathlib import Path

import pytest

from shoal.index.fields import FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.entry import Entry
from shoal.model.principal import OWNER
from shoal.search.parse import parse


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    path: Path = tmp_path_factory.mktemp("names") / "index"
    anchors = [("The slow cities", 3), ("corals", 1), ("x " * 20, 1)]
    page = Entry(
        b"example,reef)443:https/",
        "https://reef.example/",
        "reef.example",
        title="Coral reefs — The sea",
        content="Cities that grow slowly.",
        anchors=anchors,
        language="en",
    )
    with IndexWriter(path) as writer:
        writer.put(page)
        writer.commit(1)
    return IndexReader(path)


@pytest.mark.parametrize(
    ("text", "called", "is_titled"),
    [
        ("the slow city", 3, False),
        ("Corals", 1, False),
        ("coral reef", 0, True),
        ("coral reefs the sea", 0, True),
        ("slow city", 0, False),
        ("coral", 1, False),
        ("sea reef", 0, False),
        ("x " * 20, 0, False),
    ],
)
def test_names(reader: IndexReader, text: str, called: int, is_titled: bool) -> None:
    found = reader.candidates(parse(text, 0.0), OWNER, FieldWeights(), 5).found
    assert [(each.called, each.is_titled) for each in found] == [(called, is_titled)]
