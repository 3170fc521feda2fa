"""Which files go along with the rows? Settings, ranks, subscriptions and commands that wait.

All tablets have the settings and ranks of the whole. A subscription goes where its feed goes, an
order where its URL or its host goes; one that concerns all goes to all. Not the index, which is
rebuilt, nor what a crawl of before said.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from shoal.control.command_targets import tablets_of
from shoal.layout.classes import ClassesPlace
from shoal.layout.layout import Layout
from shoal.layout.subscriptions import DIRECTORY, Subscriptions
from shoal.layout.trees import tree_place
from shoal.model.urls.partition import Owners
from shoal.model.urls.rowkey import row_key
from shoal.sources.inbox import (
    Inbox,
    Push,
    StoredCommand,
)
from shoal.whole_file import DRAFT

_NOT_COPIED = shutil.ignore_patterns("lock", "*.old", f"*{DRAFT}", "scratch")


def copy_shared(first: Layout, target: Layout) -> None:
    """What every tablet has: of the first source."""
    if first.settings.exists():
        shutil.copyfile(first.settings, target.settings)
    for kind in (ClassesPlace, tree_place):
        learned = kind(first.directory)
        if learned.path.is_file():
            kind(target.directory).write(learned.path.read_bytes())
    if first.graph.is_dir():
        shutil.copytree(first.graph, target.graph, ignore=_NOT_COPIED)


def copy_own(source: Layout, targets: Sequence[Layout], owners: Owners) -> None:
    """What goes to one tablet, or to some."""
    for each in Subscriptions(source.directory).all():
        target = targets[owners.of(row_key(each.feed_url))].directory / DIRECTORY
        target.mkdir(mode=0o700, exist_ok=True)
        for path in (source.directory / DIRECTORY).glob(f"{each.id}.*"):
            shutil.copy(path, target / path.name)  # with its mode: it holds a secret
    inbox = Inbox(source.inbox)
    for name, command in inbox.take():
        for tablet in tablets_of(command, owners):
            _copy_command(source.inbox, targets[tablet].inbox, name, command)


def _copy_command(source: Path, target: Path, name: str, command: StoredCommand) -> None:
    target.mkdir(exist_ok=True)
    if isinstance(command, Push):
        shutil.copy(source / command.file, target / command.file)
    shutil.copy(source / name, target / name)
