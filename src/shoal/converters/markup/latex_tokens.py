"""Where do the tokens and arguments of TeX begin and end? A cursor over the source.

Groups are found by counting braces, never by recursion; an argument that does not end is cut where
the text ends or after `_LONGEST` characters.
"""

import re

_TOKEN = re.compile(
    r"\\(?P<command>[A-Za-z@]+)\*?[ \t]*\n?[ \t]*|\\(?P<sign>.)|(?P<brace>[{}])|(?P<math>\$\$?)"
    r"|(?P<blank>\n[ \t]*\n\s*)|(?P<tie>~)|(?P<tab>&)|(?P<ligature>---?|``|''|!`|\?`)"
    r"|(?P<text>[^\\{}$~&\n\-`'!?]+|.)",
    re.DOTALL,
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BRACKET = re.compile(r"\\.|[{}\[\]]", re.DOTALL)
_LONGEST = 100_000


class LatexSource:
    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position
        self._budget = 20 * len(text) + _LONGEST
        """How much may be looked through in search of closing braces."""

    def token(self) -> re.Match[str] | None:
        found = _TOKEN.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def group(self) -> str:
        """The argument in braces that comes next, or a single token; empty at the end."""
        self._skip_space()
        if not self.text.startswith("{", self.position):
            found = _TOKEN.match(self.text, self.position)
            if found is None or found["brace"] or found["blank"]:
                return ""
            if found["text"]:
                self.position += 1
                return found["text"][0]
            self.position = found.end()
            return found[0].strip()
        start, depth = self.position + 1, 0
        longest = min(_LONGEST, max(0, self._budget))
        for found in _BRACE.finditer(self.text, self.position, self.position + longest):
            depth += {"{": 1, "}": -1}.get(found[0], 0)
            if not depth:
                self.position = found.end()
                self._budget -= self.position - start
                return self.text[start : found.start()]
        self._budget -= min(longest, len(self.text) - start)
        self.position = start
        return ""

    def option(self) -> str:
        """What stands in brackets, if they come next."""
        self._skip_space()
        if not self.text.startswith("[", self.position):
            return ""
        start, depth = self.position + 1, 0
        for found in _BRACKET.finditer(self.text, start, start + _LONGEST):
            if found[0] == "]" and depth == 0:
                self.position = found.end()
                return self.text[start : found.start()]
            depth += {"{": 1, "}": -1}.get(found[0], 0)
        return ""

    def up_to(self, end: str) -> str:
        """Up to a fixed text, which is passed over."""
        place = self.text.find(end, self.position, self.position + _LONGEST)
        if place < 0:
            return ""
        found = self.text[self.position : place]
        self.position = place + len(end)
        return found

    def _skip_space(self) -> None:
        while self.text[self.position : self.position + 1] in (" ", "\t") or (
            self.text.startswith("\n", self.position)
            and self.text[self.position + 1 : self.position + 2] in ("{", "[", " ")
        ):
            self.position += 1
