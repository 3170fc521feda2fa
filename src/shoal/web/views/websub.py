"""/websub/ID: where hubs call (WebSub). Open to the outside, to whoever knows the ID.

It stands apart from the views: whoever calls has no token, no Host of ours and no form of ours, so
the guard lets it by. It answers with a status and, to a verification that we meant, the challenge;
never with a page, which would name the collection. Who may deliver is settled before a body is
read, and few are read at a time.
"""

import asyncio
import logging
import re
from typing import TYPE_CHECKING

from shoal.control.hub_requests import FULL, MOST_BODY_BYTES
from shoal.errors import ShoalError
from shoal.web.server.http import ClientDisconnect, Request, Response, Route, run_in_threadpool

if TYPE_CHECKING:
    from shoal.web.server.site import Site

_PATH = re.compile(r"/websub/[A-Za-z0-9_-]{20,100}")
_MOST_QUERY_CHARS = 8_000
_BODIES_AT_ONCE = 8
_BODY_SECONDS = 30.0
_AGAIN_SECONDS = 120
_LOG = logging.getLogger("shoal.web")


def is_callback(method: str, path: str) -> bool:
    """Whether a request is for here, and so for no view."""
    return method in ("GET", "POST") and _PATH.fullmatch(path) is not None


def callback_route(site: "Site") -> Route:
    room = asyncio.Semaphore(_BODIES_AT_ONCE)

    async def called(request: Request) -> Response:
        name = request.path_params["name"]
        try:
            if request.method == "POST":
                return await _delivered(site, request, name, room)
            return await _verified(site, request, name)
        except ClientDisconnect:
            return _said(400)  # to nobody: who asked has gone
        except ShoalError:  # a full disk: the hub will come back
            return _busy()
        except Exception:  # noqa: BLE001 - logged; a page would tell a stranger of us
            _LOG.exception("a callback failed")
            return _said(500)

    return Route("/websub/{name}", called, methods=["GET", "POST"])


async def _verified(site: "Site", request: Request, name: str) -> Response:
    if request.method != "GET":
        return _said(405)
    if len(request.url.query) > _MOST_QUERY_CHARS:
        return _said(414)
    query = request.query_params.multi_items()
    status, challenge = await run_in_threadpool(site.callback.verify, name, query)
    return _said(status, challenge)


async def _delivered(
    site: "Site", request: Request, name: str, room: asyncio.Semaphore
) -> Response:
    signature = request.headers.get("x-hub-signature", "")
    status = await run_in_threadpool(site.callback.refuses, name, signature)
    if status:
        return _busy() if status == FULL else _said(status)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        return _said(415)
    try:
        async with asyncio.timeout(_BODY_SECONDS), room:
            body = await _body(request)
    except TimeoutError:
        return _said(408)
    if body is None:
        return _said(413)
    kind = request.headers.get("content-type", "")
    return _said(await run_in_threadpool(site.callback.receive, name, kind, signature, body))


async def _body(request: Request) -> bytes | None:
    """None when it is longer than may be."""
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and int(told[:12]) > MOST_BODY_BYTES:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            return None
    return bytes(body)


def _said(status: int, text: str = "") -> Response:
    return Response(text.encode("utf-8", "replace"), status, media_type="text/plain")


def _busy() -> Response:
    return Response(b"", FULL, {"retry-after": str(_AGAIN_SECONDS)}, "text/plain")
