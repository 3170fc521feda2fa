"""The hostile hosts: what each says, and what must become of its page. One host per case."""

import gzip
from typing import NamedTuple

from shoal.model.document import Fate
from shoal.model.outcome import Outcome
from tests.hostile.bombs import brotli_bomb, gzip_bomb, twice_gzipped_bomb, zstd_bomb
from tests.hostile.wire import (
    HTML,
    OK,
    Say,
    endless,
    made,
    moved,
    page,
    raw,
    reset_after,
    silence,
)


class Case(NamedTuple):
    say: Say
    outcome: Outcome
    fate: Fate | None = None
    cut: bool = False
    robots: Say | None = None
    scheme: str = "http"
    tls: bool = False
    """Whether it is served on the port that speaks TLS."""


READ = Fate.WAITING
TEXT = b"<title>t</title><p>honest words</p>"
CHUNKED = OK + HTML + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = HTML + b"Content-Encoding: gzip\r\n"


def _length(value: bytes) -> bytes:
    return OK + HTML + b"Content-Length: " + value + b"\r\n\r\n"


BODIES = {
    "endless body": Case(endless(OK + HTML + b"\r\n", b"x" * 65536), Outcome.OK, READ, cut=True),
    "endless chunks": Case(
        endless(CHUNKED, b"10000\r\n" + b"y" * 65536 + b"\r\n"), Outcome.OK, READ, cut=True
    ),
    "body drip": Case(endless(_length(b"1000000"), b"z", 0.3), Outcome.TIMEOUT),
    "head drip": Case(endless(OK, b"X: y\r\n", 0.3), Outcome.TIMEOUT),
    "silence": Case(silence, Outcome.TIMEOUT),
    "shorter than said": Case(raw(_length(b"9999") + TEXT), Outcome.BROKEN),
    "longer than said": Case(raw(_length(b"35") + TEXT + b"more" * 99), Outcome.OK, READ),
    "negative length": Case(raw(_length(b"-5") + TEXT), Outcome.BROKEN),
    "length of letters": Case(raw(_length(b"many") + TEXT), Outcome.BROKEN),
    "length beyond numbers": Case(raw(_length(b"9" * 40) + TEXT), Outcome.OK, READ),
    "bad chunk size": Case(raw(CHUNKED + b"zz\r\n" + TEXT), Outcome.BROKEN),
    "huge chunk size": Case(raw(CHUNKED + b"f" * 30 + b"\r\n" + TEXT), Outcome.BROKEN),
    "chunk without end": Case(raw(CHUNKED + b"23\r\n" + TEXT), Outcome.BROKEN),
    "nothing at all": Case(page(b"", b""), Outcome.OK, Fate.EMPTY),
    "204 with a body": Case(raw(b"HTTP/1.1 204 No\r\n\r\n" + TEXT), Outcome.EMPTY_ANSWER),
    "nulls": Case(page(b"<p>a\0b</p>" * 1000), Outcome.OK, READ),
}

PACKED = {
    "gzip bomb": Case(made(gzip_bomb, GZIP), Outcome.OK, Fate.UNCONVERTIBLE),
    "gzip bomb twice": Case(
        made(twice_gzipped_bomb, HTML + b"Content-Encoding: gzip, gzip\r\n"),
        Outcome.OK,
        Fate.UNCONVERTIBLE,
    ),
    "br bomb": Case(
        made(brotli_bomb, HTML + b"Content-Encoding: br\r\n"), Outcome.OK, Fate.UNCONVERTIBLE
    ),
    "zstd bomb": Case(made(zstd_bomb, HTML + b"Content-Encoding: zstd\r\n"), Outcome.OK, READ),
    "gzip of gzip": Case(page(gzip.compress(gzip.compress(TEXT)), GZIP), Outcome.OK, READ),
    "gzip that is none": Case(page(TEXT, GZIP), Outcome.OK, READ),
    "half a gzip": Case(page(gzip.compress(TEXT * 9)[:-20], GZIP), Outcome.OK, READ),
    "too many encodings": Case(
        page(TEXT, HTML + b"Content-Encoding: " + b"gzip, " * 50 + b"br\r\n"), Outcome.OK, READ
    ),
}

