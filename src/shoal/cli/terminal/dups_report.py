"""What does `shoal dups` do, and how does it read? One function for each of its flags."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain, islice
from typing import Any, NamedTuple

from shoal.analysis.duplicates import regroup, search
from shoal.analysis.near_duplicates import DEFAULT_AT_MOST, NearDuplicate, compare, near_duplicates
from shoal.cli.commands.analysis.dups import Asked
from shoal.cli.places import reading
from shoal.cli.terminal import (
    accuracy_table as dups_accuracy,
)
from shoal.cli.terminal import (
    difference as dups_difference,
)
from shoal.cli.terminal import (
    screen,
)
from shoal.cli.terminal.output_forms import file_named, file_or_page
from shoal.cli.terminal.page_report import stored
from shoal.cli.terminal.progress import StepProgress, remarked_texts
from shoal.cli.terminal.wording import count, program
from shoal.collection.collection import Collection
from shoal.collection.report.duplicate_groups import (
    MOST_MEMBERS,
    DuplicateGroup,
    duplicate_groups,
    mirrors,
    url_lessons,
)
from shoal.files.deduping import Comparison
from shoal.files.named_texts import NamedTexts, NamedThings
from shoal.model.record import to_json

_SHOWN_MEMBERS = 5
_READING = {"reading": "texts read", "copies": "copies named", "pairs": "pairs compared"}


def done(asked: Asked) -> int:
    """The exit code."""
    match asked.mode:
        case "--diff":
            return _diff(asked)
        case "--of":
            _of(asked)
        case "--all" | "--files":
            _compare_all(asked)
        case "--sites":
            _sites(asked)
        case "--accuracy":
            dups_accuracy.show(asked)
        case "--rebuild":
            _rebuild(asked)
        case _:
            _groups(asked)
    return 0


# --- groups as they are stored --------------------------------------------------------------


def _groups(asked: Asked) -> None:
    with reading(asked.given_dir) as collection:
        most_members = MOST_MEMBERS if asked.json else _SHOWN_MEMBERS
        groups = duplicate_groups(collection, most_members)
        number, shown = len(groups), islice(groups, asked.at_most)
        if asked.json:
            screen.stream(to_json(group) + b"\n" for group in shown)
            return
        if not number:
            screen.say(_none_found(collection))
            return
        screen.say(f"{count(number, 'group')} of near-duplicates with {groups.pages:,} pages.")
        screen.say()
        rows = [row for group in shown for row in _group_rows(group)]
        screen.table(("pages", "alike", "page"), rows, numbers=("pages", "alike"))
        _and_more(number - (asked.at_most or 0), "group")


def _none_found(collection: Collection) -> str:
    all_pages = f"{program()} dups --all compares all pages"
    if collection.config.dedupe.near == "no":
        return f"Pages are not grouped here (see the setting dedupe.near); {all_pages}."
    return f"No two pages say nearly the same, as far as the crawl has seen; {all_pages}."


def _group_rows(group: DuplicateGroup) -> Iterator[tuple[str, str, str]]:
    yield f"{group.pages:,}", "", group.page
    for member in group.members:
        yield "", f"{member.resemblance:.2f}", member.url
    rest = group.pages - 1 - len(group.members)
    if rest > 0:
        yield "", "", f"and {rest:,} more"


def _and_more(rest: int, noun: str) -> None:
    if rest > 0:
        screen.say(f"and {count(rest, noun)} more (--limit N shows more, --json all)")


# --- one text -------------------------------------------------------------------------------


def _of(asked: Asked) -> None:
    name, at_most = asked.of or "", asked.limit or DEFAULT_AT_MOST
    with ExitStack() as open_ones, StepProgress() as progress:
        collection = open_ones.enter_context(reading(asked.given_dir))
        source = stored(collection, name) if "://" in name else file_named(name)
        found = near_duplicates(
            collection,
            source,
            scan=asked.scan,
            at_most=at_most,
            progress=lambda number: progress.report("texts read", number),
        )
    if asked.json:
        screen.json({"of": name, "scan": asked.scan, "near": found})
        return
    if found:
        columns = ("alike", "within", "words", "near", "page")
        screen.table(columns, map(_near_row, found), numbers=columns[:3])
        near = sum(each.is_near for each in found)
        by = "cosine (words)" if asked.scan else "resemblance (alike)"
        enough = f"{near:,} of these {'is' if near == 1 else 'are'} near enough to count"
        screen.say(f"Best first, by {by}; {enough}.")
    elif asked.scan:
        screen.say(f"No stored page has a word in common with {name}.")
    else:
        screen.say(f"Nothing that is stored is near {name}; --scan compares it with every text.")


def _near_row(each: NearDuplicate) -> tuple[str, str, str, str, str]:
    near = "yes" if each.is_near else "no"
    shares = f"{each.resemblance:.2f}", f"{each.containment:.2f}", f"{each.cosine:.2f}"
    return (*shares, near, each.url)


def _diff(asked: Asked) -> int:
    one, other = asked.diff or ("", "")
    with (
        file_or_page(one, asked.given_dir) as a,
        file_or_page(other, asked.given_dir) as b,
    ):
        found = compare(a, b)
    dups_difference.show(found, (one, other), asked)
    return 0


# --- all of them ----------------------------------------------------------------------------


def _compare_all(asked: Asked) -> None:
    by = Comparison(asked.method or "default", asked.resemblance, asked.bits or 64, asked.differing)
    with ExitStack() as open_ones, StepProgress() as progress:

        def tell(doing: str, done: int, total: int) -> None:
            progress.report(_READING.get(doing, doing), done, total)

        if asked.files is None:
            collection = open_ones.enter_context(reading(asked.given_dir))
            found: NamedThings[Any] = search(collection, by, progress=tell, address=asked.address)
        else:
            texts = open_ones.enter_context(remarked_texts(asked.files, progress))
            found = NamedTexts(texts, by, tell)
        if asked.json:
            screen.stream(islice(_as_json(found, asked), asked.at_most))
            return
        report = (_pairs if asked.pairs else _clusters)(found, asked)
    # The line that moves has gone: now the result can be written.
    if report.rows:
        screen.table(report.columns, report.rows, numbers=report.columns[:1])
    _and_more(report.rest, report.noun)
    screen.say(f"{count(found.number, asked.noun)} read; {report.says}.")


class _Report(NamedTuple):
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    rest: int
    noun: str
    says: str


def _as_json(found: NamedThings[Any], asked: Asked) -> Iterator[bytes]:
    if asked.pairs:
        for pair in found.pairs():
            yield to_json(pair._asdict()) + b"\n"
    else:
        for group in found.clusters():
            first, *others = group
            noun = asked.noun
            told = {noun: first, f"{noun}s": len(group), "members": others}
            yield to_json(told) + b"\n"


def _clusters(found: NamedThings[Any], asked: Asked) -> _Report:
    groups, members, at_most = 0, 0, asked.at_most or 0
    rows: list[tuple[str, ...]] = []
    for group in found.clusters():
        groups += 1
        members += len(group)
        if groups <= at_most:
            rows += _cluster_rows(group)
    within = f" with {count(members, asked.noun)}" if groups else ""
    says = f"{count(groups, 'group')} of near-duplicates{within}"
    return _Report((f"{asked.noun}s", asked.noun), rows, groups - at_most, "group", says)


def _cluster_rows(group: list[str]) -> Iterator[tuple[str, str]]:
    yield f"{len(group):,}", group[0]
    for name in group[1 : _SHOWN_MEMBERS + 1]:
        yield "", name
    rest = len(group) - 1 - _SHOWN_MEMBERS
    if rest > 0:
        yield "", f"and {rest:,} more"


def _pairs(found: NamedThings[Any], asked: Asked) -> _Report:
    pairs = found.pairs()
    rows: list[tuple[str, ...]] = [
        (f"{pair.resemblance:.2f}", pair.a, pair.b) for pair in islice(pairs, asked.at_most)
    ]
    rest = sum(1 for _ in pairs)
    says = f"{count(len(rows) + rest, 'pair')} of near-duplicates"
    return _Report(("alike", "one", "other"), rows, rest, "pair", says)


# --- sites, and making anew -----------------------------------------------------------------


def _sites(asked: Asked) -> None:
    with reading(asked.given_dir) as collection:
        if asked.json:
            told = chain(
                ({"kind": "mirror", **each._asdict()} for each in mirrors(collection)),
                ({"kind": "lesson", **asdict(each)} for each in url_lessons(collection)),
            )
            screen.stream(to_json(each) + b"\n" for each in islice(told, asked.at_most))
            return
        told_lines = _site_lines(collection)
        shown = list(islice(told_lines, asked.at_most))
        rest = sum(1 for _ in told_lines)
    for line in shown or ["No site mirrors another, and no part of a URL is known to say nothing."]:
        screen.say(line)
    _and_more(rest, "line")


def _site_lines(collection: Collection) -> Iterator[str]:
    for each in mirrors(collection):
        says = f"{each.mirror} mirrors {each.original}"
        yield _lesson_line(says, each.compared, each.same, learned=each.learned)
    for lesson in url_lessons(collection):
        says = f"{lesson.site}: {lesson.says}"
        yield _lesson_line(says, lesson.compared, lesson.same, learned=lesson.learned)


def _lesson_line(says: str, compared: int, same: int, *, learned: bool) -> str:
    pages = count(compared, "compared page is", "compared pages are")
    seen = f"{same:,} of {pages} the same" if compared else "none compared yet"
    return f"{'learned' if learned else 'suspected'}: {says} ({seen})"


def _rebuild(asked: Asked) -> None:
    found = regroup(asked.given_dir, screen.remark)
    if asked.json:
        screen.json({"duplicates": found})
    else:
        pages = count(found, "page is a duplicate", "pages are duplicates")
        screen.say(f"The groups were made anew: {pages}.")
