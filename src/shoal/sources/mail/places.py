"""What is a mailbox to its source? Folders, and in each of them places where mails stand.

A place is a few bytes by which a mailbox finds a mail again (a UID, a file's name, an offset). It
never comes to mean another mail. One mail may stand in many places.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from shoal.errors import ShoalError

INBOX = "INBOX"

Known = Callable[[bytes], Iterator[bytes]]
"""The places of a folder that the inventory has, from one on, in order."""


class LineLost(ShoalError):
    """The mailbox can't be asked now; the text is a sentence."""


class Refused(LineLost):
    """It does not want us: trying again soon is no use."""


class Look(NamedTuple):
    """What is otherwise in a folder. To be gone through in this order."""

    added: Iterator[bytes]
    """Places that are not known."""
    gone: Iterator[bytes]
    """Known ones that are no more."""
    state: Callable[[], bytes]
    """What the folder is known by from now on."""


class Mail(NamedTuple):
    place: bytes
    pieces: Iterator[bytes]
    """Of its bytes, in order; to be read before the next mail is asked for."""
    readers: tuple[str, ...]


class Mailbox(Protocol):
    """mbox files, a Maildir, an account on a server."""

    problem: str | None
    """Why it can't be looked at now, of one that finds that out while it waits; None of others."""

    def folders(self) -> Sequence[str]: ...

    def look(self, folder: str, before: bytes, known: Known, everything: bool) -> Look | None:
        """Compare a folder with what is known of it; None when nothing has stirred in it.
        `everything`: whatever its state says."""
        ...

    def mails(self, folder: str, places: Iterable[bytes]) -> Iterator[Mail]:
        """What stands in these places, as far as it is still there."""
        ...

    def rights(self, folder: str) -> bytes:
        """What is other when other people may read the mails of a folder."""
        ...

    def readers(self, folder: str, places: Iterable[bytes]) -> Iterator[tuple[str, ...] | None]:
        """Who may read what stands in each of these places; None for what is not there."""
        ...

    def wait(self, seconds: float) -> bool:
        """Whether something stirred within this time."""
        ...

    def lost(self, error: LineLost) -> None:
        """It could not be asked while its changes were told; it is tried again later."""
        ...

    def close(self) -> None: ...


def compared(now: dict[bytes, None], known: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Which places were added, and which are gone. The first are taken out of `now`."""
    gone = []
    for place in known:
        if place in now:
            del now[place]
        else:
            gone.append(place)
    return list(now), gone
