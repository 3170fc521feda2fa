"""What does a link add? The seen test, the least depth, redirects, and who is excluded."""

from dataclasses import replace
from itertools import pairwise

import pytest

from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import RELAX_MARK, after_mark
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.link import LinkSource, Rel
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, PlaySettings, link, redirect, rules

A = "ftp://a.test"
FAST = FrontierSettings(seed=1, politeness=Politeness(delay=0, delay_factor=0, address_share=0))


@pytest.fixture
def shallow(table: RocksTable, clock: FakeClock) -> Play:
    """A crawl that goes to depth 3 and no further."""
    return Play(table, clock, PlaySettings(replace(FAST, reach=Reach(max_depth=3))))


def chain(*names: str) -> dict[str, Answer]:
    """Pages of which each links to the next."""
    urls = [f"{A}/{name}" for name in names]
    return {url: Answer(200, [link(after)]) for url, after in pairwise(urls)}


def depth(play: Play, url: str) -> int:
    row = play.row(url)
    assert row is not None
    return row.depth


# --- the seen test ------------------------------------------------------------------------------


def test_a_url_is_queued_once_however_often_it_is_named(play: Play) -> None:
    assert play.add(f"{A}/x", f"{A}/x", f"{A}/y") == 2
    assert play.add(f"{A}/x") == 0
    found = play.crawl(lambda _: Answer(200, [link(f"{A}/x"), link(f"{A}/x"), link(f"{A}/y")]))
    assert found == [f"{A}/x", f"{A}/y"]
    assert play.problems() == []


@pytest.mark.parametrize("cache", [1, 2, 100_000])
def test_no_cache_is_needed_for_that(table: RocksTable, clock: FakeClock, cache: int) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, seen_cache=cache, site_cache=1)))
    urls = [f"ftp://h{n % 5}.test/{n % 37}" for n in range(300)]
    assert play.add(*urls) == len(set(urls))
    assert play.add(*urls) == 0
    assert sorted(play.crawl()) == sorted(set(urls))
    assert play.problems() == []


@pytest.mark.parametrize(("first", "second"), [("/x", "/x/"), ("/x/", "/x"), ("/x?a", "/x/?a")])
def test_a_trailing_slash_makes_no_other_url_and_the_first_spelling_stays(
    play: Play, first: str, second: str
) -> None:
    assert play.add(A + first) == 1
    assert play.add(A + second) == 0
    play.add(f"{A}/page")
    assert play.crawl(lambda _: Answer(200, [link(A + second)])) == [A + first, f"{A}/page"]
    assert play.row(A + second) is None


def test_both_spellings_on_one_page_are_one_url(play: Play) -> None:
    play.add(f"{A}/")
    lease = play.next_page()
    assert lease is not None
    targets = play.end(lease, Answer(200, [link(f"{A}/x/"), link(f"{A}/x")]))
    assert targets == [row_key(f"{A}/x/")] * 2
    assert play.frontier.counts["queued"] == 1


def test_a_redirect_to_the_other_spelling_is_followed_once(play: Play) -> None:
    """`/x` answers 301 to `/x/`: most servers do so, and the page is only there."""
    play.add(f"{A}/x")
    answers = {f"{A}/x": redirect(f"{A}/x/"), f"{A}/x/": Answer(200, [link(f"{A}/x")])}
    assert play.crawl(lambda visit: answers[visit.url]) == [f"{A}/x", f"{A}/x/"]
    assert play.state(f"{A}/x") == "redirect"
    assert play.state(f"{A}/x/") == "fetched/waiting for the index"
    assert play.add(f"{A}/x", f"{A}/x/") == 0


@pytest.mark.parametrize("cache", [1, 100_000])
def test_links_to_either_spelling_then_mean_the_page(
    table: RocksTable, clock: FakeClock, cache: int
) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, seen_cache=cache)))
    play.add(f"{A}/x")
    play.crawl(lambda visit: redirect(f"{A}/x/") if visit.url == f"{A}/x" else OK)
    play.add(f"{A}/other")
    lease = play.next_page()
    assert lease is not None
    targets = play.end(lease, Answer(200, [link(f"{A}/x"), link(f"{A}/x/")]))
    assert targets == [row_key(f"{A}/x/")] * 2


