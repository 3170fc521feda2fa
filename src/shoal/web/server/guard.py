"""May this request be answered at all? Looked at before any view sees it.

Whoever runs on this machine or in this browser may send requests here, among them pages that a
person happens to visit. So: the Host must be a name of ours (against DNS rebinding), a token is
asked for when we are bound beyond the loopback, what comes from another site is answered only as a
navigation (Fetch Metadata), and every answer carries headers that let it run nothing. Only a
callback (websub.py) is open to all: its address is its token, and it tells nothing.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

from shoal.web.server.asking import asked_by
from shoal.web.server.credentials import cookie_of
from shoal.web.server.http import (
    ASGIApp,
    Headers,
    Message,
    MutableHeaders,
    Receive,
    RedirectResponse,
    Request,
    Response,
    Scope,
    Send,
)
from shoal.web.server.site import Site
from shoal.web.server.view import HEALTH
from shoal.web.views.websub import is_callback

MOST_URL_BYTES = 8000
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "private, no-cache",
}
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]+)?")
_OWN = ("same-origin", "none")


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, site: Site, names: Iterable[str] = ()) -> None:
        self._app = app
        self._site = site
        self._names = {"localhost", socket.gethostname().lower(), *(n.lower() for n in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(Request(scope))
        await (refused or self._app)(scope, receive, send_guarded)

    def _refused(self, request: Request) -> Response | None:
        """The answer to a request that no view gets to see."""
        if is_callback(request.method, request.scope["path"]):
            return None
        if len(request.scope.get("raw_path") or b"") + len(request.url.query) > MOST_URL_BYTES:
            return self._site.failed(request, 414, "The address is too long.")
        if not self._serves(request.headers.get("host", "")):
            says = "This address is not served here; open the one that `shoal serve` printed."
            return self._site.failed(request, 421, says)
        if not _is_ours(request):
            says = "This was asked for by a page of another site, and is not answered."
            return self._site.failed(request, 403, says)
        return self._unless_known(request)

    def _serves(self, host: str) -> bool:
        """A name that somebody else can point at this machine is not ours; an address always is."""
        found = _HOST.fullmatch(host.lower())
        name = (found["address"] or found["name"]) if found else ""
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _unless_known(self, request: Request) -> Response | None:
        if request.url.path.startswith("/static/") or request.url.path == HEALTH:
            return None
        asking = self._site.asking
        key = asking.key_of(request.query_params.get("token", ""))
        if key and request.method == "GET":
            return _with_cookie(request, key)
        who = asking.who(request)
        if who is not None:
            asked_by.set(who)
            return None
        says = "A token is needed; open the address that `shoal serve` printed."
        response = self._site.failed(request, 401, says)
        response.headers["www-authenticate"] = "Bearer"
        return response


def comes_from_us(headers: Headers) -> bool:
    """Whether a page of ours, or a person, asked for it; a program that says nothing, too."""
    return headers.get("sec-fetch-site", "none") in _OWN


def _with_cookie(request: Request, key: str) -> Response:
    """The token leaves the address bar, and is a cookie from now on."""
    query = [pair for pair in parse_qsl(request.url.query) if pair[0] != "token"]
    path = "/" + request.url.path.lstrip("/")
    response = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)
    response.set_cookie(
        *cookie_of(key),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


def _is_ours(request: Request) -> bool:
    headers = request.headers
    if request.method not in ("GET", "HEAD"):
        return _may_change(headers)
    if comes_from_us(headers):
        return True
    # From elsewhere a person may come here by a link; a script, a frame or an image may not.
    is_page = headers.get("sec-fetch-dest", "document") == "document"
    return headers.get("sec-fetch-mode", "navigate") == "navigate" and is_page


def _may_change(headers: Headers) -> bool:
    """A form of ours. Under `Referrer-Policy: no-referrer` a browser sends `Origin: null` with it,
    so an origin can only speak against a request; the CSRF token speaks for it."""
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin", "null")
    return origin == "null" or urlsplit(origin).netloc == headers.get("host", "")
