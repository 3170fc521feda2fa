"""Can the main job run here? Each thing it needs, and the exact fix where it is missing.

Nothing is changed and nothing is made: not even the collection's directory. What is only a pity
(few file descriptors, no name server: a crawl of this machine needs none) is no illness.
"""

import importlib
import os
import platform
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from shoal.clock import SystemClock
from shoal.config import VERSION, Config
from shoal.fetch import render
from shoal.files.formats import programs
from shoal.layout.layout import Layout, is_given_way, is_locked
from shoal.loop import run
from shoal.model.record import JSON_ERRORS, Struct, from_json
from shoal.store import open_files
from shoal.understand.cage.cage import Given
from shoal.worker.fetchers import resolver

LEAST_PYTHON = (3, 11)
_SAME_NAME = (
    *("aiodns", "brotli", "certifi", "feedparser", "isal", "jinja2", "lxml", "msgspec", "numpy"),
    *("pycurl", "pypdfium2", "rich", "rocksdict", "starlette", "tantivy", "tldextract", "typer"),
    *("uvicorn", "uvloop", "xxhash", "zstandard"),
)
LIBRARIES = {
    "ada-url": "ada_url",
    "inotify-simple": "inotify_simple",
    **{name: name for name in (*_SAME_NAME, "imapclient")},
}
"""Distributions that the main job needs, and the module that each of them brings."""

_OPTIONAL = {"uvloop"}
_FILES_BESIDE_CONNECTIONS = 500
"""Beside the table's: for readers, archives and idle connections."""
_ASKED_NAME = "example.org"
_COMPILE = "install a C compiler and Python's header files, then install Shoal again"


class Check(Struct):
    name: str
    ok: bool
    says: str
    fix: str = ""
    needed: bool = True
    """Whether the main job fails without it."""


def examine(directory: Path, config: Config) -> list[Check]:
    return [
        _python(),
        *(_library(name, module) for name, module in LIBRARIES.items()),
        *_compiled_parts(),
        *_programs(),
        *_rendering(),
        _cage(),
        _libcurl(),
        _file_descriptors(config.crawl.workers),
        _writable(directory),
        _disk(directory, config.crawl.min_free_disk),
        _names(config),
    ]


def is_well(checks: list[Check]) -> bool:
    return all(check.ok for check in checks if check.needed)


def _python() -> Check:
    says = f"{platform.python_implementation()} {platform.python_version()}, Shoal {VERSION}"
    least = ".".join(map(str, LEAST_PYTHON))
    return Check(
        "python", sys.version_info >= LEAST_PYTHON, says, f"install Python {least} or newer"
    )


def _library(distribution: str, module: str) -> Check:
    fix = f"{sys.executable} -m pip install {distribution}"
    needed = distribution not in _OPTIONAL
    try:
        version = metadata.version(distribution)
        importlib.import_module(module)
    except metadata.PackageNotFoundError:
        return Check(distribution, False, "is not installed", fix, needed)
    except ImportError as error:
        again = f"{fix} --force-reinstall"
        return Check(distribution, False, f"can't be loaded: {error}", again, needed)
    return Check(distribution, True, version, needed=needed)


def _compiled_parts() -> Iterator[Check]:
    """What is compiled when the package is built. Without the scanner pages take several times the
    CPU, without the near-duplicates each takes a few milliseconds more; the content model has no
    Python form."""
    scan = importlib.import_module("shoal.converters.html.scan")
    python = "is used, which is slower"
    yield _compiled(
        "HTML scanner", scan.Scanner is not scan.PlainScanner, f"its Python form {python}"
    )
    yield _content_model()
    names = ("near._prints", "methods._simhash", "pairs._pairs")
    are_there = all(find_spec(f"shoal.duplicates.{name}") for name in names)
    yield _compiled("near-duplicates", are_there, f"their Python form {python}")
    yield _compiled("index", bool(find_spec("shoal.index._stems")), "pages are indexed slower")
    are_there = bool(find_spec("shoal.naming._names"))
    yield _compiled("names", are_there, "people, places and organisations are not marked")


def _content_model() -> Check:
    is_native = importlib.import_module("shoal.cleaners.cleaners").native is not None
    return _compiled("content model", is_native, "content is found by tags, less well")


def _compiled(name: str, ok: bool, otherwise: str) -> Check:
    says = "compiled" if ok else f"not compiled: {otherwise}"
    return Check(name, ok, says, _COMPILE, needed=False)


def _programs() -> list[Check]:
    """Programs that read more formats; none is needed for a crawl."""
    reads = {
        "LibreOffice": ("documents of programs that are gone", "libreoffice-writer-nogui"),
        "tesseract": ("text in pictures", "tesseract-ocr"),
        "bsdtar": ("packed members of RAR archives", "libarchive-tools"),
        "readpst": ("mailboxes of Outlook", "pst-utils"),
    }
    return [
        Check(
            name,
            bool(path),
            path or f"is not installed: {reads[name][0]} can't be read",
            f"install the Debian package {reads[name][1]}, or what your system calls it",
            needed=False,
        )
        for name, path in programs().items()
    ]


