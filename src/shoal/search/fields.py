"""Which names may stand before a colon, and what do they mean?

Text fields hold words; filters are exact. Other engines' names are understood too.
"""

import re

from shoal.model.mail_words import FOLDER, FROM, HAS, THREAD, TO, asked_marks
from shoal.model.query import Dated, Is, Phrase, QueryPart, Word
from shoal.model.words import marks
from shoal.search.dates import moment

TEXT_FIELDS = {
    **dict.fromkeys(("title", "intitle", "subject"), "title"),
    **dict.fromkeys(("headings", "heading"), "headings"),
    "bold": "bold",
    **dict.fromkeys(("content", "intext"), "content"),
    **dict.fromkeys(("anchor", "inanchor"), "anchor"),
    **dict.fromkeys(("url", "inurl"), "url"),
}
FILTERS = {
    **dict.fromkeys(("site", "host"), "site"),
    **dict.fromkeys(("filetype", "type", "ext"), "type"),
    **dict.fromkeys(("lang", "language"), "language"),
    **{name: name for name in ("source", "mark", "before", "after", "related")},
    **dict.fromkeys(("link", "links"), "links"),
    **dict.fromkeys(("from", "sender"), FROM),
    **dict.fromkeys(("to", "cc"), TO),
    **dict.fromkeys(("folder", "label"), FOLDER),
    **{name: name for name in (THREAD, HAS, *marks.COMPUTED)},
}
_OF_MAILS = (FROM, TO, FOLDER, THREAD, HAS)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PIECES = re.compile(r"\w+")


def dated(name: str, value: str, now: float) -> Dated | None:
    when = moment(value, now)
    if when is None:
        return None
    return Dated(after=when) if name == "after" else Dated(before=when)


def restriction(name: str, value: str) -> tuple[QueryPart, ...]:
    """What a filter asks of a document; nothing when its value names nothing."""
    if name == "site":
        return _site(value)
    if name in _OF_MAILS:
        return tuple(Is("mark", mark) for mark in asked_marks(name, value))
    if name in marks.COMPUTED:
        return tuple(Is("mark", mark) for mark in marks.asked_marks(name, value))
    if name == "type":
        value = value.removeprefix(".")
    elif name == "language":
        value = re.split("[-_]", value)[0]
    if name != "mark":  # a mark's value may be a name
        value = value.lower()
    return (Is(name, value),) if value else ()


def _site(value: str) -> tuple[QueryPart, ...]:
    """A host; what is written of a path must stand in the URL."""
    host, _, path = _SCHEME.sub("", value, count=1).lower().partition("/")
    host = host.removeprefix("*.").strip(".")
    pieces = _PIECES.findall(path)
    if not host:
        return ()
    below: QueryPart = (
        Phrase(" ".join(pieces), "url")
        if len(pieces) > 1
        else Word(pieces[0] if pieces else "", "url")
    )
    return (Is("site", host), below) if pieces else (Is("site", host),)
