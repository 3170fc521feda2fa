"""What a fetch asks and what it makes of the answer, over real sockets."""

import gzip

import pytest

from shoal.errors import UsageError
from shoal.fetch.settings import ROBOTS_BODY_BYTES, HttpSettings
from shoal.model.outcome import Outcome
from shoal.model.visit import Visit, VisitKind
from tests.fetch.conftest import Run
from tests.fetch.loopback import Talk, answering, fetching, response, serving, visit


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("200 OK", Outcome.OK),
        ("206 Partial Content", Outcome.OK),
        ("404 Not Found", Outcome.MISSING),
        ("410 Gone", Outcome.GONE),
        ("401 Unauthorized", Outcome.UNAUTHORIZED),
        ("403 Forbidden", Outcome.FORBIDDEN),
        ("429 Too Many Requests", Outcome.BUSY),
        ("503 Service Unavailable", Outcome.BUSY),
        ("500 Internal Server Error", Outcome.SERVER_ERROR),
        ("999 Request denied", Outcome.ODD_STATUS),
    ],
)
def test_status_becomes_outcome(run: Run, status: str, outcome: Outcome) -> None:
    async def main() -> None:
        raw = response(status, b"said", "Retry-After: 7\r\n")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is outcome
            assert fetched.status == int(status[:3])
            assert fetched.body == b"said"
            assert fetched.header("retry-after") == "7"
            assert fetched.requested
            assert not fetched.cut
            assert fetched.note == ""

    run(main())


def test_the_whole_answer_is_kept(run: Run) -> None:
    async def main() -> None:
        head = b"HTTP/1.1 200 Fine\r\nX-A: 1\r\nx-a:  zw\xf6lf \r\nContent-Length: 4\r\n\r\n"
        async with serving(answering(head + b"body")) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url("/p?q=1#frag")))
            assert fetched.head == head
            assert fetched.headers == [("x-a", "1"), ("x-a", "zwölf"), ("content-length", "4")]
            assert fetched.body == b"body"
            assert fetched.address == f"127.4.5.6:{origin.port}"
            assert fetched.started < fetched.ended
            assert fetched.request == origin.requests[0]
            assert b"frag" not in origin.requests[0]

    run(main())


def test_ipv6_address_in_brackets(run: Run) -> None:
    async def main() -> None:
        try:
            async with serving(answering(response()), host="::1") as origin:
                async with fetching() as fetcher:
                    fetched = await fetcher.fetch(visit(f"http://[::1]:{origin.port}/"))
                assert fetched.address == f"[::1]:{origin.port}"
                assert fetched.request == origin.requests[0]
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")

    run(main())


def test_what_is_sent(run: Run) -> None:
    async def main() -> None:
        settings = HttpSettings(agent="Mozilla/5.0 (compatible; Shoal/1)", accept_language="de, en")
        async with serving(answering(response())) as origin, fetching(settings) as fetcher:
            plain = visit(origin.url("/a"))
            conditional = Visit(
                url=origin.url("/b"),
                row=b"",
                site=b"",
                etag='W/"ä-1"',
                last_modified="Mon, 01 Jan 2024 00:00:00 GMT",
            )
            answers = [await fetcher.fetch(v) for v in (plain, conditional, plain)]
            assert [a.request for a in answers] == origin.requests
            first, second, third = origin.requests
            assert first == third
            assert first.decode() == (
                "GET /a HTTP/1.1\r\n"
                f"Host: 127.4.5.6:{origin.port}\r\n"
                "User-Agent: Mozilla/5.0 (compatible; Shoal/1)\r\n"
                "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
                "Accept-Language: de, en\r\n"
                "Accept-Encoding: gzip, deflate, br, zstd\r\n"
                "\r\n"
            )
            assert 'If-None-Match: W/"ä-1"\r\n'.encode("latin-1") in second
            assert b"If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT\r\n" in second

    run(main())


def test_a_stored_validator_cannot_add_header_fields(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response())) as origin, fetching() as fetcher:
            forged = Visit(url=origin.url(), row=b"", site=b"", etag='"x"\r\nX-Evil: 1')
            await fetcher.fetch(forged)
            assert b"Evil" not in origin.requests[0]

    run(main())


