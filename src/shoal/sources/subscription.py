"""What does a subscription go through? Asked for, verified, renewed, denied, left, gone.

    asked ──verified──▶ active ──removed──▶ leaving ──▶ gone
      ▲                  │   ▲ renewed
      └──── a week ── denied ┘

Every ask counts as failed until the hub verifies it, so a kill at any moment leaves a subscription
that is simply asked for again, later each time. Nothing is lost by that: a feed without a live
subscription is polled. All of it is pure; time is passed in, in unix seconds.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from shoal.model.record import Struct, changed
from shoal.sources.websub import MOST_HUBS, Verification

TRIES = 3
"""Asks without an answer before the feed's next hub is tried, or a leave is taken as done."""
RENEWAL_SHARE = 0.75
"""Of a lease, that passes before it is renewed."""
GRACE_SECONDS = 60.0
"""By which a hub's clock may be behind ours."""
VERIFIED_WITHIN_SECONDS = 86_400.0
"""After an ask; a later verification is of something that we no longer know of."""

_UNVERIFIED = "the hub was asked, and has not come back to verify it"
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 60.0, 86_400.0
_DENIED_SECONDS = 7 * 86_400.0
_KEPT_SECONDS = 30 * 86_400.0


class Standing(StrEnum):
    ASKED = "asked"  # the hub has not verified it
    ACTIVE = "active"
    DENIED = "denied"
    LEAVING = "leaving"  # the feed was removed: the hub is told
    GONE = "gone"  # kept so that a hub that goes on pushing is told: 410


class Subscription(Struct, frozen=True):
    """One feed at one hub, as it is kept in a file."""

    id: str
    """Nobody can guess it: it is the end of the callback."""
    feed_url: str
    topic: str
    hub: str
    callback: str
    secret: str
    standing: Standing = Standing.ASKED
    asked: float = 0.0
    verified: float = 0.0
    until: float = 0.0
    """When the lease ends."""
    next: float = 0.0
    """When it is to be asked for again."""
    failures: int = 0
    """Asks that the hub has not verified."""
    problem: str = ""
    delivered: int = 0
    delivered_at: float = 0.0

    def is_live(self, now: float) -> bool:
        """Whether what the hub pushes is taken."""
        return self.standing is Standing.ACTIVE and now < self.until + GRACE_SECONDS


class Wanted(NamedTuple):
    """A feed that has a hub."""

    feed_url: str
    topic: str
    hubs: Sequence[str]
    private_ok: bool = False
    """Whether the feed itself is at a private address: then its hub may be, too."""


class Plan(NamedTuple):
    """What is to be done about subscriptions."""

    new: list[tuple[Wanted, str]]
    """Feeds that have none, each with the hub to ask."""
    ask: list[Subscription]
    """Due to be asked for, or renewed."""
    leave: list[Subscription]
    """No longer wanted."""
    unsubscribe: list[Subscription]
    """Left, and the hub does not know it yet."""
    forget: list[str]


def wait_after(failures: int) -> float:
    """How long to wait after so many asks in a row: a minute, then four times as long each."""
    return min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 4.0 ** min(failures - 1, 16))


def asking(subscription: Subscription, now: float) -> Subscription:
    """Before the hub is asked: it may verify while it is still being asked."""
    is_live = subscription.is_live(now) or subscription.standing is Standing.LEAVING
    failures = subscription.failures + 1
    return changed(
        subscription,
        standing=subscription.standing if is_live else Standing.ASKED,
        asked=now,
        failures=failures,
        next=now + wait_after(failures),
        problem=subscription.problem or (_UNVERIFIED if subscription.failures else ""),
    )


def answered(subscription: Subscription, problem: str, asked: float) -> Subscription:
    """What the hub said to being asked at a time; what came since then is newer."""
    if subscription.asked != asked or subscription.verified >= asked:
        return subscription
    return changed(subscription, problem=problem or subscription.problem)


