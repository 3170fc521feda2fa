"""How often does each file of a folder change? Told in a sitemap, learned from run to run.

A run sees of each file when it was last modified. What earlier runs saw stands in a small file
beside the sitemap: for each page the sufficient statistics of its rate of change, the same as a
crawl keeps of a page (model/change_history.py), so one estimator serves both. Of a file that is new
to us the date counts as half a change, since it may be when the file was made.
"""

from collections import Counter
from pathlib import Path

from shoal.errors import UsageError
from shoal.freshness.rate import DEFAULT_PRIOR, estimate, observe
from shoal.model.change_history import ChangeHistory
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.model.urls.url import canonical
from shoal.sources.sitemap_make import Line, Target, is_sitemap_of_ours, write_sitemaps
from shoal.sources.web_folder import FoundFile, WebFolder, url_path
from shoal.whole_file import write_whole

STATE_NAME = ".shoal-sitemap.json"
_DAY = 86_400.0
_WORDS = (
    ("always", 600.0),
    ("hourly", 6 * 3_600.0),
    ("daily", 3 * _DAY),
    ("weekly", 15 * _DAY),
    ("monthly", 120 * _DAY),
    ("yearly", 5 * 365.25 * _DAY),
)
"""Up to which mean time between changes a word holds: about half way to the next; then `never`."""
_FIRST_SIGHT_CHANGES = 0.5


class FileState(Struct, array_like=True):
    modified: float
    size_bytes: int
    history: ChangeHistory


class MakingState(Struct):
    when: float = 0.0
    """Of the last run, unix seconds."""
    files: dict[str, FileState] = {}
    """By the path of its URL below the base."""


class MadeFile(Struct):
    name: str
    urls: int


class Made(Struct):
    url: str
    """Of the entry point: what robots.txt should name."""
    urls: int
    files: list[MadeFile]
    frequencies: dict[str, int]
    """How many pages change how often."""
    changed: int
    """Pages that changed since the last run,"""
    added: int
    removed: int
    left_out: list[str]


class Making(Struct):
    """What is asked for."""

    folder: Path
    base: str
    output: Path | None = None
    is_gzip: bool = False
    takes_all: bool = False


def make_sitemaps(asked: Making, now: float) -> Made:
    """Write sitemaps of a folder, and remember what was seen. `now`: unix seconds."""
    if not asked.folder.is_dir():
        raise UsageError(f"{asked.folder} is no folder")
    base = base_url(asked.base)
    output = asked.output or asked.folder
    output.mkdir(parents=True, exist_ok=True)
    target = Target(output, _seen_at(output, asked.folder, base), asked.is_gzip)
    before = _read_state(target.directory / STATE_NAME)
    folder = WebFolder(asked.folder, base, takes_all=asked.takes_all)
    register = _Register(before, now)
    lines = [
        Line(found.url, min(found.modified, now), register.take(found, found.url[len(base) :]))
        for found in folder.files(is_sitemap_of_ours)
    ]
    written = write_sitemaps(lines, target)
    write_whole(target.directory / STATE_NAME, to_json(register.state))
    return Made(
        url=target.base_url + target.entry_name,
        urls=len(lines),
        files=[MadeFile(each.name, each.urls) for each in written],
        frequencies=dict(Counter(line.change_frequency for line in lines)),
        changed=register.changed,
        added=register.added,
        removed=len(before.files.keys() - register.state.files.keys()),
        left_out=folder.left_out,
    )


def base_url(given: str) -> str:
    url = canonical(given)
    if url is None or not url.startswith(("http://", "https://")) or "?" in url or "#" in given:
        raise UsageError(
            f"--base is where the folder is seen, such as http://www.example.com/, not {given!r}"
        )
    return url if url.endswith("/") else url + "/"


def _seen_at(output: Path, folder: Path, base: str) -> str:
    """The URL of the directory that is written to: elsewhere than in the folder, someone will
    bring the files to the base."""
    try:
        below = output.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return base
    return base if below == "." else f"{base}{url_path(below)}/"


def frequency(seconds_between_changes: float) -> str:
    """The protocol's word for it."""
    return next((word for word, most in _WORDS if seconds_between_changes <= most), "never")


class _Register:
    """What this run sees, put to what earlier ones saw."""

    def __init__(self, before: MakingState, now: float) -> None:
        self._before = before
        self._now = now
        self.state = MakingState(max(now, before.when))
        self.changed = self.added = 0

    def take(self, found: FoundFile, path: str) -> str:
        """How often the file changes."""
        known = self._before.files.get(path)
        if known is None:
            self.added += 1
            history = self._first_sight(found)
        else:
            history = known.history
            is_changed = (known.modified, known.size_bytes) != (found.modified, found.size_bytes)
            self.changed += is_changed
            since = self._now - found.modified
            observe(
                history,
                self._now - self._before.when,
                changed=is_changed,
                since_change_seconds=since,
            )
        self.state.files[path] = FileState(found.modified, found.size_bytes, history)
        return frequency(1 / estimate(history, DEFAULT_PRIOR).median)

    def _first_sight(self, found: FoundFile) -> ChangeHistory:
        age = max(0.0, self._now - found.modified)
        return ChangeHistory(quiet_seconds=age, dated=_FIRST_SIGHT_CHANGES)


def _read_state(path: Path) -> MakingState:
    """What earlier runs saw; nothing, if there were none or the file can't be read back."""
    try:
        return from_json(MakingState, path.read_bytes())
    except (*JSON_ERRORS, OSError):
        return MakingState()
