"""What has become of a document that stays where it is: a file of a disk, a mail of a mailbox?

A source (the port `DocumentSource`) compares what is there with its inventory and tells changes.
Each is taken into the collection in one batch with what the inventory says of it from then on.
"""

from typing import TypeAlias

from shoal.model.record import Struct


class Taken(Struct, frozen=True):
    """It is new, or says something else: it is to be read."""

    url: str
    stamp: bytes = b""
    """What the source knows its content by; only the source understands it."""
    readers: tuple[str, ...] = ()
    """Who may read it (access.py); empty: everyone."""
    fields: tuple[tuple[str, str], ...] = ()
    """What the source knows of it beside its content, by name: the folders of a mail."""


class Shared(Struct, frozen=True):
    """Other people may read it than before, or it stands in other folders; it says the same."""

    url: str
    stamp: bytes = b""
    readers: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    """As those of `Taken`; they stand in place of what was known before."""


class Moved(Struct, frozen=True):
    """It has another name; it says the same, and is not read again."""

    url: str
    to: str
    stamp: bytes = b""
    readers: tuple[str, ...] = ()
    """Who may read it at its new place."""


class Gone(Struct, frozen=True):
    """It is not there any more."""

    url: str


SourceChange: TypeAlias = Taken | Shared | Moved | Gone
