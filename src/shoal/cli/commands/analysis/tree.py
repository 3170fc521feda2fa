"""`shoal tree`: the hierarchy that the documents themselves make."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, argument, flag, option, tree_app

if TYPE_CHECKING:
    from shoal.analysis.trees import TreeLine

_INDENT = "  "
_TITLE_CHARS = 50


@tree_app.command("make")
def tree_make(
    leaves: Annotated[
        int, option("--leaves", "N", "At most so many parts at the end (by the documents).")
    ] = 0,
    depth: Annotated[int, option("--depth", "N", "So many levels (3).")] = 3,
    anew: Annotated[
        bool, flag("--anew", "Make it anew, though there is one that still fits.")
    ] = False,
    own: Annotated[
        bool, flag("--own", "Also of documents that not everyone may read: for you alone.")
    ] = False,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Make a hierarchy of the documents, and put all pages in their places.

    New pages find theirs as they come; search finds them by tree:NAME. Made again, it keeps its
    parts and takes in what is new, until there is half as much again.
    """
    from shoal.analysis import trees
    from shoal.cli.commands.analysis.classes import say_applied
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.cli.terminal.wording import count

    with StepProgress() as progress:
        found = trees.make(
            given_dir,
            leaves,
            depth,
            anew=anew,
            own=own,
            told=lambda pages: progress.report("placing", pages),
        )
    if json:
        screen.json(found)
        return
    leaves_said = count(found.leaves, "leaf", "leaves")
    if found.anew:
        screen.say(f"A tree with {leaves_said} was made of {found.documents:,} documents.")
    else:
        screen.say(f"The tree with {leaves_said} holds; there are {found.documents:,} documents.")
    say_applied(found.applied, "places")


@tree_app.command("show")
def tree_show(
    part: Annotated[str, argument("PART", "Only what is below this part.")] = "",
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """The tree with its pages, the words that tell each part, and the page in its midst."""
    from shoal.analysis import trees
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen

    with reading(given_dir) as collection:
        found = trees.lines(collection, part)
    if json:
        screen.json(found)
        return
    for line in found:
        _say_line(line)


@tree_app.command("remove")
def tree_remove(given_dir: Dir = None, json: Json = False) -> None:
    """Forget the tree, and take the pages out of it."""
    from shoal.analysis import trees
    from shoal.cli.commands.analysis.classes import say_applied
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress

    with StepProgress() as progress:
        done = trees.remove(given_dir, lambda pages: progress.report("unmarking", pages))
    if json:
        screen.json(done)
        return
    say_applied(done, "places")


def _say_line(line: "TreeLine") -> None:
    from shoal.cli.terminal.screen import say
    from shoal.cli.terminal.wording import count, one_line

    *above, name = line.way.split("/")
    words = ", ".join(line.words)
    title = one_line(line.title)[:_TITLE_CHARS]
    say(f"{_INDENT * len(above)}{name}  {count(line.pages, 'page')}   {words}   {title}")
