"""What lies where in a collection's directory, and who may write to it?

    shoal.toml    its settings, for people to edit
    shoal.toml.last  the same, as the last crawl read them: `shoal repair` takes them from there
    table/        the rows (RocksDB)
    warc/         the raw responses (WARC 1.1), readable by any WARC tool
    index/        the full-text index; rebuilt from the table when it is not there
    graph/        ranks of the last `shoal rank`
    classes/      what `shoal classes train` has learned
    inbox/        commands for a running crawl: a URL to fetch, a host to pause
    status.json   what a running crawl is doing, written once a second
    following.json  which sources are being followed, and how far that is
    websub/       subscriptions to feeds that are pushed, with their secrets (0600)
    outlook/      mails of a file of Outlook, while they are read
    log/          what crawls said that were started from the web page
    lock          held by the one process that writes
    readers       held by those who read, so that what they read stays
    damaged/      what `shoal repair` found damaged and replaced, as it was
    live          after `shoal shadow apply`: a link to the directory in generations/ where table/
                  and warc/ are now; replaced in one step, see shadow.py

The directory can be copied while nothing writes to it, and read without Shoal.
"""

import fcntl
import os
import shlex
import stat
import time
from pathlib import Path
from typing import Self

from shoal.errors import Busy, CollectionError, DamagedError, UsageError
from shoal.sources.inbox import GiveWay, Inbox
from shoal.whole_file import write_whole

DEFAULT_DIRECTORY = "corpus"
CLUSTER = "cluster.json"
"""What makes a directory a cluster (cluster_file.py)."""
LIVE = "live"
DAMAGED = "damaged"
SALVAGE = "salvage"
"""Where a damaged table is made anew. Once it is whole and waits to be put in its place, it holds
the file `whole`."""
READERS = "readers"
_OWN = frozenset(
    (
        *("shoal.toml", "table", "warc", "index", "graph", "classes", "inbox", "lock", "log"),
        "outlook",
        *("websub", "status.json", "status.tmp", ".status.json.part", READERS, LIVE),
        *("following.json", ".following.json.part"),
        *(DAMAGED, SALVAGE, "shoal.toml.last", ".shoal.toml.last.part"),
    )
)
"""What a directory may hold and still become a collection: its settings, and what a kill during the
first start left."""

_GIVES_WAY = "gives way"
_GIVING_WAY_SECONDS = 30.0
_BETWEEN_ASKS_SECONDS = 10.0
_OTHERS = 0o077
_TRIES = 5
_BETWEEN_TRIES_SECONDS = 0.02
_SETTINGS_HEAD = """\
# Settings of this collection. `shoal config show` lists every setting with its value;
# docs/settings.md explains them. Flags and environment variables win over this file.
"""


_MERGE = "make one collection of it with: shoal cluster merge {place} NEW_DIRECTORY"


def place_of(given: str | Path | None) -> str:
    """The collection or cluster that is meant: the one named, else SHOAL_DIR, else ./corpus."""
    if given == "":
        raise UsageError("--dir must name a directory, not ''")
    found = str(given or os.environ.get("SHOAL_DIR") or DEFAULT_DIRECTORY)
    return found.removeprefix("file://")


def in_directory(place: str | Path) -> str:
    """The flag that names a place in a command that a person may type, where it is needed."""
    return "" if str(place) == DEFAULT_DIRECTORY else f" --dir {shlex.quote(str(place))}"


def shadowed_directory(given: str | Path | None) -> Path:
    """The same, where a shadow is wanted: that of a cluster would be another cluster."""
    place = place_of(given)
    if is_cluster_place(place):
        raise UsageError(
            f"{place} is a cluster, which has no shadow; crawl into another place, and use that "
            "one when it is done"
        )
    return Path(place)


def is_cluster_place(place: str) -> bool:
    """A collection is never elsewhere than in a directory."""
    try:
        return "://" in place or (Path(place) / CLUSTER).is_file()
    except PermissionError:
        raise CollectionError(_closed(Path(place))) from None


