"""`shoal rank`, `links`, `graph`, `order`: who links to whom, what is that worth, and did it come
first?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, Ray, Url, app, flag, option, order_app

if TYPE_CHECKING:
    from shoal.analysis.graph_report import GraphReport
    from shoal.analysis.order_report import OrderReport
    from shoal.analysis.page_links import PageLink, Surroundings
    from shoal.analysis.ranking import Ranked, Ranking

_DEFAULT_TOP = 20
_DEFAULT_LINKS = 20


@app.command()
def rank(
    top: Annotated[
        int | None, option("--top", "N", "Show so many of the highest (20; 0: none).")
    ] = None,
    sites: Annotated[bool, flag("--sites", "Show sites instead of pages.")] = False,
    site: Annotated[
        str, option("--site", "URL", "Show only pages of a site, named by any of its URLs.")
    ] = "",
    personal: Annotated[
        list[str] | None,
        option("--personal", "URL", "Rank from these pages, not from all alike; may be repeated."),
    ] = None,
    unfetched: Annotated[
        bool, flag("--unfetched", "Also pages that were never fetched, by the links to them.")
    ] = False,
    address: Ray = "",
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """What pages are worth by the links to them (PageRank).

    Searches and crawls in priority order use it from then on. Links that say nofollow, ugc or
    sponsored do not count.
    """
    from shoal.analysis.ranking import rank as rank_pages
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.errors import UsageError

    if top is not None and top < 0:
        raise UsageError("--top must be 0 or more")
    if sites and site:
        raise UsageError("ask for one at a time: --sites or --site")
    with StepProgress() as progress:
        shown = _DEFAULT_TOP if top is None else top
        found = rank_pages(
            given_dir, personal or (), shown, progress.report, site, address, unfetched
        )
    if json:
        screen.json(found)
        return
    _say_ranking(found)
    _table_of_ranks(found.sites if sites else found.pages, sites=sites)


def _say_ranking(found: "Ranking") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, duration

    now, before = found.summary, found.before
    pages, links = count(now.nodes, "page"), count(now.edges, "link")
    screen.say(
        f"{pages} of {count(now.sites, 'site')} ranked by {links} that count (of {now.links:,}) in "
        f"{duration(now.seconds)}, {count(now.iterations, 'iteration')}."
    )
    if now.personal:
        screen.say(f"Ranked from {count(len(now.personal), 'page')}, not from all alike.")
    if before is None:
        return
    more_pages, more_links = now.nodes - before.nodes, now.edges - before.edges
    changed = f"{more_pages:+,} pages, {more_links:+,} links since the last time"
    screen.say(f"{changed}." if more_pages or more_links else "The same links as the last time.")


def _table_of_ranks(ranked: "list[Ranked]", *, sites: bool) -> None:
    from shoal.cli.terminal import screen

    if not ranked:
        return
    screen.say()
    linked = "sites in" if sites else "links in"
    rows = [
        (
            str(place),
            f"{each.score:.3f}",
            "" if each.was is None else _moved(each.score - each.was),
            f"{each.rank:.2e}",
            f"{each.links_in:,}",
            each.url,
        )
        for place, each in enumerate(ranked, 1)
    ]
    numbers = ("place", "score", "since", "PageRank", linked)
    screen.table((*numbers, "site" if sites else "page"), rows, numbers=numbers)


def _moved(by: float) -> str:
    return "" if abs(by) < 0.0005 else f"{by:+.3f}"


@app.command()
def links(
    url: Url,
    inwards: Annotated[bool, flag("--in", "Only the links to it.")] = False,
    outwards: Annotated[bool, flag("--out", "Only its own links.")] = False,
    around: Annotated[
        bool, flag("--around", "The best lists of links around it, and what these name most.")
    ] = False,
    limit: Annotated[
        int | None, option("--limit", "N", "Show at most so many (20; with --json 10,000).")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Who links to a page, and to whom it links."""
    from shoal.analysis.page_links import MOST_LINKS
    from shoal.analysis.page_links import around as hubs_around
    from shoal.analysis.page_links import links as page_links
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, program
    from shoal.errors import UsageError

    if limit is not None and limit < 1:
        raise UsageError("--limit must be 1 or more")
    if around and (inwards or outwards):
        raise UsageError("ask for one at a time: --around or --in and --out")
    most = limit or (MOST_LINKS if json else _DEFAULT_LINKS)
    if around:
        surroundings = hubs_around(url, given_dir, most)
        if json:
            screen.json(surroundings)
        else:
            _say_surroundings(surroundings)
        return
    found = page_links(url, given_dir, most)
    both = inwards == outwards
    if json:
        left_out = set() if both else {"links_out"} if inwards else {"links_in"}
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        screen.json({name: value for name, value in fields.items() if name not in left_out})
        return
    screen.say(found.url)
    screen.say(f"Score {found.score:.3f}; its site {found.site_score:.3f}.")
    if both or inwards:
        screen.say()
        screen.say(f"{count(found.total_in, 'page')} linking to it:", strong=True)
        _table_of_links(found.links_in, found.total_in)
        if found.to_duplicates:
            more = count(found.to_duplicates, "further link leads", "further links lead")
            screen.say(
                f"{more} to near-duplicates that it stands for; all are in: "
                f"{program()} show --anchors {found.url}"
            )
    if both or outwards:
        screen.say()
        screen.say(f"{count(found.total_out, 'link')} on it:", strong=True)
        _table_of_links(found.links_out, found.total_out)


