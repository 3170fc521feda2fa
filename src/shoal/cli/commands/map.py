"""`shoal map`: which URLs a site says it has."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Assign, Dir, Json, Resolve, app, argument, option

if TYPE_CHECKING:
    from shoal.control.site_map import SiteMap

_MAP_TIME = "10m"


@app.command("map")
def map_command(
    site: Annotated[str, argument("SITE", "A site, such as example.org or https://example.org/.")],
    max_time: Annotated[
        str, option("--max-time", "TIME", f"Read sitemaps for this long at most ({_MAP_TIME}).")
    ] = _MAP_TIME,
    resolve: Resolve = None,
    assign: Assign = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """All URLs of a site, without fetching its pages.

    They are read from robots.txt, from sitemaps (also compressed, nested and plain text) and from
    the collection, if it has the site. Asks as politely as a crawl.
    """
    from shoal.access.opening import is_there, settings_at
    from shoal.cli.settings_flags import assignments, resolutions
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.quantities import seconds
    from shoal.control.site_map import map_site
    from shoal.layout.layout import Layout, place_of

    place = place_of(given_dir)
    if given_dir is not None and not is_there(place):
        Layout(Path(place)).must_exist()  # it was misspelt
    overrides = {**resolutions(resolve or ()), **assignments(assign or ())}
    config = settings_at(place, overrides, os.environ)
    found = map_site(site, place, config, seconds(max_time, "--max-time"))
    if json:
        screen.json(found)
        return
    screen.stream(f"{each.url}\n".encode() for each in found.urls)
    _tell_sources(found)


def _tell_sources(found: "SiteMap") -> None:
    from shoal.cli.terminal.screen import remark
    from shoal.cli.terminal.wording import count

    for sitemap in found.sitemaps:
        what = sitemap.problem or count(sitemap.urls, "URL")
        remark(f"{sitemap.url}: {what}")
    for note in found.notes:
        remark(note)
    by_source = {"sitemap": "in sitemaps", "feed": "in feeds", "collection": "in the collection"}
    facts = [
        f"{number:,} {words}"
        for source, words in by_source.items()
        if (number := sum(1 for each in found.urls if source in each.sources))
    ]
    known = f" ({', '.join(facts)})" if facts else ""
    remark(f"{count(len(found.urls), 'URL')} of {found.site}{known}.")
