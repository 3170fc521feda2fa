"""How many names are found on web text? Floors on SHOAL_DATA's entities.

The model in the package has learned from all of these sentences, so it is not asked: the weights
are learned again, without each fifth of the documents, and asked about those. Its words are taken
from the package (what it knows of them was learned without labels).
"""

import os
import zlib
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("shoal.naming._names", reason="no compiled module")

from shoal.naming._names import Model  # noqa: E402 - needs the compiled module
from shoal.naming.names import MODELS, named_in  # noqa: E402
from training.entities.__main__ import all_marked, in_folds_of  # noqa: E402
from training.entities.chain import examples_of  # noqa: E402
from training.entities.file_format import EntityModel, unpacked  # noqa: E402

FLOOR_F1 = 0.69
"""Over exact names of all kinds; a plain field without lexicon and clusters has .648 (README of the
data)."""
FLOORS = {"person": 0.77, "place": 0.70, "org": 0.48}
MOST_BYTES = 3_000_000
"""Of the model in a wheel, which is compressed."""
SHIPPED = Path(__file__).parents[2] / "src" / "shoal" / "naming" / MODELS["en"]


def data() -> Path:
    folder = Path(os.environ.get("SHOAL_DATA", "../shared/data"))
    if not (folder / "entities").is_dir():
        pytest.skip("no entities under SHOAL_DATA")
    return folder


@pytest.mark.slow
def test_names_of_documents_that_were_not_learned_from(capsys: pytest.CaptureFixture[str]) -> None:
    sentences = all_marked(data())
    words = unpacked(SHIPPED.read_bytes())
    words = EntityModel(words=words.words, phrases=words.phrases)
    tally = in_folds_of(sentences, examples_of(sentences, Model(words.packed())), words)[0.5]
    with capsys.disabled():
        print(f"\nnames of the web: {tally.line()}")
    assert tally.f1()[2] >= FLOOR_F1
    for kind, floor in enumerate(FLOORS.values()):
        assert tally.f1([kind])[2] >= floor


def test_the_model_of_the_package_is_small_and_packed_as_it_was_learned() -> None:
    packed = SHIPPED.read_bytes()
    assert len(zlib.compress(packed, 6)) <= MOST_BYTES
    again = unpacked(packed).packed()
    text = "Ann Smith met Barack Obama in Paris and talked about Google."
    found = [span[:3] for span in Model(packed).spans(text)]
    assert [span[:3] for span in Model(again).spans(text)] == found
    assert len(named_in(text)) == 4
