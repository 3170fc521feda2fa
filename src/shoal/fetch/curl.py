"""How does libcurl run inside asyncio? The only module that knows pycurl.

libcurl's multi interface says which sockets it waits for and when to call it next; the loop does
both. Easy handles are used again with their callbacks in place, so that a fetch sets only what
differs from the one before. Names are never resolved here: CONNECT_TO gives the address. It is part
of what pooled connections are matched by, so a changed address never meets an old connection.

When a kept connection is closed instead of answered, libcurl would send the request once more at
once, under the host's delay. So a transfer that has sent its request opens no further connection:
it ends as dropped.
"""

import asyncio
import math
import socket
from typing import NamedTuple

import pycurl

from shoal.fetch.settings import Guard, HttpSettings
from shoal.fetch.sockets import READ, WRITE, sockets_for
from shoal.fetch.target import at_port
from shoal.model.outcome import Outcome

_TLS_ERRORS = (
    pycurl.E_SSL_CONNECT_ERROR,
    pycurl.E_PEER_FAILED_VERIFICATION,
    pycurl.E_SSL_ENGINE_NOTFOUND,
    pycurl.E_SSL_ENGINE_SETFAILED,
    pycurl.E_SSL_CERTPROBLEM,
    pycurl.E_SSL_CIPHER,
    pycurl.E_USE_SSL_FAILED,
    pycurl.E_SSL_ENGINE_INITFAILED,
    pycurl.E_SSL_CACERT_BADFILE,
    pycurl.E_SSL_SHUTDOWN_FAILED,
    pycurl.E_SSL_CRL_BADFILE,
    pycurl.E_SSL_ISSUER_ERROR,
    pycurl.E_SSL_PINNEDPUBKEYNOTMATCH,
    pycurl.E_SSL_INVALIDCERTSTATUS,
)

FAULTS: dict[int, Outcome] = {
    pycurl.E_URL_MALFORMAT: Outcome.REFUSED,  # libcurl would not send it: nobody was asked
    pycurl.E_COULDNT_RESOLVE_PROXY: Outcome.CONNECT,
    pycurl.E_COULDNT_RESOLVE_HOST: Outcome.DNS,
    pycurl.E_COULDNT_CONNECT: Outcome.CONNECT,
    pycurl.E_OPERATION_TIMEDOUT: Outcome.TIMEOUT,
    pycurl.E_ABORTED_BY_CALLBACK: Outcome.CANCELLED,
    97: Outcome.CONNECT,  # CURLE_PROXY, which pycurl does not name
    100: Outcome.TOO_LARGE,  # CURLE_TOO_LARGE, likewise: too many header fields, or one too long
    **dict.fromkeys(_TLS_ERRORS, Outcome.TLS),
}
"""libcurl's errors; one that is not here is a broken answer."""

_PAUSE: int = pycurl.WRITEFUNC_PAUSE
"""libcurl hands over the same bytes again when it goes on."""
_GO_ON: int = pycurl.PREREQFUNC_OK
_ABORT: int = pycurl.PREREQFUNC_ABORT
_NEVER = math.inf
_TIMER_SLACK_SECONDS = 0.001
"""libcurl counts milliseconds."""

_UNREACHED = (pycurl.E_COULDNT_CONNECT, pycurl.E_OPERATION_TIMEDOUT)
_CLOSED = (pycurl.E_ABORTED_BY_CALLBACK, "The crawl was stopped during the fetch.")


class Request(NamedTuple):
    url: str
    target: str
    """The request target exactly as it is to be sent; empty behind a proxy, which needs the URL."""
    headers: list[bytes]
    verify: bool = True
    guarded: bool = True
    head_only: bool = False
    max_body_bytes: int = 0
    form: bytes | None = None
    """What is posted; None: nothing is, it is asked for."""
    fresh: bool = False
    """On a connection of its own, which is not kept."""


class Answer(NamedTuple):
    error: int
    """0, or libcurl's error code."""
    message: str
    status: int
    address: str
    lines: list[bytes]
    """Header lines of all blocks, trailers included, as they came."""
    body: bytes
    cut: bool
    unreached: bool
    """No connection came about, so that another address may be tried."""
    refused: bool
    """The guard refused the address."""
    dropped: bool
    """A kept connection was closed when the request had been sent, before a byte of an answer."""