def _closed(directory: Path) -> str:
    try:
        directory.stat()
    except OSError:
        return f"You may not enter the folder that {directory} stands in."
    return f"The collection in {directory} is its owner's alone."


class Layout:
    def __init__(self, directory: Path, data: Path | None = None) -> None:
        self.directory = directory
        self._data = data
        self.inbox = directory / "inbox"
        self.status = directory / "status.json"
        self.following = directory / "following.json"
        self.lock = directory / "lock"
        self.log = directory / "log"
        self.outlook = directory / "outlook"
        self.settings = directory / "shoal.toml"
        self.last_settings = directory / "shoal.toml.last"

    @property
    def data(self) -> Path:
        """Where table and archive are. Looked up each time: it may change while nobody writes."""
        return self._data or live_data(self.directory)

    def pinned(self, data: Path) -> "Layout":
        """The same, with what is live now, whatever is later."""
        layout = Layout(self.directory, data)
        layout.status = self.status
        return layout

    @property
    def table(self) -> Path:
        return self.data / "table"

    @property
    def warc(self) -> Path:
        return self.data / "warc"

    @property
    def index(self) -> Path:
        return self.data / "index"

    @property
    def graph(self) -> Path:
        return self.data / "graph"

    @property
    def salvage(self) -> Path:
        return self.data / SALVAGE

    def close_to_others(self) -> None:
        """What is a person's own is no more open in here than it was: to its owner alone."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.is_closed:
            self.directory.chmod(stat.S_IMODE(self.directory.stat().st_mode) & ~_OTHERS)

    @property
    def is_closed(self) -> bool:
        return not self.directory.stat().st_mode & _OTHERS

    def exists(self) -> bool:
        return self.table.is_dir()

    def must_not_be_lost(self) -> None:
        """An archive without its table is a collection that can be brought back, and no new one."""
        if not self.exists() and any(self.warc.glob("*.warc.gz")):
            raise DamagedError(
                f"The table in {self.table} is gone; what it held is brought back by: "
                f"shoal repair --dir {self.directory}"
            )

    def must_exist(self) -> None:
        self.must_not_be_lost()
        if not self.exists():
            if is_cluster_place(str(self.directory)):
                raise CollectionError(
                    f"{self.directory} is a cluster, not a collection; "
                    + _MERGE.format(place=self.directory)
                )
            where = f"--dir {shlex.quote(str(self.directory))}"
            raise CollectionError(
                f"There is no collection in {self.directory}; make one with: shoal crawl URL "
                f"{where}, or of your own documents with: shoal add FOLDER {where}"
            )

    def must_exist_or_begin(self) -> None:
        """It is a collection, or one can be made of it: a directory that is new, or empty."""
        is_new = not self.directory.exists() or self.directory.is_dir()
        if not is_new or is_cluster_place(str(self.directory)):
            self.must_exist()
        self.must_not_be_lost()
        self.must_be_free()

    def must_be_free(self) -> None:
        """A new collection is not mixed with other files."""
        if Layout(self.directory).exists():
            return
        try:
            strange = {each.name for each in self.directory.iterdir()} - _OWN
        except OSError:
            return  # there is none yet, or `create` says what is wrong with it
        if strange:
            raise CollectionError(
                f"{self.directory} is not empty and is no collection (it holds {min(strange)!r}); "
                "use an empty or a new directory."
            )

    def create(self, settings: str) -> None:
        """Make the directory, and its shoal.toml on first use. Whoever calls it has read the
        settings: they are kept a second time."""
        self.must_be_free()
        self.must_not_be_lost()
        try:
            for each in (self.directory, self.warc, self.inbox):
                each.mkdir(parents=True, exist_ok=True)
            if not self.settings.exists():
                self.settings.write_text(_SETTINGS_HEAD + settings, encoding="utf-8")
            said = self.settings.read_bytes()
            if not self.last_settings.exists() or self.last_settings.read_bytes() != said:
                write_whole(self.last_settings, said)
        except OSError as error:
            raise CollectionError(
                f"The directory {self.directory} can't be written: {error.strerror or error}."
            ) from error


def live_data(directory: Path) -> Path:
    """The collection's own directory, or the one that `live` points at."""
    try:
        return directory / (directory / LIVE).readlink()
    except OSError:
        return directory


