"""Has somebody said this before? The verdict on a page, in its commit.

First by its bytes (exact.py), then by what it says: the content's sketch is looked up, and the page
joins the group of its near-duplicates (near.py, groups.py). The representative of a group is
indexed, the others are kept as its duplicates. What the verdicts have in common at a site is
learned (lessons.py, mirrors.py), and pages that would say nothing new are no longer asked for.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from shoal.duplicates.across.across import Across
from shoal.duplicates.exact.exact import LEAST_TEXT_CHARS, ExactDuplicates, Judged
from shoal.duplicates.learn.lessons import Lessons
from shoal.duplicates.learn.mirrors import Mirrors
from shoal.duplicates.near.groups import Groups, Newcomer, Settled, Worth, readers_digest
from shoal.duplicates.near.near import Cut, NearIndex
from shoal.duplicates.near.sketch import Fingerprint, resemblance
from shoal.model.document import Document, Fate, Reassigned, Understood
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import part_of, site_of_key, url_of
from shoal.model.verdict import Verdict, graded
from shoal.model.visit import OF_SITE, Fetched, Visit, VisitKind
from shoal.ports import Batch

SAME_SITE = 0.65
ACROSS_SITES = 0.6
"""The least resemblance of near-duplicates: their sketches share so much of all their shingles.
Pages of one site may be alike by what its template says, those of two sites hardly."""

_CAN_BE_GROUPED = (Fate.WAITING, Fate.INDEXED, Fate.DUPLICATE)
_VANISHED = (Outcome.MISSING, Outcome.GONE, Outcome.REDIRECT)
_TELLS_WHAT_IS_INSIDE = (Outcome.OK, Outcome.EMPTY_ANSWER, *_VANISHED)
_STILL_THERE = (Outcome.OK, Outcome.UNCHANGED, Outcome.CANCELLED)
_TWINS_ASKED = 16
"""Members of a group that a page's URL is compared with, to learn from."""


InsideOf = Callable[[bytes], Iterable[bytes]]
"""The rows of the documents that are stored as inside one."""


@dataclass(frozen=True)
class NearSettings:
    same_site: float = SAME_SITE
    across_sites: float = ACROSS_SITES


@dataclass(frozen=True)
class Known:
    """What the collection knows of a URL, by its row."""

    is_stored: Callable[[bytes], bool]
    """Whether a page is there."""
    is_wanted: Callable[[bytes], bool]
    """Whether it is there or will be asked for."""


