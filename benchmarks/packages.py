"""Where do the pages come from? HTML documentation that Debian packages, fetched but not installed.

These are pages that people wrote for people: many tools' markup, several languages and charsets,
from a few hundred bytes to megabytes. Debian names some packages by version, so they are listed
as patterns and the newest match is taken; the manifest of a built web says which.
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    name: str
    """A pattern for the package's name."""
    starts: str
    """A pattern, below /usr/share, of the pages from which its other pages are reached."""


PACKAGES = (
    Package(r"python3\.\d+-doc", "doc/python3.*/html/index.html"),
    Package(r"postgresql-doc-\d+", "doc/postgresql-doc-*/html/index.html"),
    Package(r"sqlite3-doc", "doc/sqlite3/doclist.html"),
    Package(r"python-django-doc", "doc/python-django-doc/html/index.html"),
    Package(r"apache2-doc", "doc/apache2-doc/manual/en/index.html"),
    Package(r"libgtk-3-doc", "gtk-doc/html/*/index.html"),
    Package(r"git-doc", "doc/git-doc/git.html"),
    Package(r"python-sqlalchemy-doc", "doc/python-sqlalchemy-doc/html/index.html"),
    Package(r"libboost1\.\d+-doc", "doc/libboost1.*-doc/doc/html/index.html"),
)


class Documentation(NamedTuple):
    """A tree of HTML files."""

    root: Path
    starts: list[Path]
    """The pages that a reader would open first, one tree of links below each."""
    origin: list[str]
    """What it was made from."""


def documentation(work: Path) -> Documentation:
    """Fetch and unpack the packages below `work`, unless they are there already."""
    debs, tree = work / "debs", work / "docs"
    debs.mkdir(parents=True, exist_ok=True)
    if not any(debs.glob("*.deb")):
        _run(["apt-get", "download", "-qq", *_newest_matches()], debs)
    files = sorted(debs.glob("*.deb"))
    for deb in files:
        if not (unpacked := tree / f"{deb.stem}.unpacked").exists():
            _run(["dpkg", "-x", str(deb), str(tree)], debs)
            unpacked.touch()
    share = tree / "usr" / "share"
    starts = [page for package in PACKAGES for page in sorted(share.glob(package.starts))]
    return Documentation(share, starts, [deb.stem.removesuffix("_all") for deb in files])


def directory(root: Path) -> Documentation:
    """Any directory of HTML files, in place of the packages."""
    return Documentation(root, sorted(root.glob("**/index.html"))[:1], [root.name])


def _newest_matches() -> list[str]:
    known = _run(["apt-cache", "pkgnames"], Path()).split()
    chosen = []
    for package in PACKAGES:
        matches = [name for name in known if re.fullmatch(package.name, name)]
        if not matches:
            raise SystemExit(f"No package matches {package.name}; run: apt-get update")
        chosen.append(max(matches, key=_version))
    return chosen


def _version(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def _run(command: list[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command[:2])} failed: {done.stderr.strip()[-300:]}")
    return done.stdout
