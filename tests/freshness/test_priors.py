"""Priors learned from other pages: of their population, shrunk where there are few, replaced at
each revisit."""

import random
from math import expm1, inf, isfinite, log, nan

import pytest

from shoal.freshness.priors import Group, Priors, groups_of
from shoal.freshness.rate import DEFAULT_PRIOR, estimate, observe
from shoal.model.change_history import ChangeHistory

DAY = 86_400.0


def crawled(rates: list[float], keys: list[str], priors: Priors, visits: int) -> None:
    """All pages are visited in turn, daily."""
    drawn = random.Random(6)
    lives = [ChangeHistory() for _ in rates]
    said: list[tuple[float, float] | None] = [None] * len(rates)
    for _ in range(visits):
        for number, (rate, history) in enumerate(zip(rates, lives, strict=True)):
            observe(history, DAY, changed=drawn.random() < -expm1(-rate * DAY))
            found = estimate(history, priors.prior_for(keys))
            priors.learn(keys, said[number], (found.mean, found.sd))
            said[number] = found.mean, found.sd


def test_nothing_learned_is_the_default() -> None:
    assert (
        Priors.in_memory().prior_for(groups_of("https://a.example/", "text/html")) == DEFAULT_PRIOR
    )


def test_a_population_is_found() -> None:
    drawn, priors = random.Random(5), Priors.in_memory()
    keys = groups_of("https://a.example/news/", "text/html")
    middle = log(0.4 / DAY)
    rates = [2.718281828 ** drawn.gauss(middle, 0.8) for _ in range(150)]
    crawled(rates, keys, priors, 12)
    prior = priors.prior_for(keys)
    assert prior.mean == pytest.approx(middle, abs=0.2)
    assert 0.7 < prior.sd < 1.2


def test_what_a_page_said_before_is_replaced() -> None:
    once: dict[str, Group] = {}
    often: dict[str, Group] = {}
    keys = ["all"]
    Priors(once.get, once.__setitem__).learn(keys, None, (-10.0, 0.5))
    many = Priors(often.get, often.__setitem__)
    many.learn(keys, None, (-14.0, 2.0))
    many.learn(keys, (-14.0, 2.0), (-12.0, 1.0))
    many.learn(keys, (-12.0, 1.0), (-10.0, 0.5))
    assert often["all"].pages == once["all"].pages == 1
    assert often["all"].means == pytest.approx(once["all"].means)
    assert often["all"].squares == pytest.approx(once["all"].squares)


def test_a_narrow_group_of_many_outweighs_wide_ones_and_of_few_does_not() -> None:
    priors = Priors.in_memory()
    wide, few, many = "all", "site few", "site many"
    for _ in range(1000):
        priors.learn([wide], None, (-16.0, 0.5))
        priors.learn([many], None, (-10.0, 0.5))
    priors.learn([few], None, (-10.0, 0.5))
    assert priors.prior_for([wide, many]).mean == pytest.approx(-10.0, abs=0.1)
    assert -16 < priors.prior_for([wide, few]).mean < -15
    assert priors.prior_for([wide, few]).sd > priors.prior_for([wide, many]).sd


def test_pages_that_showed_little_do_not_make_a_group_sure() -> None:
    priors, keys = Priors.in_memory(), ["all"]
    crawled([0.3 / DAY] * 200, keys, priors, 1)
    assert priors.prior_for(keys).sd > 1.2


def test_a_prior_stays_a_prior_whatever_is_learned() -> None:
    priors = Priors.in_memory()
    priors.learn(["all"], None, (nan, 1.0))
    priors.learn(["all"], None, (1.0, inf))
    assert priors.prior_for(["all"]) == DEFAULT_PRIOR
    for _ in range(50):
        priors.learn(["all"], (-5.0, 3.0), (-20.0, 0.0))  # never said before, and then gone
    found = priors.prior_for(["all"])
    assert isfinite(found.mean)
    assert found.sd >= 0.3


def test_a_group_that_is_damaged_does_no_harm() -> None:
    damaged = Priors(lambda _: Group(5.0, -75.0, -1e9), lambda *_: None)
    assert damaged.prior_for(["all"]).sd >= 0.3


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://a.example/", "path https://a.example/"),
        ("https://a.example", "path https://a.example/"),
        ("https://a.example/news/2026/x.html", "path https://a.example/news/"),
        ("https://a.example/user17/", "path https://a.example/user0/"),
        ("https://a.example/some-title.HTML", "path https://a.example/*.html"),
        ("https://a.example/other-title", "path https://a.example/*"),
        ("https://a.example/index.php?id=7", "path https://a.example/*.php?"),
    ],
)
def test_paths_have_patterns(url: str, pattern: str) -> None:
    assert groups_of(url, "text/html; charset=utf-8") == [
        "all",
        "type text/html",
        "site https://a.example",
        pattern,
    ]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "://",
        "http://[",
        "x" * 100_000,
        "http://\udcff/\udcff/",
        "http://a/" + "9" * 100_000 + "/",
    ],
)
def test_no_url_makes_a_long_name_or_one_that_cannot_be_stored(url: str) -> None:
    assert max(len(name.encode()) for name in groups_of(url, "\ud800" + "y" * 10_000)) < 400
