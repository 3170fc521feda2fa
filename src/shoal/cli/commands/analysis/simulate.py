"""`shoal simulate`: which policy of revisits would do best."""

from typing import TYPE_CHECKING, Annotated, Literal

from shoal.cli.options import Json, app, flag, option

if TYPE_CHECKING:
    from shoal.analysis.simulation import Outcome, Simulation

PolicyKind = Literal["lognormal", "daily"]


@app.command()
def simulate(
    pages: Annotated[
        int | None, option("--pages", "N", "So many pages (10,000; of a collection at most).")
    ] = None,
    population: Annotated[
        PolicyKind,
        option(
            "--population",
            "lognormal|daily",
            "Rates around one change a month; daily: and 23% of the pages change every day.",
        ),
    ] = "lognormal",
    budget: Annotated[
        list[float] | None,
        option("--budget", "B", "Visits per page and week (0.1, 0.3, 1, 3); may be repeated."),
    ] = None,
    weighted: Annotated[
        bool, flag("--weighted", "Weigh pages by importance, spread like PageRank.")
    ] = False,
    policy: Annotated[
        list[str] | None, option("--policy", "POLICY", "Only this one; may be repeated.")
    ] = None,
    years: Annotated[float, option("--years", "Y", "So much simulated time (1).")] = 1.0,
    seed: Annotated[int, option("--seed", "N", "Another number: other chances (1).")] = 1,
    plot: Annotated[
        str | None,
        option("--plot", "FILE", "Draw it, by budget or over time: FILE.svg or FILE.png."),
    ] = None,
    given_dir: Annotated[
        str | None, option("--dir", "DIR", "Take rates and weights of a collection's pages.")
    ] = None,
    json: Json = False,
) -> None:
    """Which policy of revisits would do best.

    On made-up pages, or with --dir on those of a collection, as far as a crawl knows them.
    """
    from shoal.analysis import simulation as simulating
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.errors import UsageError

    if plot is not None and not plot.endswith((".svg", ".png")):
        raise UsageError("--plot must be a file that ends in .svg or .png")
    if seed < 0:
        raise UsageError("--seed must be 0 or more")
    plain = simulating.Asked()
    asked = plain._replace(
        pages=plain.pages if pages is None else pages,
        population=population,
        budgets=tuple(dict.fromkeys(budget or plain.budgets)),
        policies=simulating.policies(policy) if policy else plain.policies,
        weighted=weighted,
        years=years,
        seed=seed,
        directory=given_dir,
        recorded=given_dir is not None,
    )
    with StepProgress() as progress:
        found = simulating.simulation(asked, progress.report)
    if plot is not None:
        _draw(found, plot)
    if json:
        screen.json(found)
    else:
        _say(found)


def _say(found: "Simulation") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    by = ", weighted by importance" if found.weighted else ""
    pages = f"{count(found.pages, 'page')} ({found.population})"
    years = f"{found.years:g} simulated year{'' if found.years == 1 else 's'}"
    screen.say(f"{pages}, {years}{by}", strong=True)
    numbers = ("budget", "age", "above", "2nd half", "above 2nd", "freshness", "visits")
    names = (numbers[0], "policy", "rates", *numbers[1:])
    screen.table(names, [_cells(each) for each in found.outcomes], numbers=numbers)
    screen.say()
    screen.say(
        "budget, visits: per page and week; above: of the exact optimum's age, in the long run."
    )


def _cells(each: "Outcome") -> tuple[str, ...]:
    return (
        f"{each.budget:g}",
        each.policy,
        each.rates,
        _days(each.age_days),
        _share(each.over_optimum),
        _days(each.later_age_days),
        _share(each.later_over_optimum),
        f"{each.freshness:.1%}",
        f"{each.spent:.3f}",
    )


def _days(days: float | None) -> str:
    return "-" if days is None else f"{days:,.3f} d"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:+.1%}"


def _draw(found: "Simulation", name: str) -> None:
    from shoal.analysis.policy_plot import png, svg
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture

    write_picture(name, "--plot", svg(found).encode() if name.endswith(".svg") else png(found))
    screen.remark(f"Drawn to {name}.")
