"""`shoal freshness`: how fresh a collection is, and how old."""

import time
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, WhereArgument, app, flag, option

if TYPE_CHECKING:
    from shoal.collection.collection import Collection
    from shoal.collection.report.freshness import Freshness, PageFreshness
    from shoal.collection.report.measuring import Figures

_DEFAULT_SITES = 20
_MOST_SITES = 100_000
_COLUMNS = ("page", "freshness", "age", "since last fetch", "rate", "changes/visits", "next visit")
"""Of the lines of --pages."""


@app.command()
def freshness(
    where: WhereArgument = "",
    pages: Annotated[bool, flag("--pages", "Every page, not only sums.")] = False,
    sites: Annotated[
        int | None, option("--sites", "N", "Show so many sites, the largest (20; 0: none).")
    ] = None,
    since: Annotated[
        str | None,
        option("--since", "TIME", "Over time from then on: a date, or an age (30d)."),
    ] = None,
    plot: Annotated[
        str | None, option("--plot", "FILE", "Draw it over time: FILE.svg or FILE.png.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """How fresh the stored pages are, and how old.

    Freshness is the share of copies that are as their page is now; age is for how long they have
    not been, which is not the time since the last fetch. Both are expected values, by each page's
    own rate of change.
    """
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import to_time
    from shoal.collection.report.freshness import freshness as measure
    from shoal.errors import UsageError

    if sites is not None and sites < 0:
        raise UsageError("--sites must be 0 or more")
    if plot is not None and not plot.endswith((".svg", ".png")):
        raise UsageError("--plot must be a file that ends in .svg or .png")
    if pages and plot is not None:
        raise UsageError("ask for one at a time: --pages or --plot")
    after = None if since is None else to_time(since, "--since", time.time())
    shown = min(_DEFAULT_SITES if sites is None else sites, _MOST_SITES)
    with reading(given_dir) as collection:
        if pages:
            _say_pages(collection, where, json=json)
            return
        found = measure(collection, where, sites=shown, since=after)
    if plot is not None:
        _draw(found, plot)
    if json:
        screen.json(found)
    else:
        _say(found)


def _say(found: "Freshness") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.collection.report.freshness_units import length_of_time

    if not found.stored:
        screen.say("No page is stored there.")
        return
    screen.say(f"{count(found.stored, 'stored page')} at {found.at}", strong=True)
    if found.now.pages < found.stored:
        screen.say(f"A sample of {found.now.pages:,} of them, evenly chosen, was measured.")
    now = found.now
    age, fetched = length_of_time(now.age_days), length_of_time(now.days_since_fetch)
    weighted = length_of_time(found.weighted_age_days)
    lines = [
        ("freshness", f"{now.freshness:.1%}", "of the copies are as their page is"),
        ("age", age, "since a page became another, 0 while it has not"),
        ("by weight", weighted, "age, each page by what it is worth"),
        ("last fetch", fetched, "ago, in the mean"),
    ]
    if found.planned_age_days is not None:
        says = "age that the planned visits give in the long run"
        lines.append(("planned", length_of_time(found.planned_age_days), says))
    for name, value, says in lines:
        screen.say(f"  {name:<11}{value:>12}  {says}")
    if found.by_prior:
        kind = "its kind" if found.by_prior == 1 else "their kind"
        screen.say(
            f"{count(found.by_prior, 'page')} not yet seen twice: taken to change like others "
            f"of {kind}."
        )
    _table_of_sites(found)
    _table_of_times(found)


def _table_of_sites(found: "Freshness") -> None:
    from shoal.cli.terminal import screen

    if found.sites:
        screen.say()
        rows = [(f"{each.stored:,}", *_cells(each), each.site) for each in found.sites]
        if found.others is not None:
            name = f"{found.other_sites:,} other site{'s' if found.other_sites != 1 else ''}"
            rows.append((f"{found.others.stored:,}", *_cells(found.others), name))
        numbers = ("pages", "measured", "freshness", "age", "since last fetch")
        screen.table((*numbers, "site"), rows, numbers=numbers)


def _table_of_times(found: "Freshness") -> None:
    from shoal.cli.terminal import screen

    if len(found.over_time) > 1:
        screen.say()
        last = len(found.over_time) - 1
        chosen = [found.over_time[round(number * last / 7)] for number in range(8)]
        numbers = ("measured", "freshness", "age", "since last fetch")
        rows = [(*_cells(each), each.at) for each in chosen]
        screen.table((*numbers, "at"), rows, numbers=numbers)


def _cells(each: "Figures") -> tuple[str, str, str, str]:
    from shoal.collection.report.freshness_units import length_of_time

    if not each.pages:
        return "0", "-", "-", "-"
    age, fetched = length_of_time(each.age_days), length_of_time(each.days_since_fetch)
    return f"{each.pages:,}", f"{each.freshness:.1%}", age, fetched


def _say_pages(collection: "Collection", where: str, *, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.collection.report.freshness import page_lines
    from shoal.model.record import to_json

    lines = page_lines(collection, where)
    if json:
        screen.stream(to_json(line) + b"\n" for line in lines)
    else:
        screen.data("\t".join(_COLUMNS).encode(), b"\n")
        screen.stream(_line(line).encode() for line in lines)


def _line(line: "PageFreshness") -> str:
    from shoal.cli.terminal.wording import one_line
    from shoal.collection.report.freshness_units import length_of_time

    cells = (
        line.url,
        f"{line.freshness:.3f}",
        length_of_time(line.age_days),
        length_of_time(line.days_since_fetch),
        f"{line.changes_per_day:.3g}/d",
        f"{line.changes}/{line.visits}",
        line.due or "-",
    )
    return "\t".join(one_line(cell) for cell in cells) + "\n"


def _draw(found: "Freshness", name: str) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture
    from shoal.collection.report.freshness_plot import png, svg

    is_svg = name.endswith(".svg")
    write_picture(name, "--plot", svg(found.over_time).encode() if is_svg else png(found.over_time))
    screen.remark(f"Drawn to {name}.")
