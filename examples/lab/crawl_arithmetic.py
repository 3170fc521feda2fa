"""How many connections and hosts does a crawler need to use its line? A lab exercise.

    python crawl_arithmetic.py [BYTES_PER_SECOND PAGE_BYTES LATENCY_SECONDS DELAY_SECONDS [PAGES]]

A line brings so many pages a second as fit into it. A page is on its way for the latency, so as
many must be on their way at once as come in that time (Little's law); and a host that may be asked
only once in a delay gives one page in that time, so as many hosts are needed as pages come in it.
"""

import math
import sys
from typing import NamedTuple

TEXTBOOK = (10_000_000.0, 10_000.0, 0.5, 10.0)
PAGES = 1_000_000_000.0
_DAY = 86_400


class Needs(NamedTuple):
    pages_per_second: float
    connections: int
    hosts: int
    alone: float
    """Pages per second of one thread that asks for one page after the other."""
    days: float
    """For all pages."""
    terabytes: float


def needs(line: float, page: float, latency: float, delay: float, pages: float = PAGES) -> Needs:
    rate = line / page
    return Needs(
        pages_per_second=rate,
        connections=math.ceil(rate * latency),
        hosts=math.ceil(rate * delay),
        alone=1 / (latency + page / line),
        days=pages / rate / _DAY,
        terabytes=pages * page / 1e12,
    )


def lines(
    line: float, page: float, latency: float, delay: float, pages: float = PAGES
) -> list[str]:
    found = needs(line, page, latency, delay, pages)
    return [
        f"{line:,.0f} bytes/s / {page:,.0f} bytes a page = {found.pages_per_second:,.1f} pages/s",
        f"  × {latency:g} s on its way  = {found.connections:,} connections at once",
        f"  × {delay:g} s delay       = {found.hosts:,} hosts to ask in turn",
        f"one thread alone    = {found.alone:,.2f} pages/s",
        f"{pages:,.0f} pages = {found.days:,.1f} days and {found.terabytes:,.1f} TB",
    ]


def main(arguments: list[str]) -> int:
    try:
        given = [float(each) for each in arguments] or list(TEXTBOOK)
        if len(given) not in (4, 5) or not all(0 < each < math.inf for each in given):
            raise ValueError
    except ValueError:
        print("Give four or five numbers above 0, or none.", file=sys.stderr)
        return 2
    print("\n".join(lines(*given)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
