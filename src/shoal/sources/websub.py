"""How is a feed subscribed to? The words of WebSub (W3C Recommendation, 23 January 2018).

A feed names a hub. Whoever subscribes tells the hub a callback; the hub asks there whether that was
meant (verification of intent) and from then on posts there what is new, until the lease ends. What
it posts is signed with a secret that only the two know. Nothing here does any I/O: what is sent,
and what is believed of what arrives. What a subscription goes through stands in subscription.py.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shoal.model.urls.url import resolve

LEASE_SECONDS = 10 * 86_400.0
"""What is asked for."""
SHORTEST_LEASE_SECONDS, LONGEST_LEASE_SECONDS = 1.0, 30 * 86_400.0
"""A lease that is told to last longer is renewed as if it did not."""
MOST_HUBS = 4
MOST_URL_CHARS = 2_000
MOST_REMEMBERED = 2_000
"""Deliveries of one subscription that are known again."""

_DIGEST_BYTES = 8
_SIGNATURE = re.compile(r"(sha1|sha256|sha384|sha512)=([0-9a-f]{40,128})", re.ASCII | re.IGNORECASE)
_MOST_REASON_CHARS = 200
_LEASE = re.compile(r"[0-9]{1,12}", re.ASCII)


class Discovered(NamedTuple):
    """What can be subscribed to: the topic, exactly as its publisher calls it, and where."""

    topic: str = ""
    hubs: tuple[str, ...] = ()


class Verification(NamedTuple):
    """What a hub asks at a callback."""

    mode: str
    topic: str
    challenge: str = ""
    lease_seconds: float = LEASE_SECONDS
    reason: str = ""


def discover(hubs: Sequence[str], self_url: str, feed_url: str) -> Discovered:
    """What can be subscribed to, of what a feed and its Link fields name (section 4); nothing
    without a hub that can be asked."""
    found = dict.fromkeys(hub for raw in hubs if (hub := hub_url(raw, feed_url)) is not None)
    topic = self_url if topic_is_usable(self_url) else feed_url
    if not found or not topic_is_usable(topic):
        return Discovered()
    return Discovered(topic, tuple(found)[:MOST_HUBS])


def hub_url(raw: str, base: str | None = None) -> str | None:
    """Where to post to; None when that is nothing that can be asked. Only its form is judged here:
    whether its address may be asked is up to the fetcher's guard."""
    found = resolve(raw, base)
    if found is None or not found.startswith(("https://", "http://")):
        return None
    found = found.partition("#")[0]
    return found if len(found) <= MOST_URL_CHARS else None


def topic_is_usable(topic: str) -> bool:
    """Whether a topic is a whole URL. It is sent as it is: a hub knows it by its exact letters."""
    is_web = topic.startswith(("https://", "http://"))
    return is_web and len(topic) <= MOST_URL_CHARS and topic.isprintable() and " " not in topic


def subscribing(topic: str, callback: str, secret: str) -> list[tuple[str, str]]:
    """The form that asks for a subscription, or to renew one (section 5.1)."""
    return [
        ("hub.mode", "subscribe"),
        ("hub.topic", topic),
        ("hub.callback", callback),
        ("hub.lease_seconds", f"{LEASE_SECONDS:.0f}"),
        ("hub.secret", secret),
    ]


def unsubscribing(topic: str, callback: str) -> list[tuple[str, str]]:
    return [("hub.mode", "unsubscribe"), ("hub.topic", topic), ("hub.callback", callback)]


def read_verification(query: Iterable[tuple[str, str]]) -> Verification | None:
    """What the query of a request says; None when it is no hub's. What stands there twice could
    be read in two ways, and is not read at all."""
    fields: dict[str, str] = {}
    for name, value in query:
        if name in fields:
            return None
        if name.startswith("hub."):
            fields[name] = value
    mode, topic = fields.get("hub.mode", ""), fields.get("hub.topic", "")
    if not mode or not topic:
        return None
    return Verification(
        mode,
        topic,
        fields.get("hub.challenge", ""),
        lease_of(fields.get("hub.lease_seconds", "")),
        _printable(fields.get("hub.reason", "")),
    )


def lease_of(told: str) -> float:
    """For how long a hub says it will push, within bounds; what was asked for if it says nothing
    that makes sense."""
    seconds = float(told) if _LEASE.fullmatch(told) else 0.0
    if seconds <= 0:
        return LEASE_SECONDS
    return min(LONGEST_LEASE_SECONDS, max(SHORTEST_LEASE_SECONDS, seconds))


def is_signed(header: str, body: bytes, secret: str) -> bool:
    """Whether `X-Hub-Signature` is that of whoever has the secret (section 8)."""
    found = _SIGNATURE.fullmatch(header.strip())
    if found is None or not secret:
        return False
    wanted = hmac.new(secret.encode(), body, found[1].lower()).hexdigest()
    return hmac.compare_digest(wanted, found[2].lower())


def has_signature(header: str) -> bool:
    """Whether it is worth reading the body at all."""
    return _SIGNATURE.fullmatch(header.strip()) is not None


def delivery_key(body: bytes) -> bytes:
    """By what a delivery is known again: a signed body is good for ever, so it must be taken only
    once. Its items are known by their own keys as well (model/listings/feed.py, `unseen`)."""
    return hashlib.sha256(body).digest()[:_DIGEST_BYTES]


def is_replay(remembered: bytes, key: bytes) -> bool:
    places = range(0, len(remembered), _DIGEST_BYTES)
    return any(remembered[at : at + _DIGEST_BYTES] == key for at in places)


def remembering(remembered: bytes, key: bytes) -> bytes:
    """The newest first; the oldest are forgotten."""
    return (key + remembered)[: MOST_REMEMBERED * _DIGEST_BYTES]


def _printable(text: str) -> str:
    kept = "".join(each if each.isprintable() else " " for each in text[:_MOST_REASON_CHARS])
    return " ".join(kept.split())
