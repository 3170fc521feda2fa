"""What a site says about the use of its pages: lines of robots.txt, and tdmrep.json."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.record import pack, unpack
from shoal.model.robots.robots import RobotsRules, parse
from shoal.model.robots.site_signals import (
    MAX_PATTERN_BYTES,
    MAX_SIGNALS,
    MAX_TDMREP_BYTES,
    MAX_VALUE_CHARS,
    Reservation,
    read_tdmrep,
    said_of,
)


def said(robots: str, path: str = "/", agent: str = "shoal") -> dict[str, str]:
    return said_of(parse(robots.encode(), agent).signals, (), path)


def test_a_line_of_the_group_for_everybody() -> None:
    robots = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
    assert said(robots) == {"robots_content_signal": "search=yes, ai-train=no"}
    assert said("User-agent: *\ncontent-usage:train-ai=n # please") == {
        "robots_content_usage": "train-ai=n"
    }


def test_the_group_of_our_own_name_speaks_alone() -> None:
    robots = (
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n"
        "User-agent: Shoal\nContent-Signal: ai-train=yes\nDisallow: /b\n"
    )
    assert said(robots) == {"robots_content_signal": "ai-train=yes"}
    assert said(robots, agent="other") == {"robots_content_signal": "ai-train=no"}
    assert said("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /") == {}
    assert said("User-agent: other\nContent-Signal: ai-train=no\nAllow: /") == {}


def test_the_line_with_the_longest_path_holds() -> None:
    robots = (
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n"
        "Content-Usage: /open/*.pdf$ search=n\nContent-Signal: ai-input=no\n"
        "Content-Signal: search=yes\n"
    )
    both = {"robots_content_signal": "ai-input=no, search=yes"}
    assert said(robots, "/x") == {"robots_content_usage": "train-ai=n", **both}
    assert said(robots, "/open/x") == {"robots_content_usage": "train-ai=y", **both}
    assert said(robots, "/open/x.pdf") == {"robots_content_usage": "search=n", **both}


def test_rules_are_as_without_such_lines() -> None:
    plain = "User-agent: a\nUser-agent: *\nDisallow: /a\nCrawl-delay: 2\n"
    with_signals = plain.replace("User-agent: *", "Content-Signal: search=no\nUser-agent: *")
    known, found = parse(plain.encode(), "shoal"), parse(with_signals.encode(), "shoal")
    assert [rule[:2] for rule in found.rules] == [rule[:2] for rule in known.rules]
    assert found.crawl_delay == known.crawl_delay


def test_they_are_bounded() -> None:
    many = "User-agent: *\n" + "Content-Signal: search=yes\n" * (MAX_SIGNALS + 5)
    assert len(parse(many.encode(), "shoal").signals) == MAX_SIGNALS
    assert len(said("User-agent: *\nContent-Signal: " + "x" * 9999)["robots_content_signal"]) == (
        MAX_VALUE_CHARS
    )
    assert said(f"User-agent: *\nContent-Signal: /{'x' * MAX_PATTERN_BYTES} search=no") == {}
    assert said("User-agent: *\nContent-Signal: /path-alone\nContent-Signal:") == {}


def test_rules_of_an_older_release_still_read() -> None:
    rules = parse(b"User-agent: *\nDisallow: /a\nContent-Signal: /b search=no", "shoal")
    assert unpack(RobotsRules, pack(rules)) == rules
    assert unpack(RobotsRules, pack([rules.rules, None, ()])).signals == ()


@given(st.binary(max_size=200))
def test_nothing_makes_it_raise(value: bytes) -> None:
    rules = parse(b"User-agent: *\nContent-Signal: " + value, "shoal")
    said_of(rules.signals, read_tdmrep(value), "/")


# --- tdmrep.json ----------------------------------------------------------------------------------


def test_reservations_by_place() -> None:
    found = read_tdmrep(
        json.dumps(
            [
                {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.example/tdm"},
                {"location": "/free/*.html", "tdm-reservation": 0},
            ]
        ).encode()
    )
    assert found == (
        Reservation("/", True, "https://a.example/tdm"),
        Reservation("/free/*.html", False),
    )
    reserved = {"site_tdm_reservation": "1", "site_tdm_policy": "https://a.example/tdm"}
    assert said_of((), found, "/x") == reserved
    assert said_of((), found, "/free/x.html?y") == {"site_tdm_reservation": "0"}
    assert said_of((), found, "/free/x.pdf") == reserved
    assert said_of((), found[1:], "/x") == {}


@pytest.mark.parametrize(
    "body",
    [
        b"", b"null", b"{}", b"[1, null, []]", b"<html>", b"\xff", b'[{"location": 3}]',
        b'[{"location": "x", "tdm-reservation": 1}]', b'[{"location": "/"}]',
        b'[{"location": "/", "tdm-reservation": {}}]', b"[" * 100_000,
        b'[{"location": "/", "tdm-reservation": 1}]' + b" " * MAX_TDMREP_BYTES,
    ],
)  # fmt: skip
def test_what_is_no_such_file_says_nothing(body: bytes) -> None:
    assert read_tdmrep(body) == ()


def test_what_is_understood_is_bounded() -> None:
    entry = {"location": "/", "tdm-reservation": 1, "tdm-policy": "x" * 9999}
    found = read_tdmrep(json.dumps([entry] * 10).encode())
    assert {len(each.policy) for each in found} == {MAX_VALUE_CHARS}
    short = {"location": "/", "tdm-reservation": "1"}
    assert len(read_tdmrep(json.dumps([short] * (MAX_SIGNALS + 9)).encode())) == MAX_SIGNALS
