"""What is remembered of a source of one's own documents: a folder, a mailbox?

A row in the family `site` for each, under a key of its own. What it holds stands in its inventory,
which only the source itself reads (sources/disk/inventory.py for files).
"""

from shoal.model.record import Struct

SOURCE_KEYS = b"\x00source\x00"
INVENTORY_KEYS = b"\x00stock\x00"
INODE_KEYS = b"\x00inode\x00"
MAIL_KEYS = b"\x00mail\x00"
STOCK_KEYS = (INVENTORY_KEYS, INODE_KEYS, MAIL_KEYS)
"""What is remembered of what sources hold: without it they are read anew."""
TIDY_KEY = b"\x00tidy\x00"
"""There is something in the table's files that has gone, or is not compressed yet."""
OWN_KEYS = (SOURCE_KEYS, INVENTORY_KEYS, INODE_KEYS, MAIL_KEYS, TIDY_KEY)
"""All that sources keep in the family `site`."""
FOLDER, MAIL = "folder", "mail"


class Skipped(Struct, array_like=True):
    """What was left out for one reason."""

    count: int = 0
    example: str = ""
    """One of them, as it is shown."""


class SourceRow(Struct, array_like=True):
    kind: str = FOLDER
    name: bytes = b""
    """A folder's path, as the disk has it, or the address of an account."""
    added: float = 0.0
    looked: float = 0.0
    """When all of it was last looked at and something was found to do."""
    whole: bool = False
    """Whether all of it was looked at since it was added."""
    skipped: dict[str, Skipped] = {}
    """By the reason, in words."""
    problem: str = ""
    """Why it can't be looked at now."""
    polled: str = ""
    """Why it, or a part of it, is looked at now and then only; empty: changes are told."""
    device: int = 0
    """Where it stood when it was last seen: an empty place on another device is a disk that is not
    mounted."""
    secret: str = ""
    """The path of the file that holds the password of an account."""
    owner: str = ""
    """The word for who may read an account."""


def shown(name: bytes) -> str:
    """A path or an address, for people."""
    return name.decode("utf-8", "backslashreplace")


def source_key(kind: str, name: bytes) -> bytes:
    return SOURCE_KEYS + kind.encode() + b"\x00" + name
