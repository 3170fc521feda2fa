"""What would a web site tell a crawler about its files? A sitemap made from a folder. An exercise.

    python folder_sitemap.py                 for a folder made up here
    python folder_sitemap.py FOLDER BASE     for any, seen on the web at BASE (http://www.example.com)

The sitemap is written to the standard output, in the form of sitemaps.org: for each file its URL,
when it was last modified, and about how often it changes. Of the last there is one sign, the date
itself. If changes come at random with a mean time T between two of them, then the time back to the
last one is T in the mean. So a file that was last changed a week ago changes about weekly, as far
as one date can tell; a word is chosen whose time is nearest to that, as a ratio.

Names that begin with a dot are hidden, and links are not followed. A file called index.html is
what its folder shows. URLs of more than 2,047 characters are not allowed and left out.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

MOST_URLS = 50_000  # of one sitemap, says sitemaps.org; more need several, and an index of them
MOST_CHARACTERS = 2_047  # of a URL
MOST_FOLDERS = 50_000
HOUR, DAY = 3_600, 86_400  # seconds
PERIODS = {
    "hourly": HOUR,
    "daily": DAY,
    "weekly": 7 * DAY,
    "monthly": 30 * DAY,
    "yearly": 365 * DAY,
}
PATH_CHARACTERS = "/!$&'()*+,;=:@~"  # stand in a path as they are, beside letters, digits and -._
EXAMPLE_NOW = datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()
EXAMPLE = {  # how long before then each file was modified
    "index.html": 2 * HOUR,
    "homework.pdf": 9 * DAY,
    "fish/index.html": 1.2 * DAY,
    "fish/crab & prawn.html": 40 * DAY,
    "fish/鱼.html": 400 * DAY,
    "fish/.draft.html": HOUR,
}


class Page(NamedTuple):
    path: bytes
    """Below the folder, with slashes; bytes, because a file's name may be any."""
    modified: float


def pages_of(folder: Path) -> Iterator[Page]:
    """In the order of their names; a folder's own files before those of its folders."""
    waiting = [b""]
    for _ in range(MOST_FOLDERS):
        if not waiting:
            return
        path = waiting.pop()
        with os.scandir(os.fsencode(folder) + b"/" + path) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        below = []
        for entry in entries:
            if entry.name.startswith(b"."):
                continue
            if entry.is_dir(follow_symlinks=False):
                below.append(path + entry.name + b"/")
            elif entry.is_file(follow_symlinks=False):
                name = b"" if entry.name == b"index.html" else entry.name
                yield Page(path + name, entry.stat(follow_symlinks=False).st_mtime)
        waiting += reversed(below)
    raise ValueError(f"more than {MOST_FOLDERS:,} folders in {folder}")


def frequency(seconds: float) -> str:
    """The word whose time is nearest."""
    return min(PERIODS, key=lambda word: abs(log(PERIODS[word] / max(1.0, seconds))))


def sitemap(folder: Path, base: str, now: float) -> str:
    parts = urlsplit(base)
    is_web = parts.scheme in ("http", "https") and parts.netloc and base.isascii()
    if not is_web or " " in base or "?" in base or "#" in base:
        raise ValueError(f"the base is a URL such as http://www.example.com, not {base}")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
    for number, page in enumerate(pages_of(folder)):
        if number == MOST_URLS:
            raise ValueError(f"more than {MOST_URLS:,} files, which one sitemap can't name")
        url = f"{base.rstrip('/')}/{quote(page.path, safe=PATH_CHARACTERS)}"
        if len(url) > MOST_CHARACTERS:
            continue
        modified = max(0, min(page.modified, now))  # a clock may have been wrong
        date = datetime.fromtimestamp(int(modified), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines.append(f"<url><loc>{escape(url)}</loc>")
        lines.append(f"  <lastmod>{date}</lastmod>")
        lines.append(f"  <changefreq>{frequency(now - modified)}</changefreq></url>")
    if len(lines) == 2:
        raise ValueError(f"no file to name in {folder}")
    return "\n".join([*lines, "</urlset>"])


def example() -> str:
    with tempfile.TemporaryDirectory() as name:
        for path, seconds_ago in EXAMPLE.items():
            file = Path(name, path)
            file.parent.mkdir(exist_ok=True)
            file.touch()
            os.utime(file, (EXAMPLE_NOW, EXAMPLE_NOW - seconds_ago))
        return sitemap(Path(name), "http://www.example.com", EXAMPLE_NOW)


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["--help"]:
                print(__doc__.rstrip())
            case []:
                print(example())
            case [folder, base]:
                print(sitemap(Path(folder), base, time.time()))
            case _:
                raise ValueError("use: nothing | FOLDER BASE")
    except (OSError, ValueError) as error:
        print(f"folder_sitemap: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
