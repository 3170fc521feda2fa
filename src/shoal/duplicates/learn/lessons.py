"""Which URLs of a site always give pages that are there already? Learned per site while crawling.

    lesson 00 site                               →  the site's candidate rules (url_rules.py), and
                                                    what was seen of each
    form 00 hash of site, rule and form (8)      →  the first page that was fetched with this form

Two duplicates on one site suggest a rule. From then on each fetched page that the rule touches is
compared with the page of the same form: same group or another. A rule that held often enough, for
distinct pages, is learned, and URLs whose form is stored are refused. A site without duplicates
has neither entry, and costs one look into a dict.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from shoal.duplicates.family import FAMILY
from shoal.duplicates.learn.url_rules import (
    Rule,
    bare,
    form,
    joint,
    part_in_words,
    plain_urls,
    rules_between,
    section,
)
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.record import Struct, field, pack, unpack
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.ports import Batch, Table

MOST_CANDIDATES = 8
SAMPLE = 16
"""One URL in so many is fetched although a lesson refuses it."""
MOST_SITES_AT_HAND = 4096
MOST_RECALLED = 10_000
"""Pages of a site that are entered when a rule is learned: they came before it was thought of."""

LESSON_KEY = b"lesson" + NUL
FORM_KEY = b"form" + NUL

_HISTORY = 32
_RECENT = 16
_UNLEARNED_BY = 2
_PENANCE = 32
"""Observations that a revoked lesson waits before it may be learned again."""
_MOST_SECTIONS = 32
_HELD_IN_SECTION = 3
_SECTIONS_FOR_ALL = 4
"""A lesson that held in so many sections is believed in a new one too."""

GroupOf = Callable[[bytes], bytes | None]
"""The group of a stored page by its row; None when no page is stored there."""

RowsOf = Callable[[bytes], Iterable[bytes]]
"""The rows of the pages that are stored of a site (by its key)."""


class Unlearned(NamedTuple):
    """A lesson was wrong: what it refused is to be queued again."""

    site: bytes
    rule: str
    reason: str
    """What the reasons of its refusals begin with."""


class Standard(NamedTuple):
    """What convinces."""

    observations: int
    groups: int
    tolerated: int
    """Observations against it among the last 16."""
    observations_of_few: int = 0
    """With fewer groups so many observations, all for it; 0: never."""


LESSON = Standard(observations=8, groups=3, tolerated=0, observations_of_few=_HISTORY)


class Evidence(Struct, array_like=True):
    """What was seen of a lesson: is it learned, and where does it hold?"""

    seen: int = 0
    same: int = 0
    history: int = 0
    """The last 32 observations as bits, the newest lowest; a bit that is set speaks against it."""
    groups: list[bytes] = field(default_factory=list)
    """Distinct groups for which it held lately."""
    sections: dict[int, int] = field(default_factory=dict)
    """How often it held in a section of the site; negative after it failed there."""
    learned: bool = False
    not_before: int = 0

    def add(self, standard: Standard, group: bytes, held: bool, where: str) -> bool:
        """One observation. Returns whether the lesson is revoked by it."""
        self.seen += 1
        self.same += held
        self.history = (self.history << 1 | (not held)) & ((1 << _HISTORY) - 1)
        self._note_section(_short(where), held)
        if held:
            self._note_group(quick_digest(group)[:8], standard.groups)
        elif self._failed_lately() > standard.tolerated:
            self.groups.clear()
        if not self.learned:
            self.learned = self._convinces(standard)
            return False
        if self._failed_lately() < _UNLEARNED_BY:
            return False
        self.learned = False
        self.not_before = self.seen + _PENANCE
        return True

    def holds_in(self, where: str) -> bool:
        """Whether it is learned for this section: it held there, or nearly everywhere."""
        if not self.learned:
            return False
        held = self.sections.get(_short(where), 0)
        if held >= _HELD_IN_SECTION:
            return True
        return held >= 0 and sum(n > 0 for n in self.sections.values()) >= _SECTIONS_FOR_ALL

    @property
    def is_spare(self) -> bool:
        """It may give way to another candidate: nothing rests on it, or is to be remembered."""
        return not self.learned and self.seen >= self.not_before

    @property
    def use(self) -> int:
        lately = min(self.seen, _HISTORY)
        return lately - 3 * self.history.bit_count()

    def _convinces(self, standard: Standard) -> bool:
        if self.seen < self.not_before or self._failed_lately() > standard.tolerated:
            return False
        if len(self.groups) >= standard.groups:
            return self.seen >= standard.observations
        of_few = standard.observations_of_few
        return 0 < of_few <= self.seen and self.history == 0

    def _failed_lately(self) -> int:
        return (self.history & ((1 << _RECENT) - 1)).bit_count()

    def _note_group(self, group: bytes, most: int) -> None:
        if group not in self.groups and len(self.groups) < most:
            self.groups.append(group)

    def _note_section(self, where: int, held: bool) -> None:
        if where not in self.sections and len(self.sections) >= _MOST_SECTIONS:
            return  # never refused there before it is site-wide: dear, not wrong
        before = self.sections.get(where, 0)
        self.sections[where] = min(before + 1, 99) if held else -_HELD_IN_SECTION


class Lesson(Struct, array_like=True):
    rule: Rule
    evidence: Evidence


def forgotten(_site: bytes) -> Iterable[bytes]:
    """Pages that came before the rule are not looked for."""
    return ()


class Lessons:
    """The lessons of all sites. The lists at hand are changed in the commit that writes them:
    commits come one after the other, and one that fails ends the process.

    No URL is lost for good. A refused URL stays known, with the reason. One URL in 16 is fetched
    all the same, so a rule that is wrong is seen to fail and is revoked: `Unlearned.reason` is
    what the reasons of all its refusals begin with, and the frontier queues those again. A refusal
    is never given without a stored page that it rests on: when a page goes that `rests_on`, what
    was refused at its site is asked again, and the next of its form is let through. A rule refuses
    nothing in sections of the site where it was not seen to hold.
    """

    def __init__(self, table: Table, rows_of: RowsOf = forgotten) -> None:
        self._table = table
        self._rows_of = rows_of
        self._of = lru_cache(MOST_SITES_AT_HAND)(self._load)

    def of(self, site: bytes) -> Sequence[Lesson]:
        """What is suspected or known of a site, for people."""
        return tuple(self._of(site))

    def refusal(self, row: bytes, url: str, is_stored: Callable[[bytes], bool]) -> str:
        """Why a page need not be fetched, in words; empty when it must be."""
        site = site_of_key(row)
        lessons = self._of(site)
        if not lessons or is_sample(row):
            return ""
        for lesson in lessons:
            if not lesson.evidence.learned:
                continue
            left = form(lesson.rule, url)
            if left is None or not lesson.evidence.holds_in(section(left)):
                continue
            for partner in self._partners(site, lesson.rule, left):
                if partner != row and is_stored(partner):
                    return f"{_reason(lesson.rule)}{url_of(partner)} is stored"
        return ""

    def rests_on(self, row: bytes) -> bool:
        """Whether pages may have been refused because this one is stored."""
        site = site_of_key(row)
        learned = [each.rule for each in self._of(site) if each.evidence.learned]
        url = url_of(row) if learned else ""
        return any(
            form(rule, url) is None or self._first(site, rule, bare(rule, url)) == row
            for rule in learned
        )

    def observe(
        self, batch: Batch, row: bytes, group: bytes, twin: bytes | None, group_of: GroupOf
    ) -> list[Unlearned]:
        """A page was fetched, and is in this group; `twin` is another page of this group on the
        same site. Returns the lessons that are revoked by it."""
        site = site_of_key(row)
        lessons = self._of(site)
        if twin is not None and (twin == row or site_of_key(twin) != site):
            twin = None
        if not lessons and twin is None:
            return []
        page = _Page(site, row, url_of(row), group, twin)
        revoked, changed = [], False
        for lesson in lessons:
            other = self._group_of_partner(batch, page, lesson.rule, group_of)
            if other is None:
                continue
            changed, was_learned = True, lesson.evidence.learned
            where = section(bare(lesson.rule, page.url))
            if lesson.evidence.add(LESSON, group, other == group, where):
                revoked.append(Unlearned(site, lesson.rule, _reason(lesson.rule)))
            elif lesson.evidence.learned and not was_learned:
                self._recall(batch, site, lesson.rule)
        changed |= self._consider(batch, lessons, page)
        if changed:
            batch.put(FAMILY, LESSON_KEY + site, pack(lessons))
        return revoked

    def _load(self, site: bytes) -> list[Lesson]:
        stored = self._table.get(FAMILY, LESSON_KEY + site)
        return [] if stored is None else unpack(list[Lesson], stored)

    def _partners(self, site: bytes, rule: Rule, left: str) -> list[bytes]:
        """Rows of pages that the rule takes for one with this form: without its part, if there is
        one, and the first with it."""
        first = self._first(site, rule, left)
        plain = [row_key(url) for url in plain_urls(rule, left)]
        return plain if first is None else [*plain, first]

    def _first(self, site: bytes, rule: Rule, left: str) -> bytes | None:
        """The page that stands under a form; the short hash is a hint, the row decides."""
        row = self._table.get(FAMILY, _form_key(site, rule, left))
        if row is None or site_of_key(row) != site or bare(rule, url_of(row)) != left:
            return None
        return row

    def _group_of_partner(
        self, batch: Batch, page: "_Page", rule: Rule, group_of: GroupOf
    ) -> bytes | None:
        """The group of a page that the rule takes for this one; None when none is stored. The form
        is entered if no stored page stands there."""
        left = bare(rule, page.url)
        first = self._first(page.site, rule, left)
        found = None if first is None or first == page.row else group_of(first)
        twin = page.twin if page.twin and bare(rule, url_of(page.twin)) == left else None
        if form(rule, page.url) is not None:
            if found is None and first != page.row:
                is_older = twin is not None and form(rule, url_of(twin)) is not None
                earliest = twin if twin is not None and is_older else page.row
                batch.put(FAMILY, _form_key(page.site, rule, left), earliest)
            for plain in map(row_key, plain_urls(rule, left)):
                if (group := group_of(plain)) is not None:
                    return group
        # A page that was fetched before the rule was thought of has no entry under its form.
        return page.group if found is None and twin is not None else found

    def _recall(self, batch: Batch, site: bytes, rule: Rule) -> None:
        """Without this the second walk through a site, with its second session id, is whole."""
        for row in islice(self._rows_of(site), MOST_RECALLED):
            left = form(rule, url_of(row))
            if left is not None:
                batch.put(FAMILY, _form_key(site, rule, left), row)

    def _consider(self, batch: Batch, lessons: list[Lesson], page: "_Page") -> bool:
        """Take up the rule that explains the twin; the least useful candidate gives way."""
        if page.twin is None:
            return False
        twin_url = url_of(page.twin)
        rule = joint(rules_between(page.url, twin_url))
        if not rule or any(lesson.rule == rule for lesson in lessons):
            return False
        if len(lessons) >= MOST_CANDIDATES:
            spare = least_useful([lesson.evidence for lesson in lessons])
            if spare is None:
                return False
            del lessons[spare]
        lessons.append(Lesson(rule, Evidence()))
        first = page.row if form(rule, twin_url) is None else page.twin
        batch.put(FAMILY, _form_key(page.site, rule, bare(rule, page.url)), first)
        return True


class _Page(NamedTuple):
    site: bytes
    row: bytes
    url: str
    group: bytes
    twin: bytes | None


def is_sample(row: bytes) -> bool:
    """Whether a page is fetched whatever was learned; always the same ones."""
    return quick_digest(row)[0] % SAMPLE == 0


def least_useful(candidates: Sequence[Evidence]) -> int | None:
    """The place of the one that gives way to a new candidate; of equals the oldest."""
    spare = [at for at, evidence in enumerate(candidates) if evidence.is_spare]
    return min(spare, key=lambda at: candidates[at].use, default=None)


def _reason(rule: Rule) -> str:
    differ = f"pages of this site that differ only in {part_in_words(rule)}"
    return f"pattern: {differ} are the same, and "


def _form_key(site: bytes, rule: Rule, left: str) -> bytes:
    return FORM_KEY + quick_digest(NUL.join((site, rule.encode(), left.encode())))[:8]


def _short(where: str) -> int:
    return int.from_bytes(quick_digest(where.encode())[:4])
