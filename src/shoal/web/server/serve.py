"""How is it served? The application out of the table of views, and uvicorn under it.

Handlers are plain functions and run in Starlette's pool of threads. Every fault becomes a page, or
JSON, with one sentence: a traceback is for the log of whoever serves.
"""

import errno
import logging
import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from inspect import iscoroutinefunction
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qsl

from shoal.config import load
from shoal.control.launching import steady_crawl
from shoal.control.own_sources import holds_own
from shoal.errors import CollectionError, ShoalError, UsageError
from shoal.layout.cluster_file import read as read_cluster
from shoal.layout.layout import Layout, is_cluster_place
from shoal.maintenance.cluster_upkeep import ClusterUpkeep
from shoal.maintenance.pushed_items import Carrier
from shoal.maintenance.source_follower import SourceFollower, why_not_followed
from shoal.maintenance.subscription_keeper import Keeper, callback_base
from shoal.maintenance.upkeep import Upkeep
from shoal.model.principal import OWNER, Principal
from shoal.web.server.asking import asks_who, bearer_of
from shoal.web.server.connections import server_of
from shoal.web.server.guard import Guard
from shoal.web.server.http import (
    ClientDisconnect,
    HTTPException,
    Mount,
    Request,
    Response,
    Route,
    Starlette,
    StaticFiles,
    run_in_threadpool,
)
from shoal.web.server.routes import views
from shoal.web.server.site import Site
from shoal.web.server.view import Problem, View, must_fit, sentence
from shoal.web.views.begin import begin, is_of_a_collection
from shoal.web.views.websub import callback_route

MOST_FORM_BYTES = 65_536
SHORTEST_TOKEN_CHARS = 16
_STATIC = Path(__file__).parents[1] / "static"
_BACKLOG = 1000
_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)
_LOG = logging.getLogger("shoal.web")

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    place: Path | str,
    token: str | None = None,
    *,
    principal: Principal = OWNER,
    names: Iterable[str] = (),
    table: Iterable[View] | None = None,
) -> Starlette:
    """The application; `app.state.site` is its Site. `names` are further hosts it is known by,
    `table` the views when they are not all of them."""
    if not is_cluster_place(str(place)):
        Layout(Path(place)).must_exist_or_begin()
    site = Site(place, principal, token=token)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        site.watching.start()
        yield
        await run_in_threadpool(site.close)

    async def failed(request: Request, error: Exception) -> Response:
        return await run_in_threadpool(_failed, site, request, error)

    routes = [route for view in table or views() for route in _routes(site, view)]
    app = Starlette(
        routes=[*routes, callback_route(site), Mount("/static", StaticFiles(directory=_STATIC))],
        exception_handlers={HTTPException: failed},
        lifespan=lifespan,
    )
    app.state.site = site
    app.add_middleware(Guard, site=site, names=tuple(names))
    return app


def _routes(site: Site, view: View) -> list[Route]:
    paths = [view.path] if not view.twin or view.path == "/" else [view.path, view.path + ".json"]
    return [Route(path, _endpoint(site, view), methods=[view.method]) for path in paths]


def _endpoint(site: Site, view: View) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            if view.method == "POST":
                request.state.given = await _form(request)
                request.state.form = dict(request.state.given)
                if not site.asking.key_of(bearer_of(request)):
                    site.check_csrf(request.state.form)
            site.must_have(view)
            if not site.has_begun() and is_of_a_collection(view):
                return await run_in_threadpool(begin, site, request)
            is_form = view.method == "POST"
            must_fit(view, request.state.given if is_form else request.query_params.multi_items())
            if iscoroutinefunction(view.handler):
                return await _awaited(view.handler(site, request))
            return await _awaited(await run_in_threadpool(view.handler, site, request))
        except ClientDisconnect:
            return Response(status_code=400)  # to nobody: who asked has gone
        except Exception as error:  # noqa: BLE001 - told in one sentence, and logged
            return await run_in_threadpool(_failed, site, request, error)

    return endpoint


async def _awaited(answer: Response | Awaitable[Response]) -> Response:
    return answer if isinstance(answer, Response) else await answer


async def _form(request: Request) -> list[tuple[str, str]]:
    """The fields of a form as a browser sends it (application/x-www-form-urlencoded)."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", ""):
        raise Problem(415, "Send the fields as application/x-www-form-urlencoded.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM_BYTES:
            raise Problem(413, f"A form may have {MOST_FORM_BYTES:,} bytes.")
    fields = parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
    token = request.headers.get("x-csrf-token")
    return [("csrf", token), *fields] if token else fields


def _failed(site: Site, request: Request, error: Exception) -> Response:
    match error:
        case Problem():
            return site.failed(request, error.status, str(error))
        case UsageError():
            return site.failed(request, 400, sentence(str(error)))
        case CollectionError() if request.method == "POST":
            return site.failed(request, 409, sentence(str(error)))
        case CollectionError():
            return site.failed(request, 503, sentence(str(error)))
        case HTTPException() if error.status_code == 404:
            return site.failed(request, 404, "There is no such page here.")
        case HTTPException() if error.status_code == 405:
            return _not_allowed(site, request, error)
        case HTTPException():
            return site.failed(request, error.status_code, sentence(str(error.detail)))
        case ShoalError():
            return site.failed(request, 500, sentence(str(error)))
    _LOG.error("%s: %s", request.url.path, type(error).__name__, exc_info=error)
    says = f"A fault in Shoal itself ({type(error).__name__}); the server's output says more."
    return site.failed(request, 500, says)


def _not_allowed(site: Site, request: Request, error: HTTPException) -> Response:
    response = site.failed(request, 405, "This is not asked in this way.")
    response.headers.update(error.headers or {})  # which methods there are
    return response


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_for(host: str, given: str | None, *, is_shared: bool = False) -> str | None:
    """None: no token is asked for, since only this machine can reach it, and all that it shows may
    be seen by all who do."""
    if given is not None and len(given) < SHORTEST_TOKEN_CHARS:
        raise UsageError(f"--token must have at least {SHORTEST_TOKEN_CHARS} characters")
    if given is not None or (is_loopback(host) and not is_shared):
        return given
    return secrets.token_urlsafe(24)


def listen(host: str, port: int) -> socket.socket:
    """Bound before anything else is done, so that a port in use costs one sentence."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host {host} is no address of this machine") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"{host}:{port} can't be listened on: {error.strerror or error}; choose another "
            f"with {'--port' if error.errno in _PORT_ERRORS else '--host'}"
        ) from error
    return listening