def test_a_circle_between_the_spellings_ends(play: Play) -> None:
    play.add(f"{A}/x")
    other = {f"{A}/x": f"{A}/x/", f"{A}/x/": f"{A}/x"}
    assert play.crawl(lambda visit: redirect(other[visit.url])) == [f"{A}/x", f"{A}/x/"]


# --- depth --------------------------------------------------------------------------------------


def test_a_page_first_found_deep_and_then_shallow_counts_as_shallow(play: Play) -> None:
    play.add(f"{A}/x", depth=9)
    play.add(f"{A}/x", depth=2)
    assert depth(play, f"{A}/x") == 2
    play.add(f"{A}/x", depth=5)
    assert depth(play, f"{A}/x") == 2


def test_what_was_too_deep_behind_it_is_queued(shallow: Play) -> None:
    shallow.add(f"{A}/1", depth=2)
    pages = chain("1", "2", "3", "4")
    assert shallow.crawl(lambda v: pages.get(v.url, OK)) == [f"{A}/1", f"{A}/2"]
    assert shallow.state(f"{A}/3") == "excluded/depth"
    shallow.add(f"{A}/1", depth=1)
    assert shallow.crawl(lambda v: pages.get(v.url, OK)) == [f"{A}/3"]
    assert [depth(shallow, f"{A}/{n}") for n in range(1, 5)] == [1, 2, 3, 4]
    assert shallow.state(f"{A}/4") == "excluded/depth"
    assert shallow.problems() == []


def test_a_shorter_way_found_while_the_page_is_in_flight_counts(shallow: Play) -> None:
    shallow.add(f"{A}/1", depth=3)
    lease = shallow.next_page()
    assert lease is not None
    shallow.add(f"{A}/1", depth=1)
    shallow.end(lease, Answer(200, [link(f"{A}/2")]))
    assert depth(shallow, f"{A}/2") == 2
    assert shallow.state(f"{A}/2") == "queued"


def test_the_shorter_way_is_told_along_a_whole_chain(shallow: Play) -> None:
    """Also of pages that were fetched, through many of them at once, and through a redirect."""
    width = 40  # more than are relaxed in one batch
    shallow.add(f"{A}/hub", depth=2)
    hub = Answer(200, [link(f"{A}/m{n}") for n in range(width)])
    answers = {f"{A}/hub": hub}
    for n in range(width):
        answers[f"{A}/m{n}"] = redirect(f"{A}/r{n}")
        answers[f"{A}/r{n}"] = Answer(200, [link(f"{A}/deep{n}")])
    shallow.crawl(lambda v: answers.get(v.url, OK))
    assert shallow.frontier.counts["excluded/depth"] == width
    shallow.add(f"{A}/hub", depth=1)
    assert len(shallow.crawl(lambda v: answers.get(v.url, OK))) == width
    assert shallow.frontier.counts["excluded/depth"] == 0
    assert {depth(shallow, f"{A}/r{n}") for n in range(width)} == {2}
    assert {depth(shallow, f"{A}/deep{n}") for n in range(width)} == {3}


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_in_the_middle_of_that_forgets_nothing(
    shallow: Play, table: RocksTable, clean: bool
) -> None:
    shallow.add(f"{A}/1", depth=2)
    pages = chain("1", "2", "3")
    shallow.crawl(lambda v: pages.get(v.url, OK))
    shallow.add(f"{A}/1", depth=1)
    marks = list(table.scan("queue", RELAX_MARK, after_mark(RELAX_MARK)))
    assert [key for key, _ in marks] == [RELAX_MARK + row_key(f"{A}/1")]
    if clean:
        shallow.frontier.close()
    shallow.open()
    assert not shallow.frontier.done()
    assert shallow.crawl(lambda v: pages.get(v.url, OK)) == [f"{A}/3"]
    assert list(table.scan("queue", RELAX_MARK, after_mark(RELAX_MARK))) == []


