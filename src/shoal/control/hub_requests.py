"""What is done when a hub calls? Its question is answered, and what it sends is kept for the crawl.

Whoever knows a callback's address can call it, so nothing is believed that is not signed, nothing
is parsed here, and what is taken is written to the inbox, synced, before the hub is told so. A
wrong signature is told nothing: the answer is the same as to a right one (WebSub, section 8).
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from shoal.clock import Clock, SystemClock
from shoal.layout.layout import Layout
from shoal.layout.subscriptions import Subscriptions
from shoal.model.record import changed
from shoal.sources.inbox import MAX_BODY_BYTES, Inbox
from shoal.sources.subscription import Standing, Subscription, delivered, renewing, verify
from shoal.sources.websub import delivery_key, has_signature, is_signed, read_verification

MOST_WAITING_BYTES = 200_000_000
"""Of pushed bodies that no crawl has taken yet; then hubs are asked to come back later."""
MOST_BODY_BYTES = MAX_BODY_BYTES

ACCEPTED, NOT_FOUND, GONE, FULL = 202, 404, 410, 503
_MOST_TYPE_CHARS = 200
_UNSIGNED = "what came was not signed as it should be, and was ignored"


class Callback:
    """The callbacks of one collection. Statuses are those of HTTP."""

    def __init__(
        self,
        directory: Path,
        on_delivery: Callable[[], None] = lambda: None,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._subscriptions = Subscriptions(directory)
        self._inbox = Inbox(Layout(directory).inbox)
        self._on_delivery = on_delivery

    def verify(self, name: str, query: Iterable[tuple[str, str]]) -> tuple[int, str]:
        """A status and what to say: the challenge, if we meant what the hub asks about."""
        asks = read_verification(query)
        if asks is None or self._subscriptions.get(name) is None:
            return NOT_FOUND, ""
        is_meant = False

        def judge(subscription: Subscription) -> Subscription:
            nonlocal is_meant
            is_meant, after = verify(subscription, asks, self._clock.now())
            return after

        self._subscriptions.change(name, judge)
        if not is_meant:
            return NOT_FOUND, ""
        return 200, "" if asks.mode == "denied" else asks.challenge

    def refuses(self, name: str, signature: str) -> int:
        """The status with which a delivery is answered before its body is read; 0: read it."""
        subscription, now = self._subscriptions.get(name), self._clock.now()
        if subscription is None:
            return NOT_FOUND
        if subscription.standing in (Standing.LEAVING, Standing.GONE):
            return GONE
        if not subscription.is_live(now):
            if subscription.standing is Standing.ACTIVE:  # but its lease has ended
                self._subscriptions.change(name, lambda each: renewing(each, now))
            return NOT_FOUND
        if not has_signature(signature):
            self._note(name, _UNSIGNED)
            return ACCEPTED
        return FULL if self._inbox.pushed_bytes() > MOST_WAITING_BYTES else 0

    def receive(self, name: str, content_type: str, signature: str, body: bytes) -> int:
        """Take a delivery that is not refused: once, and only if it is signed."""
        subscription, refused = self._subscriptions.get(name), self.refuses(name, signature)
        if subscription is None or refused:
            return refused or NOT_FOUND
        if not is_signed(signature, body, subscription.secret):
            self._note(name, _UNSIGNED)
            return ACCEPTED
        kind = "".join(each for each in content_type if each.isprintable())[:_MOST_TYPE_CHARS]

        def take(found: Subscription) -> Subscription:
            if body:
                self._inbox.push(found.feed_url, kind, body)
            return delivered(found, self._clock.now())

        if self._subscriptions.take_once(name, delivery_key(body), take) and body:
            self._on_delivery()
        return ACCEPTED

    def _note(self, name: str, problem: str) -> None:
        self._subscriptions.change(name, lambda each: changed(each, problem=problem))