HEADS = {
    "http/0.9": Case(raw(TEXT), Outcome.BROKEN),
    "noise": Case(raw(bytes(range(256)) * 40), Outcome.BROKEN),
    "no answer": Case(raw(), Outcome.BROKEN),
    "status 999": Case(page(TEXT, status=b"999 Odd"), Outcome.ODD_STATUS),
    "status 000": Case(page(TEXT, status=b"000 Zero"), Outcome.BROKEN),
    "many fields": Case(
        page(TEXT, b"".join(b"X-%d: y\r\n" % i for i in range(50_000))), Outcome.TOO_LARGE
    ),
    "a long field": Case(page(TEXT, b"X: " + b"y" * 1_000_000 + b"\r\n"), Outcome.TOO_LARGE),
    "endless fields": Case(endless(OK, b"X: y\r\n" * 1000), Outcome.TOO_LARGE),
    "cookies": Case(
        page(TEXT, HTML + b"".join(b"Set-Cookie: a%d=1\r\n" % i for i in range(3000))),
        Outcome.OK,
        READ,
    ),
    "1xx flood": Case(
        raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 50_000 + OK + HTML + b"\r\n" + TEXT),
        Outcome.TOO_LARGE,
    ),
    "null in a field": Case(page(TEXT, HTML + b"X: a\0b\r\n"), Outcome.BROKEN),
    "field without a name": Case(page(TEXT, HTML + b": v\r\nnonsense\r\n"), Outcome.BROKEN),
}

RESETS = {
    "reset before the answer": Case(reset_after(b""), Outcome.BROKEN),
    "reset in the status": Case(reset_after(b"HTTP/1"), Outcome.BROKEN),
    "reset in the head": Case(reset_after(OK + HTML), Outcome.BROKEN),
    "reset in the body": Case(reset_after(_length(b"999") + TEXT), Outcome.BROKEN),
    "https at an http port": Case(page(TEXT), Outcome.TLS, scheme="https"),
    "http at an https port": Case(page(TEXT), Outcome.BROKEN, tls=True),
    "untrusted certificate": Case(page(TEXT), Outcome.TLS, scheme="https", tls=True),
}

MOVES = {
    "moved to itself": Case(moved(b"/"), Outcome.REDIRECT),
    "moved nowhere": Case(moved(b""), Outcome.BAD_REDIRECT),
    "moved to a script": Case(moved(b"javascript:alert(1)"), Outcome.REDIRECT),
    "moved to data": Case(moved(b"data:text/html,<a href=/x>x</a>"), Outcome.REDIRECT),
    "moved to a file": Case(moved(b"file:///etc/passwd"), Outcome.REDIRECT),
    "moved to noise": Case(moved(bytes(range(128, 256))), Outcome.REDIRECT),
    "moved far": Case(moved(b"/" + b"a" * 90_000), Outcome.REDIRECT),
    "moved to half a URL": Case(moved(b"http://[::1"), Outcome.REDIRECT),
    "moved to a bad port": Case(moved(b"http://x.test:99999/"), Outcome.REDIRECT),
}

