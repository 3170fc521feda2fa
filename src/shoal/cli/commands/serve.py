"""`shoal serve`: the search page and the dashboard, in a browser."""

from pathlib import Path
from typing import Annotated

from shoal.cli.options import Dir, app, flag, option

_HOST = "127.0.0.1"
_PORT = 8765


@app.command()
def serve(
    given_dir: Dir = None,
    host: Annotated[
        str,
        option(
            "--host",
            "ADDRESS",
            "Where to listen, without it 127.0.0.1; elsewhere a token is asked for.",
        ),
    ] = _HOST,
    port: Annotated[
        int, option("--port", "PORT", "On which port, without it 8765; 0 takes a free one.")
    ] = _PORT,
    token: Annotated[
        str | None,
        option("--token", "TOKEN", "What a browser must know; made and printed when needed."),
    ] = None,
    name: Annotated[
        list[str] | None,
        option("--name", "NAME", "A further host name that it is reached by (a proxy's)."),
    ] = None,
    crawl: Annotated[
        bool, flag("--crawl", "Crawl meanwhile, without end; it stops with the server.")
    ] = False,
    open_browser: Annotated[bool, flag("--open", "Open it in the browser.")] = False,
) -> None:
    """Search the collection and watch its crawl, in a browser.

    In a new or empty directory the page begins one.
    Listens on 127.0.0.1 only, unless --host says otherwise. Ctrl-C ends it.
    """
    from shoal.cli.terminal import screen
    from shoal.errors import UsageError
    from shoal.layout.layout import Layout, is_cluster_place, place_of
    from shoal.web.server.serve import serve as serve_site

    if not 0 <= port <= 65_535:
        raise UsageError("--port must be from 0 to 65535")

    def tell(address: str) -> None:
        screen.say(f"Serving {place} at {address}")
        if not is_cluster_place(place) and not Layout(Path(place)).exists():
            screen.say("There is nothing there yet; the page begins a collection.")
        screen.say("Ctrl-C ends it.")

    place = place_of(given_dir)
    serve_site(
        place,
        host,
        port,
        token,
        names=name or (),
        crawl=crawl,
        open_browser=open_browser,
        tell=tell,
    )
