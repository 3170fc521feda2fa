"""How much of one page is taken? Whatever lies beyond is left out, and said so."""

from shoal.model.record import Struct


class Limits(Struct, frozen=True):
    decoded_bytes: int = 50_000_000
    decoded_ratio: int = 500
    """Bytes decoded for one byte sent."""
    text_chars: int = 5_000_000
    title_chars: int = 1_000
    links: int = 10_000
    anchor_chars: int = 200
    forms: int = 100
    fields: int = 200
    """Fields of one form, and options of one field."""
    metas: int = 200
    value_chars: int = 2_000
    """Of a meta element, a form's field, a description."""
    html_bytes: int = 20_000_000
    tags: int = 250_000
    """That mean something to us; each takes some 400 bytes while a page is read."""
    blocks: int = 200_000
    members: int = 1_000
    """Documents of one visit: messages of a mailbox, files in an archive."""
    member_bytes: int = 50_000_000
    """Of one member, unpacked."""
    unpacked_bytes: int = 200_000_000
    """Of all that is unpacked of one file."""
    depth: int = 2
    """An archive in a mail is opened, an archive in that one is not. A mailbox is no level."""


DEFAULT_LIMITS = Limits()