class CurlLoop:
    """libcurl's multi handle on the running loop. Made inside it, closed inside it."""

    def __init__(self, settings: HttpSettings, ca_file: str, guard: Guard | None) -> None:
        self._settings = settings
        self._ca_file = ca_file
        self._guard = guard
        self._loop = asyncio.get_running_loop()
        self._sockets = sockets_for(self._loop, self._on_ready)
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = self._set_for = _NEVER
        self._free: list[_Easy] = []
        self._running: dict[pycurl.Curl, asyncio.Future[tuple[int, str]]] = {}
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, settings.max_idle_connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_interest)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)

    async def run(self, request: Request, connect_to: str) -> Answer:
        """Ask at `::address:port`, whatever the URL's host and port; empty: as the URL says."""
        easy = self._free.pop() if self._free else _Easy(self._settings, self._ca_file, self._guard)
        easy.prepare(request, connect_to)
        self._multi.add_handle(easy.curl)
        done = self._running[easy.curl] = self._loop.create_future()
        try:
            error, message = await done
            return easy.answer(error, message)
        finally:
            if self._running.pop(easy.curl, None) is not None:  # the waiting task was cancelled
                self._multi.remove_handle(easy.curl)
            easy.clear()
            self._free.append(easy)

    async def close(self) -> None:
        for curl in list(self._running):
            self._finish(curl, *_CLOSED)
        # Now the tasks that waited take their answers and give their handles back.
        await asyncio.sleep(0)
        for pending in (self._soon, self._timer):
            if pending is not None:
                pending.cancel()
        self._multi.close()
        self._sockets.close()
        for easy in self._free:
            easy.curl.close()
        self._free.clear()

    def _on_interest(self, what: int, descriptor: int, _multi: object, _data: object) -> None:
        # POLL_IN, POLL_OUT and their sum have the values of READ and WRITE; POLL_NONE and
        # POLL_REMOVE have neither bit.
        want = what & (READ | WRITE)
        if want:
            self._sockets.watch(descriptor, want)
        else:
            self._sockets.forget(descriptor)

    def _on_timer(self, milliseconds: int) -> None:
        # Called from inside libcurl, which must not be entered again: even 0 waits for the loop.
        # Every new transfer says 0. Any other time is nearly always put off before it comes, so a
        # timer that is too early stays and looks again.
        if milliseconds == 0:
            if self._soon is None:
                self._soon = self._loop.call_soon(self._on_soon)
            return
        self._due = _NEVER if milliseconds < 0 else self._loop.time() + milliseconds / 1000
        if self._due < self._set_for:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_timeout)
        self._set_for = self._due

    def _on_timeout(self) -> None:
        self._timer, self._set_for = None, _NEVER
        if self._due <= self._loop.time() + _TIMER_SLACK_SECONDS:
            self._act()
        elif self._due != _NEVER:
            self._set_timer()

    def _on_soon(self) -> None:
        self._soon = None
        self._act()

    def _act(self) -> None:
        self._due = _NEVER  # libcurl says again what it wants, if it wants anything
        self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._collect()

    def _on_ready(self, events: list[tuple[int, int]]) -> None:
        for descriptor, event in events:
            self._multi.socket_action(descriptor, event)
        self._collect()

    def _collect(self) -> None:
        _, succeeded, failed = self._multi.info_read()
        for curl in succeeded:
            self._finish(curl, 0, "")
        for curl, error, message in failed:
            self._finish(curl, error, message)

    def _finish(self, curl: pycurl.Curl, error: int, message: str) -> None:
        done = self._running.pop(curl, None)
        if done is None:  # pragma: no cover  # a cancelled transfer is out of the multi handle
            return
        self._multi.remove_handle(curl)
        if not done.done():
            done.set_result((error, message))


