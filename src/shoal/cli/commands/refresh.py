"""`shoal refresh`: ask for stored pages again, all of them or some."""

import os
from pathlib import Path
from typing import Annotated

from shoal.cli.options import Assign, Dir, Json, Quiet, app, flag, option


@app.command()
def refresh(
    given_dir: Dir = None,
    site: Annotated[
        str, option("--site", "WHERE", "Only these: a URL prefix, a host, a suffix such as .edu.")
    ] = "",
    older: Annotated[
        str | None, option("--older", "TIME", "Only pages last visited longer ago: 12h, 7d.")
    ] = None,
    changed_first: Annotated[
        bool, flag("--changed-first", "Those first that have probably changed.")
    ] = False,
    max_time: Annotated[
        str | None, option("--max-time", "TIME", "Stop after this long: 90s, 15m, 2h.")
    ] = None,
    delay: Annotated[
        str | None, option("--delay", "SECONDS", "Wait at a host after each response.")
    ] = None,
    contact: Annotated[
        str | None, option("--contact", "URL|MAIL", "Where whoever runs a site can reach you.")
    ] = None,
    assign: Assign = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Ask for stored pages again, all or some.

    Servers are asked whether a page changed, so that most answers are short. New pages that are
    found wait for the next crawl. `shoal crawl --forever` does this by itself, each page in its
    own time.
    """
    from shoal.access.opening import settings_at
    from shoal.cli.commands.cluster import run_and_tell
    from shoal.cli.commands.crawl import Job, crawl_and_tell
    from shoal.cli.settings_flags import assignments, typed
    from shoal.cli.terminal.quantities import seconds
    from shoal.clock import SystemClock
    from shoal.engine.revisit_settings import for_refresh, selection_of
    from shoal.layout.layout import Layout, is_cluster_place, place_of

    place = place_of(given_dir)
    words = {"crawl.max_time": max_time, "politeness.delay": delay, "agent.contact": contact}
    overrides = {**typed(words), **assignments(assign or ())}
    config = for_refresh(settings_at(place, overrides, os.environ))
    age = None if older is None else seconds(older, "--older")
    now = SystemClock().now()
    selection = selection_of(site, age, now, changed_first=changed_first)
    if is_cluster_place(place):
        return run_and_tell(place, config, [], selection=selection, json=json, quiet=quiet)
    layout = Layout(Path(place))
    layout.must_exist()
    layout.must_be_free()
    job = Job(layout.directory, config, [], selection=selection)
    return crawl_and_tell(job, json=json, quiet=quiet)
