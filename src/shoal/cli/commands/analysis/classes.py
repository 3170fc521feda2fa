"""`shoal classes`: learn which documents belong together, and sort all others so."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, argument, classes_app, option

if TYPE_CHECKING:
    from shoal.analysis.classes import ClassCount
    from shoal.analysis.marking import Applied
    from shoal.layout.classes import ClassReport

_INDENT = "  "
_SHOWN_LINES = 40
Tree = Annotated[
    str,
    argument("TREE", "A folder of folders of files, or a file with lines CLASS, a tab and a URL."),
]


@classes_app.command("train")
def classes_train(
    tree: Tree,
    accept: Annotated[
        float, option("--accept", "CHANCE", "Give a class from this chance on (0.5).")
    ] = 0.5,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Learn classes from examples, and mark all pages with theirs.

    Classes are ways down a tree (science/biology). Each page that is stored is marked, and new
    pages as they come; search finds them by class:science. What was learned before is replaced.
    """
    from shoal.analysis import classes
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress

    with StepProgress() as progress:
        found = classes.train(
            tree, given_dir, accept, lambda pages: progress.report("marking", pages)
        )
    if json:
        screen.json(found)
        return
    _say_report(found.report, most=0)
    say_applied(found.applied, "classes")


@classes_app.command("apply")
def classes_apply(given_dir: Dir = None, json: Json = False) -> None:
    """Mark the stored pages with their classes once more.

    Only needed for pages that were not marked as they came, such as those of another collection
    that was merged into this one.
    """
    from shoal.analysis import classes
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress

    with StepProgress() as progress:
        done = classes.apply(given_dir, lambda pages: progress.report("marking", pages))
    if json:
        screen.json(done)
        return
    say_applied(done, "classes")


@classes_app.command("show")
def classes_show(
    url: Annotated[
        str, argument("URL", "A page: its likeliest classes, and the words that decided.")
    ] = "",
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """The tree of classes with their pages, or why a page is where it is."""
    from shoal.analysis import classes
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen

    with reading(given_dir) as collection:
        found = classes.of_page(collection, url) if url else classes.tree(collection)
        none = classes.no_classes(collection)
    if json:
        screen.json(found)
        return
    if not found:
        raise none
    for each in found:
        if isinstance(each, classes.ClassShare):
            words = ", ".join(f"{word} {weight:+.2f}" for _, word, weight in each.words)
            screen.say(f"{each.chance:.2f}  {each.name}  {words}")
        else:
            _say_class(each)


@classes_app.command("report")
def classes_report(given_dir: Dir = None, json: Json = False) -> None:
    """How good the classes are, by examples that were held out."""
    from shoal.analysis import classes
    from shoal.cli.terminal import screen

    found = classes.report(given_dir)
    if json:
        screen.json(found)
        return
    _say_report(found, _SHOWN_LINES)


@classes_app.command("remove")
def classes_remove(given_dir: Dir = None, json: Json = False) -> None:
    """Forget what was learned, and take the classes of all pages back."""
    from shoal.analysis import classes
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress

    with StepProgress() as progress:
        done = classes.remove(given_dir, lambda pages: progress.report("unmarking", pages))
    if json:
        screen.json(done)
        return
    say_applied(done, "classes")


def _say_class(line: "ClassCount") -> None:
    from shoal.cli.terminal.screen import say
    from shoal.cli.terminal.wording import count

    *above, name = line.name.split("/")
    words = f"   {', '.join(line.words)}" if line.words else ""
    say(f"{_INDENT * len(above)}{name}  {count(line.pages, 'page')}{words}")


def say_applied(done: "Applied", what: str) -> None:
    """What became of the pages that are stored."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    screen.say(f"{count(done.pages, 'page')} looked at, the {what} of {done.changed:,} changed.")
    if done.waits:
        screen.remark("The crawl that runs, or the next start of the cluster, writes them.")


def _say_report(report: "ClassReport", most: int) -> None:
    from shoal.analysis.class_training import f1
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    classes = count(len(report.classes), "class", "classes")
    screen.say(f"{classes} learned from {count(report.examples, 'example')} of {report.source}.")
    for note in report.notes:
        screen.say(f"  ({note})")
    if not report.held_out:
        screen.say("There are too few examples to hold some out: nobody knows how good it is.")
        return
    screen.say(
        f"Of {report.held_out:,} held out, {report.accuracy:.1%} have their class as the likeliest;"
        f" {report.coverage:.1%} were given one, {report.accepted_accuracy:.1%} of these rightly."
    )
    screen.say(
        f"Macro-F1 {report.macro_f1:.2f}; chances are off by {report.calibration_error:.2f} in "
        "the mean."
    )
    shown = sorted(report.classes, key=lambda line: (-line.examples, line.name))[:most]
    for line in shown:
        screen.say(f"{line.examples:>7,}  F1 {f1(line):.2f}  {line.name}")
    if shown and len(report.classes) > len(shown):
        screen.say(f"         and {len(report.classes) - len(shown):,} smaller ones")
