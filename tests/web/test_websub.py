"""WebSub from end to end, over real HTTP: a hub, a server, a collection, and all that can go wrong
between them."""

import asyncio
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.control import hub_requests as pushing
from shoal.errors import UsageError
from shoal.layout.subscriptions import DIRECTORY, Subscriptions, push_states
from shoal.model.listings.feed import FeedRow
from shoal.sources.inbox import MAX_BODY_BYTES, Push
from shoal.sources.subscription import Standing, Subscription
from shoal.web.server.serve import serve
from tests.web.hub import BODY, CHALLENGE, FEED, TOPIC, Hub, Subscriber
from tests.web.little_web import client_of

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    yield made
    made.close()


@pytest.fixture
def we(tmp_path: Path, hub: Hub) -> Iterator[Subscriber]:
    made = Subscriber(tmp_path / "corpus")
    made.put_feed(FeedRow(title="News", hubs=[hub.url], self_url=TOPIC))
    yield made
    made.close()


def look(we: Subscriber) -> None:
    asyncio.run(we.keeper().look())


def only(we: Subscriber) -> Subscription:
    (found,) = Subscriptions(we.directory).all()
    return found


def test_a_feed_with_a_hub_is_subscribed_to_and_pushed(we: Subscriber, hub: Hub) -> None:
    look(we)
    (asked,) = hub.asks
    assert asked["hub.mode"] == "subscribe"
    assert asked["hub.topic"] == TOPIC
    assert asked["hub.callback"].startswith(f"{we.address}websub/")
    assert len(asked["hub.secret"]) == 64
    assert hub.verified == [(200, CHALLENGE)]
    kept = only(we)
    assert kept.standing is Standing.ACTIVE
    assert kept.until == we.clock.now() + 1000
    assert hub.push() == 202
    ((order, body),) = we.taken()
    assert order == Push(FEED, "application/rss+xml", order.file)
    assert body == BODY
    assert we.site.pushed.is_set()
    assert push_states(we.directory)[FEED].delivered == 1
    look(we)
    assert len(hub.asks) == 1  # nothing is due


def test_what_is_kept_is_the_owners_alone(we: Subscriber, hub: Hub) -> None:
    look(we)
    assert hub.push() == 202
    directory = we.directory / DIRECTORY
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {each.suffix for each in directory.iterdir()} == {"", ".json", ".seen"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in directory.iterdir()} == {0o600}


def test_each_signature_of_the_standard_is_taken(we: Subscriber, hub: Hub) -> None:
    look(we)
    algorithms = ("sha1", "sha256", "sha384", "sha512")
    assert {hub.push(each.encode(), algorithm=each) for each in algorithms} == {202}
    assert [body for _, body in we.taken()] == [each.encode() for each in algorithms]


def test_a_wrong_signature_is_answered_like_a_right_one_and_ignored(
    we: Subscriber, hub: Hub
) -> None:
    look(we)
    assert hub.push(secret="guessed") == 202
    assert hub.push(algorithm="md5") == 202
    callback = hub.asks[0]["hub.callback"]
    assert hub.client.post(callback, content=BODY).status_code == 202
    assert we.taken() == []
    assert "not signed" in only(we).problem
    assert hub.push() == 202  # the one that was meant
    assert len(we.taken()) == 1
    assert only(we).problem == ""


def test_a_delivery_is_taken_once(we: Subscriber, hub: Hub) -> None:
    look(we)
    assert [hub.push(), hub.push(BODY + b"\n"), hub.push(), hub.push(BODY + b"\n")] == [202] * 4
    assert [body for _, body in we.taken()] == [BODY, BODY + b"\n"]


def test_before_it_is_verified_nothing_is_taken(we: Subscriber, hub: Hub) -> None:
    hub.verifies = False
    look(we)
    assert only(we).standing is Standing.ASKED
    assert hub.push() == 404
    assert hub.verify(hub.asks[0], hub_topic=FEED) == (404, "")
    assert hub.verify(hub.asks[0], hub_challenge="") == (404, "")
    assert hub.verify(hub.asks[0], hub_mode="unsubscribe") == (404, "")
    assert hub.verify(hub.asks[0], hub_mode="publish") == (404, "")
    assert we.taken() == []
    we.clock.advance(86_401)
    assert hub.verify(hub.asks[0])[0] == 404  # nobody remembers having asked
    look(we)
    assert hub.verify(hub.asks[1]) == (200, CHALLENGE)
    assert hub.push() == 202
    assert len(we.taken()) == 1


