"""How is a tablet read as of one moment, wherever a task runs? From a copy that does not change.

    DIRECTORY/snapshots/NAME/table      a running tablet's table, its files linked; shoal.toml

The owner of a running tablet makes a snapshot when it is asked to (as of that moment, a hard link
for each file), and who asked has it deleted; what was forgotten goes after a day, or with the
directory. A tablet at rest is its own snapshot: on a shared file system its directory, in an object
store its last checkpoint, which is restored on the machine that reads it.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from shoal.collection.view import TabletView
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import SNAPSHOTS
from shoal.model.principal import Principal

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_FORGOTTEN_SECONDS = 24 * 3600.0


def take_snapshot(layout: Layout, checkpoint: Callable[[Path], None], name: str) -> Path:
    """Of a table that somebody writes to; a second time there is nothing left to do."""
    folder = layout.directory / SNAPSHOTS
    made = folder / name
    if made.is_dir():
        return made
    folder.mkdir(exist_ok=True)
    for each in folder.iterdir():
        if time.time() - each.stat().st_mtime > _FORGOTTEN_SECONDS:
            shutil.rmtree(each, ignore_errors=True)
    draft = made.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    checkpoint(draft / layout.table.name)
    if layout.settings.is_file():
        shutil.copyfile(layout.settings, draft / layout.settings.name)
    draft.rename(made)
    return made


def forget_snapshot(directory: str) -> list[None]:
    """A task, for the machine that has it."""
    shutil.rmtree(directory, ignore_errors=True)
    return [None]


@dataclass(frozen=True)
class SnapshotSource:
    """A tablet in a directory that nobody writes to."""

    directory: str
    principal: Principal
    machine: str = ""

    def ask(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        with TabletView(self._here(), self.principal) as collection:
            return question(collection, *given, **named)

    def _here(self) -> Path:
        return Path(self.directory)


@dataclass(frozen=True)
class CheckpointSource(SnapshotSource):
    """A tablet at rest in an object store: its directory is the place of all of them."""

    number: int = 0

    def _here(self) -> Path:
        from shoal.access.restored import restored_tablet  # noqa: PLC0415 - only where it is used

        return restored_tablet(self.directory, self.number)
