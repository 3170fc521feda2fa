"""`shoal mark` and `entities`: what was found out about pages, written to their rows."""

import os
from typing import Annotated

from shoal.cli.options import Dir, Json, Url, app, argument


@app.command()
def mark(
    url: Url,
    marks: Annotated[
        list[str] | None, argument("NAME=VALUE…", "What to write; NAME= takes it back.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Mark a stored page, or see its marks.

    Search finds it by mark:NAME=VALUE. Whatever you find out about pages outside Shoal (people
    named, a class, a judgement) is kept in the page's row and in the index.
    """
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.collection.report.marks_told import own_marks
    from shoal.control import commands
    from shoal.errors import UsageError
    from shoal.layout.layout import place_of

    given: dict[str, str] = {}
    for each in marks or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise UsageError(f"write a mark as NAME=VALUE, not {each!r}")
        given[name.strip()] = value.strip()
    if given:
        commands.mark(place_of(given_dir), url, given)
    with reading(given_dir) as collection:
        found = own_marks(collection.marks(url))
    found |= given  # a running crawl, or the next start of a cluster, has yet to write it
    if json:
        screen.json({name: value for name, value in found.items() if value})
        return
    for name, value in found.items():
        if value:
            screen.say(f"{name}={value}")
    if not any(found.values()):
        screen.remark("It has no marks.")
    tell_waiting(given_dir)


@app.command()
def entities(given_dir: Dir = None, json: Json = False) -> None:
    """Mark whom stored pages name: people, places, organisations.

    A crawl does so by itself (understand.entities); this is for pages that were stored before.
    Search finds them by person:, place: and org:. English pages only. Not while a crawl runs.
    """
    from shoal.access.opening import settings_at
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.cli.terminal.wording import count
    from shoal.layout.layout import place_of
    from shoal.maintenance import naming

    place = place_of(given_dir)
    config = settings_at(place, {}, os.environ)
    with StepProgress() as progress:
        done = naming.mark_names(
            place, config, lambda documents: progress.report("looking for names", documents)
        )
    if json:
        screen.json(done)
        return
    screen.say(f"{count(done.documents, 'document')}, {done.read:,} of them English texts.")
    screen.say(f"{done.named:,} name somebody; the marks of {done.changed:,} were changed.")