def test_the_least_depth_is_kept_also_of_a_page_that_stays_too_deep(shallow: Play) -> None:
    """So that a later crawl with a wider limit knows it."""
    shallow.add(f"{A}/x", depth=8)
    shallow.add(f"{A}/x", depth=5)
    row = shallow.row(f"{A}/x")
    assert row is not None
    assert (row.depth, row.reason) == (5, "depth: 5 is beyond the limit of 3")


def test_a_nofollow_link_brings_nothing_nearer(play: Play) -> None:
    play.add(f"{A}/x", depth=9)
    play.frontier.add([link(f"{A}/x", rel=int(Rel.NOFOLLOW))], depth=1)
    assert depth(play, f"{A}/x") == 9


# --- redirects ----------------------------------------------------------------------------------


def test_a_redirect_adds_no_depth(shallow: Play) -> None:
    shallow.add(f"{A}/0", depth=3)
    hops = {f"{A}/{n}": redirect(f"{A}/{n + 1}") for n in range(5)}
    assert shallow.crawl(lambda v: hops.get(v.url, OK)) == [f"{A}/{n}" for n in range(6)]
    assert depth(shallow, f"{A}/5") == 3


def test_a_chain_of_redirects_is_cut_at_ten(play: Play) -> None:
    play.add(f"{A}/0")
    found = play.crawl(lambda v: redirect(f"{A}/{int(v.url.rpartition('/')[2]) + 1}"))
    assert found == [f"{A}/{n}" for n in range(11)]
    assert play.state(f"{A}/11") == "excluded/redirects"


def test_a_plain_link_to_where_a_chain_was_cut_starts_anew(play: Play) -> None:
    play.add(f"{A}/0")
    play.crawl(lambda v: redirect(f"{A}/{int(v.url.rpartition('/')[2]) + 1}"))
    play.add(f"{A}/11")
    found = play.crawl(lambda v: redirect(f"{A}/{int(v.url.rpartition('/')[2]) + 1}"))
    assert found == [f"{A}/{n}" for n in range(11, 22)]


def test_a_redirect_to_itself_is_no_link(play: Play) -> None:
    play.add(f"{A}/x")
    lease = play.next_page()
    assert lease is not None
    assert play.end(lease, redirect(f"{A}/x")) == []
    assert play.state(f"{A}/x") == "redirect"
    assert play.crawl() == []


def test_where_a_seed_moved_to_is_a_seed(table: RocksTable, clock: FakeClock) -> None:
    """Also where the scope, made from the seed, does not reach."""
    told: list[str] = []
    play = Play(table, clock, PlaySettings(FAST, Seams(seed_moved=told.append)))
    play.seed("http://a.test/")
    away = redirect("http://www.a.test/")
    away.links[0].excluded = "scope: another host"
    lease = play.next_page()
    assert lease is not None
    play.end(lease, away)
    assert told == ["http://www.a.test/"]
    row = play.row("http://www.a.test/")
    assert row is not None
    assert row.source is LinkSource.SEED
    assert play.crawl() == ["http://www.a.test/"]


def test_where_a_link_moved_to_is_judged_by_the_scope(play: Play) -> None:
    play.add(f"{A}/")
    away = redirect("ftp://elsewhere.test/")
    away.links[0].excluded = "scope: another host"
    assert play.crawl(lambda _: away) == [f"{A}/"]
    assert play.state("ftp://elsewhere.test/") == "excluded/scope"


# --- who is excluded ----------------------------------------------------------------------------


def test_what_the_scope_refuses_is_known_and_not_asked(play: Play) -> None:
    play.frontier.add([link(f"{A}/x", excluded="scope: not below /docs")])
    assert play.crawl() == []
    row = play.row(f"{A}/x")
    assert row is not None
    assert row.reason == "scope: not below /docs"
    assert play.frontier.counts.as_dict()["excluded/scope"] == 1