@contextmanager
def _listening(host: str, port: int, local: Path | None) -> Iterator[socket.socket]:
    if local is None:
        with listen(host, port) as listening:
            yield listening
        return
    with listen_locally(local) as listening:
        try:
            yield listening
        finally:
            local.unlink(missing_ok=True)


def listen_locally(path: Path) -> socket.socket:
    """Every user of the machine may connect: who they are, the system tells."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.is_socket() and not _is_answered(path):
            path.unlink()  # left by a server that was killed
        listening.bind(str(path))
        path.chmod(0o666)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(f"--socket {path}: {error.strerror or error}") from error
    return listening


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except OSError:
            return False
        return True


def address_of(listening: socket.socket, token: str | None) -> str:
    if listening.family == socket.AF_UNIX:
        return f"unix:{listening.getsockname()}"
    host, port = listening.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/" + (f"?token={token}" if token else "")


def serve(  # noqa: PLR0913 - the flags of the command, by name
    place: Path | str,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    *,
    crawl: bool = False,
    watch: bool = True,
    open_browser: bool = False,
    names: Sequence[str] = (),
    local_socket: Path | None = None,
    tell: Callable[[str], None] = print,
    tell_more: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C. `tell` is given the address to open, `tell_more` what else is to be
    known. With `crawl` a steady crawl runs meanwhile, with `watch` one's own documents are
    followed. With `local_socket` users of this machine ask there, and the system says who they are;
    nobody listens on a port then."""
    beside = _beside(place, crawl=crawl, watch=watch)
    if local_socket is None:
        settings = load(Path(place), {}, os.environ).access
        is_shared = asks_who(Path(place), settings) or holds_own(place)
        token = token_for(host, token, is_shared=is_shared)
    with _listening(host, port, local_socket) as listening:
        app = make_app(place, token, names=[*names, host])
        address = address_of(listening, token)
        tell(address)
        if watch and not crawl and (why_not := why_not_followed(Path(place))):
            tell_more(why_not)
        app.state.site.on_own_documents = partial(_ask_for_token, listening, tell_more)
        if open_browser:
            webbrowser.open(address)
        if threading.current_thread() is threading.main_thread():
            # A service manager's word counts like Ctrl-C: else the crawl would outlive the server.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        # uvicorn has ended what was open when it hands Ctrl-C on
        with suppress(KeyboardInterrupt), beside(app.state.site):
            server_of(app).run(sockets=[listening])


def _ask_for_token(listening: socket.socket, tell: Callable[[str], None], site: Site) -> None:
    """Documents of people's own are there now: whoever reaches us is no longer the owner."""
    if listening.family != socket.AF_UNIX and site.asking.is_open():
        token = secrets.token_urlsafe(24)
        site.asking.ask_for(token)
        address = address_of(listening, token)
        tell(f"It holds documents of your own now, and asks for a token: {address}")


def _beside(
    place: Path | str, *, crawl: bool, watch: bool
) -> Callable[[Site], AbstractContextManager[None]]:
    """What goes on meanwhile; why nothing can, before anybody listens."""
    if is_cluster_place(str(place)):
        read_cluster(str(place))
        if crawl:
            raise UsageError(
                f"--crawl is for a collection; run the cluster with: shoal cluster start {place}"
            )
        return _beside_a_cluster
    directory = Path(place)
    if crawl:
        Layout(directory).must_exist()
    Layout(directory).must_exist_or_begin()
    callback_base(load(directory, {}, os.environ))  # a wrong one is told now, not to nobody later
    return partial(_beside_a_collection, directory, crawl, watch)


@contextmanager
def _beside_a_collection(directory: Path, crawl: bool, watch: bool, site: Site) -> Iterator[None]:
    follows = watch and load(directory, {}, os.environ).files.follow == "yes"
    following = SourceFollower(directory, site.found_own_documents, follows=follows)
    site.look_for_sources = following.wake
    site.follows_sources = follows
    with (
        steady_crawl(directory) if crawl else nullcontext(),
        Upkeep(directory) as upkeep,
        Keeper(directory),
        Carrier(directory, site.pushed, upkeep.wake),
        following,
    ):
        yield


@contextmanager
def _beside_a_cluster(site: Site) -> Iterator[None]:
    with suppress(CollectionError), site.reading():
        pass  # checkpoints take a while to fetch: before anybody asks for a page
    with ClusterUpkeep(site.reading, site.watching.is_running):
        yield
