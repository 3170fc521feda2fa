"""`shoal entities`: whom stored pages name, marked afterwards."""

from shoal.cli.options import Dir, Json, app


@app.command()
def entities(given_dir: Dir = None, json: Json = False) -> None:
    """Mark the people, places and organisations that stored pages name.

    A crawl does so by itself (understand.entities); this is for pages that were stored before.
    Search finds them by person:, place: and org:. English pages only. Not while a crawl runs.
    """
    import os

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
