"""In which order would another crawl have fetched these pages? Orders played again on their links.

A replay starts at the same seeds, knows a page when it has fetched one that links to it, and
fetches one page after the other: no host waits, nothing fails. What it can't reach by links is not
part of it.
"""

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from random import Random

Links = Sequence[Sequence[int]]
"""Of each page the pages that it links to, by their numbers."""


def breadth_first(links: Links, seeds: Sequence[int]) -> list[int]:
    known, queue, order = set(seeds), deque(seeds), list[int]()
    while queue:
        page = queue.popleft()
        order.append(page)
        for target in links[page]:
            if target not in known:
                known.add(target)
                queue.append(target)
    return order


def at_random(links: Links, seeds: Sequence[int], seed: int) -> list[int]:
    """Any of the known pages is next, each as likely as the others."""
    random, known, waiting, order = Random(seed), set(seeds), list(seeds), list[int]()
    while waiting:
        place = random.randrange(len(waiting))
        waiting[place], waiting[-1] = waiting[-1], waiting[place]
        page = waiting.pop()
        order.append(page)
        for target in links[page]:
            if target not in known:
                known.add(target)
                waiting.append(target)
    return order


def best_known_first(links: Links, seeds: Sequence[int], worth: Sequence[float]) -> list[int]:
    """The perfect order: it knows in the end what a page is worth, and which pages there are only
    from links."""
    known, waiting, order = (
        set(seeds),
        [(-worth[page], page) for page in sorted(seeds)],
        list[int](),
    )
    waiting.sort()
    while waiting:
        page = heappop(waiting)[1]
        order.append(page)
        for target in links[page]:
            if target not in known:
                known.add(target)
                heappush(waiting, (-worth[target], target))
    return order


def by_votes(
    links: Links,
    seeds: Sequence[int],
    vote: Callable[[int, int], None],
    value: Callable[[int], float],
) -> list[int]:
    """By importance: `vote` is told who links to whom, `value` says what a page is worth by then.
    Among equals the newest is first."""
    arrived = {page: number for number, page in enumerate(seeds)}
    waiting = [(-1.0, number, page) for page, number in arrived.items()]
    done, order = set[int](), list[int]()
    while waiting:
        page = heappop(waiting)[2]
        if page in done:
            continue
        done.add(page)
        order.append(page)
        for target in links[page]:
            if target not in done:
                vote(page, target)
                number = arrived.setdefault(target, len(arrived))
                heappush(waiting, (-value(target), -number, target))
    return order


def share_found(order: Sequence[int], wanted: frozenset[int]) -> list[float]:
    """After each page, the share of the wanted ones that was found."""
    found, shares = 0, list[float]()
    for page in order:
        found += page in wanted
        shares.append(found / len(wanted))
    return shares


def area_under(shares: Sequence[float]) -> float:
    """Of the curve that these make: how much was there in the mean, from the first page to the
    last."""
    return sum(shares) / len(shares) if shares else 0.0
