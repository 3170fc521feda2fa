"""How does the accuracy of fingerprints read? A table, a plot, and pictures."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import get_terminal_size

from shoal.analysis.duplicates import page_texts
from shoal.cli.commands.analysis.dups import Asked
from shoal.cli.places import reading
from shoal.cli.terminal import screen
from shoal.cli.terminal.output_forms import is_utf_8, write_picture
from shoal.cli.terminal.progress import StepProgress, remarked_texts
from shoal.cli.terminal.wording import count
from shoal.files.fingerprint_accuracy import (
    FingerprintAccuracy,
    named_accuracy,
    read_texts,
    read_truth,
)
from shoal.files.named_texts import Named

_COLUMNS = ("method", "setting", "bytes", "cut", "at", "precision", "recall", "F1")
_NUMBERS = ("bytes", "at", "precision", "recall", "F1")


def show(asked: Asked) -> None:
    truth = None if asked.truth is None else read_truth(Path(asked.truth))
    with ExitStack() as open_ones, StepProgress() as progress:
        found = named_accuracy(_counted(_texts(asked, open_ones, progress), progress), truth)
    if asked.svg is not None:
        write_picture(asked.svg, "--svg", found.svg.encode())
    if asked.png is not None:
        write_picture(asked.png, "--png", found.png)
    if found.unknown_ids:
        ids = count(found.unknown_ids, "id of the truth is", "ids of the truth are")
        screen.remark(f"{ids} not among the texts that were read, and left out.")
    if asked.json:
        rows = [row._asdict() for row in found.rows]
        facts = {"texts": found.texts, "truth": found.truth, "unknown_ids": found.unknown_ids}
        screen.json({**facts, "rows": rows})
        return
    screen.table(_COLUMNS, _rows(found), numbers=_NUMBERS)
    screen.say()
    columns = get_terminal_size((100, 24)).columns
    for line in found.text(columns, ascii_only=not is_utf_8()).splitlines():
        screen.say(line)
    screen.say()
    screen.say(f"{count(found.texts, 'text')}; near-duplicates are {found.truth}.")


def _texts(asked: Asked, open_ones: ExitStack, progress: StepProgress) -> Iterator[Named]:
    if asked.texts is not None:
        return read_texts(Path(asked.texts))
    if asked.files is not None:
        return open_ones.enter_context(remarked_texts(asked.files, progress))
    return page_texts(open_ones.enter_context(reading(asked.given_dir)))


def _counted(texts: Iterator[Named], progress: StepProgress) -> Iterator[Named]:
    for number, each in enumerate(texts, 1):
        progress.report("texts read", number)
        yield each


def _rows(found: FingerprintAccuracy) -> Iterator[tuple[str, ...]]:
    for row in found.rows:
        at = f"{row.at:.0f} bits" if row.method == "simhash" else f"{row.at:.2f}"
        scores = (f"{each:.3f}" for each in (row.precision, row.recall, row.f1))
        yield row.method, row.setting, f"{row.size_bytes:,.0f}", row.cut, at, *scores
