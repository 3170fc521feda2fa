"""What did a run of extractors find? F1 by set and by page type, paired differences, CPU.

All extractors read the same pages in the same order, so the nth result of one is held against the
nth of another. A difference is the default's F1 less the other's; its error is over pages.
"""

from collections.abc import Iterator
from statistics import fmean, median
from typing import NamedTuple

from benchmarks import report
from benchmarks.extract_scores import SETS, Counts, Difference, difference, total

DEFAULT = "shoal-model"
YARDSTICK = "trafilatura"


class Result(NamedTuple):
    set: str
    page: str
    type: str
    fold: int
    counts: Counts
    cpu_ms: float
    fault: str

    @property
    def f1(self) -> float:
        return SETS[self.set][1].f1(self.counts)


Results = dict[str, list[Result]]
"""By extractor."""


class Group(NamedTuple):
    label: str
    set: str
    pages: list[int]
    """Places in each extractor's list."""

    def f1(self, results: list[Result]) -> float:
        return SETS[self.set][1].f1(total(self._rows(results)))

    def difference(self, ours: list[Result], theirs: list[Result]) -> Difference:
        return difference(SETS[self.set][1], self._rows(ours), self._rows(theirs))

    def mean_cpu_ms(self, results: list[Result]) -> float:
        return fmean(results[index].cpu_ms for index in self.pages)

    def _rows(self, results: list[Result]) -> list[Counts]:
        return [results[index].counts for index in self.pages]


def reference(results: Results) -> str:
    """Whom the others are held against: the default, if it ran."""
    return DEFAULT if DEFAULT in results else next(iter(results))


def shown(results: Results) -> Iterator[str]:
    """The run's tables and lines, each a paragraph."""
    ours = reference(results)
    first = results[ours]
    by_set, by_type = _by_set(first), _by_type(first)
    yield f"F1 by set (pages)\n{_f1_table(results, by_set)}"
    if by_type:
        yield f"F1 by page type (pages)\n{_f1_table(results, by_type)}"
    if len(results) > 1:
        yield f"F1 of {ours} less the other's, on the same pages\n{_differences(results, by_set)}"
    if len(results) > 1 and by_type:
        head = f"F1 of {ours} less the other's ± standard error, by page type"
        yield f"{head}\n{_difference_matrix(results, by_type)}"
    yield f"CPU ms a page, the parse included\n{_cpu_table(results, by_set)}"
    yield "\n".join(_lines(results, by_set))


def _by_set(first: list[Result]) -> list[Group]:
    return _groups([(each.set, each.set) for each in first])


def _by_type(first: list[Result]) -> list[Group]:
    return sorted(_groups([(each.type, each.set) for each in first]))


def _groups(keys: list[tuple[str, str]]) -> list[Group]:
    found: dict[tuple[str, str], list[int]] = {}
    for index, key in enumerate(keys):
        if key[0]:
            found.setdefault(key, []).append(index)
    return [Group(label, name, places) for (label, name), places in found.items()]


def _f1_table(results: Results, groups: list[Group]) -> str:
    head = ["extractor", *(f"{group.label} ({len(group.pages)})" for group in groups)]
    rows = [
        (name, *(f"{group.f1(found):.4f}" for group in groups)) for name, found in results.items()
    ]
    return report.table(head, rows)


def _differences(results: Results, groups: list[Group]) -> str:
    ours = reference(results)
    rows = []
    for group in groups:
        for name, found in results.items():
            if name != ours:
                parts = group.difference(results[ours], found)
                ends = f"{parts.low:+.4f} … {parts.high:+.4f}"
                error = f"{parts.standard_error:.4f}"
                rows.append((f"{group.label} {name}", f"{parts.mean:+.4f}", error, ends))
    return report.table(("set and extractor", "difference", "standard error", "95%"), rows)


def _difference_matrix(results: Results, groups: list[Group]) -> str:
    ours = reference(results)
    rows = []
    for name, found in results.items():
        if name != ours:
            parts = [group.difference(results[ours], found) for group in groups]
            rows.append((name, *(f"{each.mean:+.3f} ±{each.standard_error:.3f}" for each in parts)))
    return report.table(("extractor", *(group.label for group in groups)), rows)


def _cpu_table(results: Results, groups: list[Group]) -> str:
    rows = []
    yardstick = [each.cpu_ms for each in results.get(YARDSTICK, [])]
    for name, found in results.items():
        spent = [each.cpu_ms for each in found]
        ratios = ["-", "-"]
        if yardstick:
            ratios = [f"{kind(spent) / kind(yardstick):.3f}" for kind in (median, fmean)]
        per_set = [group.mean_cpu_ms(found) for group in groups]
        faults = sum(bool(each.fault) for each in found)
        rows.append((name, median(spent), fmean(spent), *ratios, max(spent), faults, *per_set))
    head = ("extractor", "median", "mean", "median ratio", "mean ratio", "slowest", "faults")
    return report.table((*head, *(f"mean {group.label}" for group in groups)), rows)


def _lines(results: Results, groups: list[Group]) -> Iterator[str]:
    ours = reference(results)
    for name, found in results.items():
        if name == ours:
            continue
        for group in groups:
            mine = group.f1(results[ours])
            yield report.line(f"f1/{group.label}/{name}", mine, group.f1(found))
        spent = [fmean(each.cpu_ms for each in found_by) for found_by in (results[ours], found)]
        yield report.line(f"cpu-ms-per-page/{name}", *spent)