class WriteLock:
    """Held by the process that writes. Freed by the operating system however the process ends."""

    def __init__(self, layout: Layout, *, gives_way: bool = False) -> None:
        """`gives_way`: it is held for work that can wait, and is released when another asks for
        it; it is not asked for by one that gives way itself."""
        try:
            self._fd = os.open(layout.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CollectionError(
                f"The directory {layout.directory} can't be written: {error.strerror or error}."
            ) from error
        try:
            if gives_way or not is_given_way(layout):
                _take(self._fd)
            else:
                _take_when_given(self._fd, layout)
        except OSError as error:
            os.close(self._fd)
            raise Busy(
                f"{writer_of(layout)} is writing to {layout.directory}; "
                "stop it first, or use another --dir."
            ) from error
        os.ftruncate(self._fd, 0)
        said = f"{os.getpid()} {_GIVES_WAY}\n" if gives_way else f"{os.getpid()}\n"
        os.pwrite(self._fd, said.encode(), 0)

    def release(self) -> None:
        os.ftruncate(self._fd, 0)
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _take(fd: int) -> None:
    """Somebody may only be looking whether it is held (`is_locked`), which takes a moment."""
    for _ in range(_TRIES - 1):
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_BETWEEN_TRIES_SECONDS)
    return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _take_when_given(fd: int, layout: Layout) -> None:
    """Ask whoever holds it to give way, and wait until that is done."""
    ask_at_s = time.monotonic()
    deadline_s = ask_at_s + _GIVING_WAY_SECONDS
    while True:
        if time.monotonic() >= ask_at_s:  # again, when somebody else was quicker
            Inbox(layout.inbox).post(GiveWay())
            ask_at_s += _BETWEEN_ASKS_SECONDS
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= deadline_s:
                raise
            time.sleep(_BETWEEN_TRIES_SECONDS)


def holder_of(layout: Layout) -> int:
    """The process that writes to the collection now; 0 where none does, or it does not say."""
    said = _said_by_holder(layout).split()
    return int(said[0]) if said and said[0].isdecimal() else 0


def writer_of(layout: Layout) -> str:
    """The same, as a sentence begins."""
    holder = holder_of(layout)
    return f"Process {holder}" if holder else "Another process"


def is_given_way(layout: Layout) -> bool:
    """Whether who writes to the collection now lets others write when they ask for it."""
    return _GIVES_WAY in _said_by_holder(layout)


def _said_by_holder(layout: Layout) -> str:
    if not is_locked(layout):
        return ""
    try:
        return layout.lock.read_bytes()[:64].decode(errors="replace")
    except OSError:
        return ""


def is_locked(layout: Layout) -> bool:
    """Whether some process is writing to the collection now."""
    try:
        fd = os.open(layout.lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


class ReadLock:
    """Held by those who read: a table and an archive that were replaced stay until they are done.

    `data` is what to read. Without a place to lock in (a read-only copy) nothing is held.
    """

    def __init__(self, layout: Layout) -> None:
        while True:
            self.data = layout.data
            self._fd = _open_for_readers(self.data / READERS)
            if self._fd >= 0:
                fcntl.flock(self._fd, fcntl.LOCK_SH)
            if layout.data == self.data:
                return
            self.release()  # it was replaced in between

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open_for_readers(path: Path) -> int:
    for flags in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):
        try:
            return os.open(path, flags | os.O_CLOEXEC, 0o666)
        except OSError:
            continue
    return -1