def _table_of_links(shown: "list[PageLink]", total: int) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import one_line

    if not shown:
        return
    rows = [
        (f"{each.score:.3f}", each.url, one_line(each.text, 80), " ".join(each.rel))
        for each in shown
    ]
    screen.table(("score", "page", "anchor text", "rel"), rows, numbers=("score",))
    if total > len(shown):
        screen.say(f"… and {total - len(shown):,} more (--limit, --json).")


def _say_surroundings(found: "Surroundings") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    screen.say(f"Among {count(found.pages, 'page')} around it:")
    for name, pages in (("Hubs", found.hubs), ("Authorities", found.authorities)):
        screen.say()
        screen.say(f"{name}:" if pages else f"{name}: none.", strong=True)
        if pages:
            rows = [(f"{value:.3f}", url) for url, value in pages]
            screen.table(("weight", "page"), rows, numbers=("weight",))


@app.command()
def graph(
    plot: Annotated[
        str | None, option("--plot", "DIR", "Draw the laws into a directory, as SVG and PNG.")
    ] = None,
    export: Annotated[
        str | None,
        option("--export", "FILE", "Write the graph: FILE.graphml, or FILE.parquet."),
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """What shape the gathered web has: its parts, distances, laws.

    As of the last `rank`; without one the links are ranked first.
    """
    from shoal.analysis.graph_export import export_graph
    from shoal.analysis.graph_report import link_graph
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.cli.terminal.wording import count

    with StepProgress() as progress:
        if export is not None:
            done = export_graph(export, given_dir, progress.report)
            if json:
                screen.json(done)
                return
            written = f"{count(done.nodes, 'page')} and {count(done.edges, 'link')}"
            screen.remark(f"{written} written to {' and '.join(done.files)}.")
            if plot is None:
                return
        found = link_graph(given_dir, progress.report)
    if plot is not None:
        _draw(found, Path(plot))
    if json:
        screen.json(found)
        return
    for line in found.lines:
        screen.say(line)


def _draw(found: "GraphReport", directory: Path) -> None:
    from shoal.analysis.log_plot import png, svg
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture
    from shoal.errors import UsageError

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--plot needs a directory: {error.strerror or error}") from error
    for curve in found.curves:
        name = curve.name.replace(" ", "-")
        write_picture(str(directory / f"{name}.svg"), "--plot", svg(curve).encode())
        write_picture(str(directory / f"{name}.png"), "--plot", png(curve))
    screen.remark(f"{len(found.curves)} drawings written to {directory}.")


@order_app.command("report")
def order_report(
    top: Annotated[
        int | None,
        option("--top", "K", "The K most important pages (one in twenty)."),
    ] = None,
    plot: Annotated[
        str | None, option("--plot", "FILE", "Draw the curves: FILE.svg or FILE.png.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """How early the most important pages came.

    Important are those of the highest PageRank. The same links are played again breadth first, at
    random, in perfect order, and without waiting for any host.
    """
    from shoal.analysis import order_report as report
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.errors import UsageError

    if plot is not None and not plot.endswith((".svg", ".png")):
        raise UsageError("--plot must be a file that ends in .svg or .png")
    if top is not None and top < 1:
        raise UsageError("--top must be 1 or more")
    with StepProgress() as progress:
        found = report.order_report(given_dir, top, progress.report)
    if plot is not None:
        _draw_order(found, plot)
    if json:
        screen.json(found)
    else:
        _say_order(found)


def _say_order(found: "OrderReport") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    pages, important = count(found.pages, "page"), found.important
    screen.say(f"{pages}, of these {important:,} important", strong=True)
    if found.left_out:
        screen.say(f"{count(found.left_out, 'page')} more were found by no link from a seed.")
    screen.say()
    head = ("after a tenth", "area", "order")
    rows = [(f"{each.at_tenth:.1%}", f"{each.area:.3f}", each.name) for each in found.curves]
    screen.table(head, rows, numbers=head[:2])
    screen.say()
    if found.loss is not None:
        screen.say(f"Politeness cost {max(0.0, found.loss):.3f} of the area.")
    if found.rank_mass is not None:
        screen.say(
            f"At least {found.rank_mass:.1%} of the weight that links from the seeds lead to is "
            "fetched."
        )


def _draw_order(found: "OrderReport", plot: str) -> None:
    from shoal.analysis.order_plot import picture_of_order
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture

    picture = picture_of_order(found, is_svg=plot.endswith(".svg"))
    write_picture(plot, "--plot", picture)
    screen.remark(f"Drawn to {plot}.")