class DiskDuplicates:
    """The Prints port."""

    def __init__(
        self,
        exact: ExactDuplicates,
        near: "Near | None" = None,
        lessons: "Learning | None" = None,
        across: Across | None = None,
        inside_of: InsideOf = lambda _row: (),
    ) -> None:
        self._exact = exact
        self._near = near
        self._lessons = lessons
        self.across = across
        """What other tablets say; None for a collection that has one."""
        self._inside_of = inside_of

    def recognize(self, visit: Visit, fetched: Fetched) -> None:
        self._exact.recognize(visit, fetched)

    def judge(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood
    ) -> Verdict:
        # Nobody's own document is hidden behind another that says the same, or nearly: four monthly
        # bills, or a copy whose original is deleted.
        is_own = bool(visit.readers)
        if is_own:
            exact = Judged(understood.documents)
        else:
            exact = self._exact.judge(batch, visit, fetched, understood)
        if not visit.is_first and fetched.outcome in _TELLS_WHAT_IS_INSIDE:
            exact = exact._replace(left=self._left(visit.row, exact.documents))
        if self._near is None or visit.kind in OF_SITE or is_own:
            return Verdict(exact.documents, exact.links_known, left=exact.left)
        found = self._near.judge(batch, visit, fetched, understood.fingerprints, exact)
        documents, reassigned = found.documents, found.reassigned
        if self.across is not None:
            documents, reassigned = self.across.after_judge(
                batch, visit, documents, reassigned, exact.left
            )
        learned = NOTHING
        is_public = not (documents and documents[0].readers)
        if self._lessons is not None and visit.kind is VisitKind.PAGE and is_public:
            learned = self._lessons.learn(batch, visit, fetched, found.settled)
        return Verdict(
            documents,
            exact.links_known,
            found.resemblance,
            reassigned,
            found.orphaned,
            learned.reopened,
            learned.revoked,
            exact.left,
        )

    def _left(self, row: bytes, documents: Sequence[Document]) -> Sequence[bytes]:
        """The documents that were inside this one before."""
        there = {row + part_of(document.name) for document in documents}
        return [each for each in self._inside_of(row) if each not in there]

    def learned(self, visit: Visit) -> str:
        """Why a page need not be asked for; empty when it must."""
        return "" if self._lessons is None else self._lessons.refusal(visit)

    def withdraw(self, batch: Batch, row: bytes) -> list[Reassigned]:
        if self._near is None:
            return []
        self._near.index.begin()
        reassigned = self._near.groups.leave(batch, row)
        if self.across is not None:
            reassigned += self.across.after_withdraw(batch, row, reassigned)
        return reassigned

    def share(
        self, batch: Batch, row: bytes, document: Document
    ) -> tuple[list[Reassigned], list[bytes]]:
        """Other people may read a page from now on, as its document says: it joins a group of
        theirs. Returns whose place changes, its own with it (the last word on each counts), and the
        page that stood for it, which others call less than before."""
        found = None if self._near is None else self._near.groups.fingerprint_of(row)
        if self._near is None or found is None:
            return [], []
        self._near.index.begin()
        worth = partial(self._near.worth_of, row, document)
        page = Newcomer(row, found[0], readers_digest(document.readers), None, worth)
        before = self._near.groups.representative_of(row)
        settled = self._near.groups.settle(batch, page, self._near.cut(row))
        own = Reassigned(row, Fate.WAITING, "")
        if settled.representative != row:
            own = Reassigned(row, Fate.DUPLICATE, url_of(settled.representative))
        reassigned = [*settled.reassigned, own]
        if self.across is not None:
            reassigned += self.across.after_withdraw(batch, row, reassigned)
        return reassigned, [] if before in (None, row) else [before]


class Grouped(NamedTuple):
    """The documents of a visit in their groups."""

    documents: Sequence[Document]
    settled: Settled | None
    """Where the visit's own page has come to stand."""
    resemblance: float
    reassigned: Sequence[Reassigned]
    orphaned: Sequence[bytes]


class Learned(NamedTuple):
    """What is wanted after all, by the verdict on a page: rows and sites, as in `Verdict`."""

    reopened: Sequence[bytes] = ()
    revoked: Sequence[bytes] = ()


NOTHING = Learned()


