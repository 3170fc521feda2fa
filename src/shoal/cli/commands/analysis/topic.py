"""`shoal topic make`, `yes`, `no`, `list`, `show`, `remove`: what a crawl should be about."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, argument, option, topic_app

if TYPE_CHECKING:
    from shoal.analysis.topic_report import TopicReport
    from shoal.control.topics import Answer, Taught

Name = Annotated[str, argument("NAME", "A topic: letters a to z, digits, - and _.")]
Pages = Annotated[list[str], argument("URL…", "Stored pages; with yes also others.")]
OfTopic = Annotated[
    str | None, option("--topic", "NAME", "Which topic; without it the only one there is.")
]


@topic_app.command("make")
def topic_make(
    name: Name,
    words: Annotated[str | None, option("--words", "WORDS", "Words that it is about.")] = None,
    pages: Annotated[
        list[str] | None, option("--pages", "URL…", "Pages about it; five do much. Repeatable.")
    ] = None,
    more: Annotated[list[str] | None, argument("…", "Further pages, or the second folder.")] = None,
    folder: Annotated[
        str | None, option("--folder", "ON OFF", "Folders of files: about it, and not.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Make a topic of words, of pages, or of folders of files.

    `shoal crawl --topic NAME` then fetches first what leads to it. Pages that are not stored are
    fetched by that crawl before all others. Said again, words are replaced and pages added.
    """
    from shoal.api import make_topic
    from shoal.errors import UsageError

    further = list(more or ())
    if further and pages and folder:
        raise UsageError("say --pages before each page where --folder is given, too")
    folders = [folder, *(further if not pages else [])] if folder else []
    if len(folders) > 2:
        raise UsageError("--folder takes two folders: what is on the topic, and what is not")
    if further and not pages and not folder:
        raise UsageError(f"say what {further[0]!r} is: --pages URL, or --folder ON OFF")
    taught = make_topic(
        name,
        words=words or "",
        pages=[*(pages or ()), *(further if pages else [])],
        folders=folders,
        dir=given_dir,
    )
    _tell(taught, json=json)


@topic_app.command("yes")
def topic_yes(
    urls: Pages, topic: OfTopic = None, given_dir: Dir = None, json: Json = False
) -> None:
    """Say that pages are about a topic. A running crawl learns it at once."""
    _teach(topic, urls, "yes", given_dir, json=json)


@topic_app.command("no")
def topic_no(urls: Pages, topic: OfTopic = None, given_dir: Dir = None, json: Json = False) -> None:
    """Say that pages are not about a topic. A running crawl learns it at once."""
    _teach(topic, urls, "no", given_dir, json=json)


@topic_app.command("unsay")
def topic_unsay(
    urls: Pages, topic: OfTopic = None, given_dir: Dir = None, json: Json = False
) -> None:
    """Take back what was said of pages."""
    _teach(topic, urls, "unsaid", given_dir, json=json)


def _teach(
    topic: str | None, urls: list[str], answer: "Answer", given_dir: str | None, *, json: bool
) -> None:
    from shoal.api import teach_topic

    _tell(teach_topic(topic or "", urls, answer, dir=given_dir), json=json)


def _tell(taught: "Taught", *, json: bool) -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    if json:
        screen.json(taught)
        return
    when = "the running crawl learns it now" if taught.running else "it is learned"
    said = [count(taught.yes, "page") + " on it"] if taught.yes else []
    said += [count(taught.no, "page") + " off it"] if taught.no else []
    what = f": {', '.join(said)}" if said else ""
    screen.say(f"Topic {taught.name}{what}; {when}.")
    if taught.to_fetch:
        pages = count(len(taught.to_fetch), "page")
        screen.remark(f"{pages} to be fetched first: shoal crawl --topic {taught.name}")
    for each in taught.left_out:
        screen.remark(f"left out, since it says nothing: {each}")


@topic_app.command("list")
def topic_list(given_dir: Dir = None, json: Json = False) -> None:
    """Every topic, and what was said of it."""
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.collection.report.topics import topic_lines

    with reading(given_dir) as collection:
        lines = topic_lines(collection)
    if json:
        screen.json(lines)
        return
    if not lines:
        screen.remark("There is no topic: shoal topic make NAME --words WORDS")
    else:
        columns = ["topic", "words", "yes", "no", "to be fetched"]
        rows = (
            (each.name, each.words, str(each.yes), str(each.no), str(each.waiting or ""))
            for each in lines
        )
        screen.table(columns, rows, numbers=["yes", "no", "to be fetched"])
    tell_waiting(given_dir)


