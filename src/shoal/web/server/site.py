"""What is served? One collection or cluster, to each who asks as they may read it: what every view
is given.

All views answer through `answer`: HTML out of a template, or the same value as JSON when the path
ends in `.json`. All changes are POST and carry the CSRF token of this process; the guard (guard.py)
has looked at where a request comes from before any of this is asked.
"""

import hashlib
import hmac
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote, unquote

from shoal.collection.collection import Collection
from shoal.collection.view import ONLY_THE_OWNER
from shoal.config import VERSION, load
from shoal.control.hub_requests import Callback
from shoal.layout.layout import Layout, is_cluster_place
from shoal.model.principal import OWNER, Principal
from shoal.model.record import Struct, to_json
from shoal.web.server.asking import Asking, asked_by
from shoal.web.server.cluster_watching import Cluster
from shoal.web.server.copying import Copies
from shoal.web.server.http import RedirectResponse, Request, Response
from shoal.web.server.rendering import Templates
from shoal.web.server.served_collection import ServedCollection, served_collection
from shoal.web.server.view import Problem, View, wants_json
from shoal.web.server.watching import Watching

_NAVIGATION = (
    ("/search", "Search"),
    ("/dashboard", "Dashboard"),
    ("/sites", "Sites"),
    ("/urls", "URLs"),
    ("/feeds", "Feeds"),
    ("/sources", "Sources"),
    ("/graph", "Graph"),
)
_CLUSTER_NAVIGATION = (
    *_NAVIGATION[:2],
    ("/cluster", "Cluster"),
    *(each for each in _NAVIGATION[2:] if each[0] != "/sources"),
)
_ABOUT_THE_CRAWL = (
    ("/dashboard", "Overview"),
    ("/failures", "Failures"),
    ("/duplicates", "Duplicates"),
    ("/freshness", "Freshness and age"),
    ("/store", "Store"),
    ("/runs", "Past crawls"),
    ("/log", "Log"),
)
_ABOUT_A_CLUSTER = (
    _ABOUT_THE_CRAWL[0],
    ("/cluster", "Machines and tablets"),
    *(each for each in _ABOUT_THE_CRAWL[1:] if each[0] != "/log"),
)
_NOT_OF_A_CLUSTER = (
    "A cluster is served here, and has no such page; how it stands is on /cluster and /dashboard."
)
_NO_COMMAND_TO_A_CLUSTER = (
    "A cluster takes no such order from a page; those that it takes are on /cluster."
)
MOST_HELD = 32
"""Of those who may read a part only, whose views stay open."""
_SAID = "shoal-said"
_SAID_SECONDS = 30
_MOST_SAID_CHARS = 500


class Done(Struct):
    """What came of a change."""

    says: str


class Failed(Struct):
    status: int
    says: str