def test_a_lease_is_renewed_before_it_ends(we: Subscriber, hub: Hub) -> None:
    look(we)
    we.clock.advance(740)
    look(we)
    assert len(hub.asks) == 1
    we.clock.advance(20)
    look(we)
    assert hub.asks[1] == hub.asks[0]
    assert only(we).until == we.clock.now() + 1000


def test_after_its_lease_nothing_is_taken_until_it_is_renewed(we: Subscriber, hub: Hub) -> None:
    look(we)
    we.clock.advance(1100)
    assert hub.push() == 404
    assert we.taken() == []
    look(we)
    assert len(hub.asks) == 2
    assert hub.push() == 202
    assert len(we.taken()) == 1


def test_a_hub_that_denies_is_left_in_peace(we: Subscriber, hub: Hub) -> None:
    look(we)
    assert hub.verify(hub.asks[0], hub_mode="denied", hub_reason="no\nroom") == (200, "")
    kept = only(we)
    assert kept.standing is Standing.DENIED
    assert kept.problem == "the hub denied it: no room"
    assert hub.push() == 404
    look(we)
    we.clock.advance(6 * 86_400)
    look(we)
    assert len(hub.asks) == 1
    we.clock.advance(86_401)
    look(we)
    assert only(we).standing is Standing.ACTIVE


def test_a_removed_feed_is_unsubscribed_and_its_hub_told_410(we: Subscriber, hub: Hub) -> None:
    look(we)
    hub.verifies = False
    we.put_feed(FeedRow(hubs=[hub.url], self_url=TOPIC, removed=True))
    look(we)
    assert hub.asks[1] == {
        "hub.mode": "unsubscribe",
        "hub.topic": TOPIC,
        "hub.callback": hub.asks[0]["hub.callback"],
    }
    assert hub.push() == 410  # at once, whatever the hub thinks
    assert hub.verify(hub.asks[0]) == (404, "")  # that is no longer meant
    assert hub.verify(hub.asks[1]) == (200, CHALLENGE)
    gone = only(we)
    assert (gone.standing, gone.secret) == (Standing.GONE, "")
    assert hub.push() == 410
    assert push_states(we.directory) == {}
    we.clock.advance(40 * 86_400)
    look(we)
    assert Subscriptions(we.directory).all() == []
    assert hub.push() == 404
    assert we.taken() == []


def test_without_a_callback_all_is_left(we: Subscriber, hub: Hub) -> None:
    look(we)
    we.set(callback="")
    look(we)
    assert [each["hub.mode"] for each in hub.asks] == ["subscribe", "unsubscribe"]
    we.set(callback="ftp://elsewhere")
    with pytest.raises(UsageError, match=r"feeds\.callback must be"):
        look(we)
    with pytest.raises(UsageError, match=r"feeds\.callback must be"):
        serve(we.directory, port=0)  # who starts it is told


def test_a_hub_that_fails_is_asked_later_and_then_the_next(we: Subscriber, hub: Hub) -> None:
    other = Hub()
    try:
        we.put_feed(FeedRow(hubs=[hub.url, other.url], self_url=TOPIC))
        hub.status, hub.says = 422, "no such\x00 topic"
        for wait in (0, 61, 241):
            look(we)
            look(we)  # not yet
            we.clock.advance(wait)
        assert len(hub.asks) == 2
        assert only(we).problem == "It answered 422: no such topic"
        look(we)
        assert len(hub.asks) == 3
        assert other.asks == []
        look(we)
        assert len(hub.asks) == 3
        assert other.verified == [(200, CHALLENGE)]
    finally:
        other.close()


def test_a_hub_that_has_moved_is_followed(we: Subscriber, hub: Hub) -> None:
    we.put_feed(FeedRow(hubs=[hub.url.replace("/hub", "/moved")], self_url=TOPIC))
    look(we)
    assert hub.verified == [(200, CHALLENGE)]


