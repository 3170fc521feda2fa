"""What does a person type to go on? The whole command, and no flag that is not needed.

The flags of the first crawl are in the collection's shoal.toml; those of a later one are not, so
they are part of the command. A limit that stopped the crawl is raised: else it would stop again.
"""

from collections.abc import Mapping
from pathlib import Path

from shoal.cli.terminal.wording import program
from shoal.config import Config
from shoal.engine.summary import Summary
from shoal.layout.layout import in_directory
from shoal.layout.resume_flags import enough_to_go_on, flags_to_go_on


def raised_limits(config: Config, summary: Summary) -> dict[str, int]:
    """By setting; empty when the same limits will do."""
    status = summary.status
    pages, received = status.stored, status.totals.get("bytes", 0)
    return enough_to_go_on(config, summary.reason, pages, received)


def command_to_go_on(
    directory: Path, config: Config, raised: Mapping[str, int], *, shadow: bool = False
) -> str:
    words = [program(), "crawl", *flags_to_go_on(config.with_(raised), directory)]
    if shadow:
        words.append("--shadow")
    return " ".join(words) + in_directory(directory)
