"""Which pages does a folder hold, as a web server would show it? Files with URLs and dates.

A name that begins with a dot is hidden, with all below it. A link to a file is taken when the file
lies in the folder too; a link to a folder never is: inside, its files are listed under their own
names, and outside they are not meant to be shown. Styles, scripts, pictures and fonts are parts
of pages, and no pages.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

INDEX_NAMES = ("index.html", "index.htm", "index.xhtml", "index.php")
"""What is shown for the folder itself; the first that is there."""
MAX_URL_CHARS = 2_047
"""A `<loc>` has fewer than 2,048 characters (sitemaps.org)."""

_PATH_CHARACTERS = "/!$&'()*+,;=:@~"
"""Besides letters, digits, `-`, `.` and `_`, what stands in a path as it is (RFC 3986, 3.3)."""
_PARTS = frozenset(
    {"css", "scss", "less", "js", "mjs", "ts", "map", "wasm"}
    | {"png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "bmp", "cur"}
    | {"woff", "woff2", "ttf", "otf", "eot"}
    | {"bak", "old", "orig", "swp", "tmp", "log", "lock"}
)
_NO_PAGES = frozenset({"robots.txt", "humans.txt", "ads.txt", "404.html", "50x.html", "web.config"})
_MAX_LEFT_OUT = 100


class FoundFile(NamedTuple):
    path: str
    """Below the folder, with `/` between names; bytes that are no UTF-8 as surrogates."""
    url: str
    modified: float
    """Unix seconds."""
    size_bytes: int


class WebFolder:
    def __init__(self, root: Path, base_url: str, *, takes_all: bool = False) -> None:
        """`base_url` ends in a slash. `takes_all`: parts of pages too."""
        self._root = root.resolve()
        self._base_url = base_url
        self._takes_all = takes_all
        self.left_out: list[str] = []
        """What could not be read or named, a sentence each; only the first."""

    def files(self, is_own: Callable[[Path], bool]) -> Iterator[FoundFile]:
        """In the order of their names; but for `is_own`, the sitemaps themselves."""
        folders = [""]
        while folders:
            folder = folders.pop()
            entries = self._entries(folder)
            below = [each for each in entries if _is_folder(each)]
            folders += [f"{folder}{each.name}/" for each in reversed(below)]
            names = {each.name for each in entries}
            index = next((name for name in INDEX_NAMES if name in names), "")
            for entry in entries:
                if self._is_wanted(entry) and not is_own(Path(entry.path)):
                    found = self._found(folder, entry, "" if entry.name == index else entry.name)
                    if found is not None:
                        yield found

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._root / folder) as found:
                shown = [each for each in found if not each.name.startswith(".")]
        except OSError as error:
            self._leave_out(folder, error.strerror or str(error))
            return []
        return sorted(shown, key=lambda each: os.fsencode(each.name))

    def _is_wanted(self, entry: os.DirEntry[str]) -> bool:
        if _is_folder(entry):
            return False
        if self._takes_all:
            return True
        name = entry.name.lower()
        is_part = name.rpartition(".")[2] in _PARTS and "." in name
        return not is_part and name not in _NO_PAGES and not name.endswith("~")

    def _found(self, folder: str, entry: os.DirEntry[str], shown: str) -> FoundFile | None:
        path = folder + entry.name
        try:
            if entry.is_symlink() and not self._is_inside(entry):
                return None
            status = entry.stat()
        except (OSError, RuntimeError) as error:  # the second: links in a circle
            self._leave_out(path, str(error))
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        url = self._base_url + url_path(folder + shown)
        if len(url) > MAX_URL_CHARS:
            self._leave_out(path, f"its URL has more than {MAX_URL_CHARS:,} characters")
            return None
        return FoundFile(path, url, status.st_mtime, status.st_size)

    def _is_inside(self, entry: os.DirEntry[str]) -> bool:
        return Path(entry.path).resolve().is_relative_to(self._root)

    def _leave_out(self, path: str, reason: str) -> None:
        if len(self.left_out) < _MAX_LEFT_OUT:
            self.left_out.append(f"{path or 'the folder'}: {reason}")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def url_path(path: str) -> str:
    """A path below a folder, as it stands in a URL."""
    return quote(os.fsencode(path), safe=_PATH_CHARACTERS)
