"""The words of WebSub: what is discovered, sent, and believed."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.sources.websub import (
    LEASE_SECONDS,
    LONGEST_LEASE_SECONDS,
    MOST_HUBS,
    MOST_REMEMBERED,
    Discovered,
    Verification,
    delivery_key,
    discover,
    has_signature,
    hub_url,
    is_replay,
    is_signed,
    lease_of,
    read_verification,
    remembering,
    subscribing,
    unsubscribing,
)

URL = "https://a.test/feed.xml"
HUB = "https://hub.test/"
SELF = "https://a.test/feed.xml?self"


@pytest.mark.parametrize(
    ("hubs", "self_url", "found"),
    [
        ([HUB], SELF, Discovered(SELF, (HUB,))),
        ([HUB, "https://b.test/hub", HUB], SELF, Discovered(SELF, (HUB, "https://b.test/hub"))),
        ([HUB], "", Discovered(URL, (HUB,))),
        ([], SELF, Discovered()),
        ([HUB], "javascript:1", Discovered(URL, (HUB,))),
        ([HUB], "https://a.test/\n", Discovered(URL, (HUB,))),
        (["/hub", "/hub#x", "file:///x", "//b.test"], "",
         Discovered(URL, ("https://a.test/hub", "https://b.test/"))),
    ],
)  # fmt: skip
def test_what_is_discovered(hubs: list[str], self_url: str, found: Discovered) -> None:
    assert discover(hubs, self_url, URL) == found


def test_hubs_are_bounded() -> None:
    many = [f"https://h{n}.test/" for n in range(20)]
    assert discover(many, "", URL).hubs == tuple(many[:MOST_HUBS])
    assert hub_url("https://a.test/" + "x" * 2000) is None
    assert discover([HUB], "", "file:///feed.xml") == Discovered()


def test_what_is_sent() -> None:
    assert dict(subscribing("t", "c", "s")) == {
        "hub.mode": "subscribe",
        "hub.topic": "t",
        "hub.callback": "c",
        "hub.lease_seconds": "864000",
        "hub.secret": "s",
    }
    assert dict(unsubscribing("t", "c")) == {
        "hub.mode": "unsubscribe",
        "hub.topic": "t",
        "hub.callback": "c",
    }


def test_a_verification_is_read() -> None:
    query = [("hub.mode", "subscribe"), ("hub.topic", "t"), ("hub.challenge", "c"), ("x", "1")]
    asked = Verification("subscribe", "t", "c", 60.0)
    assert read_verification([*query, ("hub.lease_seconds", "60")]) == asked
    assert read_verification(query) == asked._replace(lease_seconds=LEASE_SECONDS)
    assert read_verification([*query, ("hub.topic", "other")]) is None
    assert read_verification(query[1:]) is None
    assert read_verification([]) is None
    denied = [("hub.mode", "denied"), ("hub.topic", "t"), ("hub.reason", "no\n\x1b[2J" + "x" * 999)]
    reason = getattr(read_verification(denied), "reason", "")
    assert reason.startswith("no [2Jxxx")
    assert len(reason) <= 200


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("60", 60.0),
        ("", LEASE_SECONDS),
        ("0", LEASE_SECONDS),
        ("-5", LEASE_SECONDS),
        ("1e9", LEASE_SECONDS),
        ("٣", LEASE_SECONDS),
        ("999999999999", LONGEST_LEASE_SECONDS),
        ("9" * 5000, LEASE_SECONDS),
    ],
)
def test_leases_are_bounded(told: str, seconds: float) -> None:
    assert lease_of(told) == seconds


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha384", "sha512"])
def test_signatures(algorithm: str) -> None:
    signed = hmac.new(b"key", b"body", getattr(hashlib, algorithm)).hexdigest()
    assert is_signed(f"{algorithm}={signed}", b"body", "key")
    assert is_signed(f" {algorithm.upper()}={signed.upper()} ", b"body", "key")
    assert not is_signed(f"{algorithm}={signed}", b"body ", "key")
    assert not is_signed(f"{algorithm}={signed}", b"body", "Key")
    assert not is_signed(f"{algorithm}={signed[:-1]}", b"body", "key")
    assert not is_signed(f"{algorithm}={signed}0", b"body", "key")
    assert not is_signed(signed, b"body", "key")
    empty = hmac.new(b"", b"body", getattr(hashlib, algorithm)).hexdigest()
    assert not is_signed(f"{algorithm}={empty}", b"body", "")  # of one who is gone


def test_a_known_signature() -> None:
    """RFC 2202 (SHA-1) and RFC 4231 (SHA-256), test case 2."""
    body = b"what do ya want for nothing?"
    assert is_signed("sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", body, "Jefe")
    digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert is_signed(f"sha256={digest}", body, "Jefe")
    assert not is_signed("md5=750c783e6ab0b503eaa86e310a5db738", body, "Jefe")


@given(st.text(max_size=200), st.binary(max_size=50))
def test_no_signature_is_ever_an_error(header: str, body: bytes) -> None:
    assert not is_signed(header, body, "key")
    assert has_signature(header) in (True, False)


def test_a_delivery_is_known_again_among_the_last() -> None:
    keys = [delivery_key(f"{n}".encode()) for n in range(MOST_REMEMBERED + 1)]
    remembered = b""
    for key in keys:
        remembered = remembering(remembered, key)
    assert is_replay(remembered, keys[-1])
    assert is_replay(remembered, keys[1])
    assert not is_replay(remembered, keys[0])
    assert len(remembered) == 8 * MOST_REMEMBERED
    assert not is_replay(keys[1] + keys[2], (keys[1] + keys[2])[4:12])  # not between two
