"""`shoal serve`: the search page and the dashboard, in a browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, app, argument, flag, option, user_app

if TYPE_CHECKING:
    from shoal.access.people import Users

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
    socket: Annotated[
        Path | None,
        option("--socket", "PATH", "Listen there instead; the system says which user asks."),
    ] = None,
    crawl: Annotated[
        bool, flag("--crawl", "Crawl meanwhile, without end; it stops with the server.")
    ] = False,
    no_watch: Annotated[
        bool, flag("--no-watch", "Do not follow the folders and mailboxes that were added.")
    ] = False,
    open_browser: Annotated[bool, flag("--open", "Open it in the browser.")] = False,
) -> None:
    """Search the collection and watch its crawl, in a browser.

    In a new or empty directory the page begins one. Folders and mailboxes that were added are
    followed meanwhile.
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
        local_socket=socket,
        crawl=crawl,
        watch=not no_watch,
        open_browser=open_browser,
        tell=tell,
        tell_more=screen.remark,
    )


Name = Annotated[str, argument("NAME", "A user of this machine, or a name that has roles.")]


@user_app.command("add")
def add_user(name: Name, given_dir: Dir = None) -> None:
    """Make a token for a user, who finds with it what they may read.

    It is printed once and kept nowhere: the collection has its digest alone. A user who had one
    loses it.
    """
    from shoal.access.people import is_user_here
    from shoal.cli.terminal import screen

    token = _users(given_dir).add(name)
    screen.say(token)
    screen.remark(
        f"{name} opens the address that `shoal serve` prints, with ?token=… in place of the token "
        "in it."
    )
    if not is_user_here(name):
        screen.remark(
            f"No user of this machine has this name; {name} finds only what everyone may read, or "
            f"what names {name}."
        )


@user_app.command("remove")
def remove_user(name: Name, given_dir: Dir = None) -> None:
    """Take a user's token back, at once."""
    from shoal.cli.terminal import screen

    _users(given_dir).remove(name)
    screen.say(f"{name} has no token any more.")


@user_app.command("list")
def list_users(given_dir: Dir = None, json: Json = False) -> None:
    """Show who has a token."""
    from shoal.cli.terminal import screen

    names = _users(given_dir).names()
    if json:
        screen.json(names)
    for name in names if not json else ():
        screen.say(name)
    if not names and not json:
        screen.say("Nobody but the owner has a token.")


def _users(given_dir: str | None) -> "Users":
    from shoal.access.people import Users
    from shoal.errors import UsageError
    from shoal.layout.layout import Layout, is_cluster_place, place_of

    place = place_of(given_dir)
    if "://" in place:
        raise UsageError("users have tokens for a collection in a directory only")
    if not is_cluster_place(place):
        Layout(Path(place)).must_exist()
    return Users(Path(place))