class Near:
    """Groups the documents of a visit."""

    def __init__(
        self,
        index: NearIndex,
        groups: Groups,
        worth_of: Callable[[bytes, Document], Worth],
        settings: NearSettings,
    ) -> None:
        self.index = index
        self.groups = groups
        self.worth_of = worth_of
        self._settings = settings

    def judge(
        self,
        batch: Batch,
        visit: Visit,
        fetched: Fetched,
        prints: Sequence[tuple[bytes, bytes]],
        exact: Judged,
    ) -> Grouped:
        """`prints`: of each document, in their order; there may be none."""
        self.index.begin()
        stood_for_it = None if visit.is_first else self.groups.representative_of(visit.row)
        documents, reassigned = list(exact.documents), list[Reassigned]()
        if fetched.outcome in _VANISHED and not visit.is_first:
            reassigned += self.groups.leave(batch, visit.row)
        for row in exact.left:
            reassigned += self.groups.leave(batch, row)
        own, alike, beside = None, 0.0, dict[bytes, Callable[[], Worth]]()
        for place, (document, found) in enumerate(zip(exact.documents, prints, strict=False)):
            row = visit.row + part_of(document.name)
            is_new = visit.is_first and not document.name
            if not (visit.is_first or document.name or document.body_digest == visit.seen_digest):
                before = self.groups.sketch_of(row)
                alike = resemblance(before, found[0]) if before else 0.0
            settled, worth = None, partial(self.worth_of, row, document)
            if not fetched.cut and _says_enough(document):  # what was cut may go on in another way
                page = Newcomer(
                    row,
                    Fingerprint(*found),
                    readers_digest(document.readers),
                    None if document.name else exact.twin,
                    worth,
                    is_new,
                    beside,
                )
                settled = self.groups.settle(batch, page, self.cut(row))
            if settled is None:
                reassigned += [] if is_new else self.groups.leave(batch, row)
                continue
            reassigned += settled.reassigned
            beside[row] = worth
            if settled.representative == row:
                documents[place] = graded(document, Fate.WAITING, "")
            else:
                documents[place] = graded(document, Fate.DUPLICATE, url_of(settled.representative))
            if not document.name:
                own = settled
        if len(beside) > 1:  # one that came later may stand for one that came before
            reassigned = [each for each in reassigned if each.row not in beside]
            documents = [self._placed(visit.row, each, beside) for each in documents]
        orphaned = []
        if stood_for_it is not None and stood_for_it != visit.row:
            orphaned = (
                [] if stood_for_it == self.groups.representative_of(visit.row) else [stood_for_it]
            )
        return Grouped(documents, own, alike, reassigned, orphaned)

    def _placed(self, of: bytes, document: Document, settled: Container[bytes]) -> Document:
        row = of + part_of(document.name)
        stands = self.groups.representative_of(row) if row in settled else None
        if stands is None:
            return document
        if stands == row:
            return graded(document, Fate.WAITING, "")
        return graded(document, Fate.DUPLICATE, url_of(stands))

    def cut(self, row: bytes) -> Cut:
        """How alike a core must be to a page."""
        site, settings = site_of_key(row), self._settings
        return lambda core: (
            settings.same_site if site_of_key(core) == site else settings.across_sites
        )


class Learning:
    """What sites teach about their URLs, from the verdicts on their pages."""

    def __init__(self, lessons: Lessons, mirrors: Mirrors, groups: Groups, known: Known) -> None:
        self._lessons = lessons
        self._mirrors = mirrors
        self._groups = groups
        self._known = known

    def refusal(self, visit: Visit) -> str:
        if not visit.is_first or visit.source in (LinkSource.SEED, LinkSource.SUBMIT):
            return ""  # what is stored may stand for others, and a person's word counts
        return self._lessons.refusal(
            visit.row, visit.url, self._known.is_stored
        ) or self._mirrors.refusal(visit.row, self._known.is_wanted)

    def learn(
        self, batch: Batch, visit: Visit, fetched: Fetched, settled: Settled | None
    ) -> Learned:
        site, reopened, unlearned = site_of_key(visit.row), list[bytes](), list[bytes]()
        if fetched.outcome not in _STILL_THERE:
            # What was refused because this page is taken is wanted now, wherever it stands.
            reopened += self._mirrors.counterparts(visit.row)
            if not visit.is_first and self._lessons.rests_on(visit.row):
                unlearned.append(site)
        if settled is None:
            return Learned(reopened, unlearned)
        kin = self._twins(settled.group_id, visit.row)
        twin = next((row for row in kin if site_of_key(row) == site), None)
        others = [row for row in kin if site_of_key(row) != site]
        group_of = self._groups.group_of
        revoked = [
            *self._lessons.observe(batch, visit.row, settled.group_id, twin, group_of),
            *self._mirrors.observe(batch, visit.row, settled.group_id, others, group_of),
        ]
        return Learned(reopened, [*unlearned, *(each.site for each in revoked)])

    def _twins(self, group_id: bytes, row: bytes) -> Sequence[bytes]:
        members = (each for each in self._groups.members(group_id) if each != row)
        return list(islice(members, _TWINS_ASKED))


def _says_enough(document: Document) -> bool:
    return document.fate in _CAN_BE_GROUPED and document.text_chars >= LEAST_TEXT_CHARS
