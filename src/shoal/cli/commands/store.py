"""`shoal checksum`, `compact` and `shadow`: what is stored, how much of it, and which state is
live."""

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, app, argument, flag, shadow_app

if TYPE_CHECKING:
    from shoal.maintenance.compact import Compacted


@app.command()
def checksum(
    files: Annotated[list[str], argument("FILE", "Files; - is standard input.")],
    json: Json = False,
) -> int:
    """Byte sum, POSIX cksum, CRC-32 and SHA-256 of files."""
    from shoal.cli.terminal import screen
    from shoal.errors import UsageError
    from shoal.files.checksum import checksums_of

    code = 0
    for file in files:
        try:
            found = checksums_of(file, sys.stdin.buffer)
        except UsageError as error:
            screen.remark(f"shoal: {error}")
            code = 2
            continue
        if json:
            screen.json(found)
            continue
        screen.say(file, strong=True)
        for name, value in found.facts:
            screen.say(f"  {name:<9} {value}")
    return code


@app.command()
def compact(
    everything: Annotated[
        bool, flag("--all", "Rewrite every archive file that has a record nobody needs.")
    ] = False,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Make room: drop old versions and what only they needed.

    How many versions of a page stay is the setting crawl.versions. Not while a crawl runs.
    """
    from shoal.access.opening import settings_at
    from shoal.cli.terminal import screen
    from shoal.layout.layout import place_of
    from shoal.maintenance import compact as compacting

    place = place_of(given_dir)
    share = 0.0 if everything else compacting.DEAD_SHARE
    config = settings_at(place, {}, os.environ)
    done = compacting.compact(place, config, share, screen.remark)
    if json:
        screen.json(done)
        return
    for line in _told(done):
        screen.say(line)


def _told(done: "Compacted") -> Iterator[str]:
    from shoal.cli.terminal.wording import count, size

    freed, before, after = done.bytes_reclaimed, done.bytes_before, done.bytes_after
    versions, records = (
        count(done.versions_dropped, "old version"),
        count(done.records_dropped, "archived record"),
    )
    files = count(done.files_rewritten, "archive file")
    yield f"{size(max(0, freed))} reclaimed: {size(before)} before, {size(after)} now."
    yield f"Dropped {versions} of pages and {records}."
    yield f"{files} rewritten, {done.files_deleted:,} deleted."
    if done.note:
        yield done.note


@shadow_app.command("status")
def shadow_status(given_dir: Dir = None, json: Json = False) -> None:
    """What was gathered apart so far."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.layout.layout import shadowed_directory
    from shoal.maintenance import shadow as shadows

    found = shadows.status(shadowed_directory(given_dir))
    if json:
        screen.json(found)
    elif not found.gathered:
        screen.say("Nothing is gathered apart.")
    else:
        waiting = f"{count(found.queued, 'URL')} wait" if found.queued else "none waits"
        running = "; the crawl is running" if found.running else ""
        screen.say(f"{count(found.pages, 'page')} gathered apart, {waiting}{running}.")


@shadow_app.command("apply")
def shadow_apply(
    shrink: Annotated[
        bool, flag("--shrink", "Also if far fewer pages were gathered than there are.")
    ] = False,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Make what was gathered apart the collection."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.layout.layout import shadowed_directory
    from shoal.maintenance import shadow as shadows

    done = shadows.apply(shadowed_directory(given_dir), shrink=shrink)
    if json:
        screen.json(done)
        return
    screen.say(f"Applied: {count(done.pages, 'page')}, in place of {done.pages_before:,}.")
    if done.still_read:
        screen.say("The old state is still being read; the next of these commands deletes it.")


@shadow_app.command("discard")
def shadow_discard(given_dir: Dir = None) -> None:
    """Delete what was gathered apart."""
    from shoal.cli.terminal.screen import say
    from shoal.layout.layout import shadowed_directory
    from shoal.maintenance import shadow as shadows

    shadows.discard(shadowed_directory(given_dir))
    say("What was gathered apart is deleted; the collection is as it was.")
