"""Who follows the sources of a collection, and how far is it with each?

Whoever does writes it down when something about it changes, and counts while a look goes on; on a
quiet tree nothing is written. It is read by `status`, by `sources` and by the page of that name.
"""

import os
from contextlib import suppress

from shoal.layout.layout import Layout, holder_of
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.whole_file import write_whole

WAITING, LOOKING, FOLLOWED = "waiting", "looking", "followed"


class FollowedSource(Struct):
    name: str
    """A path, or the address of an account, as it is shown."""
    state: str
    """`waiting` for its turn, `looking` at all of it, or `followed`."""
    done: int = 0
    """Documents that were taken in, moved, shared or removed since it is followed."""
    looked: float = 0.0
    """When a look at all of it last came to its end."""
    problem: str = ""
    """Why it can't be looked at now."""


class Following(Struct):
    pid: int
    started: float
    written: float
    crawls: bool = False
    """Whether it is a crawl that follows them, beside its visits."""
    sources: list[FollowedSource] = []

    @property
    def looking(self) -> int:
        """How many are not followed yet, because not all of them was looked at."""
        return sum(each.state != FOLLOWED for each in self.sources)


def write_following(layout: Layout, following: Following) -> None:
    write_whole(layout.following, to_json(following))


def end_following(layout: Layout) -> None:
    with suppress(OSError):
        layout.following.unlink(missing_ok=True)


def read_following(layout: Layout) -> Following | None:
    """None: nobody follows them now."""
    try:
        found = from_json(Following, layout.following.read_bytes())
    except (OSError, *JSON_ERRORS):
        return None
    return found if found.pid == holder_of(layout) else None


def begin_following(now: float, *, crawls: bool) -> Following:
    return Following(os.getpid(), now, now, crawls)
