"""Which near-duplicates did the crawls of a cluster's tablets find? Their groups, and their sites.

A group is one tablet's: its pages of other tablets stand in theirs, and `explain` names the page
that stands for all. What is compared anew over all tablets is dups_all.py.
"""

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import chain, islice
from typing import NamedTuple

from shoal.collection.collection import Collection
from shoal.collection.report.duplicate_groups import (
    MOST_MEMBERS,
    DuplicateGroup,
    UrlLesson,
    duplicate_groups,
    mirrors,
    url_lessons,
)
from shoal.collection.tablets import Tablets
from shoal.collection.whole import Opened, Whole
from shoal.duplicates.learn.mirrors import Mirror


class Groups(NamedTuple):
    """Of one tablet, or of all."""

    number: int
    pages: int
    """In all of them."""
    first: list[DuplicateGroup]
    """The largest first; as many as were asked for."""


def groups_all(
    tablets: Tablets, at_most: int | None = None, most_members: int = MOST_MEMBERS
) -> Groups:
    """`duplicate_groups` of every tablet, as one list."""
    every = tablets.ask_all(first_groups, at_most, most_members)
    largest_first = merge(*(each.first for each in every), key=lambda group: -group.pages)
    return Groups(
        sum(each.number for each in every),
        sum(each.pages for each in every),
        list(islice(largest_first, at_most)),
    )


def groups_at(
    collection: Opened, at_most: int | None, most_members: int
) -> tuple[int, int, Iterable[DuplicateGroup]]:
    """Of whatever was opened: how many, with how many pages, and the first of them."""
    if isinstance(collection, Whole):
        return groups_all(collection.tablets, at_most, most_members)
    found = duplicate_groups(collection, most_members)
    return len(found), found.pages, islice(found, at_most)


def learned_at(collection: Opened) -> tuple[Iterable[Mirror], Iterable[UrlLesson]]:
    """Of whatever was opened: which sites mirror others, and which parts of URLs say nothing."""
    if isinstance(collection, Whole):
        return mirrors_all(collection.tablets), url_lessons_all(collection.tablets)
    return mirrors(collection), url_lessons(collection)


def mirrors_all(tablets: Tablets) -> Iterator[Mirror]:
    return chain.from_iterable(tablets.ask_all(known_mirrors))


def url_lessons_all(tablets: Tablets) -> Iterator[UrlLesson]:
    return chain.from_iterable(tablets.ask_all(known_lessons))


# --- questions ------------------------------------------------------------------------------


def first_groups(collection: Collection, at_most: int | None, most_members: int) -> Groups:
    found = duplicate_groups(collection, most_members)
    return Groups(len(found), found.pages, list(islice(found, at_most)))


def known_mirrors(collection: Collection) -> list[Mirror]:
    return list(mirrors(collection))


def known_lessons(collection: Collection) -> list[UrlLesson]:
    return list(url_lessons(collection))
