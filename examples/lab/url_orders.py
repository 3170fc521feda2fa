"""In which order should URLs be fetched? A lab exercise, after Cho, Garcia-Molina and Page (1998).

    python url_orders.py [PAGES]

A web is drawn whose pages copy the links of others, so that a few are named far more often. It is
crawled from page 0 in six orders. Shown is the share of the most important pages (one in twenty, by
PageRank over the whole web) that was found after 5, 10, 20 and 50 per cent of all pages.
"""

import random
import sys
from collections.abc import Callable

Links = list[list[int]]
PAGES, FEWEST = 1_000, 20
SHARES = (0.05, 0.1, 0.2, 0.5)
_DAMPING = 0.85
_AGAIN = 25
"""PageRank so far is computed anew after so many pages."""


def web(pages: int, seed: int = 1) -> Links:
    draw = random.Random(seed)
    links: Links = [[] for _ in range(pages)]
    named: list[int] = [0]
    for page in range(1, pages):
        links[draw.randrange(page)].append(page)  # every page can be reached
        for _ in range(draw.randrange(2, 12)):
            to = draw.choice(named) if draw.random() < 3 / 4 else draw.randrange(pages)
            links[page].append(to)
            named.append(to)
    return [[to for to in dict.fromkeys(out) if to != page] for page, out in enumerate(links)]


def page_rank(
    links: Links, known: set[int], fetched: set[int], rounds: int = 30
) -> dict[int, float]:
    """Of the known pages, by the links of the fetched ones."""
    ranks = dict.fromkeys(known, 1 / len(known))
    for _ in range(rounds):
        given = dict.fromkeys(known, 0.0)
        for page in fetched:
            for to in links[page]:
                given[to] += _DAMPING * ranks[page] / len(links[page])
        lost = (1 - sum(given.values())) / len(known)
        ranks = {page: rank + lost for page, rank in given.items()}
    return ranks


def crawl(links: Links, best: Callable[[list[int], list[int], list[int]], int]) -> list[int]:
    """`best` is given the known pages in the order in which they were found, the links to each so
    far, and what was fetched; it says the place of the next."""
    waiting, found, order, votes = [0], {0}, list[int](), [0] * len(links)
    while waiting:
        page = waiting.pop(best(waiting, votes, order))
        order.append(page)
        for to in links[page]:
            votes[to] += 1
            if to not in found:
                found.add(to)
                waiting.append(to)
    return order


def orders(links: Links) -> dict[str, list[int]]:
    draw, every = random.Random(2), set(range(len(links)))
    truth = page_rank(links, every, every)
    ranks: dict[int, float] = {}

    def by_rank(waiting: list[int], _votes: list[int], order: list[int]) -> int:
        if len(order) % _AGAIN == 0 or not ranks:
            known = {*waiting, *order}
            ranks.update(page_rank(links, known, set(order)))
        return max(range(len(waiting)), key=lambda place: ranks.get(waiting[place], 0.0))

    return {
        "depth": crawl(links, lambda waiting, _votes, _order: len(waiting) - 1),
        "random": crawl(links, lambda waiting, _votes, _order: draw.randrange(len(waiting))),
        "breadth": crawl(links, lambda _waiting, _votes, _order: 0),
        "back-links": crawl(
            links,
            lambda waiting, votes, _: max(
                range(len(waiting)), key=lambda place: votes[waiting[place]]
            ),
        ),
        "PageRank": crawl(links, by_rank),
        "perfect": crawl(
            links,
            lambda waiting, _votes, _order: max(
                range(len(waiting)), key=lambda place: truth[waiting[place]]
            ),
        ),
    }


def table(pages: int = PAGES) -> list[str]:
    links = web(pages)
    every = set(range(pages))
    truth = page_rank(links, every, every)
    important = set(sorted(every, key=lambda page: (-truth[page], page))[: pages // 20])
    lines = [" " * 10 + "".join(f"{share:>7.0%}" for share in SHARES)]
    for name, order in orders(links).items():
        found = [len(important & set(order[: round(share * pages)])) for share in SHARES]
        lines.append(f"{name:10}" + "".join(f"{each / len(important):>7.2f}" for each in found))
    return lines


def main(arguments: list[str]) -> int:
    try:
        pages = int(arguments[0]) if arguments else PAGES
        if len(arguments) > 1 or not FEWEST <= pages <= 10_000:
            raise ValueError
    except ValueError:
        print(f"Give a number of pages from {FEWEST} to 10000, or none.", file=sys.stderr)
        return 2
    print("\n".join(table(pages)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
