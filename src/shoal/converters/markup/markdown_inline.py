"""What do the marks within a line of Markdown mean? CommonMark's emphasis, links, code and escapes.

The delimiter rules are CommonMark's, with one stack for each character instead of one for both: it
keeps the work linear, and differs only where emphases cross. Pictures are not text of the line:
what they show is handed back apart.
"""

import html
import re
from bisect import bisect_left
from typing import NamedTuple

from shoal.converters.writer import Run

_SPECIAL = re.compile(r"[\\`*_\[\]!<&~]|https?://|www\.")
_DESTINATION = re.compile(
    r"\(\s*(<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_REFERENCE = re.compile(r"\[([^\[\]]{0,999})\]")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>]*|[\w.+\-]{1,64}@[\w.\-]{1,255})>")
_BARE_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"]+")
_TAG = re.compile(
    r"<(?:!--.{0,500}?-->|(/?)([A-Za-z][A-Za-z0-9\-]*)((?:\s[^<>]{0,2000})?)/?>)", re.DOTALL
)
_HREF = re.compile(r"\bhref\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_BACKTICKS = re.compile("`+")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_FURTHEST = 1000
"""How far ahead the end of a link's destination is looked for."""


class Parsed(NamedTuple):
    runs: list[Run]
    pictures: list[str]
    """What they show, in words."""


class _Delimiters:
    __slots__ = ("at", "closes", "count", "mark")

    def __init__(self, at: int, mark: str, count: int, closes: bool) -> None:
        self.at, self.mark, self.count, self.closes = at, mark, count, closes


def parse(text: str, references: dict[str, str]) -> Parsed:
    return _Inline(text, references).read()


class _Inline:
    def __init__(self, text: str, references: dict[str, str]) -> None:
        self._text = text
        self._references = references
        self._pieces: list[str] = []
        self._bold: dict[int, int] = {}
        """Before which piece bold begins (+1) or ends (-1)."""
        self._links: dict[int, str] = {}
        """Before which piece a link begins, or ends (empty)."""
        self._openers: dict[str, list[_Delimiters]] = {"*": [], "_": [], "~": []}
        self._brackets: list[tuple[int, bool]] = []
        self._backticks: dict[int, list[int]] | None = None
        """Where the rows of backticks begin, by their length; looked for once."""
        self._pictures: list[str] = []

    def read(self) -> Parsed:
        text, position = self._text, 0
        while found := _SPECIAL.search(text, position):
            start = found.start()
            if start > position:
                self._pieces.append(text[position:start])
            position = self._special(found[0], start)
        self._pieces.append(text[position:])
        return Parsed(self._runs(), self._pictures)

    def _special(self, mark: str, start: int) -> int:
        text = self._text
        if mark == "\\":
            following = text[start + 1 : start + 2]
            if following in _ESCAPABLE and following:
                return self._literal(following, start + 2)
        elif mark == "`":
            return self._code(start)
        elif mark in "*_~":
            return self._delimiters(mark, start)
        elif mark == "[" or (mark == "!" and text.startswith("[", start + 1)):
            self._brackets.append((len(self._pieces), mark == "!"))
            return self._literal("![" if mark == "!" else "[", start + len(mark) + (mark == "!"))
        elif mark == "]" and self._brackets:
            return self._close_bracket(start)
        elif mark == "<":
            return self._angle(start)
        elif mark == "&" and (entity := _ENTITY.match(text, start)):
            return self._literal(html.unescape(entity[0]), entity.end())
        elif len(mark) > 3 and not self._brackets and (link := _BARE_LINK.match(text, start)):
            return self._bare_link(link)
        return self._literal(mark, start + len(mark))

    def _literal(self, piece: str, position: int) -> int:
        self._pieces.append(piece)
        return position

    def _code(self, start: int) -> int:
        ticks = _BACKTICKS.match(self._text, start)
        count = len(ticks[0]) if ticks else 1
        closing = self._row_of_backticks(count, start + count)
        if closing >= 0:
            return self._literal(self._text[start + count : closing], closing + count)
        return self._literal("`" * count, start + count)

    def _row_of_backticks(self, count: int, position: int) -> int:
        """Where the next one of that length begins; -1 when there is none."""
        if self._backticks is None:
            self._backticks = {}
            for row in _BACKTICKS.finditer(self._text):
                self._backticks.setdefault(len(row[0]), []).append(row.start())
        starts = self._backticks.get(count, [])
        place = bisect_left(starts, position)
        return starts[place] if place < len(starts) else -1

    def _delimiters(self, mark: str, start: int) -> int:
        text, end = self._text, start
        while end < len(text) and text[end] == mark:
            end += 1
        if mark == "~" and end - start != 2:
            return self._literal(text[start:end], end)
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        left = not after.isspace() and (after.isalnum() or not before.isalnum())
        right = not before.isspace() and (before.isalnum() or not after.isalnum())
        if mark == "_":
            left, right = left and not before.isalnum(), right and not after.isalnum()
        run = _Delimiters(len(self._pieces), mark, end - start, right)
        self._pieces.append(text[start:end])
        if right:
            self._match(run)
        if left and run.count:
            self._openers[mark].append(run)
        return end

    def _match(self, closer: _Delimiters) -> None:
        openers = self._openers[closer.mark]
        while closer.count and openers:
            opener = openers[-1]
            if opener.closes and (opener.count + closer.count) % 3 == 0 and closer.count % 3:
                return  # CommonMark's rule of three: `*a**b*` is one emphasis
            used = 2 if min(opener.count, closer.count) >= 2 else 1
            if used == 2 and closer.mark != "~":
                self._bold[opener.at + 1] = self._bold.get(opener.at + 1, 0) + 1
                self._bold[closer.at] = self._bold.get(closer.at, 0) - 1
            for run in (opener, closer):
                run.count -= used
                self._pieces[run.at] = run.mark * run.count
            if not opener.count:
                openers.pop()

    def _close_bracket(self, start: int) -> int:
        at, is_picture = self._brackets.pop()
        text, end = self._text, start + 1
        href: str | None = None
        if text.startswith("(", end):
            found = _DESTINATION.match(text, end, end + _FURTHEST)
            if found:
                href, end = found[1].strip("<>"), found.end()
        if href is None:
            named = _REFERENCE.match(text, end, end + _FURTHEST)
            label = named[1] if named else ""
            if not label and len(self._pieces) - at < _FURTHEST:
                label = "".join(self._pieces[at:])[1 + is_picture :]
            href = self._references.get(" ".join(label.lower().split()))
            if href is None:
                return self._literal("]", start + 1)
            end = named.end() if named else end
        if is_picture:
            self._pictures.append("".join(self._pieces[at:])[2:])
            self._forget(at)
            del self._pieces[at:]
        else:
            self._pieces[at] = ""
            self._links[at] = href
            self._links[len(self._pieces)] = ""
        return end

    def _forget(self, at: int) -> None:
        """Marks that stood in a picture's words."""
        for openers in self._openers.values():
            while openers and openers[-1].at >= at:
                openers.pop()
        for each in range(at + 1, len(self._pieces) + 1):
            self._bold.pop(each, None)
            self._links.pop(each, None)

    def _bare_link(self, link: re.Match[str]) -> int:
        url = link[0].rstrip(".,;:!?*_~'")
        if url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1]
        self._links[len(self._pieces)] = url if url.startswith("http") else f"http://{url}"
        self._pieces.append(url)
        self._links[len(self._pieces)] = ""
        return link.start() + len(url)

    def _angle(self, start: int) -> int:
        auto = _AUTOLINK.match(self._text, start)
        if auto:
            target = auto[1]
            self._links[len(self._pieces)] = target if ":" in target else f"mailto:{target}"
            self._pieces.append(target)
            self._links[len(self._pieces)] = ""
            return auto.end()
        tag = _TAG.match(self._text, start)
        if tag is None:
            return self._literal("<", start + 1)
        name, at = (tag[2] or "").lower(), len(self._pieces)
        if name in ("b", "strong"):
            self._bold[at] = self._bold.get(at, 0) + (-1 if tag[1] else 1)
        elif name == "a":
            href = _HREF.search(tag[3])
            self._links[at] = html.unescape(href[1]) if href and not tag[1] else ""
        self._pieces.append("\n" if name in ("br", "p", "div") else "")
        return tag.end()

    def _runs(self) -> list[Run]:
        runs: list[Run] = []
        bold, href = 0, ""
        for at, piece in enumerate(self._pieces):
            bold = max(0, bold + self._bold.get(at, 0))
            href = self._links.get(at, href)
            if piece:
                runs.append(Run(piece, bold > 0, href))
        return runs