def verify(subscription: Subscription, asks: Verification, now: float) -> tuple[bool, Subscription]:
    """Whether we meant what a hub asks about (section 5.3), and how that leaves the
    subscription."""
    if asks.topic != subscription.topic:
        return False, subscription
    standing = subscription.standing
    match asks.mode:
        case "subscribe":
            is_meant = standing in (Standing.ASKED, Standing.ACTIVE) and _is_recent(
                subscription, now
            )
            if not (is_meant and asks.challenge):
                return False, subscription
            return True, _verified(subscription, asks.lease_seconds, now)
        case "unsubscribe":
            if standing not in (Standing.LEAVING, Standing.GONE) or not asks.challenge:
                return False, subscription
            return True, gone(subscription, now)
        case "denied":
            return _denied(subscription, asks.reason, now)
    return False, subscription


def leaving(subscription: Subscription, now: float) -> Subscription:
    """It is no longer wanted. A hub that never verified it has nothing to be told."""
    if not subscription.is_live(now):
        return gone(subscription, now)
    return changed(subscription, standing=Standing.LEAVING, failures=0, next=now, problem="")


def gone(subscription: Subscription, now: float) -> Subscription:
    kept = max(now, subscription.until) + _KEPT_SECONDS
    return changed(subscription, standing=Standing.GONE, next=kept, secret="")


def renewing(subscription: Subscription, now: float) -> Subscription:
    """It has ended, and the hub still pushes: ask now, unless that was just done."""
    return changed(subscription, next=now) if not subscription.failures else subscription


def delivered(subscription: Subscription, now: float) -> Subscription:
    return changed(subscription, delivered=subscription.delivered + 1, delivered_at=now, problem="")


def callback_of(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/websub/{name}"


def plan(wanted: Iterable[Wanted], known: Iterable[Subscription], base: str, now: float) -> Plan:
    """What to do so that each wanted feed has one live subscription at the callback `base`, and
    no other has any. Without a base nothing is wanted."""
    todo = Plan([], [], [], [], [])
    current: dict[tuple[str, str, str], Subscription] = {}
    kept: set[str] = set()
    for each in known:
        match each.standing:
            case Standing.GONE if each.next <= now:
                todo.forget.append(each.id)
            case Standing.LEAVING if each.next <= now:
                todo.unsubscribe.append(each)
            case Standing.ASKED | Standing.ACTIVE | Standing.DENIED:
                if each.callback == callback_of(base, each.id):
                    current[each.feed_url, each.topic, each.hub] = each
                else:
                    todo.leave.append(each)
    for feed in wanted if base else ():
        hubs = list(feed.hubs)[:MOST_HUBS]
        theirs = {hub: current.get((feed.feed_url, feed.topic, hub)) for hub in hubs}
        kept.update(each.id for each in theirs.values() if each is not None)
        hub = _hub_to_ask(theirs)
        if hub is None:
            continue
        chosen = theirs[hub]
        if chosen is None:
            todo.new.append((feed, hub))
        elif chosen.next <= now:
            todo.ask.append(chosen)
    todo.leave.extend(each for each in current.values() if each.id not in kept)
    return todo


def _hub_to_ask(theirs: dict[str, Subscription | None]) -> str | None:
    """The first that has not failed; of those that all have, the one whose turn comes first."""
    for hub, each in theirs.items():
        if each is None or each.failures < TRIES:
            return hub
    waiting = {hub: each.next for hub, each in theirs.items() if each is not None}
    return min(waiting, key=lambda hub: waiting[hub], default=None)


def _is_recent(subscription: Subscription, now: float) -> bool:
    return 0 < subscription.asked <= now < subscription.asked + VERIFIED_WITHIN_SECONDS


def _verified(subscription: Subscription, lease_seconds: float, now: float) -> Subscription:
    return changed(
        subscription,
        standing=Standing.ACTIVE,
        verified=now,
        until=now + lease_seconds,
        next=now + RENEWAL_SHARE * lease_seconds,
        failures=0,
        problem="",
    )


def _denied(subscription: Subscription, reason: str, now: float) -> tuple[bool, Subscription]:
    """At any time, also of what was accepted before (section 5.2)."""
    match subscription.standing:
        case Standing.ASKED | Standing.ACTIVE | Standing.DENIED:
            says = "the hub denied it" + (f": {reason}" if reason else "")
            denied = changed(
                subscription,
                standing=Standing.DENIED,
                failures=max(TRIES, subscription.failures),
                next=now + _DENIED_SECONDS,
                until=0.0,
                problem=says,
            )
            return True, denied
        case Standing.LEAVING | Standing.GONE:
            return True, gone(subscription, now)
