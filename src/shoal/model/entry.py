"""What is the index told of a document? An entry: everything it can be found by.

Made out of the table by whoever follows its change log; the index knows no other room.
"""

from shoal.model.record import Struct


class Entry(Struct):
    row: bytes
    url: str
    site: str
    """The host, with its port where that is not the usual one."""
    title: str = ""
    headings: str = ""
    bold: str = ""
    content: str = ""
    rest: str = ""
    """What stands around the content: menus, footers."""
    anchors: list[tuple[str, int]] = []
    """What other pages call it: each text once, and how many sites do so."""
    language: str = ""
    media_type: str = ""
    source: str = ""
    """How it came to be known: link, seed, feed …"""
    marks: list[str] = []
    """What was found out about it, as `name=value`: all that finds it."""
    readers: list[str] = []
    """Who may read it; empty: everyone."""
    fetched: float = 0.0
    published: float = 0.0
    """Unix seconds; 0 when it is not known."""
    is_member: bool = False
    """Whether it stands within another document (an attachment, a file in a zip)."""
    facets: list[tuple[str, str]] = []
    """What was found out by computing, as it is counted: names and values (words/marks.py)."""
