"""robots.txt, clause by clause: each test names the section of RFC 9309 that it holds us to."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.record import pack, unpack
from shoal.model.robots.robots import (
    ALLOW_ALL,
    DISALLOW_ALL,
    MAX_BYTES,
    MAX_REDIRECTS,
    MAX_SITEMAPS,
    Access,
    RobotsRules,
    meaning,
    parse,
)


def allowed(robots: str | bytes, path: str, agent: str = "shoal") -> bool:
    body = robots.encode() if isinstance(robots, str) else robots
    return parse(body, agent).verdict(path).allowed


def for_all(*lines: str) -> str:
    return "\n".join(["User-agent: *", *lines, ""])


# 2.1, 2.2: lines and groups


def test_2_1_group_without_rules_allows_everything() -> None:
    assert allowed("User-agent: *\nDisallow: /\n\nUser-agent: shoal\n", "/x")


def test_2_1_rules_before_any_user_agent_belong_to_no_group() -> None:
    assert allowed("Disallow: /\nUser-agent: *\nAllow: /a\n", "/x")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_2_2_every_line_end_counts(end: str) -> None:
    lines = ["User-agent: *", "", "Disallow: /a", "Disallow: /b"]
    verdict = parse(end.join(lines).encode(), "shoal").verdict("/b")
    assert (verdict.allowed, verdict.line) == (False, 4)


def test_2_2_mixed_line_ends() -> None:
    rules = parse(b"User-agent: *\r\nDisallow: /a\rDisallow: /b\n\rDisallow: /c", "shoal")
    assert [rules.verdict(path).line for path in ("/a", "/b", "/c")] == [2, 3, 5]


def test_2_2_comments_and_blanks_are_skipped() -> None:
    robots = "# all\n\t User-agent \t:\t *  # everyone\nDisallow:\t/a  # not this\n#Disallow: /b\n"
    assert not allowed(robots, "/a")
    assert allowed(robots, "/b")


def test_2_2_keys_in_any_case() -> None:
    assert not allowed("USER-AGENT: *\ndIsAlLoW: /a\n", "/a")


def test_2_2_several_agents_share_a_group() -> None:
    robots = "User-agent: a\nUser-agent: shoal\nDisallow: /x\n"
    assert not allowed(robots, "/x", "a")
    assert not allowed(robots, "/x", "shoal")
    assert allowed(robots, "/x", "b")


def test_2_2_empty_lines_do_not_end_a_group() -> None:
    assert not allowed("User-agent: *\n\n\nDisallow: /a\n\nDisallow: /b\n", "/b")


# 2.2.1: the user-agent line


def test_2_2_1_token_in_any_case() -> None:
    robots = "User-agent: SHOAL\nDisallow: /\n"
    assert not allowed(robots, "/x", "Shoal")


@pytest.mark.parametrize(
    "name", ["shoal/1.0", "Shoal 2", "shoal*", "shoal (+https://example.org)", "shoal2"]
)
def test_2_2_1_token_ends_where_its_characters_end(name: str) -> None:
    assert not allowed(f"User-agent: {name}\nDisallow: /\n", "/x")


@pytest.mark.parametrize("name", ["shoal-images", "shoa", "shoal_news", "myshoal", "*shoal", ""])
def test_2_2_1_another_token_is_not_ours(name: str) -> None:
    assert allowed(f"User-agent: {name}\nDisallow: /\n", "/x")


def test_2_2_1_groups_of_one_agent_are_merged() -> None:
    robots = (
        "User-agent: shoal\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\n\n"
        "User-agent: Shoal\nDisallow: /c\n"
    )
    assert [allowed(robots, path) for path in ("/a", "/b", "/c")] == [False, True, False]


def test_2_2_1_own_group_beats_the_star_wherever_it_stands() -> None:
    star, own = "User-agent: *\nDisallow: /\n", "User-agent: shoal\nDisallow: /own\n"
    for robots in (star + own, own + star):
        assert allowed(robots, "/x")
        assert not allowed(robots, "/own")


def test_2_2_1_star_groups_are_merged_too() -> None:
    robots = "User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: *\nDisallow: /c"
    assert [allowed(robots, path) for path in ("/a", "/b", "/c")] == [False, True, False]


def test_2_2_1_no_group_for_us_allows() -> None:
    assert allowed("User-agent: other\nDisallow: /\n", "/x")


def test_2_2_1_star_with_more_behind_a_blank_is_still_everyone() -> None:
    assert not allowed("User-agent: * (all)\nDisallow: /\n", "/x")


def test_2_2_1_empty_token_gets_the_star_group_only() -> None:
    assert allowed("User-agent: 123\nDisallow: /\n", "/x", agent="")
    assert not allowed(for_all("Disallow: /"), "/x", agent="")


# 2.2.4: other records


@pytest.mark.parametrize(
    "record", ["Sitemap: https://example.org/s.xml", "Crawl-delay: 5", "Foo: bar", "nonsense"]
)
def test_2_2_4_other_records_do_not_break_groups(record: str) -> None:
    between_agents = f"User-agent: shoal\n{record}\nUser-agent: other\nDisallow: /x\n"
    assert not allowed(between_agents, "/x", "shoal")
    between_rules = f"User-agent: shoal\nDisallow: /x\n{record}\nDisallow: /y\n"
    assert not allowed(between_rules, "/y", "shoal")


def test_2_2_4_sitemaps_are_global_and_in_order() -> None:
    robots = (
        b"Sitemap: https://example.org/b.xml\nUser-agent: other\nDisallow: /\n"
        b"sitemap: /a.xml # relative\nSite-map: http://example.org/c?d=e:f\nSitemap:\n"
    )
    assert parse(robots, "shoal").sitemaps == (
        "https://example.org/b.xml",
        "/a.xml",
        "http://example.org/c?d=e:f",
    )


def test_sitemaps_are_capped_in_number() -> None:
    robots = b"".join(b"Sitemap: /%d\n" % n for n in range(MAX_SITEMAPS + 5))
    assert len(parse(robots, "shoal").sitemaps) == MAX_SITEMAPS


def test_sitemap_in_broken_utf_8_can_be_stored() -> None:
    rules = parse(b"Sitemap: /\xff\xed\xa0\x80\n", "shoal")
    assert unpack(RobotsRules, pack(rules)) == rules


# Crawl-delay, which the RFC leaves to each crawler


def delay(robots: str) -> float | None:
    return parse(robots.encode(), "shoal").crawl_delay


def test_crawl_delay_of_our_own_group_only() -> None:
    star = "User-agent: *\nCrawl-delay: 9\nDisallow: /a\n"
    assert delay(star) == 9.0
    assert delay(star + "User-agent: shoal\nCrawl-delay: 0.5\nDisallow: /b\n") == 0.5
    assert delay(star + "User-agent: shoal\nDisallow: /b\n") is None
    assert delay("Crawl-delay: 3\nUser-agent: *\nDisallow: /a\n") is None


def test_crawl_delay_belongs_to_the_agents_above_it() -> None:
    robots = "User-agent: slow\nCrawl-delay: 60\n\nUser-agent: shoal\nDisallow: /a\n"
    assert delay(robots) is None
    assert parse(robots.encode(), "slow").crawl_delay == 60.0


def test_of_several_crawl_delays_the_longest() -> None:
    assert delay(for_all("Crawl-delay: 2", "Crawl-delay: 7", "Crawl-delay: 3")) == 7.0


@pytest.mark.parametrize(
    "value", ["", "-1", "inf", "nan", "1e9", "1_0", "ten", "5s", "٣", "9" * 400, "0x10", "1,5"]
)
def test_crawl_delay_garbage_is_ignored(value: str) -> None:
    assert delay(for_all(f"Crawl-delay: {value}")) is None


# 2.3, 2.3.1: access


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_2_3_byte_order_mark_whole_or_cut(mark: bytes) -> None:
    assert not allowed(mark + b"User-agent: *\nDisallow: /a\n", "/a")


def test_2_3_byte_order_mark_elsewhere_is_not_skipped() -> None:
    assert allowed("User-agent: *\n\ufeffDisallow: /a\n", "/a")


def test_2_3_broken_utf_8_spoils_its_own_line_only() -> None:
    robots = b"User-agent: *\n\xff\xfe\x00Disallow: /a\nDisallow: /b\n"
    assert not allowed(robots, "/b")


@pytest.mark.parametrize("status", [200, 204, 206, 299])
def test_2_3_1_1_success_is_parsed(status: int) -> None:
    assert meaning(status) is Access.PARSE


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_2_3_1_2_redirects_are_followed_five_times(status: int) -> None:
    assert meaning(status) is Access.REDIRECT
    assert MAX_REDIRECTS >= 5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 499])
def test_2_3_1_3_unavailable_opens_the_site(status: int) -> None:
    assert meaning(status) is Access.ALLOW
    assert ALLOW_ALL.verdict("/x").allowed


@pytest.mark.parametrize("status", [0, 429, 500, 503, 599, 100, 600, 999, -1])
def test_2_3_1_4_unreachable_closes_the_site(status: int) -> None:
    """429 is ours: "too many requests" is no licence to send more."""
    assert meaning(status) is Access.UNREACHABLE
    verdict = DISALLOW_ALL.verdict("/x?y")
    assert (verdict.allowed, verdict.line) == (False, None)


@pytest.mark.parametrize(
    "body", [b"", b"<!doctype html><p>Not here: sorry", b"\x00" * 50, b"Disallow", b": /\n:\n::"]
)
def test_2_3_1_5_what_cannot_be_parsed_is_passed_over(body: bytes) -> None:
    assert parse(body, "shoal") == ALLOW_ALL
    assert not allowed(body + b"\nUser-agent: *\nDisallow: /a\n", "/a")


# 2.5: limits


def padded(last_line: bytes, size: int) -> bytes:
    """A file whose last line ends exactly at the size."""
    first = b"User-agent: *\n"
    filler = b"#" * (size - len(first) - len(last_line) - 1) + b"\n"
    return first + filler + last_line


def test_2_5_at_least_500_kib_are_parsed() -> None:
    assert MAX_BYTES == 500 * 1024
    body = padded(b"Disallow: /a", MAX_BYTES)
    assert len(body) == MAX_BYTES
    assert not allowed(body, "/a")
    assert not allowed(body + b"\nDisallow: /b", "/a")
    assert allowed(body + b"\nDisallow: /b", "/b")


def test_2_5_a_line_cut_by_the_limit_is_dropped() -> None:
    body = padded(b"Disallow: /a", MAX_BYTES) + b"bc\n"
    assert allowed(body, "/abc")
    assert allowed(body, "/a")


def test_2_5_the_limit_can_be_set() -> None:
    body = b"User-agent: *\nDisallow: /a\nDisallow: /b\n"
    rules = parse(body, "shoal", max_bytes=30)
    assert [rules.verdict(path).allowed for path in ("/a", "/b")] == [False, True]
    assert parse(body, "shoal", max_bytes=3) == ALLOW_ALL


def test_an_overlong_line_counts_up_to_its_limit() -> None:
    head = "/" + "a" * 16_000
    robots = for_all(f"Disallow: {head}{'b' * 2000}")
    assert not allowed(robots, head + "b" * 1000)
    assert allowed(robots, head)


# 5.1, 5.2: the RFC's own examples

EXAMPLE_5_1 = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("agent", "path", "expected"),
    [
        ("shoal", "/a.gif", False),
        ("shoal", "/example/x", False),
        ("shoal", "/publications/x", True),
        ("foobot", "/publications/", False),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/allowed.gif", True),
        ("bazbot", "/example/page.html", False),
        ("barbot", "/a.gif", True),
        ("quxbot", "/example/", True),
    ],
)
def test_5_1_simple_example(agent: str, path: str, expected: bool) -> None:
    assert allowed(EXAMPLE_5_1, path, agent) is expected


def test_5_2_longest_match_example() -> None:
    robots = for_all("Allow: /example/page/", "Disallow: /example/page/disallowed.gif")
    assert not allowed(robots, "/example/page/disallowed.gif")
    assert allowed(robots, "/example/page/x.gif")


# the leniency of Google's parser


@pytest.mark.parametrize("key", ["user-agent", "useragent", "user agent", "User-Agents"])
def test_misspelt_user_agent(key: str) -> None:
    assert not allowed(f"{key}: *\nDisallow: /a\n", "/a")


@pytest.mark.parametrize(
    "key", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]
)
def test_misspelt_disallow(key: str) -> None:
    assert not allowed(for_all(f"{key}: /a"), "/a")


def test_forgotten_colon_is_taken_for_two_words_only() -> None:
    assert not allowed("User-agent *\nDisallow \t /a\n", "/a")
    assert allowed("User-agent *\nDisallow /a /b\n", "/a")


def test_index_page_stands_for_its_directory() -> None:
    robots = for_all("Disallow: /", "Allow: /dir/index.html")
    verdict = parse(robots.encode(), "shoal").verdict("/dir/")
    assert (verdict.allowed, verdict.line, verdict.pattern) == (True, 3, "/dir/$")
    assert not allowed(robots, "/dir/other")
    assert allowed(for_all("Disallow: /dir/index.html"), "/dir/")


# for all inputs

LINE = st.sampled_from(
    [
        b"User-agent: *",
        b"User-agent: shoal",
        b"Allow: /",
        b"Allow: /index.htm",
        b"Disallow: *%",
        b"Disallow: /\xe9?%2f$",
        b"Crawl-delay: 1",
        b"Sitemap: /\xff",
    ]
)
BODY = st.binary() | st.lists(LINE | st.binary()).map(b"\n".join)


@given(BODY, st.text(), st.text(), st.integers(min_value=0, max_value=200))
def test_nothing_raises_and_all_can_be_stored(
    body: bytes, agent: str, path: str, max_bytes: int
) -> None:
    for rules in (parse(body, agent), parse(body, "shoal", max_bytes)):
        assert unpack(RobotsRules, pack(rules)) == rules
        verdict = rules.verdict(path)
        assert (verdict.pattern is None) <= verdict.allowed
        assert rules.crawl_delay is None or math.isfinite(rules.crawl_delay)
