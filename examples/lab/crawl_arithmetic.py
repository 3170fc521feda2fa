"""How many connections, hosts and days does a crawl take, and how old do its copies get? Exercises.

    python crawl_arithmetic.py [--bandwidth BYTES] [--page BYTES] [--latency SECONDS]
                               [--delay SECONDS] [--pages NUMBER]
                               [--change DAYS] [--revisit DAYS]

Without options: 10 MB/s, pages of 10 KB that take half a second each, ten seconds between two
requests to one host, a billion pages; pages that change every 7 days in the mean, revisited every
7 days. KB and MB are thousands and millions.

What is under way is rate times duration (Little's law): of 1,000 requests a second that take half
a second each, 500 are under way at any moment. A host that was asked is out of reach for its
delay, so for each request a second as many hosts are needed as the delay has seconds.

Pages change at random moments, at a rate of λ a day (a Poisson process). A copy is fresh until the
first change after the visit; its age is the time since that change, and 0 before. After t days it
is fresh with probability exp(-λt), and its expected age is

    ∫ λ exp(-λx) (t - x) dx, x from 0 to t  =  t - (1 - exp(-λt)) / λ
"""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from math import ceil, exp
from random import Random
from typing import NoReturn

DAY = 86_400  # seconds
YEAR = 365.25  # days
STEPS = 1_000  # of the sum that stands for the integral
TRIALS = 20_000
FAST, SLOW, VISITS = 9.0, 1.0, 1.0  # changes a day of two pages, and visits a day to both


def pages_per_second(bandwidth: float, page: float) -> float:
    return bandwidth / page


def under_way(rate: float, seconds: float) -> int:
    """Rounded up, but not for the last digit of a fraction."""
    return max(1, ceil(round(rate * seconds, 6)))


def fresh(rate: float, days: float) -> float:
    """The probability that a copy is still fresh."""
    return exp(-rate * days)


def age(rate: float, days: float) -> float:
    """By the formula."""
    return days - (1 - exp(-rate * days)) / rate


def age_by_sum(rate: float, days: float) -> float:
    """By the integral's definition: the area of many narrow bars."""
    width = days / STEPS
    area = 0.0
    for step in range(STEPS):
        x = (step + 0.5) * width
        area += rate * exp(-rate * x) * (days - x) * width
    return area


def age_by_trial(rate: float, days: float) -> float:
    """By watching made-up pages: how long is it since the first change?"""
    random, total = Random(1), 0.0
    for _ in range(TRIALS):
        total += max(0.0, days - random.expovariate(rate))
    return total / TRIALS


def mean_freshness(rate: float, interval: float) -> float:
    """Over all the time between two visits."""
    return (1 - exp(-rate * interval)) / (rate * interval)


def mean_age(rate: float, interval: float) -> float:
    return interval / 2 - 1 / rate + (1 - exp(-rate * interval)) / (rate**2 * interval)


def crawl(bandwidth: float, page: float, latency: float, delay: float, pages: float) -> str:
    rate = pages_per_second(bandwidth, page)
    days = pages / rate / DAY
    with_fetch = under_way(rate, delay + latency)
    one_thread = pages * (latency + delay) / DAY / YEAR
    return "\n".join(
        [
            f"{bandwidth:,.10g} bytes/s / {page:,.10g} bytes = {rate:,.6g} pages/s",
            f"  × {latency:g} s = {under_way(rate, latency):,} requests under way at once",
            f"  × {delay:g} s = {under_way(rate, delay):,} hosts that have work at any time:",
            f"  of {60 * rate:,.6g} pages a minute, {60 / delay:,.4g} come from each host",
            f"  × ({delay:g} + {latency:g}) s = {with_fetch:,} hosts, if pauses begin after pages",
            f"{pages:,.10g} pages take {days:,.1f} days, and {pages * page / 1e12:,.6g} TB;",
            f"  one page at a time, with that delay: {one_thread:,.1f} years",
        ]
    )


def freshness(change: float, revisit: float) -> str:
    rate = 1 / change
    lines = [f"a change every {change:g} days: λ = {rate:.4g} a day"]
    lines.append("days since the visit   still fresh   age: formula    sum   trial")
    for share in (1 / 7, 0.5, 1, 2, 4):
        days = share * revisit
        lines.append(
            f"{days:20.2f}{fresh(rate, days):14.3f}{age(rate, days):15.2f}"
            f"{age_by_sum(rate, days):7.2f}{age_by_trial(rate, days):8.2f}"
        )
    lines.append(
        f"visited every {revisit:g} days: {mean_freshness(rate, revisit):.3f} of the time fresh, "
        f"{mean_age(rate, revisit):.2f} days old in the mean"
    )
    return "\n".join(lines)


def sharing() -> str:
    """What is best for freshness is to give up the page that changes most; its copy is then older
    every day. Age forgives nothing, so a policy by age visits every page."""
    lines = [f"{VISITS:g} visit a day for two pages, which change {FAST:g} times and once a day:"]
    lines.append("visits to the fast one   fresh, of 2   ages, in days")
    for tenths in (0.1, 1, 3, 5, 7, 9):
        to_fast = VISITS * tenths / 10
        gaps = 1 / to_fast, 1 / (VISITS - to_fast)
        fresh_copies = mean_freshness(FAST, gaps[0]) + mean_freshness(SLOW, gaps[1])
        ages = mean_age(FAST, gaps[0]) + mean_age(SLOW, gaps[1])
        lines.append(f"{to_fast:22.2f}{fresh_copies:14.3f}{ages:16.2f}")
    return "\n".join(lines)


class Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def between(least: float, most: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        with suppress(ValueError):
            if least <= (value := float(text)) <= most:
                return value
        raise argparse.ArgumentTypeError(f"a number from {least:g} to {most:,.0f}, not {text!r}")

    return number


def main(arguments: list[str]) -> int:
    parser = Arguments(
        "crawl_arithmetic",
        description=__doc__,
        usage="%(prog)s [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    large, seconds, days = between(1, 1e15), between(0.001, 1e6), between(0.1, 1_000)
    for name, default, unit, kind in (
        ("bandwidth", 10e6, "BYTES", large),
        ("page", 10e3, "BYTES", large),
        ("latency", 0.5, "SECONDS", seconds),
        ("delay", 10.0, "SECONDS", seconds),
        ("pages", 1e9, "NUMBER", large),
        ("change", 7.0, "DAYS", days),
        ("revisit", 7.0, "DAYS", days),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, metavar=unit)
    given = parser.parse_args(arguments)
    print(crawl(given.bandwidth, given.page, given.latency, given.delay, given.pages))
    print()
    print(freshness(given.change, given.revisit))
    print()
    print(sharing())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