def _rendering() -> list[Check]:
    """What draws pages: an extra and a browser; a crawl needs neither."""
    library = _library("playwright", "playwright.async_api")
    library.needed = False
    if not library.ok:
        library.says += ": pages can't be drawn"
        library.fix = f"{sys.executable} -m pip install 'shoal[js]'"
    path = render.program()
    named = os.environ.get(render.PROGRAM_VARIABLE, "")
    absent = (
        f"{render.PROGRAM_VARIABLE} names no program ({named})" if named else "is not installed"
    )
    browser = Check(
        "Chromium",
        bool(path),
        path or f"{absent}: pages can't be drawn",
        "install the Debian package chromium, or what your system calls it, or name the program "
        f"in {render.PROGRAM_VARIABLE}",
        needed=False,
    )
    return [library, browser]


def _cage() -> Check:
    """What keeps a reader of hostile files from the rest of the machine, tried by a process that
    locks itself in."""
    command = [sys.executable, "-P", "-m", "shoal.understand.cage.cage"]
    try:
        tried = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603
        given = from_json(Given, tried.stdout)
    except (OSError, subprocess.TimeoutExpired, *JSON_ERRORS):
        given = Given()
    says = [
        "system calls are filtered" if given.calls else "system calls are not filtered",
        f"files are guarded (Landlock {given.landlock})"
        if given.landlock
        else "files are not guarded (no Landlock)",
        {
            "": "readers run as this user",
            "nobody": "readers run as a user of their own",
            "namespaces": "readers have namespaces of their own",
        }.get(given.user, "readers run as root without its powers"),
    ]
    fix = (
        "use Linux 5.13 or newer on x86-64 or ARM64, with Landlock among its security modules "
        "(/sys/kernel/security/lsm) and no container that refuses it; else crawl as a user that "
        "has nothing else"
    )
    return Check("readers' cage", given.calls and given.landlock > 0, "; ".join(says), fix, False)


def _libcurl() -> Check:
    """pycurl comes as a wheel with its libcurl inside, or is built against the system's."""
    try:
        curl = importlib.import_module("pycurl")
    except ImportError:
        return Check("libcurl", False, "can't be asked without pycurl", "see pycurl, above")
    protocols = curl.version_info()[8]
    wanted = {"http", "https"}
    return Check(
        "libcurl",
        wanted <= set(protocols),
        f"{curl.version}; {', '.join(sorted(protocols))}",
        f"{sys.executable} -m pip install --force-reinstall --only-binary :all: pycurl",
    )


def _file_descriptors(workers: int) -> Check:
    allowed, own = open_files.allowed(), workers + _FILES_BESIDE_CONNECTIONS
    enough = allowed - open_files.tables_share(allowed) >= own
    wanted = own + open_files.tables_share(2 * own)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    can_raise = hard == resource.RLIM_INFINITY or hard >= wanted
    fix = f"ulimit -n {wanted}" if can_raise else f"raise the hard limit of open files to {wanted}"
    says = f"{allowed:,} allowed, {wanted:,} wanted for {workers:,} workers"
    return Check("open files", enough, says, fix, needed=False)


def _writable(directory: Path) -> Check:
    """A directory that is not there yet is made by the first crawl: then its parent counts."""
    layout, place = Layout(directory), _existing(directory)
    ok = place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    if not ok:
        says = f"{directory} can't be written" + ("" if place == directory else f" (at {place})")
        return Check("directory", False, says, "choose another with --dir, or change its owner")
    state = "is a collection" if layout.exists() else "will be made by the first crawl"
    if is_locked(layout):
        who = "whoever follows its sources" if is_given_way(layout) else "a crawl"
        state = f"is a collection, and {who} is writing to it now"
    return Check("directory", True, f"{directory} {state}")


def _disk(directory: Path, least_bytes: int) -> Check:
    free = shutil.disk_usage(_existing(directory)).free
    says = f"{free / 1e9:,.1f} GB free, a crawl stops at {least_bytes / 1e9:,.1f} GB"
    return Check("disk", free > least_bytes, says, "make room, or lower --min-free-disk")


def _existing(directory: Path) -> Path:
    path = directory.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def _names(config: Config) -> Check:
    async def ask() -> str:
        names = resolver(config, SystemClock())
        try:
            found = await names.resolve(_ASKED_NAME)
        finally:
            await names.close()
        return "" if found.addresses else found.problem

    problem = run(ask())
    says = "names are looked up" if not problem else f"{_ASKED_NAME} was not found: {problem}"
    fix = "connect to the network, or name a server in shoal.toml ([fetch] nameservers = […])"
    return Check("dns", not problem, says, fix, needed=False)