class Site:
    def __init__(
        self, place: Path | str, principal: Principal = OWNER, *, token: str | None = None
    ) -> None:
        self.place = str(place)
        self.cluster = Cluster(self.place) if is_cluster_place(self.place) else None
        self.directory = Path(place)
        """Of the collection; a cluster may be elsewhere than in a directory."""
        self._has_begun = self.cluster is not None or Layout(self.directory).exists()
        self.stopping = threading.Event()
        """Set when the server ends: what streams looks at it and ends too."""
        self.copies = Copies()
        self._principal = principal
        self._served = {principal: served_collection(self.place, self.cluster, principal)}
        self._opening = threading.Lock()
        settings = load(self.directory, {}, os.environ).access
        self.asking = Asking(self.directory, token, settings, principal)
        self.watching = Watching(self.directory, self.reading, self.cluster)
        self._templates = Templates()
        self._secret = secrets.token_bytes(32)
        self.on_own_documents: Callable[[Site], None] = lambda _: None
        self.look_for_sources: Callable[[], None] = lambda: None
        """Somebody may follow them, who looks now."""
        self.follows_sources = False
        """Whether somebody does, for as long as it is served."""
        self.pushed = threading.Event()
        """Set when a hub has delivered something."""
        self.callback = Callback(self.directory, self.pushed.set)

    @property
    def name(self) -> str:
        if self.cluster is not None and "://" in self.cluster.place:
            return self.cluster.name
        return self.directory.resolve().name

    def reading(self) -> AbstractContextManager[Collection]:
        """`with site.reading() as collection:` what is served to who asks, no more than a second
        old."""
        return self._served_to(self.who()).reading()

    def who(self) -> Principal:
        """Who asks; beside all requests the one that the site is for."""
        return asked_by.get() or self._principal

    def _served_to(self, principal: Principal) -> ServedCollection:
        """Held open for the latest of those who asked; the site's own always is."""
        with self._opening:
            found = self._served.pop(principal, None) or served_collection(
                self.place, self.cluster, principal
            )
            self._served[principal] = found
            others = [each for each in self._served if each not in (self._principal, principal)]
            for each in others[: max(0, len(self._served) - MOST_HELD)]:
                self._served.pop(each).close()
            return found

    def found_own_documents(self) -> None:
        """People's own: whoever has no token may be anybody."""
        self.on_own_documents(self)

    def has_begun(self) -> bool:
        """Whether there is a collection, or was one: of a directory that is new or empty one can be
        made, and one that went away is missed."""
        self._has_begun = self._has_begun or Layout(self.directory).exists()
        return self._has_begun

    def must_have(self, view: View) -> None:
        """Whether a view is of what is served, and for who asks."""
        if not view.for_readers and not self.who().everything:
            raise Problem(403, ONLY_THE_OWNER)
        if view.only == "collection" and self.cluster is not None:
            if view.method == "POST":
                raise Problem(409, _NO_COMMAND_TO_A_CLUSTER)
            raise Problem(404, _NOT_OF_A_CLUSTER)
        if view.only == "cluster" and self.cluster is None:
            raise Problem(404, "A collection is served here, and no cluster.")

    def answer(
        self,
        request: Request,
        template: str,
        data: Struct,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The fields of `data` are the template's names; as JSON it is `data` itself."""
        if wants_json(request):
            return Response(to_json(data), status, headers, "application/json")
        values = {name: getattr(data, name) for name in data.__struct_fields__}
        said = self._said(request)
        page = self._templates.render(template, self._around(request, said, status) | values)
        response = Response(page, status, headers, "text/html")
        if said:
            response.delete_cookie(_SAID)
        return response

    def done(self, request: Request, back: str, says: str) -> Response:
        """After a change: back to a page of ours, which shows it and says what came of it."""
        for each in list(self._served.values()):
            each.expire()
        self.watching.series.expire()
        if wants_json(request):
            return Response(to_json(Done(says)), media_type="application/json")
        if not back.startswith("/") or back.startswith(("//", "/\\")):
            back = "/"
        response = RedirectResponse(back, 303)
        note = quote(says[:_MOST_SAID_CHARS])
        response.set_cookie(
            _SAID,
            f"{self._signed(note)}.{note}",
            max_age=_SAID_SECONDS,
            httponly=True,
            samesite="strict",
        )
        return response

    def failed(self, request: Request, status: int, says: str) -> Response:
        return self.answer(request, "failed.html", Failed(status, says), status=status)

    def csrf(self) -> str:
        """What a form must send along, in a field of the name `csrf`, another for each who asks.
        Only pages of ours can be read by whoever wants to know it."""
        return self._signed(f"csrf {' '.join(sorted(self.who().names))}")

    def check_csrf(self, form: Mapping[str, str]) -> None:
        wanted = self.csrf()
        if not hmac.compare_digest(form.get("csrf", "").encode(), wanted.encode()):
            raise Problem(403, "This form is from an older page; go back, reload it and try again.")

    def close(self) -> None:
        self.stopping.set()
        self.watching.close()
        self.copies.close()
        for each in self._served.values():
            each.close()

    def _around(self, request: Request, said: str, status: int) -> dict[str, object]:
        """What every page shows around its own; to whoever has no token not even the name."""
        here = request.url.path
        query = f"?{request.url.query}" if request.url.query else ""
        return {
            "csrf": self.csrf(),
            "here": here,
            "twin": f"{here if here != '/' else '/search'}.json{query}",
            "navigation": self._navigation(),
            "about_crawl": _ABOUT_THE_CRAWL if self.cluster is None else _ABOUT_A_CLUSTER,
            "is_cluster": self.cluster is not None,
            "collection_name": "" if status == 401 else self.name,
            "version": VERSION,
            "said": said,
        }

    def _navigation(self) -> tuple[tuple[str, str], ...]:
        if not self.who().everything:
            return _NAVIGATION[:1]
        return _NAVIGATION if self.cluster is None else _CLUSTER_NAVIGATION

    def _said(self, request: Request) -> str:
        given = request.cookies.get(_SAID, "")
        mark, _, note = given.partition(".")
        known = hmac.compare_digest(mark.encode(), self._signed(note).encode())
        return unquote(note)[:_MOST_SAID_CHARS] if known else ""

    def _signed(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
