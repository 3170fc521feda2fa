"""Which flags does a crawl need to go on as it was?

The flags of the first crawl are in the collection's shoal.toml; those of a later one are not.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from shoal.config import Config, load
from shoal.config.values import NONE

_WITH_A_FLAG = frozenset(
    {"max_pages", "max_depth", "max_time", "max_bytes", "min_free_disk", "delay", "scope"}
    | {
        "include",
        "exclude",
        "rules",
        "order",
        "weights",
        "about",
        "agent",
        "contact",
        "workers",
        "children",
        "keep",
    }
    | {"popularity", "stop_when", "value"}
)
"""Settings that `shoal crawl` has a flag of the same name for; the others go through --set."""


def flags_to_go_on(config: Config, directory: Path) -> Iterator[str]:
    """What was said on the command line and is not what the collection's settings say."""
    stored = load(directory, {}, os.environ)
    for key, origin in config.origins.items():
        if not origin.startswith("--"):
            continue
        section, _, name = key.partition(".")
        if section == "resolve":
            if stored.resolve.get(name) != config.resolve[name]:
                yield f"--resolve {name}={config.resolve[name]}"
        elif (value := config.value_of(key)) != stored.value_of(key):
            for each in value if isinstance(value, tuple) else (value,):
                yield _flag(key, _text(each))


def _text(value: float | str | None) -> str:
    if value is None:
        return NONE
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _flag(key: str, value: str) -> str:
    name = key.rpartition(".")[2]
    if (key, value) == ("crawl.forever", "yes"):
        return "--forever"
    if key == "crawl.forever":
        return "--once"
    if name in _WITH_A_FLAG and key.startswith(("crawl.", "agent.", "politeness.delay")):
        return f"--{name.replace('_', '-')} {shlex.quote(value)}"
    return f"--set {shlex.quote(f'{key}={value}')}"


def enough_to_go_on(config: Config, reason: str, pages: int, received_bytes: int) -> dict[str, int]:
    """What a limit that stopped a crawl must be raised to, by setting: twice what there is. Limits
    on the time count again in every run, and disk must be freed."""
    crawl = config.crawl
    if reason.endswith("(--max-pages)"):
        return {"crawl.max_pages": 2 * max(pages, crawl.max_pages or 0)}
    if reason.endswith("(--stop-when)") and crawl.stop_when is not None:
        return {"crawl.stop_when": 2 * crawl.stop_when}
    if reason.endswith("(--max-bytes)"):
        return {"crawl.max_bytes": 2 * max(received_bytes, int(crawl.max_bytes or 0))}
    return {}