@pytest.mark.parametrize(
    ("address", "private_ok", "allow", "asked"),
    [
        ("127.0.0.1:80", True, "no", 1),
        ("127.0.0.1:80", False, "no", 0),
        ("93.184.216.34:80", True, "no", 0),  # named by a person, and public
        ("", True, "no", 0),
        ("93.184.216.34:80", False, "yes", 1),
    ],
)
def test_a_private_hub_is_asked_for_a_private_feed_only(
    we: Subscriber, hub: Hub, address: str, private_ok: bool, allow: str, asked: int
) -> None:
    we.set(callback=we.address, allow_private=allow)
    we.put_feed(FeedRow(hubs=[hub.url], self_url=TOPIC), address, private_ok)
    look(we)
    assert len(hub.asks) == asked
    if not asked:
        assert "may not be asked" in only(we).problem


def test_the_callback_needs_no_token_and_tells_nothing(tmp_path: Path, hub: Hub) -> None:
    we = Subscriber(tmp_path / "corpus", TOKEN)
    try:
        base = we.address.partition("?")[0]
        we.set(callback=base)
        we.put_feed(FeedRow(hubs=[hub.url], self_url=TOPIC))
        look(we)
        assert hub.verified == [(200, CHALLENGE)]
        callback = hub.asks[0]["hub.callback"]
        strange = {"host": "me.example.org", "origin": "http://x.test", "sec-fetch-site": "none"}
        with client_of(base) as client:
            known = client.post(callback, content=BODY, headers=strange)
            assert (known.status_code, known.content) == (202, b"")
            unknown = client.post(f"{base}websub/{'a' * 43}", content=BODY, headers=strange)
            assert (unknown.status_code, unknown.content) == (404, b"")
            assert client.get(f"{base}websub/{'a' * 43}", headers=strange).content == b""
            assert unknown.headers["content-security-policy"].startswith("default-src 'none'")
            for path in (
                "websub/x",
                "websub/",
                "websub",
                "feeds",
                f"websub/{'a' * 43}/../../feeds",
            ):
                assert client.get(base + path).status_code == 401, path
            assert client.head(callback).status_code == 401
            assert client.get(base, headers={"host": "me.example.org"}).status_code == 421
    finally:
        we.close()


def test_what_is_too_much_is_not_read(
    we: Subscriber, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(we)
    assert hub.push(b"x" * (MAX_BODY_BYTES + 1)) == 413
    callback = hub.asks[0]["hub.callback"]
    headers = {"x-hub-signature": f"sha1={'0' * 40}"}

    def drip() -> Iterator[bytes]:
        for _ in range(6):
            yield b"x" * 1_000_000

    streamed = hub.client.post(callback, content=drip(), headers=headers)
    assert streamed.status_code == 413
    packed = hub.client.post(
        callback, content=b"x", headers={**headers, "content-encoding": "gzip"}
    )
    assert packed.status_code == 415
    assert hub.push() == 202
    monkeypatch.setattr(pushing, "MOST_WAITING_BYTES", len(BODY) - 1)
    assert hub.push(BODY + b" ") == 503
    assert len(we.taken()) == 1


def test_a_broken_file_is_no_subscription(we: Subscriber, hub: Hub) -> None:
    look(we)
    (file,) = (we.directory / DIRECTORY).glob("*.json")
    file.write_text("{", encoding="utf-8")
    assert hub.push() == 404
    assert hub.verify(hub.asks[0])[0] == 404
    look(we)  # asked for anew, with another callback
    assert hub.asks[1]["hub.callback"] != hub.asks[0]["hub.callback"]
    assert hub.push() == 202


def test_the_keeper_goes_on_by_itself_and_ends(we: Subscriber, hub: Hub) -> None:
    with we.keeper():
        deadline_s = time.monotonic() + 90
        while not hub.verified:
            assert time.monotonic() < deadline_s, "it was not subscribed to"
            time.sleep(0.01)
    assert hub.verified == [(200, CHALLENGE)]


def test_one_keeper_at_a_time(we: Subscriber, hub: Hub) -> None:
    with Subscriptions(we.directory).keeping() as first:
        assert first
        look(we)
        assert hub.asks == []
    look(we)
    assert len(hub.asks) == 1
