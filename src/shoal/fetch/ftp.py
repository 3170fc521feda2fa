"""How do bytes arrive over FTP? Anonymous, passive, one session per visit, in a thread.

The standard library's client does the talking. It trusts the server with time and memory, so both
are bounded here: the length of replies and bodies by counting, the time by shutting the sockets
down from outside. A directory is a page of links; MDTM (RFC 3659) gives its files a Last-Modified.
"""

import asyncio
import ftplib
import socket
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from shoal.clock import Clock
from shoal.fetch.answer import HTML, Content, http_date, listing, media_type, succeeded, unchanged
from shoal.fetch.dns import Resolver
from shoal.fetch.guard import NOTE, must_say_who_asks
from shoal.fetch.settings import FtpSettings, Guard
from shoal.fetch.target import Target, at_port, parse
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

MAX_REPLY_BYTES = 256 * 1024
"""All replies of a session together; a hostile one never ends."""

_CHUNK_BYTES = 64 * 1024


class FtpFetcher:
    def __init__(
        self,
        settings: FtpSettings,
        resolver: Resolver,
        clock: Clock,
        guard: Guard | None = None,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._clock = clock
        self._guard = guard

    async def fetch(self, visit: Visit) -> Fetched:
        target = parse(visit.url)
        started = self._clock.now()
        path = _path_of(target) if target is not None else None
        if target is None or path is None or target.scheme != "ftp":
            return self._failed(Outcome.REFUSED, "The URL can't be asked for over FTP.", started)
        places = await self._resolver.resolve(target.host)
        if not places.addresses:
            return self._failed(Outcome.DNS, places.problem, started)
        address, port = places.addresses[0], places.port or target.port
        guard = None if places.pinned or visit.private_ok else self._guard
        if guard is not None and not guard(address, port):
            return self._failed(Outcome.PRIVATE, NOTE, started)
        must_say_who_asks([address], self._settings.is_nameless)
        started = self._clock.now()
        session = _Session(self._settings)
        wanted = _Wanted(path, target.url.partition(";type=")[0], visit.last_modified)
        try:
            async with asyncio.timeout(self._settings.total_timeout):
                content = await asyncio.to_thread(session.read, address, port, wanted)
        except TimeoutError:
            return self._failed(Outcome.TIMEOUT, "The server did not answer in time.", started)
        except (ftplib.Error, OSError, EOFError, ValueError) as error:
            outcome = _outcome_of(error, session.connected)
            return self._failed(outcome, f"{error}"[:200] or "The server hung up.", started)
        finally:
            session.abort()  # a thread that is still in there ends now
        make = unchanged if session.unchanged else succeeded
        return make(content, started, self._clock.now(), at_port(address, port))

    async def close(self) -> None:
        return

    def _failed(self, outcome: Outcome, note: str, started: float) -> Fetched:
        return Fetched(outcome, started=started, ended=self._clock.now(), note=note)


class _Client(ftplib.FTP):
    """ftplib's client with an end to what it will listen to."""

    _heard = 0

    def getline(self) -> str:
        line = super().getline()
        self._heard += len(line)
        if self._heard > MAX_REPLY_BYTES:
            raise EOFError("The server's replies do not end.")
        return line


class _Wanted(NamedTuple):
    path: str
    url: str
    last_modified: str


class _Session:
    """One connection, one document. `abort` may be called from another thread."""

    def __init__(self, settings: FtpSettings) -> None:
        self.connected = False
        self.unchanged = False
        self._settings = settings
        # Names are bytes to us: latin-1 brings every one of them back as it was.
        self._client = _Client(timeout=settings.idle_timeout, encoding="latin-1")
        self._data: socket.socket | None = None

    def abort(self) -> None:
        for opened in (self._client.sock, self._data):
            if opened is not None:
                with suppress(OSError):
                    opened.shutdown(socket.SHUT_RDWR)

    def read(self, address: str, port: int, wanted: _Wanted) -> Content:
        try:
            self._client.connect(address, port)
            self._client.login("anonymous", self._settings.agent)
            self._client.voidcmd("TYPE I")
            if not wanted.path or wanted.path.endswith("/"):
                return self._read_directory(wanted)
            return self._read_either(wanted)
        finally:
            self.connected = self._client.sock is not None
            self._client.close()

    def _read_either(self, wanted: _Wanted) -> Content:
        """What is not a file may be a directory; if it is neither, the first refusal counts."""
        try:
            return self._read_file(wanted)
        except ftplib.error_perm as refusal:
            try:
                return self._read_directory(wanted)
            except ftplib.error_perm:
                raise refusal from None

    def _read_file(self, wanted: _Wanted) -> Content:
        content = Content(b"", media_type(wanted.path), self._modified(wanted.path))
        if content.modified is not None and wanted.last_modified == http_date(content.modified):
            self.unchanged = True
            return content
        body, cut = self._transfer(f"RETR {wanted.path}")
        return content._replace(body=body, cut=cut)

    def _modified(self, path: str) -> float | None:
        with suppress(ftplib.error_perm, ValueError):
            stamp = self._client.sendcmd(f"MDTM {path}").split()[-1][:14]
            return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        return None

    def _read_directory(self, wanted: _Wanted) -> Content:
        if wanted.path:
            self._client.cwd(wanted.path)
        try:
            lines, cut = self._transfer("MLSD")
            entries = [_mlsd_entry(line) for line in lines.decode("latin-1").splitlines()]
        except ftplib.error_perm:  # an older server: names alone
            lines, cut = self._transfer("NLST")
            entries = [
                (line.rpartition("/")[2], "") for line in lines.decode("latin-1").splitlines()
            ]
        start = wanted.url.rstrip("/")
        links = sorted(
            (f"{start}/{quote_from_bytes(name.encode('latin-1'))}{slash}", _shown(name))
            for name, slash in entries
            if name not in ("", ".", "..") and "/" not in name
        )
        return Content(listing(wanted.url, links), HTML, cut=cut)

    def _transfer(self, command: str) -> tuple[bytes, bool]:
        limit = self._settings.max_body_bytes
        chunks, room = [], limit + 1
        with self._client.transfercmd(command) as self._data:
            while room > 0 and (chunk := self._data.recv(min(room, _CHUNK_BYTES))):
                chunks.append(chunk)
                room -= len(chunk)
        if room > 0:
            self._client.voidresp()  # says whether that was all
        return b"".join(chunks)[:limit], room <= 0


def _path_of(target: Target) -> str | None:
    """Relative to where the server puts us (RFC 1738, 3.2.2), each byte one character."""
    path = unquote_to_bytes(target.path.partition(";type=")[0]).decode("latin-1").removeprefix("/")
    return None if any(c in path for c in "\r\n\0") else path


def _mlsd_entry(line: str) -> tuple[str, str]:
    facts, _, name = line.partition(" ")
    kind = {fact.partition("=")[2] for fact in facts.lower().split(";") if fact.startswith("type=")}
    return ("", "") if kind & {"cdir", "pdir"} else (name, "/" if "dir" in kind else "")


def _shown(name: str) -> str:
    return name.encode("latin-1").decode("utf-8", "replace")


def _outcome_of(error: Exception, connected: bool) -> Outcome:
    if isinstance(error, ftplib.error_perm):
        code, text = str(error)[:3], str(error).lower()
        if code in ("530", "532"):
            return Outcome.UNAUTHORIZED
        if code in ("550", "551", "553"):
            return Outcome.FORBIDDEN if "denied" in text else Outcome.MISSING
        return Outcome.BAD_REQUEST
    if isinstance(error, ftplib.error_temp):
        return Outcome.BUSY if str(error).startswith("421") else Outcome.SERVER_ERROR
    return Outcome.BROKEN if connected else Outcome.CONNECT
