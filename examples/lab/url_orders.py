"""In which order should a crawler fetch, if it can't fetch all? An exercise with five orders.

    python url_orders.py [PAGES [SEED]]

A web is made up: sites with a home page, sections and articles, and links between sites, which
mostly go where many go already. Important are the pages that PageRank ranks highest when all links
are known. A crawler does not know them: it sees the links of the pages that it has, and nothing
else. It begins at one page, and its next page is

    depth        the one that was found last
    random       any of those that were found
    breadth      the one that was found first
    back-links   the one with most links from pages that it has
    PageRank     the one that ranks highest by the links of the pages that it has

A good order comes to the important pages early (Cho, Garcia-Molina and Page, 1998). Politeness,
which holds up every order, is left out.
"""

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import accumulate
from random import Random

Web = list[list[int]]
"""The links of each page, without repetition: pages by their numbers."""

DAMPING = 0.85
TOP = 0.05  # of all pages: the important ones
LOOKS = (0.05, 0.1, 0.2, 0.3, 0.5)  # shares of all pages, after which the found ones are counted
MOST_PAGES = 20_000


def made_web(pages: int, seed: int) -> Web:
    random = Random(seed)
    homes = sorted({0, *random.sample(range(pages), pages // 25)})
    web: list[set[int]] = [set() for _ in range(pages)]
    cited = list(homes)  # a page stands here once for each link to it, so many choose it
    for home, end in zip(homes, [*homes[1:], pages], strict=True):
        sections = range(home + 1, min(end, home + 1 + (end - home) // 8))
        for page in range(home, end):
            web[page].add(home)
            if page in sections:
                web[home].add(page)
            elif page > home:
                above = random.choice(sections) if sections else home
                web[above].add(page)
                web[page].add(above)
                web[page].add(random.randrange(home, end))  # a page like it
            for _ in range(int(random.expovariate(1 / 4))):
                # Three times in four the writer has seen the target linked elsewhere.
                far = random.choice(cited) if random.random() < 3 / 4 else random.randrange(pages)
                web[page].add(far)
                cited.append(far)
    return [sorted(links - {page}) for page, links in enumerate(web)]


def reached(web: Web, start: int) -> list[int]:
    """All pages that can be found from one, in breadth-first order."""
    found, queue = {start: None}, deque([start])
    while queue:
        for target in web[queue.popleft()]:
            if target not in found:
                found[target] = None
                queue.append(target)
    return list(found)


def only(web: Web, pages: list[int]) -> Web:
    """The web of these pages, numbered anew."""
    numbers = {page: number for number, page in enumerate(pages)}
    return [[numbers[target] for target in web[page] if target in numbers] for page in pages]


def pagerank(web: Web, ranks: list[float] | None = None, turns: int = 40) -> list[float]:
    """A page gives 85% of its rank to those it links to, in equal parts. The rest, and all that
    pages without links have, goes to every page alike."""
    pages = len(web)
    ranks = ranks or [1 / pages] * pages
    for _ in range(turns):
        kept, given = 1 - DAMPING, [0.0] * pages
        for rank, links in zip(ranks, web, strict=True):
            if links:
                share = DAMPING * rank / len(links)
                for target in links:
                    given[target] += share
            else:
                kept += DAMPING * rank
        ranks = [kept / pages + each for each in given]
    return ranks


def breadth(web: Web) -> Iterator[int]:
    yield from reached(web, 0)


def depth(web: Web) -> Iterator[int]:
    found, waiting = {0}, [0]
    while waiting:
        page = waiting.pop()
        yield page
        new = [target for target in web[page] if target not in found]
        found.update(new)
        waiting += new


def at_random(web: Web) -> Iterator[int]:
    random, found, waiting = Random(1), {0}, [0]
    while waiting:
        at = random.randrange(len(waiting))
        waiting[at], waiting[-1] = waiting[-1], waiting[at]
        page = waiting.pop()
        yield page
        for target in web[page]:
            if target not in found:
                found.add(target)
                waiting.append(target)


def by_back_links(web: Web) -> Iterator[int]:
    """A count only grows, so a page enters the heap again each time; its first turn counts."""
    links_to, found, fetched = Counter[int](), {0: 0}, set[int]()
    heap = [(0, 0, 0)]
    while heap:
        page = heappop(heap)[2]
        if page not in fetched:
            fetched.add(page)
            yield page
            for target in web[page]:
                links_to[target] += 1
                number = found.setdefault(target, len(found))  # of equals the one found first
                if target not in fetched:
                    heappush(heap, (-links_to[target], number, target))


def by_pagerank(web: Web) -> Iterator[int]:
    """Fifty times in all the ranks are computed again; then the best ones are fetched in turn."""
    found, fetched = {0: 0}, set[int]()  # pages, with numbers in the order of finding
    known: Web = [[]]  # the links of the fetched ones, by these numbers
    ranks = [1.0]
    while len(fetched) < len(found):
        waiting = sorted(
            found.keys() - fetched, key=lambda page: (-ranks[found[page]], found[page])
        )
        for page in waiting[: max(1, len(web) // 50)]:
            fetched.add(page)
            yield page
            for target in web[page]:
                if target not in found:
                    found[target] = len(found)
                    known.append([])
            known[found[page]] = [found[target] for target in web[page]]
        ranks = pagerank(known, ranks + [1 / len(known)] * (len(known) - len(ranks)), turns=10)


ORDERS: dict[str, Callable[[Web], Iterator[int]]] = {
    "depth": depth,
    "random": at_random,
    "breadth": breadth,
    "back-links": by_back_links,
    "PageRank": by_pagerank,
}


def compared(pages: int, seed: int) -> str:
    web = made_web(pages, seed)
    web = only(web, reached(web, 0))
    ranks = pagerank(web)
    best = sorted(range(len(web)), key=lambda page: (-ranks[page], page))
    important = set(best[: max(1, int(TOP * len(web)))])
    links = sum(map(len, web))
    lines = [f"{len(web):,} pages, {links:,} links, {len(important)} important pages"]
    lines.append(
        "found after" + "".join(f"{look:7.0%}" for look in LOOKS) + " of the pages; in the mean"
    )
    for name, order in ORDERS.items():
        found = list(accumulate(page in important for page in order(web)))
        shares = [found[max(1, int(look * len(web))) - 1] / len(important) for look in LOOKS]
        mean = sum(found) / len(found) / len(important)
        lines.append(f"{name:11}" + "".join(f"{share:7.3f}" for share in shares) + f"{mean:27.3f}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if arguments == ["--help"]:
        print(__doc__.rstrip())
        return 0
    try:
        pages, seed, *more = [*map(int, arguments), *(3_000, 1)[len(arguments) :]]
        if more or not 100 <= pages <= MOST_PAGES:
            raise ValueError
    except ValueError:
        print(
            f"url_orders: give a number of pages, 100 to {MOST_PAGES:,}, and a seed, or nothing",
            file=sys.stderr,
        )
        return 2
    print(compared(pages, seed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