@pytest.mark.parametrize(
    "target", ["/a/../b/./c", "//x//y", "/%2f%2F%zz", "/a|b[c]^{d}`'~?q=a'b|c", "/?", "/;x?a?b=@:"]
)
def test_the_path_is_sent_as_it_is(run: Run, target: str) -> None:
    async def main() -> None:
        async with serving(answering(response())) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url(target)))
            assert fetched.outcome is Outcome.OK
            assert origin.requests[0].startswith(f"GET {target} HTTP/1.1\r\n".encode())
            assert fetched.request == origin.requests[0]

    run(main())


@pytest.mark.parametrize(
    "url",
    [
        "http://127.4.5.6/a b",
        "http://127.4.5.6/ä",
        "http://127.4.5.6:99999/",
        "http://127.4.5.6:0/",
        "http:///x",
        "http://a!b.localhost/",
        "http://127.4.5.6/\r\nX: 1",
        "ftp://127.4.5.6/",
        "gopher://127.4.5.6/",
        "http:",
        "",
    ],
)
def test_a_url_that_cannot_be_sent_is_refused(run: Run, url: str) -> None:
    async def main() -> None:
        async with fetching() as fetcher:
            fetched = await fetcher.fetch(visit(url))
            assert fetched.outcome is Outcome.REFUSED
            assert not fetched.requested
            assert fetched.note

    run(main())


def test_credentials_are_not_sent(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response())) as origin, fetching() as fetcher:
            url = f"http://user:secret@127.4.5.6:{origin.port}/"
            fetched = await fetcher.fetch(visit(url))
            assert fetched.outcome is Outcome.OK
            assert fetched.request == origin.requests[0]
            assert b"uthorization" not in origin.requests[0]

    run(main())


def test_cookies_are_off(run: Run) -> None:
    async def main() -> None:
        raw = response(fields="Set-Cookie: id=1; Path=/\r\n")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            for _ in range(2):
                await fetcher.fetch(visit(origin.url()))
            assert b"ookie" not in origin.requests[1]

    run(main())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(run: Run, status: int) -> None:
    async def main() -> None:
        raw = response(f"{status} Elsewhere", b"go", "Location: /there\r\n")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.REDIRECT
            assert fetched.header("location") == "/there"
            assert fetched.body == b"go"
            assert len(origin.requests) == 1

    run(main())


def test_a_redirect_to_nowhere(run: Run) -> None:
    async def main() -> None:
        raw = response("302 Found", fields="Location: \r\n")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.BAD_REDIRECT
            assert fetched.note

    run(main())


def test_unchanged(run: Run) -> None:
    async def main() -> None:
        raw = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.UNCHANGED
            assert fetched.header("etag") == '"1"'
            assert (await fetcher.fetch(visit(origin.url()))).outcome is Outcome.UNCHANGED
            assert origin.connections == 1

    run(main())


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_the_body_comes_as_sent(run: Run, coding: str) -> None:
    async def main() -> None:
        packed = gzip.compress(b"hello") if coding == "gzip" else b"\x00not really \xff packed"
        raw = response(body=packed, fields=f"Content-Encoding: {coding}\r\n")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.OK
            assert fetched.body == packed

    run(main())


def test_chunks_are_joined_and_trailers_left_out(run: Run) -> None:
    async def main() -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        raw = head + b"3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.body == b"abcde"
            assert fetched.head == head
            assert fetched.headers == [("transfer-encoding", "chunked")]

    run(main())


def test_interim_answers_are_dropped(run: Run) -> None:
    async def main() -> None:
        interim = b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n"
        raw = interim + b"HTTP/1.1 100 Continue\r\n\r\n" + response("404 Not Found", b"no")
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.MISSING
            assert fetched.head.startswith(b"HTTP/1.1 404 Not Found\r\n")
            assert fetched.header("link") == ""

    run(main())


