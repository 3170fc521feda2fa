"""Makes the model of method `model` anew: labels pages, fits lexicons and trees, scores.

    python -m training.content WORKING_DIRECTORY [--folds] [--try PAGES]

Takes all pages of the four sets in SHOAL_DATA and writes src/shoal/cleaners/content.bin. `--folds`
first makes a model without each fold, WORKING_DIRECTORY/model-0.bin … model-4.bin, as
`python -m benchmarks.extract --folds WORKING_DIRECTORY` reads them, and prints their scores. Labels
stay in the working directory. Needs the extra `[training]` and the compiled module. `--try` does it
with a few pages and writes no model.
"""

import argparse
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from typing import ClassVar

from benchmarks.extract_scores import FOLDS, data_folder
from training.content.crossfit import Training
from training.content.file_format import ContentModel
from training.content.forest import Settings
from training.content.scores import cross_validated, table

_SHIPPED = Path(__file__).parents[2] / "src" / "shoal" / "cleaners" / "content.bin"


def main(work: Path, *, in_folds: bool, at_most: int | None) -> None:
    began = time.monotonic()
    work.mkdir(parents=True, exist_ok=True)
    settings = Settings()
    training = Training(data_folder(), work, settings, at_most)
    pieces = sum(len(each.pieces) for each in training.examples)
    _say(began, f"{len(training.examples):,} pages, {pieces:,} pieces")
    wanted: list[int | None] = [None, *(range(FOLDS) if in_folds else ())]
    models = []
    for left_out, model in zip(wanted, _models(training, wanted), strict=True):
        models.append(model.packed())
        target = _SHIPPED if left_out is None else work / f"model-{left_out}.bin"
        if at_most is None:
            target.write_bytes(models[-1])
        _say(began, f"{target.name}: {_about(model, models[-1])}")
    if in_folds:
        scores = cross_validated(models[1:], training.examples, data_folder(), at_most)
        print(f"{FOLDS} folds by registered domain, {datetime.now(UTC):%d %B %Y}:\n{table(scores)}")


def _models(training: Training, wanted: list[int | None]) -> Iterator[ContentModel]:
    """A process for each core, which has all that is learned from as it is here. One thread in
    each: threads that wait for each other are slow on a machine with anything else to do."""
    _Process.training = training
    with get_context("fork").Pool(min(len(wanted), os.cpu_count() or 1)) as pool:
        yield from pool.imap(_Process.model, wanted)


class _Process:
    training: ClassVar[Training]

    @classmethod
    def model(cls, left_out: int | None) -> ContentModel:
        return cls.training.model(left_out)


def _about(model: ContentModel, packed: bytes) -> str:
    leaves = sum(len(tree.leaves) for tree in model.trees)
    return (
        f"{model.features} features, {len(model.trees)} trees with {leaves:,} leaves,"
        f" {len(packed):,} bytes, BLAKE2b {blake2b(packed, digest_size=16).hexdigest()}"
    )


def _say(began: float, what: str) -> None:
    print(f"{time.monotonic() - began:5.0f} s  {what}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training.content")
    parser.add_argument("work", type=Path, metavar="WORKING_DIRECTORY")
    parser.add_argument("--folds", action="store_true", help="cross-validate as well")
    parser.add_argument("--try", type=int, dest="at_most", metavar="PAGES")
    given = parser.parse_args()
    main(given.work, in_folds=given.folds, at_most=given.at_most)
