"""/sources: which folders and mailboxes are read, how far that is, what was left out and why.

For the owner alone. A source that is named here is checked as on the command line; who reads it is
whoever writes to the collection. Where nobody says who they are, anybody on this machine may be at
the other end, and nothing of the disk is read for them.
"""

from collections.abc import Callable

from shoal.control import source_orders as orders
from shoal.control.own_sources import SourceLine, source_lines
from shoal.errors import ShoalError, UsageError
from shoal.layout.following import read_following
from shoal.layout.layout import Layout, is_locked
from shoal.model.record import Struct
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import (
    Parameter,
    Problem,
    View,
    form_text,
    sentence,
    text,
    wants_json,
)

_BACK = "/sources"
_MOST_SKIPPED = 200
_NOBODY_ASKED = (
    "Whoever reaches this page is taken for the owner here, so it reads nothing of the disk: add "
    "the first folder with `shoal add PATH`, or start the server with --token."
)


class Wish(Struct):
    """What a form starts with."""

    path: str = ""
    mailbox: str = ""
    password_file: str = ""
    owner: str = ""


class SourcesPage(Struct):
    sources: list[SourceLine]
    followed_by: str
    """`a crawl`, or which process; empty: nobody follows them now."""
    why_not: str
    """Why nobody does, in one sentence."""
    can_add: bool
    refuses_because: str
    wish: Wish
    problem: str = ""
    """Why what a form asked for was refused."""


class SkippedPage(Struct):
    source: str
    reason: str
    left_out: list[str]
    has_more: bool


def sources(site: Site, request: Request) -> Response:
    return site.answer(request, "sources.html", _page(site))


def skipped(site: Site, request: Request) -> Response:
    path, reason = text(request, "path"), text(request, "reason", 200)
    found = orders.skipped_in(site.place, path, reason, _MOST_SKIPPED + 1)
    page = SkippedPage(path, reason, found[:_MOST_SKIPPED], len(found) > _MOST_SKIPPED)
    return site.answer(request, "skipped.html", page)


def add_folder(site: Site, request: Request) -> Response:
    wish = Wish(path=form_text(request, "path").strip())

    def add() -> bool:
        return orders.order_folder(site.place, wish.path)

    return _added(site, request, wish, wish.path, add)


def add_mailbox(site: Site, request: Request) -> Response:
    wish = Wish(
        mailbox=form_text(request, "mailbox").strip(),
        password_file=form_text(request, "password_file").strip(),
        owner=form_text(request, "owner", 200).strip(),
    )

    def add() -> bool:
        given = (wish.mailbox, wish.password_file, wish.owner)
        return orders.order_mailbox(site.place, *given)

    return _added(site, request, wish, wish.mailbox, add)


def remove(site: Site, request: Request) -> Response:
    path = form_text(request, "path")
    is_taken = orders.order_removal(site.place, path)
    how = "is being forgotten" if is_taken else "is forgotten"
    return site.done(request, _BACK, f"{path} {how}, with what was read of it.")


def look(site: Site, request: Request) -> Response:
    path = form_text(request, "path")
    if not orders.order_look(site.place, path):
        site.look_for_sources()
        if not site.follows_sources:
            raise Problem(409, "Nobody follows the sources now; `shoal watch` looks at them.")
    return site.done(request, _BACK, f"{path or 'All of it'} is looked at now.")


def _added(
    site: Site, request: Request, wish: Wish, name: str, add: Callable[[], bool]
) -> Response:
    try:
        if not _can_add(site):
            raise Problem(403, _NOBODY_ASKED)
        if not name:
            raise UsageError("name a folder, a file or a mailbox")
        is_taken = add()
    except ShoalError as error:
        status = error.status if isinstance(error, Problem) else 400
        if wants_json(request):
            raise Problem(status, sentence(str(error))) from None
        page = _page(site, wish, sentence(str(error)))
        return site.answer(request, "sources.html", page, status=status)
    site.look_for_sources()
    will_be = is_taken or site.follows_sources
    how = "is read from now on." if will_be else "is read by the next `shoal watch`."
    return site.done(request, _BACK, f"{name} {how}")


def _page(site: Site, wish: Wish | None = None, problem: str = "") -> SourcesPage:
    with site.reading() as collection:
        lines = collection.tablets.ask(0, source_lines)
    followed_by, why_not = _followed_by(site)
    can_add = _can_add(site)
    because = "" if can_add else _NOBODY_ASKED
    return SourcesPage(lines, followed_by, why_not, can_add, because, wish or Wish(), problem)


def _can_add(site: Site) -> bool:
    return not site.asking.is_open()


def _followed_by(site: Site) -> tuple[str, str]:
    layout = Layout(site.directory)
    following = read_following(layout)
    if following is not None:
        if following.crawls:
            return "a crawl", ""
        return f"process {following.pid}", ""
    if is_locked(layout):
        return (
            "",
            "Another command is writing to the collection; they are followed when it is done.",
        )
    if site.follows_sources:
        return "", "They are followed in a moment."
    return "", "Nobody follows them: this server was told not to. `shoal watch` does."


_PATH = Parameter("path", "A source, by its name on the page.", must_be="a source")
VIEWS = (
    View(
        "/sources",
        sources,
        "The folders and mailboxes that are read: how far, what was left out, what is wrong.",
        data=SourcesPage,
        only="collection",
    ),
    View(
        "/sources/skipped",
        skipped,
        "What of a folder is left out for one reason, as it stands now.",
        parameters=(
            Parameter("path", "A source.", required=True, must_be="a source"),
            Parameter("reason", "As the page of sources calls it.", required=True),
        ),
        data=SkippedPage,
        only="collection",
    ),
    View(
        "/sources/add",
        add_folder,
        "Read a folder or a file of this machine from now on.",
        "POST",
        (Parameter("path", "Its whole path.", must_be="a folder or a file"),),
        only="collection",
    ),
    View(
        "/sources/mail",
        add_mailbox,
        "Read a mailbox from now on.",
        "POST",
        (
            Parameter("mailbox", "A path, or imaps://user@host.", must_be="a mailbox"),
            Parameter("password_file", "A file of mode 0600 whose first line is the password."),
            Parameter("owner", "Who may read an account; without it, who runs the server."),
        ),
        only="collection",
    ),
    View(
        "/sources/remove",
        remove,
        "Forget a source, and what was read of it.",
        "POST",
        (Parameter("path", "A source.", required=True, must_be="a source"),),
        only="collection",
    ),
    View(
        "/sources/look",
        look,
        "Look at all of a source now; without a path, at all of them.",
        "POST",
        (_PATH,),
        only="collection",
    ),
)
