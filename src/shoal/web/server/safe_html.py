"""How is HTML made harmless? It is taken apart into tokens, and only what is known to be harmless
is rewritten: a few tags, a few attributes, and text, every character of it escaped.

What the converters hand over is clean already. It is treated as hostile all the same, and so is
whatever comes out of here: it is shown in a sandbox with a policy that forbids everything.
"""

import re
from html import escape
from html.parser import HTMLParser

from shoal.web.server.rendering import harmless, web_address
from shoal.web.server.words import Words

_WORDS = re.compile(r"\S+")
_TAGS = frozenset(
    _WORDS.findall(
        """a abbr aside b blockquote br caption cite code dd del dfn div dl dt em figcaption figure
        h1 h2 h3 h4 h5 h6 hr i ins kbd li ol p pre q s samp section small span strong sub sup table
        tbody td tfoot th thead tr u ul var"""
    )
)
_VOID = frozenset({"br", "hr"})
_DROPPED = frozenset(
    _WORDS.findall(
        """audio canvas frameset head iframe math noembed noframes noscript object option plaintext
        script select style svg template textarea title video xmp"""
    )
)
"""What goes with everything in it."""
_NUMBERS = {"li": ("value",), "ol": ("start",), "td": ("colspan", "rowspan")}
_NUMBERS["th"] = _NUMBERS["td"]
_MOST_NUMBER_CHARS = 8
_MOST_DEPTH = 400
MOST_CHARS = 10_000_000


def safe_html(html: str, words: Words) -> str:
    """The body of a page, with the words marked in its text."""
    writer = _Writer(words)
    writer.feed(html[:MOST_CHARS])
    writer.close()
    return writer.finished()


class _Writer(HTMLParser):
    def __init__(self, words: Words) -> None:
        super().__init__(convert_charrefs=True)
        self._words = words
        self._pieces: list[str] = []
        self._has_mark = False
        self._open: list[str] = []
        self._dropping: list[str] = []

    def finished(self) -> str:
        while self._open:
            self._pieces.append(f"</{self._open.pop()}>")
        return "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropping or tag in _DROPPED:
            if tag in _DROPPED:
                self._dropping.append(tag)
            return
        if tag not in _TAGS or len(self._open) >= _MOST_DEPTH:
            return
        self._pieces.append(f"<{tag}{_attributes(tag, attrs)}>")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # HTML knows no such tags: the slash means nothing.
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._dropping:
            if tag in self._dropping:
                del self._dropping[self._dropping.index(tag) :]
            return
        if tag in self._open:
            while (closed := self._open.pop()) != tag:
                self._pieces.append(f"</{closed}>")
            self._pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._dropping:
            return
        for text, is_wanted in self._words.marked(str(harmless(data))):
            shown = escape(text)
            self._pieces.append(f"<mark{self._place()}>{shown}</mark>" if is_wanted else shown)

    def _place(self) -> str:
        """The first marked word has a name, so that whoever opens the copy is led to it."""
        is_first, self._has_mark = not self._has_mark, True
        return ' id="marked"' if is_first else ""


def _attributes(tag: str, attrs: list[tuple[str, str | None]]) -> str:
    given = {name: value or "" for name, value in reversed(attrs)}  # of two, a browser takes one
    if tag == "a":
        target = web_address(given.get("href", "").strip())
        if not target:
            return ""
        return f' href="{escape(target)}" target="_blank" rel="noopener noreferrer nofollow"'
    return "".join(
        f' {name}="{value}"'
        for name in _NUMBERS.get(tag, ())
        if (value := given.get(name, "")).isascii()
        and value.isdigit()
        and len(value) <= _MOST_NUMBER_CHARS
    )
