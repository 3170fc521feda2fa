"""What a subscription goes through, and what is to be done about many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.record import changed
from shoal.sources.subscription import (
    GRACE_SECONDS,
    TRIES,
    Plan,
    Standing,
    Subscription,
    Wanted,
    answered,
    asking,
    callback_of,
    delivered,
    gone,
    leaving,
    plan,
    renewing,
    verify,
    wait_after,
)
from shoal.sources.websub import Verification

BASE = "https://me.test/"
FEED, TOPIC, HUB, OTHER = "http://a.test/f", "http://a.test/t", "http://h.test/", "http://i.test/"
NOW = 1_700_000_000.0
NEW = Subscription("id", FEED, TOPIC, HUB, callback_of(BASE, "id"), "secret")
ASKED = asking(NEW, NOW)
YES = Verification("subscribe", TOPIC, "challenge", 1000.0)
ACTIVE = verify(ASKED, YES, NOW + 1)[1]
WANTED = Wanted(FEED, TOPIC, [HUB])
NOTHING = Plan([], [], [], [], [])


def test_nothing_is_verified_that_was_not_asked() -> None:
    assert verify(NEW, YES, NOW) == (False, NEW)
    assert verify(ASKED, YES._replace(topic=FEED), NOW) == (False, ASKED)
    assert verify(ASKED, YES._replace(challenge=""), NOW) == (False, ASKED)
    assert verify(ASKED, YES, NOW + 90_000) == (False, ASKED)
    assert verify(ASKED, YES._replace(mode="unsubscribe"), NOW) == (False, ASKED)
    for standing in (Standing.DENIED, Standing.LEAVING, Standing.GONE):
        other = changed(ASKED, standing=standing)
        assert verify(other, YES, NOW) == (False, other)


def test_a_lease_begins_with_its_verification() -> None:
    assert (ACTIVE.standing, ACTIVE.until, ACTIVE.next) == ("active", NOW + 1001, NOW + 751)
    assert (ACTIVE.failures, ACTIVE.problem) == (0, "")
    assert ACTIVE.is_live(ACTIVE.until + GRACE_SECONDS - 1)
    assert not ACTIVE.is_live(ACTIVE.until + GRACE_SECONDS)
    assert not ASKED.is_live(NOW)


def test_a_renewal_keeps_it_active_while_it_lives() -> None:
    renewed = asking(ACTIVE, NOW + 800)
    assert (renewed.standing, renewed.until, renewed.failures) == ("active", NOW + 1001, 1)
    assert asking(ACTIVE, NOW + 2000).standing is Standing.ASKED
    assert renewing(ACTIVE, NOW + 2000).next == NOW + 2000
    assert renewing(renewed, NOW + 2000) == renewed


def test_waits_grow() -> None:
    waits = [wait_after(failures) for failures in range(1, 9)]
    assert waits[:4] == [60, 240, 960, 3840]
    assert waits == sorted(waits)
    assert waits[-1] == wait_after(10**6) == 86_400
    again = asking(ASKED, NOW + 60)
    assert again.next == NOW + 60 + 240
    assert "not come back" in again.problem


def test_an_answer_to_an_earlier_ask_changes_nothing() -> None:
    assert answered(ASKED, "It answered 500.", NOW).problem == "It answered 500."
    assert answered(asking(ASKED, NOW + 60), "x", NOW).problem != "x"
    assert answered(ACTIVE, "x", NOW).problem == ""  # it was verified while it was being asked


def test_denied_at_any_time() -> None:
    no = Verification("denied", TOPIC, reason="full")
    for each in (ASKED, ACTIVE):
        meant, denied = verify(each, no, NOW + 2)
        assert meant
        assert (denied.standing, denied.problem) == ("denied", "the hub denied it: full")
        assert not denied.is_live(NOW + 2)
        assert denied.next == NOW + 2 + 7 * 86_400
        assert asking(denied, denied.next).standing is Standing.ASKED
    assert not verify(ACTIVE, no._replace(topic="x"), NOW)[0]
    assert verify(leaving(ACTIVE, NOW + 2), no, NOW + 3)[1].standing is Standing.GONE


def test_leaving() -> None:
    left = leaving(ACTIVE, NOW + 5)
    assert (left.standing, left.next) == ("leaving", NOW + 5)
    assert not left.is_live(NOW + 6)
    no_more = Verification("unsubscribe", TOPIC, "challenge")
    meant, done = verify(asking(left, NOW + 6), no_more, NOW + 7)
    assert meant
    assert (done.standing, done.secret) == ("gone", "")
    assert verify(done, no_more, NOW + 8)[0]  # the answer was lost on its way
    assert leaving(ASKED, NOW).standing is Standing.GONE
    assert leaving(ACTIVE, NOW + 5000).standing is Standing.GONE  # its lease is over


def test_deliveries_are_counted() -> None:
    twice = delivered(delivered(changed(ACTIVE, problem="x"), NOW + 1), NOW + 2)
    assert (twice.delivered, twice.delivered_at, twice.problem) == (2, NOW + 2, "")


# --- many -----------------------------------------------------------------------------------------


def test_what_is_new_due_and_left() -> None:
    assert plan([WANTED], [], BASE, NOW) == NOTHING._replace(new=[(WANTED, HUB)])
    assert plan([WANTED], [NEW], BASE, NOW) == NOTHING._replace(ask=[NEW])
    assert plan([WANTED], [ASKED], BASE, NOW) == NOTHING
    assert plan([WANTED], [ASKED], BASE, NOW + 60) == NOTHING._replace(ask=[ASKED])
    assert plan([WANTED], [ACTIVE], BASE, NOW + 750) == NOTHING
    assert plan([WANTED], [ACTIVE], BASE, NOW + 751) == NOTHING._replace(ask=[ACTIVE])
    assert plan([], [ACTIVE], BASE, NOW) == NOTHING._replace(leave=[ACTIVE])
    assert plan([WANTED], [ACTIVE], "", NOW) == NOTHING._replace(leave=[ACTIVE])
    left = leaving(ACTIVE, NOW)
    assert plan([], [left], BASE, NOW) == NOTHING._replace(unsubscribe=[left])
    assert plan([WANTED], [left], BASE, NOW).new == [(WANTED, HUB)]
    over = gone(ACTIVE, NOW)
    assert plan([], [over], BASE, NOW) == NOTHING
    assert plan([], [over], BASE, over.next) == NOTHING._replace(forget=["id"])


@pytest.mark.parametrize(
    ("wanted", "base"),
    [
        (WANTED._replace(topic="http://a.test/moved"), BASE),
        (WANTED._replace(hubs=[OTHER]), BASE),
        (WANTED, "https://me.test:8443/"),
    ],
)
def test_a_feed_that_says_otherwise_is_subscribed_to_anew(wanted: Wanted, base: str) -> None:
    todo = plan([wanted], [ACTIVE], base, NOW)
    assert todo == NOTHING._replace(new=[(wanted, wanted.hubs[0])], leave=[ACTIVE])


def test_the_next_hub_when_one_fails_and_then_whichever_comes_first() -> None:
    both = WANTED._replace(hubs=[HUB, OTHER])
    failed = changed(ASKED, failures=TRIES, next=NOW + 500)
    assert plan([both], [failed], BASE, NOW) == NOTHING._replace(new=[(both, OTHER)])
    second = changed(failed, id="2", hub=OTHER, callback=callback_of(BASE, "2"), next=NOW + 400)
    assert plan([both], [failed, second], BASE, NOW) == NOTHING
    assert plan([both], [failed, second], BASE, NOW + 450).ask == [second]
    working = changed(second, failures=0, standing=Standing.ACTIVE)
    assert plan([both], [failed, working], BASE, NOW + 300) == NOTHING
    assert plan([Wanted(FEED, TOPIC, [])], [], BASE, NOW) == NOTHING


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "yes", "no", "denied", "unsubscribe", "leave", "push"]),
        st.integers(0, 4000),
    ),
    max_size=30,
)


@given(STEPS)
def test_whatever_happens_only_a_verified_lease_is_live(steps: list[tuple[str, int]]) -> None:
    each, now, until = NEW, NOW, 0.0
    for step, seconds in steps:
        now += seconds
        match step:
            case "ask" if each.standing is not Standing.GONE:
                each = asking(each, now)
            case "leave" if each.standing in (Standing.ASKED, Standing.ACTIVE, Standing.DENIED):
                each, until = leaving(each, now), 0.0
            case "push":
                each = delivered(each, now)
            case "yes" | "denied" | "unsubscribe" | "no":
                mode = "subscribe" if step in ("yes", "no") else step
                topic = "other" if step == "no" else TOPIC
                meant, each = verify(each, Verification(mode, topic, "c", 1000.0), now)
                assert not (meant and step == "no")
                if meant:
                    until = now + 1000 if step == "yes" else 0.0
        assert each.is_live(now) == (now < until + GRACE_SECONDS and until > 0)