@pytest.mark.parametrize("framing", ["length", "chunked", "until close", "endless"])
def test_a_long_body_is_cut(run: Run, framing: str) -> None:
    async def handler(talk: Talk) -> None:
        fields = {
            "length": "Content-Length: 100000\r\n",
            "chunked": "Transfer-Encoding: chunked\r\n",
        }
        await talk.say(f"HTTP/1.1 200 OK\r\n{fields.get(framing, '')}\r\n".encode())
        if framing == "chunked":
            await talk.say(b"186A0\r\n" + b"x" * 100_000 + b"\r\n0\r\n\r\n")
        else:
            await talk.say(b"x" * 100_000)
        while framing == "endless":
            await talk.say(b"x" * 100_000)
        talk.hang_up()

    async def main() -> None:
        settings = HttpSettings(agent="t", max_body_bytes=70_001)
        async with serving(handler) as origin, fetching(settings) as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.OK
            assert fetched.cut
            assert fetched.body == b"x" * 70_001
            assert "70,001" in fetched.note

    run(main())


def test_a_body_of_just_the_limit_is_whole(run: Run) -> None:
    async def main() -> None:
        settings = HttpSettings(agent="t", max_body_bytes=70_000)
        raw = response(body=b"x" * 70_000)
        async with serving(answering(raw)) as origin, fetching(settings) as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert not fetched.cut
            assert fetched.body == b"x" * 70_000

    run(main())


def test_robots_has_a_limit_of_its_own(run: Run) -> None:
    async def main() -> None:
        raw = response(body=b"#" * 600_000)
        async with serving(answering(raw)) as origin, fetching() as fetcher:
            url = origin.url("/robots.txt")
            robots = Visit(url=url, row=b"", site=b"", kind=VisitKind.ROBOTS)
            fetched = await fetcher.fetch(robots)
            assert ROBOTS_BODY_BYTES == 512_000
            assert (len(fetched.body), fetched.cut) == (512_000, True)
            assert fetched.outcome is Outcome.OK
            page = await fetcher.fetch(visit(url))
            assert (len(page.body), page.cut) == (600_000, False)

    run(main())


def test_a_sitemap_may_be_longer_than_a_page(run: Run) -> None:
    async def main() -> None:
        settings = HttpSettings(agent="t", max_body_bytes=1_000)
        raw = response(body=b"x" * 5_000)
        async with serving(answering(raw)) as origin, fetching(settings) as fetcher:
            sitemap = Visit(url=origin.url(), row=b"", site=b"", kind=VisitKind.SITEMAP)
            assert len((await fetcher.fetch(sitemap)).body) == 5_000
            assert len((await fetcher.fetch(visit(origin.url()))).body) == 1_000

    run(main())


def test_head(run: Run) -> None:
    async def handler(talk: Talk) -> None:
        whole = response(body=b"body")
        await talk.say(whole.removesuffix(b"body") if talk.request.startswith(b"HEAD") else whole)

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            fetched = await fetcher.head(visit(origin.url()))
            assert (fetched.outcome, fetched.body) == (Outcome.OK, b"")
            assert fetched.header("content-length") == "4"
            assert fetched.request == origin.requests[0]
            again = await fetcher.fetch(visit(origin.url()))
            assert (again.body, again.request) == (b"body", origin.requests[1])
            assert again.request.startswith(b"GET ")
            assert origin.connections == 1

    run(main())


@pytest.mark.parametrize("status", ["405 Method Not Allowed", "501 Not Implemented"])
def test_head_refused_becomes_get(run: Run, status: str) -> None:
    async def handler(talk: Talk) -> None:
        refused = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode()
        await talk.say(refused if talk.request.startswith(b"HEAD") else response(body=b"body"))

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            fetched = await fetcher.head(visit(origin.url()))
            assert (fetched.outcome, fetched.body) == (Outcome.OK, b"body")
            assert [r.split()[0] for r in origin.requests] == [b"HEAD", b"GET"]

    run(main())


def test_settings_that_cannot_be(run: Run) -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match="User-Agent"):
            async with fetching(HttpSettings(agent="a\nb")):
                pass
        with pytest.raises(UsageError, match="authorities"):
            async with fetching(HttpSettings(agent="a", ca_file="nowhere.pem")):
                pass

    run(main())
