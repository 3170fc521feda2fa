"""How do bytes arrive over HTTP? One request, never followed further, ending in one `Fetched`.

The body is returned as it was sent: content encodings are undone elsewhere, with limits. Redirects
go back to the frontier as links. Every fault of the world is an Outcome with a sentence for people:
what libcurl's errors mean stands in curl.py, what a status means in model/outcome.py.
"""

import re
import ssl
from pathlib import Path

import certifi

from shoal.clock import Clock
from shoal.errors import UsageError
from shoal.fetch.curl import FAULTS, Answer, CurlLoop, Request
from shoal.fetch.dns import Resolver
from shoal.fetch.guard import NOTE, must_say_who_asks
from shoal.fetch.head import fields, is_whole, last_block, told_by_head
from shoal.fetch.names import Addresses, known, plain_name
from shoal.fetch.settings import (
    FORM_ANSWER_BYTES,
    ROBOTS_BODY_BYTES,
    SITEMAP_BODY_BYTES,
    Guard,
    HttpSettings,
)
from shoal.fetch.target import Target, at_port, parse
from shoal.model.outcome import Outcome, of_status
from shoal.model.visit import OF_SITE, Fetched, Visit, VisitKind

MAX_ADDRESSES_TRIED = 3

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_ACCEPT_ENCODING = "gzip, deflate, br, zstd"
_FIELD_VALUE = re.compile(r"[\x20-\x7e\x80-\xff]+")
_HEAD_NOT_DONE = (405, 501)
_MOST_DROPPERS = 10_000
_DROPPED = "The server closed a kept connection instead of answering; it is asked again on another."


