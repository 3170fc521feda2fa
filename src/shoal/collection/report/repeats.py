"""What does a collection say twice, in a few lines? The largest groups, rules and mirrors.

`shoal dups` reads all of it; this reads a bounded part, for a page that is looked at often.
"""

from heapq import nlargest
from itertools import islice

from shoal.collection.report.duplicate_groups import UrlLesson, known_lessons, known_mirrors
from shoal.collection.view import TabletView
from shoal.layout.duplicates import groups
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of

_MOST_GROUPS = 20_000
MOST_SHOWN = 20
_MOST_LESSONS_LOOKED_AT = 2_000


class RepeatedPage(Struct):
    url: str
    """The page that stands for all."""
    pages: int


class Rule(Struct):
    site: str
    says: str
    same: int
    compared: int
    learned: bool


class MirrorPair(Struct):
    site: str
    original: str
    learned: bool


class Repeats(Struct):
    groups: list[RepeatedPage]
    groups_looked_at: int
    are_all_groups: bool
    rules: list[Rule]
    mirrors: list[MirrorPair]


def repeats(collection: TabletView) -> Repeats:
    collection.must_see_all()
    found = groups(collection.table, collection.store).all_groups()
    some = [(group.members, group.representative) for _, group in islice(found, _MOST_GROUPS)]
    lessons = known_lessons(collection, _MOST_LESSONS_LOOKED_AT)
    by_use = sorted(lessons, key=lambda each: (not each.learned, -each.same))
    return Repeats(
        groups=[
            RepeatedPage(url_of(representative), pages)
            for pages, representative in nlargest(MOST_SHOWN, some)
            if collection.may_name(representative)
        ],
        groups_looked_at=len(some),
        are_all_groups=len(some) < _MOST_GROUPS,
        rules=[_rule(each) for each in by_use[:MOST_SHOWN]],
        mirrors=[
            MirrorPair(each.mirror, each.original, each.learned)
            for each in known_mirrors(collection)[:MOST_SHOWN]
        ],
    )


def _rule(lesson: UrlLesson) -> Rule:
    return Rule(lesson.site, lesson.says, lesson.same, lesson.compared, lesson.learned)
