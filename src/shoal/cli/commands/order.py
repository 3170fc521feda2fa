"""`shoal order`: how well did a crawl choose?"""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, option, order_app

if TYPE_CHECKING:
    from shoal.analysis.order_report import OrderReport


@order_app.command()
def report(
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
    from shoal.analysis.order_report import order_report
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.errors import UsageError

    if plot is not None and not plot.endswith((".svg", ".png")):
        raise UsageError("--plot must be a file that ends in .svg or .png")
    if top is not None and top < 1:
        raise UsageError("--top must be 1 or more")
    with StepProgress() as progress:
        found = order_report(given_dir, top, progress.report)
    if plot is not None:
        _draw(found, plot)
    if json:
        screen.json(found)
    else:
        _say(found)


def _say(found: "OrderReport") -> None:
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


def _draw(found: "OrderReport", plot: str) -> None:
    from shoal.analysis.order_plot import png, svg
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture

    is_svg = plot.endswith(".svg")
    write_picture(plot, "--plot", svg(found).encode() if is_svg else png(found))
    screen.remark(f"Drawn to {plot}.")
