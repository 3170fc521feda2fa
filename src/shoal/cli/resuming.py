"""What does a person type to go on? The whole command, and no flag that is not needed.

The flags of the first crawl are in the collection's shoal.toml; those of a later one are not, so
they are part of the command. A limit that stopped the crawl is raised: else it would stop again.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from shoal.app.layout import DEFAULT_DIRECTORY
from shoal.app.limits import enough_to_go_on
from shoal.app.running import Summary
from shoal.cli.wording import program
from shoal.config import Config, load

_WITH_A_FLAG = {
    "max_pages",
    "max_depth",
    "max_time",
    "max_bytes",
    "min_free_disk",
    "delay",
    "scope",
    "include",
    "exclude",
    "rules",
    "order",
    "agent",
    "contact",
    "workers",
    "children",
    "keep",
}
"""Settings that `shoal crawl` has a flag of the same name for; the others go through --set."""


def raised_limits(config: Config, summary: Summary) -> dict[str, int]:
    """By setting; empty when the same limits will do."""
    status = summary.status
    pages, received = status.fetched + status.unchanged, status.totals.get("bytes", 0)
    return enough_to_go_on(config, summary.reason, pages, received)


def command_to_go_on(
    directory: Path, config: Config, raised: Mapping[str, int], *, shadow: bool = False
) -> str:
    words = [program(), "crawl", *_flags(config.with_(raised), load(directory, {}, os.environ))]
    if shadow:
        words.append("--shadow")
    return " ".join(words) + in_directory(directory)


def in_directory(directory: Path) -> str:
    """The flag that names the collection, where that is needed."""
    is_usual = str(directory) == DEFAULT_DIRECTORY
    return "" if is_usual else f" --dir {shlex.quote(str(directory))}"


def _flags(config: Config, stored: Config) -> Iterator[str]:
    for key, origin in config.origins.items():
        if not origin.startswith("--"):
            continue
        section, _, name = key.partition(".")
        if section == "resolve":
            if stored.resolve.get(name) != config.resolve[name]:
                yield f"--resolve {name}={config.resolve[name]}"
        elif (value := config.value_of(key)) != stored.value_of(key):
            for each in value if isinstance(value, tuple) else (value,):
                yield _flag(key, f"{each:.15g}" if isinstance(each, float) else str(each))


def _flag(key: str, value: str) -> str:
    name = key.rpartition(".")[2]
    if name in _WITH_A_FLAG and key.startswith(("crawl.", "agent.", "politeness.delay")):
        return f"--{name.replace('_', '-')} {shlex.quote(value)}"
    return f"--set {shlex.quote(f'{key}={value}')}"
