"""How is a crawl started by a page rather than at a terminal? As a process of its own.

`shoal crawl` is run in a session of its own, with its output in the collection's `log/`, so that it
outlives the server that started it; whoever comes later finds it by the collection's lock. What was
asked for is checked first as the command line checks it, with the same sentences; what goes wrong
after that is read from the log. Seeds are URLs of the web: a page names no file of this machine.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.config import Config, load, settings
from shoal.config.values import SettingKind, described
from shoal.engine import preflight
from shoal.engine.seeds import seeds_of
from shoal.errors import Busy, CollectionError, ShoalError, UsageError
from shoal.layout.layout import Layout, holder_of, is_given_way, is_locked
from shoal.loop import run
from shoal.model.record import Struct
from shoal.sources.inbox import Inbox, Stop
from shoal.sources.seeds import seed_url

CRAWL_LOG = "crawl.log"
MOST_LOG_BYTES = 1_000_000
_OLD = ".1"
_STARTING_SECONDS = 20.0
_LOOK_SECONDS = 0.05
_ENDING_SECONDS = 30.0
_MOST_SEEDS = 1000
_TAIL_BYTES = 64_000
_SETTING_OF = {
    "max_pages": "crawl.max_pages",
    "max_depth": "crawl.max_depth",
    "max_bytes": "crawl.max_bytes",
    "scope": "crawl.scope",
    "delay": "politeness.delay",
    "contact": "agent.contact",
}


class CrawlCommand(Struct, frozen=True):
    """What a crawl is wanted to do, in the words of a form; empty: as the collection's settings
    say."""

    seeds: list[str] = []
    max_pages: str = ""
    max_depth: str = ""
    scope: str = ""
    delay: str = ""
    contact: str = ""
    max_bytes: str = ""
    forever: bool = False


def start(directory: Path, command: CrawlCommand) -> None:
    """Returns when the crawl has begun. Raises UsageError when it may not, and Busy when one is
    running."""
    layout = Layout(directory)
    if _is_crawled(layout):
        raise Busy("A crawl is running; stop it first.")
    flags, seeds = checked(directory, command)
    is_new = not layout.exists()
    process = spawn(layout, CRAWL_LOG, ["crawl", "--dir", str(directory), *flags, "--", *seeds])
    deadline_s = time.monotonic() + _STARTING_SECONDS
    while process.poll() is None and time.monotonic() < deadline_s:
        if holder_of(layout) == process.pid and not (is_new and not layout.status.exists()):
            break  # of a new collection also the table is there by now
        time.sleep(_LOOK_SECONDS)  # the lock is another process's: there is no event to wait for
    if process.poll():
        raise ShoalError(_last_words(layout))
    threading.Thread(target=process.wait, name="shoal-crawl", daemon=True).start()


@contextmanager
def steady_crawl(directory: Path) -> Iterator[None]:
    """A crawl without end that runs as long as the block; Busy when one runs already."""
    layout = Layout(directory)
    start(directory, CrawlCommand(forever=True))
    try:
        yield
    finally:
        if _is_crawled(layout):
            Inbox(layout.inbox).post(Stop())
            deadline_s = time.monotonic() + _ENDING_SECONDS
            while _is_crawled(layout) and time.monotonic() < deadline_s:
                time.sleep(_LOOK_SECONDS)


def _is_crawled(layout: Layout) -> bool:
    return is_locked(layout) and not is_given_way(layout)


def checked(directory: Path, command: CrawlCommand) -> tuple[list[str], list[str]]:
    """The flags and the seeds of a wish, when the command line would take them."""
    if len(command.seeds) > _MOST_SEEDS:
        raise UsageError(f"a form takes {_MOST_SEEDS:,} seeds; use `shoal crawl @FILE` for more")
    given = {
        name: text for name in _SETTING_OF if (text := str(getattr(command, name)).strip()) != ""
    }
    overrides = {_SETTING_OF[name]: _typed(_SETTING_OF[name], text) for name, text in given.items()}
    config = load(directory, overrides, os.environ)
    links = seeds_of([web_url(seed) for seed in command.seeds], config, directory)
    run(preflight.check(config, links, directory))
    flags = [f"--{name.replace('_', '-')}={text}" for name, text in given.items()]
    if command.forever:
        flags.append("--forever")
    elif config.crawl.forever == "yes":
        flags.append("--once")
    return flags, [link.url for link in links] if command.seeds else []


def defaults(directory: Path) -> CrawlCommand:
    """What the collection's settings say."""
    config: Config = load(directory, {}, os.environ)
    crawl = config.crawl
    return CrawlCommand(
        seeds=[],
        max_pages="" if crawl.max_pages is None else str(crawl.max_pages),
        max_depth="" if crawl.max_depth is None else str(crawl.max_depth),
        scope=crawl.scope,
        delay=f"{config.politeness.delay:g}",
        contact=config.agent.contact,
        forever=crawl.forever == "yes",
    )


def spawn(layout: Layout, log: str, words: Sequence[str]) -> "subprocess.Popen[bytes]":
    """`shoal` with these words, in a session of its own, saying what it says into a log."""
    try:
        layout.log.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CollectionError(
            f"The directory {layout.directory} can't be written: {error.strerror or error}."
        ) from error
    rotate(layout, log)
    with (layout.log / log).open("ab") as out:
        return subprocess.Popen(  # noqa: S603 - our own program, and no shell
            [sys.executable, "-P", "-m", "shoal", *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
        )


def rotate(layout: Layout, log: str) -> None:
    """A long log is set aside, the one before it dropped. Its writer goes on at the new start. One
    that is not there, or can't be set aside, is left as it is."""
    path = layout.log / log
    try:
        if path.stat().st_size > MOST_LOG_BYTES:
            shutil.copyfile(path, path.with_name(log + _OLD))
            os.truncate(path, 0)  # not renamed: a running crawl appends to this very file
    except OSError:
        return


def log_tail(layout: Layout, log: str = CRAWL_LOG, most_lines: int = 200) -> list[str]:
    """The last lines of a log, oldest first; none where there is no log."""
    try:
        with (layout.log / log).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines: list[str] = file.read(_TAIL_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []
    whole = lines[1:] if size > _TAIL_BYTES else lines
    return whole[-most_lines:]


def _last_words(layout: Layout) -> str:
    lines = [line for line in log_tail(layout, most_lines=5) if line.strip()]
    said = lines[-1].removeprefix("shoal: ") if lines else "it said nothing"
    return f"The crawl did not start: {said}"


def web_url(seed: str) -> str:
    """A word is a URL or a host, never a file of that name or a list of URLs."""
    try:
        url = seed_url(seed.strip())
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{described(seed)} is not on the web; crawl it from the command line")
    return url


def _typed(key: str, text: str) -> object:
    """A number where a number is wanted; what is none is left for the refusal to name."""
    setting = next(each for each in settings() if each.key == key)
    if setting.kind not in (SettingKind.COUNT, SettingKind.NUMBER):
        return text
    try:
        return int(text)
    except ValueError:
        return text
