"""Who is compared? Each crawler as a command, and how to read afterwards what it fetched.

All obey robots.txt, ask for gzip, keep every body on disk, and follow the same links.
"""

import compileall
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import shoal
from benchmarks.web import Web

_SCRAPY_PACKAGES = ("scrapy>=2.19,<3", "selectolax>=1,<2", "uvloop>=0.23,<1")
_SPIDER = Path(__file__).with_name("scrapy_spider.py")
_WGET_SERVER_ERROR = 8
"""wget's exit code when some answer was an error; what it fetched is compared anyway."""


class Crawler(NamedTuple):
    name: str
    command: Callable[[Web, Path], list[str]]
    """Crawls a web into an empty directory."""
    fetched: Callable[[Path], set[str]]
    """The URLs it fetched into it."""
    accepted: tuple[int, ...] = (0,)


def shoal_crawler(name: str, workers: int, *settings: str) -> Crawler:
    # pip compiles what it installs, the peers too; a checkout may never have been compiled, where
    # PYTHONDONTWRITEBYTECODE is set.
    for place in shoal.__path__:
        compileall.compile_dir(place, quiet=1)
    return Crawler(name, lambda web, out: _shoal(web, out, workers, settings), _shoal_fetched)


def _shoal(web: Web, out: Path, workers: int, settings: Sequence[str]) -> list[str]:
    flags = ["--scope", "any", "--delay", "0", "--workers", str(workers), "--quiet"]
    # Every page is to be fetched, also one that by experience is a duplicate.
    for setting in ("politeness.delay_factor=0", "dedupe.learn=no", *settings):
        flags += ["--set", setting]
    return [sys.executable, "-m", "shoal", "crawl", *web.seeds, "--dir", str(out / "c"), *flags]


def _shoal_fetched(out: Path) -> set[str]:
    with shoal.open(out / "c") as collection:
        return {page.url for page in collection.pages() if page.status == 200}


def scrapy_crawler(work: Path, name: str, client: str) -> Crawler:
    python = _scrapy_python(work / "scrapy")
    return Crawler(
        name,
        lambda web, out: [str(python), str(_SPIDER), client, str(out), *web.seeds],
        lambda out: set((out / "urls.txt").read_text(encoding="utf-8").split()),
    )


def _scrapy_python(home: Path) -> Path:
    """A virtual environment of its own: Scrapy is no part of the project."""
    python = home / "bin" / "python"
    ready = home / "ready"
    if not ready.exists():
        print("installing Scrapy …", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", *_SCRAPY_PACKAGES], check=True
        )
        ready.touch()
    return python


def wget_crawler() -> Crawler:
    return Crawler("wget", _wget, _wget_fetched, (0, _WGET_SERVER_ERROR))


def _wget(web: Web, out: Path) -> list[str]:
    flags = ["--recursive", "--level=inf", "--span-hosts", "--follow-tags=a,area"]
    flags += ["--compression=auto", "--no-verbose", "--no-config", f"--directory-prefix={out}"]
    return ["wget", *flags, *web.seeds]


def _wget_fetched(out: Path) -> set[str]:
    found = (file.relative_to(out) for file in out.rglob("*.htm*") if file.is_file())
    return {f"http://{path.as_posix()}" for path in found}
