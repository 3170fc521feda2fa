"""Which sitemap does a folder of pages have? A lab exercise.

    python folder_sitemap.py FOLDER URL [--dates]

Every file that ends in .html or .htm is a page of the site that starts at URL; index.html is its
folder's own address. With --dates each says when its file was last changed. Addresses are encoded
(RFC 3986) and escaped (XML), as sitemaps.org asks; more than 50,000 do not fit into one sitemap.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

MOST = 50_000
_PAGES = (".html", ".htm")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_OPEN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """The path of each page below the folder, encoded, with its file; in the order of paths."""
    files = (file for file in folder.rglob("*") if file.suffix.lower() in _PAGES and file.is_file())
    for file in sorted(files):
        path = file.relative_to(folder).as_posix()
        if file.name.lower() in ("index.html", "index.htm"):
            path = path[: -len(file.name)]
        yield quote(path, safe="/~"), file


def sitemap(folder: Path, url: str, *, dates: bool = False) -> Iterator[str]:
    yield _HEAD
    yield _OPEN
    for path, file in pages(folder):
        place = escape(f"{url.rstrip('/')}/{path}")
        changed = ""
        if dates:
            when = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            changed = f"<lastmod>{when:%Y-%m-%dT%H:%M:%SZ}</lastmod>"
        yield f"  <url><loc>{place}</loc>{changed}</url>"
    yield "</urlset>"


def main(arguments: list[str]) -> int:
    words = [each for each in arguments if each != "--dates"]
    if len(words) != 2 or not words[1].startswith(("http://", "https://")):
        print("Give a folder and a URL: folder_sitemap.py FOLDER URL [--dates]", file=sys.stderr)
        return 2
    folder = Path(words[0])
    if not folder.is_dir():
        print(f"folder_sitemap: {folder} is no folder", file=sys.stderr)
        return 2
    found = list(sitemap(folder, words[1], dates="--dates" in arguments))
    if len(found) - 3 > MOST:
        print(f"folder_sitemap: more than {MOST:,} pages need several sitemaps", file=sys.stderr)
        return 2
    print("\n".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
