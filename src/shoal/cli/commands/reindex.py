"""`shoal reindex`: the full-text index, made anew."""

from shoal.cli.options import Dir, Json, app


@app.command()
def reindex(given_dir: Dir = None, json: Json = False) -> None:
    """Make the full-text index anew from the stored pages.

    Searches find the old one until the new one is whole. It is never needed after a crash: a crawl
    and `search` go on where the index was.
    """
    from shoal.access import indexing
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.cli.terminal.wording import count

    with StepProgress() as progress:
        done = indexing.reindex(given_dir, lambda documents: progress.report("indexing", documents))
    if json:
        screen.json(done)
        return
    screen.say(f"{count(done.pages, 'page')} in the index.")
