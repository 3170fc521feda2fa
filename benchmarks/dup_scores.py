"""How well were near-duplicates told from the rest? Pairs, counted by what is known of them.

Two documents are copies if one is the original of the other, or if both are copies of one original
whose changes together stay within the limits of one (two copies with 10% each may differ by 20%:
that pair is not judged). Look-alikes are of one template. Every other pair is of strangers.
Precision is over all judged pairs that were called duplicates: look-alikes and strangers count
against it. Groups are scored by the pairs within them, without listing the strangers.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

from benchmarks.dup_corpus import MOST_IN_RUNS, MOST_SCATTERED, How, Made

Verdict = Literal["copies", "lookalikes", "strangers", "unjudged"]


class Case(NamedTuple):
    verdict: Verdict
    same_site: bool
    how: How = ""
    """Of copies: how they differ. Scattered changes count as such whatever else there is."""


Counts = Counter[Case]


class Scores(NamedTuple):
    found: Counts
    """Pairs that were called duplicates."""
    known: Counts
    """All pairs of copies and of look-alikes."""

    @property
    def precision(self) -> float:
        copies, _ = self._share("copies")
        wrong = self._share("lookalikes")[0] + self._share("strangers")[0]
        return copies / (copies + wrong) if copies + wrong else 0.0

    @property
    def recall(self) -> float:
        return self.recall_of()

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def summary(self) -> tuple[float, float, float]:
        """Precision, recall, F1."""
        return self.precision, self.recall, self.f1

    def recall_of(self, *, same_site: bool | None = None, how: How | None = None) -> float:
        """Of all copies, or of those on one site or on two, that differ in one way."""
        found, known = self._share("copies", same_site, how)
        return found / known if known else float("nan")

    def merged(self, *, same_site: bool | None = None) -> float:
        """The share of look-alike pairs that were called duplicates."""
        found, known = self._share("lookalikes", same_site)
        return found / known if known else float("nan")

    def _share(
        self, verdict: Verdict, same_site: bool | None = None, how: How | None = None
    ) -> tuple[int, int]:
        def total(counts: Counts) -> int:
            return sum(
                number
                for case, number in counts.items()
                if case.verdict == verdict
                and same_site in {None, case.same_site}
                and how in {None, case.how}
            )

        return total(self.found), total(self.known)


def judge(one: Made, other: Made) -> Case:
    same_site = one.site == other.site
    kinds = {one.kind, other.kind}
    if one.of != other.of:
        return Case("strangers", same_site)
    if kinds == {"lookalike"}:
        return Case("lookalikes", same_site)
    how: How = "scattered" if "scattered" in {one.how, other.how} else one.how or other.how
    most = MOST_SCATTERED if how == "scattered" else MOST_IN_RUNS
    within = "original" in kinds or one.changed + other.changed <= most
    if "unjudged" in kinds or not within:
        return Case("unjudged", same_site)
    return Case("copies", same_site, how)


def judged_pairs(labels: Iterable[Made]) -> Counts:
    """All pairs of copies and of look-alikes that there are, and those not judged."""
    families: defaultdict[str, list[Made]] = defaultdict(list)
    for made in labels:
        families[made.of].append(made)
    return Counter(
        judge(one, other) for family in families.values() for one, other in combinations(family, 2)
    )


def score_groups(labels: Sequence[Made], group_of: Mapping[str, Hashable]) -> Scores:
    """`group_of` names the group of an id; who is not in it is in no group. Texts are not read."""
    groups: defaultdict[Hashable, list[Made]] = defaultdict(list)
    for made in labels:
        if made.id in group_of:
            groups[group_of[made.id]].append(made)
    found: Counts = Counter()
    for members in groups.values():
        related = judged_pairs(members)
        found += related
        same_site = sum(
            comb(number, 2) for number in Counter(each.site for each in members).values()
        )
        related_same = sum(number for case, number in related.items() if case.same_site)
        strangers = comb(len(members), 2) - related.total()
        found[Case("strangers", same_site=True)] += same_site - related_same
        found[Case("strangers", same_site=False)] += strangers - (same_site - related_same)
    return Scores(found, judged_pairs(labels))


def score_pairs(labels: Sequence[Made], pairs: Iterable[tuple[str, str]]) -> Scores:
    by_id = {made.id: made for made in labels}
    once = {(min(pair), max(pair)) for pair in pairs}
    found = Counter(judge(by_id[one], by_id[other]) for one, other in once)
    return Scores(found, judged_pairs(labels))