def test_a_nofollow_link_is_known_and_a_followed_one_queues_it(play: Play) -> None:
    play.frontier.add([link(f"{A}/x", rel=int(Rel.NOFOLLOW))])
    assert play.state(f"{A}/x") == "excluded/nofollow"
    assert play.crawl() == []
    play.add(f"{A}/x")
    assert play.state(f"{A}/x") == "queued"
    assert play.crawl() == [f"{A}/x"]
    assert play.problems() == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer(0, outcome=Outcome.PRIVATE, address=""),
        Answer(0, outcome=Outcome.NO_SCHEME, address=""),
    ],
)
def test_what_can_not_be_had_is_not_queued_again_by_every_link(play: Play, answer: Answer) -> None:
    play.add(f"{A}/x")
    assert play.crawl(lambda _: answer) == [f"{A}/x"]
    assert play.state(f"{A}/x").startswith("excluded/")
    play.add(f"{A}/x")
    assert play.crawl() == []


def test_what_robots_forbids_is_not_queued_again_by_every_link(play: Play) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /x"))
    play.add("http://a.test/x")
    assert play.crawl() == ["http://a.test/x"]  # taken, and refused without a request
    play.add("http://a.test/x")
    assert play.crawl() == []
    assert [e.url for e in play.log if e.asked] == ["http://a.test/robots.txt"]


# --- when the scope changes ---------------------------------------------------------------------


def test_a_wider_scope_queues_what_was_refused(play: Play) -> None:
    play.frontier.add([link(f"{A}/x", excluded="scope: no"), link(f"{A}/y", excluded="rule: no")])
    play.frontier.add([link(f"{A}/z", rel=int(Rel.NOFOLLOW))])
    assert play.frontier.rescope(lambda url: "rule: no" if url.endswith("y") else "") == 1
    assert play.crawl() == [f"{A}/x"]
    assert play.state(f"{A}/y") == "excluded/rule"
    assert play.state(f"{A}/z") == "excluded/nofollow"
    assert play.problems() == []


def test_a_narrower_scope_excludes_what_waits_but_no_wish(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(5)))
    play.seed(f"{A}/seed")
    play.submit(f"{A}/wish")
    play.end(play.expect(f"{A}/wish"))
    assert play.frontier.rescope(lambda _: "scope: no") == 5
    assert play.crawl() == [f"{A}/seed"]
    assert play.frontier.counts["excluded/scope"] == 5
    assert play.problems() == []


def test_a_wider_depth_queues_what_was_too_deep(
    shallow: Play, table: RocksTable, clock: FakeClock
) -> None:
    shallow.add(f"{A}/x", depth=5)
    shallow.add(f"{A}/y", depth=6)
    shallow.frontier.close()
    wider = Play(table, clock, PlaySettings(replace(FAST, reach=Reach(max_depth=5))))
    assert wider.frontier.rescope(lambda _: "") == 1
    assert wider.crawl() == [f"{A}/x"]


def test_old_versions_of_other_cells_are_not_taken_for_rows(play: Play, table: RocksTable) -> None:
    """A time stamp's last bytes may be those of `NUL url`."""
    play.add(f"{A}/x")
    batch = table.batch()
    batch.put("page", row_key(f"{A}/x") + b"\x00visit\x00\xff\xff\xfe\x6a\x00url", b"no row")
    table.write(batch)
    assert play.frontier.rescope(lambda _: "") == 0
    assert play.problems() == []


def test_one_page_with_more_links_than_any_cache_holds(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, seen_cache=10)))
    play.add(f"{A}/")
    many = [link(f"{A}/{n}") for n in range(3_000)]
    lease = play.next_page()
    assert lease is not None
    targets = play.end(lease, Answer(200, [*many, *many]))
    assert targets == [each.row for each in [*many, *many]]
    assert play.frontier.counts["queued"] == 3_000
    assert play.problems() == []