class HttpFetcher:
    """http and https. Belongs to the event loop of its first fetch, and is closed there."""

    def __init__(
        self,
        settings: HttpSettings,
        resolver: Resolver,
        clock: Clock,
        guard: Guard | None = None,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._clock = clock
        self._guard = guard
        self._ca_file = _ca_file(settings.ca_file)
        self._insecure = frozenset(map(plain_name, settings.insecure_hosts))
        self._headers = _standing_headers(settings)
        self._curl: CurlLoop | None = None
        self._droppers: set[str] = set()
        """Hosts that close kept connections instead of answering: theirs are kept no longer."""
        self._closed = False

    async def fetch(self, visit: Visit) -> Fetched:
        if visit.head:
            return told_by_head(visit, await self._ask(visit, "HEAD"))
        return await self._ask(visit, "GET")

    async def head(self, visit: Visit) -> Fetched:
        """The head alone; a server that does not do HEAD is asked with GET."""
        fetched = await self._ask(visit, "HEAD")
        return await self._ask(visit, "GET") if fetched.status in _HEAD_NOT_DONE else fetched

    async def post(self, visit: Visit, form: bytes) -> Fetched:
        """Send a form; see post.py. Whom it may be sent to is judged as for a fetch."""
        return await self._ask(visit, "POST", form)

    async def close(self) -> None:
        """Fetches under way end as CANCELLED; no socket stays open."""
        self._closed = True
        curl, self._curl = self._curl, None
        if curl is not None:
            await curl.close()

    async def _ask(self, visit: Visit, method: str, form: bytes | None = None) -> Fetched:
        target = parse(visit.url)
        if target is None or target.scheme == "ftp":
            return self._not_requested(Outcome.REFUSED, "The URL can't be asked for over HTTP.")
        if self._settings.proxy:  # which looks names up itself
            places = self._resolver.override(target.host) or Addresses(("",))
            if not places.pinned and self._means_private(visit, target):
                return self._not_requested(Outcome.PRIVATE, NOTE)
        else:
            places = await self._resolver.resolve(target.host)
        if not places.addresses:
            return self._not_requested(Outcome.DNS, places.problem)
        if self._closed:
            return self._not_requested(Outcome.CANCELLED, "The crawl was stopped before the fetch.")
        asked = places
        if self._settings.proxy and not places.pinned:
            asked = known(target.name) or places
        must_say_who_asks(asked.addresses, self._settings.is_nameless)
        request = self._request(visit, method, target, places)
        if form is not None:
            headers = [*request.headers, b"Content-Type: application/x-www-form-urlencoded"]
            request = request._replace(
                headers=headers, form=form, max_body_bytes=FORM_ANSWER_BYTES, fresh=True
            )
        return await self._try_addresses(request, target, places)

    def _means_private(self, visit: Visit, target: Target) -> bool:
        """Behind a proxy nobody sees the address, but a name may say it (`localhost`)."""
        if self._guard is None or visit.private_ok:
            return False
        addresses = (known(target.name) or Addresses()).addresses
        return any(not self._guard(address, target.port) for address in addresses)

    def _request(self, visit: Visit, method: str, target: Target, places: Addresses) -> Request:
        return Request(
            url=target.url,
            target="" if self._settings.proxy else target.path,
            headers=self._headers_for(visit),
            verify=not self._insecure or target.name not in self._insecure,
            guarded=not (places.pinned or visit.private_ok),
            head_only=method == "HEAD",
            max_body_bytes=self._most_bytes(visit.kind),
            fresh=target.host in self._droppers,
        )

    def _most_bytes(self, kind: VisitKind) -> int:
        limit = self._settings.max_body_bytes
        if kind in OF_SITE:
            return min(limit, ROBOTS_BODY_BYTES)
        if kind is VisitKind.REQUISITE:
            return min(limit, self._settings.max_requisite_bytes)
        return max(limit, SITEMAP_BODY_BYTES) if kind is VisitKind.SITEMAP else limit

    async def _try_addresses(self, request: Request, target: Target, places: Addresses) -> Fetched:
        """Ask the first address that lets itself be reached."""
        if self._curl is None:
            self._curl = CurlLoop(self._settings, self._ca_file, self._guard)
        tried = list(places.addresses[:MAX_ADDRESSES_TRIED])
        while True:
            address = tried.pop(0)
            started = self._clock.now()
            connect_to = _connect_to(target, address, places.port)
            answer = await self._curl.run(request, connect_to)
            if not (answer.unreached and tried) or self._closed:
                break
        if not answer.unreached and address != places.addresses[0]:
            self._resolver.prefer(target.host, address)
        if answer.dropped:
            if len(self._droppers) >= _MOST_DROPPERS:
                self._droppers.clear()
            self._droppers.add(target.host)
        return self._fetched(answer, started, _as_sent(request, target))

    def _fetched(self, answer: Answer, started: float, sent: bytes) -> Fetched:
        block = last_block(answer.lines) if answer.status else []  # else they are a proxy's
        headers = fields(block)
        outcome, note = self._judge(answer, block, headers)
        return Fetched(
            outcome,
            status=answer.status,
            started=started,
            ended=self._clock.now(),
            address="" if self._settings.proxy else answer.address,
            headers=headers,
            head=b"".join(block),
            body=answer.body,
            request=b"" if answer.unreached else sent,
            cut=answer.cut,
            note=note,
        )

    def _judge(
        self, answer: Answer, block: list[bytes], headers: list[tuple[str, str]]
    ) -> tuple[Outcome, str]:
        limit = self._settings.max_header_bytes
        if sum(map(len, answer.lines)) > limit:
            return Outcome.TOO_LARGE, f"The header fields are longer than {limit:,} bytes."
        if answer.dropped:
            return Outcome.DROPPED, _DROPPED
        if answer.refused and answer.unreached:
            return Outcome.PRIVATE, NOTE
        if answer.error and not answer.cut:  # an error of a cut body is our own: we ended it
            outcome = FAULTS.get(answer.error, Outcome.BROKEN)
            return outcome, answer.message or f"libcurl ended the fetch with error {answer.error}."
        if not is_whole(block, answer.status):
            return Outcome.BROKEN, "The head of the answer is not whole."
        leads_on = answer.status // 100 != 3 or any(n == "location" and v for n, v in headers)
        outcome = of_status(answer.status, leads_on)
        if outcome is Outcome.BAD_REDIRECT:
            return outcome, "The answer is a redirect that does not say where to."
        return outcome, f"The body was cut after {len(answer.body):,} bytes." if answer.cut else ""

    def _not_requested(self, outcome: Outcome, note: str) -> Fetched:
        now = self._clock.now()
        return Fetched(outcome, started=now, ended=now, note=note)

    def _headers_for(self, visit: Visit) -> list[bytes]:
        """The standing fields, and what makes the request conditional (RFC 9110, 13.1)."""
        if not (visit.etag or visit.last_modified):
            return self._headers  # the same list each time, which spares setting it again
        headers = self._headers.copy()
        if _FIELD_VALUE.fullmatch(visit.etag):
            headers.append(b"If-None-Match: " + visit.etag.encode("latin-1"))
        if _FIELD_VALUE.fullmatch(visit.last_modified):
            headers.append(b"If-Modified-Since: " + visit.last_modified.encode("latin-1"))
        return headers


def _standing_headers(settings: HttpSettings) -> list[bytes]:
    fields_sent = [
        ("User-Agent", settings.agent),
        ("Accept", _ACCEPT),
        ("Accept-Language", settings.accept_language),
        ("Accept-Encoding", _ACCEPT_ENCODING),
    ]
    for name, value in fields_sent:
        if value and not _FIELD_VALUE.fullmatch(value):
            raise UsageError(
                f"{name} can't be sent as {value!r}; use plain characters on one line."
            )
    return [f"{name}: {value}".encode("latin-1") for name, value in fields_sent if value]


def _ca_file(chosen: str) -> str:
    """Where the authorities are: libcurl's wheel looks only where one distribution keeps them."""
    if chosen and not Path(chosen).is_file():
        raise UsageError(f"There is no file of certificate authorities at {chosen}.")
    return chosen or ssl.get_default_verify_paths().cafile or certifi.where()


def _connect_to(target: Target, address: str, port: int) -> str:
    if not address or (address == target.host and not port):
        return ""
    return f"::{at_port(address, port or target.port)}"


def _as_sent(request: Request, target: Target) -> bytes:
    """The head that libcurl sends: Host first, then our fields in their order."""
    method = "HEAD" if request.head_only else "GET" if request.form is None else "POST"
    start = f"{method} {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n".encode()
    return start + b"\r\n".join(request.headers) + b"\r\n\r\n"