PAGES = {
    "a million links": Case(
        made(lambda: b"".join(b"<a href=/%d>x</a>" % i for i in range(900_000))),
        Outcome.OK,
        READ,
    ),
    "a link of 5 MB": Case(
        made(lambda: TEXT + b"<a href='/" + b"a" * 5_000_000 + b"'>x</a>"), Outcome.OK, READ
    ),
    "nested 100,000 deep": Case(made(lambda: TEXT + b"<div>" * 100_000), Outcome.OK, READ),
    "nested formatting": Case(made(lambda: TEXT + b"<b><i><a href=x>" * 30_000), Outcome.OK, READ),
    "an attribute of 100 MB": Case(
        made(lambda: gzip.compress(TEXT + b"<p title='" + b"a" * 100_000_000, 1), GZIP),
        Outcome.OK,
        READ,
    ),
    "a million attributes": Case(
        made(lambda: TEXT + b"<p " + b" ".join(b"a%d=1" % i for i in range(1_000_000)) + b">"),
        Outcome.OK,
        READ,
    ),
    "a comment without end": Case(
        made(lambda: TEXT + b"<!--" + b"- ->" * 2_000_000), Outcome.OK, READ
    ),
    "a million forms": Case(
        made(lambda: TEXT + b"<form><input name=a></form>" * 300_000), Outcome.OK, READ
    ),
    "a million options": Case(
        made(lambda: TEXT + b"<form><select name=a>" + b"<option>x" * 1_000_000), Outcome.OK, READ
    ),
    "entities": Case(made(lambda: TEXT + b"&nbsp;&lt;&#0;&#x110000;" * 300_000), Outcome.OK, READ),
    "tables": Case(made(lambda: TEXT + b"<table><tr><td>" * 50_000), Outcome.OK, READ),
    "only opening": Case(made(lambda: TEXT + b"<" * 3_000_000), Outcome.OK, READ),
    "a page as an image": Case(page(TEXT, b"Content-Type: image/png\r\n"), Outcome.OK),
    "an image as a page": Case(page(b"\x89PNG\r\n\x1a\n" + bytes(5000)), Outcome.OK, Fate.EMPTY),
    "unknown charset": Case(
        page(TEXT, b"Content-Type: text/html; charset=martian-7\r\n"), Outcome.OK, READ
    ),
    "charset of nulls": Case(
        page(TEXT, b"Content-Type: text/html; charset=\x01\x02\r\n"), Outcome.OK, READ
    ),
    "utf-7": Case(page(TEXT, b"Content-Type: text/html; charset=utf-7\r\n"), Outcome.OK, READ),
    "half a utf-16": Case(page(b"\xff\xfe" + "<p>wide".encode("utf-16le") + b"\xd8"), Outcome.OK),
    "type without end": Case(
        page(TEXT, b"Content-Type: " + b"text/html;" * 9000 + b"\r\n"), Outcome.OK
    ),
    "a base elsewhere": Case(
        page(TEXT + b"<base href='file:///etc/'><a href=passwd>x</a>"), Outcome.OK, READ
    ),
    "xml entities": Case(
        page(
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
            + b"".join(b'<!ENTITY a%d "&a;&a;&a;">' % i for i in range(50))
            + b"]><x>&a;</x>",
            b"Content-Type: application/xml\r\n",
        ),
        Outcome.OK,
    ),
}

ROBOTS = {
    "robots of 50 MB": Case(
        page(TEXT),
        Outcome.OK,
        READ,
        robots=endless(OK + b"Content-Length: 50000000\r\n\r\n", b"Disallow: /no\n" * 5000),
    ),
    "robots of stars": Case(
        page(TEXT),
        Outcome.OK,
        READ,
        robots=page(
            b"User-agent: *\n" + b"Disallow: /" + b"*a" * 2000 + b"$\n" + b"Disallow: /*x*y*z\n" * 9
        ),
    ),
    "robots of nulls": Case(page(TEXT), Outcome.OK, READ, robots=page(bytes(100_000))),
    "robots as a bomb": Case(page(TEXT), Outcome.OK, READ, robots=made(gzip_bomb, GZIP)),
    "later for ever": Case(page(TEXT, b"Retry-After: 1000000000\r\n", b"503 Busy"), Outcome.BUSY),
    "later in words": Case(page(TEXT, b"Retry-After: \xff\0soon\r\n", b"429 Slow"), Outcome.BROKEN),
}

CASES: dict[str, Case] = {**BODIES, **PACKED, **HEADS, **RESETS, **MOVES, **PAGES, **ROBOTS}