class _Easy:
    """One easy handle with its buffers: one transfer at a time."""

    def __init__(self, settings: HttpSettings, ca_file: str, guard: Guard | None) -> None:
        self.curl = pycurl.Curl()
        self._lines: list[bytes] = []
        self._chunks: list[bytes] = []
        self._room = 0
        self._cut = False
        self._refused = False
        self._sent = False
        self._dropped = False
        self._may_ask = settings.may_ask
        self._guard = guard
        self._bodies = settings.bodies
        self._opened: list[socket.socket] = []
        self._last = Request("", "", [])
        self._connect_to = ""
        self._set_once(settings, ca_file)

    def _set_once(self, settings: HttpSettings, ca_file: str) -> None:
        curl = self.curl
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        # A host gets one request at a time, so HTTP/2 has nothing to multiplex, and the archive
        # keeps heads that every reader of WARC files understands.
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
        curl.setopt(pycurl.HTTP09_ALLOWED, 0)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.NOSIGNAL, 1)
        if not settings.proxy:  # it would look through all addresses it was given, at each fetch
            curl.setopt(pycurl.DNS_CACHE_TIMEOUT, 0)
        curl.setopt(pycurl.PROXY, settings.proxy)  # even when empty: the environment has no say
        curl.setopt(pycurl.NOPROXY, "")
        curl.setopt(pycurl.CAINFO, ca_file)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, round(settings.connect_timeout * 1000))
        curl.setopt(pycurl.TIMEOUT_MS, round(settings.total_timeout * 1000))
        curl.setopt(pycurl.LOW_SPEED_LIMIT, 1)
        curl.setopt(pycurl.LOW_SPEED_TIME, max(1, round(settings.idle_timeout)))
        curl.setopt(pycurl.PREREQFUNCTION, self._send)
        curl.setopt(pycurl.HEADERFUNCTION, self._lines.append)
        curl.setopt(pycurl.WRITEFUNCTION, self._write)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open)
        if settings.proxy:  # its address is a person's wish
            self._guard = None

    def prepare(self, request: Request, connect_to: str) -> None:
        curl, last = self.curl, self._last
        curl.setopt(pycurl.URL, request.url)
        if request.target:
            curl.setopt(pycurl.REQUEST_TARGET, request.target)
        if request.headers is not last.headers:
            curl.setopt(pycurl.HTTPHEADER, request.headers)
        if connect_to != self._connect_to:
            if connect_to:
                curl.setopt(pycurl.CONNECT_TO, [connect_to])
            else:
                curl.unsetopt(pycurl.CONNECT_TO)
            self._connect_to = connect_to
        if request.verify != last.verify:
            curl.setopt(pycurl.SSL_VERIFYPEER, int(request.verify))
            curl.setopt(pycurl.SSL_VERIFYHOST, 2 if request.verify else 0)
        if request.form is not None:
            curl.setopt(pycurl.POST, 1)
            curl.setopt(pycurl.COPYPOSTFIELDS, request.form)
        elif request.head_only:
            curl.setopt(pycurl.NOBODY, 1)
        elif last.head_only or last.form is not None:
            curl.setopt(pycurl.HTTPGET, 1)
        if request.fresh != last.fresh:
            curl.setopt(pycurl.FRESH_CONNECT, int(request.fresh))
            curl.setopt(pycurl.FORBID_REUSE, int(request.fresh))
        self._room = request.max_body_bytes
        self._last = request

    def answer(self, error: int, message: str) -> Answer:
        unreached = error in _UNREACHED and not (
            self._dropped or self.curl.getinfo(pycurl.REQUEST_SIZE)
        )
        return Answer(
            error=error,
            message=message,
            status=self.curl.getinfo(pycurl.RESPONSE_CODE),
            address="" if unreached else self._address(),
            lines=self._lines.copy(),
            body=self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks),
            cut=self._cut,
            unreached=unreached,
            refused=self._refused,
            dropped=self._dropped,
        )

    def _address(self) -> str:
        address: str = self.curl.getinfo(pycurl.PRIMARY_IP)
        if not address:
            return ""
        return at_port(address, self.curl.getinfo(pycurl.PRIMARY_PORT))

    def clear(self) -> None:
        self._lines.clear()
        self._chunks.clear()
        self._cut = self._refused = self._sent = self._dropped = False
        self._bodies.received(self)
        for opened in self._opened:
            opened.close()
        self._opened.clear()

    def resume(self) -> None:
        self.curl.pause(pycurl.PAUSE_CONT)

    def _write(self, chunk: bytes) -> int | None:
        if not self._bodies.may_receive(self, len(chunk)):
            return _PAUSE
        self._room -= len(chunk)
        if self._room >= 0:
            self._chunks.append(chunk)
            return None
        self._chunks.append(chunk[: self._room])
        self._cut = True
        return 0  # ends the transfer and closes the connection

    def _send(self, *_: object) -> int:
        """A connection stands, and the request is about to leave."""
        self._sent = True
        return _GO_ON if self._may_ask is None or self._may_ask() else _ABORT

    def _open(self, _purpose: int, peer: tuple[int, int, int, tuple[str, int]]) -> object:
        if self._sent:
            self._dropped = True
            return pycurl.SOCKET_BAD
        family, kind, protocol, sockaddr = peer
        address, port = sockaddr[:2]
        if self._guard is not None and self._last.guarded and not self._guard(address, port):
            self._refused = True
            return pycurl.SOCKET_BAD
        try:
            opened = socket.socket(family, kind, protocol)
        except OSError:  # no descriptors left: libcurl says that it could not connect
            return pycurl.SOCKET_BAD
        self._opened.append(opened)  # libcurl works on a duplicate; `clear` closes this one
        return opened
