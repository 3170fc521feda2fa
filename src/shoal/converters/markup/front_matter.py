"""What does the front matter of a text say about it? `key: value` lines between two `---`.

Static site generators put YAML (`---`) or TOML (`+++`) before Markdown, reStructuredText and
AsciiDoc. Only plain values of one line are understood: more than that is no title.
"""

import re
from dataclasses import dataclass

from shoal.model.page import Page

_LINE = re.compile(r"([A-Za-z_][\w\-]{0,40})\s*[:=]\s*(.*)$")
_MOST_LINES = 200
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+\-][0-9:]+)?)?")


@dataclass(slots=True)
class FrontMatter:
    title: str = ""
    author: str = ""
    date: str = ""
    modified: str = ""
    description: str = ""
    language: str = ""
    keywords: str = ""

    def describe(self, page: Page) -> None:
        page.author = self.author
        page.description = self.description
        page.language = self.language
        page.keywords = self.keywords
        page.published = iso_date(self.date)
        page.modified = iso_date(self.modified)


_NAMES = {
    **dict.fromkeys(("authors", "by"), "author"),
    "lang": "language",
    "tags": "keywords",
    **dict.fromkeys(("summary", "abstract", "subtitle"), "description"),
    "published": "date",
    **dict.fromkeys(("updated", "lastmod", "last_modified_at"), "modified"),
}


def split(text: str) -> tuple[FrontMatter, str]:
    """What it says, and the text without it."""
    front = FrontMatter()
    fence = text.lstrip("\ufeff")[:3]
    if fence not in ("---", "+++"):
        return front, text
    lines = text.lstrip("\ufeff").split("\n", _MOST_LINES)
    if lines[0].strip() != fence:
        return front, text
    for at, line in enumerate(lines[1:_MOST_LINES], 1):
        if line.strip() in (fence, "..."):
            _take(lines[1:at], front)
            return front, "\n".join(lines[at + 1 :])
        if at == 1 and not _LINE.match(line) and not line.startswith("#"):
            break
    return front, text


def _take(lines: list[str], front: FrontMatter) -> None:
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        name, value = found[1].lower(), found[2].strip()
        value = value.strip("[]") if value.startswith("[") else value
        value = value.strip().strip("\"'")
        name = _NAMES.get(name, name)
        if value not in ("", ">", "|", ">-", "|-") and name in FrontMatter.__slots__:
            setattr(front, name, value)


def iso_date(text: str) -> str:
    found = _DATE.match(text.strip())
    return found[0].replace(" ", "T") if found else ""
