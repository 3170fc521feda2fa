"""A form is posted: what is sent, what is made of the answer, and whom it is never sent to."""

from urllib.parse import parse_qs

import pytest

from shoal.fetch.guard import NOTE, public_only
from shoal.fetch.post import MOST_REDIRECTS, Posted, post_form
from shoal.fetch.settings import HttpSettings
from shoal.model.outcome import Outcome
from tests.fetch.conftest import Run
from tests.fetch.loopback import Talk, answering, fetching, response, serving, visit

FIELDS = [("hub.mode", "subscribe"), ("hub.topic", "http://a.test/?x=1&y=ä")]


def test_a_form_is_sent_whole_and_the_next_fetch_is_none(run: Run) -> None:
    bodies: list[bytes] = []

    async def taking(talk: Talk) -> None:
        length = [
            line for line in talk.request.split(b"\r\n") if line.startswith(b"Content-Length")
        ]
        bodies.append(await talk.reader.readexactly(int(length[0].split()[1])) if length else b"")
        is_head = talk.request.startswith(b"HEAD")
        await talk.say(b"HTTP/1.1 204 Fine\r\n\r\n" if is_head else response("202 Accepted"))

    async def main() -> None:
        async with serving(taking) as origin, fetching() as fetcher:
            # One handle serves them all: each must leave nothing behind for the next.
            assert await post_form(fetcher, origin.url("/hub?a=1"), FIELDS) == Posted(202, "")
            assert (await fetcher.fetch(visit(origin.url()))).status == 202
            assert (await fetcher.head(visit(origin.url()))).status == 204
            assert await post_form(fetcher, origin.url("/hub"), FIELDS[:1]) == Posted(202, "")
            assert (await fetcher.fetch(visit(origin.url()))).status == 202
            starts = [each.split(b" HTTP")[0] for each in origin.requests]
            assert starts == [b"POST /hub?a=1", b"GET /", b"HEAD /", b"POST /hub", b"GET /"]
            assert b"Content-Type: application/x-www-form-urlencoded\r\n" in origin.requests[0]
            assert b"Content-Type" not in origin.requests[1]
            assert parse_qs(bodies[0].decode()) == {name: [value] for name, value in FIELDS}
            assert bodies[1:] == [b"", b"", b"hub.mode=subscribe", b""]

    run(main())


@pytest.mark.parametrize(
    ("answer", "posted"),
    [
        (response("200 OK", b"fine"), Posted(200, "")),
        (
            response("404 No", b" no\x00such \n topic"),
            Posted(404, "It answered 404: no such topic"),
        ),
        (response("500 No", b"<html>"), Posted(500, "It answered 500.")),
        (response("400 No", b"x" * 300_000), Posted(400, "It answered 400: " + "x" * 200)),
        (response("302 Found", fields="Location: /b\r\n"), Posted(302, "It answered 302.")),
        (response("307 Moved"), Posted(307, "It leads on to where a form can't be sent.")),
        (
            response("308 Moved", fields="Location: file:///etc/passwd\r\n"),
            Posted(308, "It leads on to where a form can't be sent."),
        ),
    ],
)
def test_what_is_made_of_an_answer(run: Run, answer: bytes, posted: Posted) -> None:
    async def main() -> None:
        async with serving(answering(answer, close=True)) as origin, fetching() as fetcher:
            assert await post_form(fetcher, origin.url(), FIELDS) == posted

    run(main())


def test_a_redirect_that_keeps_the_method_is_followed(run: Run) -> None:
    async def leading(talk: Talk) -> None:
        to = "/new?to=1#x" if talk.request.startswith(b"POST /old") else "/done"
        done = talk.request.startswith(b"POST /done")
        await talk.say(
            response("202 Accepted")
            if done
            else response("307 Moved", fields=f"Location: {to}\r\n")
        )
        talk.hang_up()

    async def main() -> None:
        async with serving(leading) as origin, fetching() as fetcher:
            assert await post_form(fetcher, origin.url("/old"), FIELDS) == Posted(202, "")
            assert [each.split()[1] for each in origin.requests] == [
                b"/old",
                b"/new?to=1",
                b"/done",
            ]

    run(main())


def test_redirects_come_to_an_end(run: Run) -> None:
    async def main() -> None:
        raw = response("308 Moved", fields="Location: /\r\n")
        async with serving(answering(raw, close=True)) as origin, fetching() as fetcher:
            posted = await post_form(fetcher, origin.url(), FIELDS)
            assert posted == Posted(308, f"It leads on more than {MOST_REDIRECTS} times.")
            assert len(origin.requests) == MOST_REDIRECTS + 1

    run(main())


def test_from_https_a_form_is_not_led_to_http(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response("202 Accepted"))) as plain:
            moved = response("307 Moved", fields=f"Location: {plain.url()}\r\n")
            settings = HttpSettings(agent="Shoal/test", insecure_hosts=frozenset({"127.4.5.6"}))
            async with (
                serving(answering(moved, close=True), tls=True) as secure,
                fetching(settings) as fetcher,
            ):
                posted = await post_form(fetcher, secure.url(scheme="https"), FIELDS)
                assert posted == Posted(307, "It leads on to where a form can't be sent.")
            assert plain.requests == []

    run(main())


def test_a_private_address_is_not_posted_to(run: Run) -> None:
    async def main() -> None:
        async with (
            serving(answering(response("202 Accepted"))) as origin,
            fetching(guard=public_only) as fetcher,
        ):
            assert await post_form(fetcher, origin.url(), FIELDS) == Posted(0, NOTE)
            assert origin.requests == []
            let = await post_form(fetcher, origin.url(), FIELDS, private_ok=True)
            assert let == Posted(202, "")

    run(main())


def test_nobody_there(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(b"")) as origin:
            url = origin.url()
        async with fetching() as fetcher:
            posted = await post_form(fetcher, url, FIELDS)
            assert posted.status == 0
            assert posted.problem
            assert (await post_form(fetcher, "mailto:x", FIELDS)).problem
            assert (await fetcher.post(visit(url), b"")).outcome is Outcome.CONNECT

    run(main())
