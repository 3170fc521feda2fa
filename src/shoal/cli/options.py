"""Which commands, flags and arguments are there? The one module that knows typer.

A flag that several commands share is an annotated type here, so that it is spelled and explained
in one way everywhere. A command returns its exit code (None is 0); a mistake on the command line
becomes a `UsageError` like every other mistake of a person.
"""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from typer.core import TyperGroup

from shoal.errors import UsageError

Context = typer.Context

app = typer.Typer(
    name="shoal",
    help="Crawl politely, keep, clean, find again, and say why.",
    add_completion=False,
    rich_markup_mode=None,  # plain help is as readable, and there in half the time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _group(name: str, about: str) -> typer.Typer:
    """Commands below a word of their own; the word alone shows which there are."""
    group = typer.Typer(help=about)

    @group.callback(invoke_without_command=True)
    def show(context: Context) -> None:
        from shoal.cli.terminal.screen import say

        if context.invoked_subcommand is None:
            say(context.get_help())

    app.add_typer(group, name=name)
    return group


config_app = _group("config", "What is set, to what, and who said so.")
shadow_app = _group("shadow", "A crawl gathered apart, and applied in one step.")
order_app = _group("order", "In which order pages came, and how good that was.")
feed_app = _group("feed", "Which feeds are polled, and what one says.")
topic_app = _group("topic", "What a crawl should be about, and what you said of its pages.")
user_app = _group("user", "Who may search what `serve` shows.")
sources_app = typer.Typer(help="What is read of your own, how far, and what was left out.")
app.add_typer(sources_app, name="sources")
mail_app = typer.Typer(help="Mailboxes of your own: which are read, and how far.")
app.add_typer(mail_app, name="mail")
classes_app = _group("classes", "Which documents belong together: learned from examples.")
tree_app = _group("tree", "The hierarchy that the documents themselves make.")
cluster_app = _group("cluster", "One collection on many machines.")


def flag(name: str, about: str) -> typer.models.OptionInfo:
    """A flag that is either given or not."""
    found: typer.models.OptionInfo = typer.Option(name, help=about)
    return found


def option(name: str, metavar: str, about: str) -> typer.models.OptionInfo:
    """An option that takes a value and that is not set by default."""
    found: typer.models.OptionInfo = typer.Option(
        name, metavar=metavar, help=about, show_default=False
    )
    return found


def argument(metavar: str, about: str) -> typer.models.ArgumentInfo:
    found: typer.models.ArgumentInfo = typer.Argument(
        metavar=metavar, help=about, show_default=False
    )
    return found


# --- shared by many commands ------------------------------------------------------------------

Dir: TypeAlias = Annotated[
    str | None,  # no Path: that would take '' for the current directory
    option("--dir", "DIR", "The collection's directory; without it $SHOAL_DIR, else ./corpus."),
]
Ray: TypeAlias = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="HOST:PORT|auto|local",
        help="Of a cluster at rest: let a Ray do the work (local: start one on this machine).",
    ),
]

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Url: TypeAlias = Annotated[str, typer.Argument(metavar="URL", help="A URL, written in full.")]
Host: TypeAlias = Annotated[
    str, typer.Argument(metavar="HOST", help="A host, such as www.example.org or 127.0.0.1:8080.")
]
WhereArgument: TypeAlias = Annotated[
    str,
    argument(
        "WHERE",
        "A URL prefix (https://example.org/a/), a domain (example.org), a host with its port, "
        "or a suffix (.edu); everything without it.",
    ),
]
Where: TypeAlias = Annotated[
    str,
    option(
        "--where",
        "WHERE",
        "Only below a URL prefix, in a domain (example.org), or under a suffix (.edu).",
    ),
]
Since: TypeAlias = Annotated[
    str | None,
    option(
        "--since",
        "TIME",
        "Only what was fetched since: a date, a date and time (UTC), or an age such as 7d.",
    ),
]
At: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="TIME",
        help="The copy that was current then: a date, a date and time (UTC), or an age such as 7d.",
    ),
]
Output: TypeAlias = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output."),
]
Resolve: TypeAlias = Annotated[
    list[str] | None,
    option("--resolve", "HOST=ADDRESS[:PORT]", "Where a host is; repeatable."),
]
Assign: TypeAlias = Annotated[
    list[str] | None,
    option("--set", "SECTION.KEY=VALUE", "Any setting (see docs/settings.md); repeatable."),
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but what goes wrong.")
]


def parse_and_run(arguments: Sequence[str]) -> int:
    """The exit code of the command that was asked for."""
    try:
        returned = app(list(arguments), prog_name="shoal", standalone_mode=False)
    except typer.TyperException as error:
        raise UsageError(_sentence(error, arguments)) from error
    except typer.Abort:
        return 130
    except SystemExit as error:  # typer's own answer to a reader that has gone
        if isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None
        raise
    return returned if isinstance(returned, int) else 0


def command_names() -> list[str]:
    """Every command, `config show` and its like in full: for the page that documents them."""
    found = []
    group = typer.main.get_command(app)
    if isinstance(group, TyperGroup):
        for name, command in group.commands.items():
            below = command.commands if isinstance(command, TyperGroup) else {}
            found += [f"{name} {each}" for each in below] or [name]
    return found


def _sentence(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """typer's message in one line, and where to read on."""
    says = " ".join(error.format_message().split()).rstrip(".")
    says = says.replace("Value error, ", "").replace(". Did you mean", "; did you mean")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else _command_of(arguments)
    return says if says.endswith("?") else f"{says}; `{command} --help` lists what there is."


def _command_of(arguments: Sequence[str]) -> str:
    """A missing value is told without saying of which command."""
    words = [each for each in arguments if not each.startswith("-")]
    named = {" ".join(words[:number]) for number in (1, 2)} & set(command_names())
    return " ".join(["shoal", *named])