@topic_app.command("show")
def topic_show(name: Name, given_dir: Dir = None, json: Json = False) -> None:
    """What a topic is made of, and the words that speak for it."""
    from shoal.cli.places import reading, tell_waiting
    from shoal.cli.terminal import screen
    from shoal.collection.report.topics import shown_topic

    with reading(given_dir) as collection:
        found = shown_topic(collection, name)
    if json:
        screen.json(found)
        return
    screen.say(found.name, strong=True)
    if found.words:
        screen.say(f"  words      {found.words}")
    for label in found.labels:
        state = "" if label.is_known else " (to be fetched)"
        screen.say(f"  {'yes' if label.yes else 'no':<9}  {label.url}{state}")
    if found.speak_for_it:
        words = ", ".join(each.word for each in found.speak_for_it)
        screen.say(f"  known by   {words}")
    tell_waiting(given_dir)


@topic_app.command("remove")
def topic_remove(name: Name, given_dir: Dir = None, json: Json = False) -> None:
    """Forget a topic, with all that was said and learned of it."""
    from shoal.cli.terminal import screen
    from shoal.control.topics import remove
    from shoal.layout.layout import place_of

    running = remove(place_of(given_dir), name)
    if json:
        screen.json({"removed": name, "running": running})
    else:
        screen.say(f"Topic {name} is removed.")


@topic_app.command("report")
def topic_report(
    name: Name,
    truth: Annotated[
        str | None, option("--truth", "FILE", "URLs by which recall is told, a line each.")
    ] = None,
    plot: Annotated[
        str | None, option("--plot", "FILE", "Draw the curves: FILE.svg or FILE.png.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """How much of what was fetched is on a topic, and how soon.

    Against breadth first, played again on the same links; with the domains and lists of links that
    gave most.
    """
    from shoal.analysis import topic_report as report
    from shoal.cli.terminal import screen
    from shoal.errors import UsageError

    if plot is not None and not plot.endswith((".svg", ".png")):
        raise UsageError("--plot must be a file that ends in .svg or .png")
    urls = None if truth is None else _lines_of(truth)
    found = report.topic_report(name, given_dir, urls)
    if plot is not None:
        _draw(found, plot)
    if json:
        screen.json(found)
    else:
        _say(found)


def _lines_of(file: str) -> list[str]:
    from pathlib import Path

    text = Path(file).read_text(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _say(found: "TopicReport") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count, program

    on, pages = found.on_topic, count(found.pages, "page")
    screen.say(f"{on:,} of {pages} on the topic {found.topic}", strong=True)
    if found.recall is not None:
        screen.say(f"Recall: {found.recall:.3f} of the pages of the yardstick were fetched.")
    columns = ["order", "first tenth", "first half", "all"]
    rows = (
        (each.name, f"{each.at_tenth:.3f}", f"{each.at_half:.3f}", f"{each.in_all:.3f}")
        for each in found.curves
    )
    screen.table(columns, rows, numbers=columns[1:])
    columns = ["domain", "pages", "on topic"]
    lines = ((each.domain, f"{each.pages:,}", f"{each.on_topic:,}") for each in found.domains)
    screen.table(columns, lines, numbers=columns[1:])
    if found.hubs:
        columns = ["list of links", "hub", "on topic"]
        hubs = ((each.url, f"{each.hub:.3f}", str(each.named)) for each in found.hubs)
        screen.table(columns, hubs, numbers=columns[1:])
    if not found.waiting:
        screen.remark(
            f"No link waits. More seeds, a wider --scope, pages of your own ({program()} submit "
            f"URL) or other words ({program()} topic make {found.topic} --words WORDS) may bring "
            "more."
        )


def _draw(found: "TopicReport", file: str) -> None:
    from shoal.analysis.order_plot import picture_of_topic
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.output_forms import write_picture

    write_picture(file, "--plot", picture_of_topic(found, is_svg=file.endswith(".svg")))
    screen.remark(f"Drawn to {file}.")
