"""Where does the command line begin and end? One sentence for every fault, and an exit code.

0 it worked · 1 a fault of ours or of the machine · 2 a mistake in what was asked · 128 + n ended by
signal n (130 is Ctrl-C, 141 that whoever read the output has gone). A traceback is shown only to
those who ask with --traceback.
"""

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated

from shoal.cli.options import Context, app, flag, parse_and_run
from shoal.cli.terminal.wording import harmless, program
from shoal.errors import CollectionError, ShoalError, UsageError

_TRACEBACK = "--traceback"
_THEMES = (
    *("crawl", "refresh", "sources", "plan", "map", "sitemap", "feed", "read", "search", "serve"),
    *("analysis.links", "analysis.freshness", "analysis.simulate"),
    *("analysis.classes", "analysis.tree"),
    *("convert", "clean", "slope", "analysis.dups", "control", "analysis.mark"),
    *("analysis.topic",),
    *("cluster", "demo", "store", "reindex", "verify", "doctor"),
)
"""The modules of commands, in the order in which --help lists them."""
_ENDS = re.compile(r"[.?!]$|: shoal .+$")
"""A sentence that ends, or that ends in a command: a full stop would be taken for part of it."""

_COMMAND = re.compile(r"(?:(?<=: )|(?<=`))shoal (?=[a-z-])")
"""A command within a sentence; it is shown as whoever reads it would type it."""

_BY_SIGPIPE = 141
"""Nothing is wrong, and nothing is said: `head` has what it wanted."""
_OVERVIEW = """\
Shoal, the acquisition half of a search engine.

  shoal crawl https://example.org/    crawl a site into ./corpus; the same command goes on
  shoal add ~/Documents               read a folder of your own; `shoal watch` follows it
  shoal search WORDS                  find pages again
  shoal serve                         search and a dashboard, in a browser
  shoal status                        how it stands, also while it runs
  shoal show URL                      what was stored of a page (--text, --raw, --links, …)
  shoal explain URL                   why a URL was taken, or not
  shoal demo                          all of it on a bundled little web, without a network

`shoal --help` lists every command, `shoal COMMAND --help` its options."""


@app.callback(invoke_without_command=True)
def overview(
    context: Context,
    version: Annotated[bool, flag("--version", "Print the version.")] = False,
    traceback: Annotated[
        bool, flag(_TRACEBACK, "Show where in the program a fault happened.")
    ] = False,
) -> int:
    """Crawl politely, keep, clean, find again, and say why."""
    del traceback  # `run` has looked for it
    from shoal.cli.terminal.screen import say

    if version:
        from shoal.config import VERSION

        say(f"shoal {VERSION}")
        context.exit()
    if context.invoked_subcommand is None:
        say(_OVERVIEW)
    return 0


def run(arguments: Sequence[str] | None = None) -> None:
    """The entry point: parse, do it, exit."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without "·" still gets the rest
    ends = words.index("--") if "--" in words else len(words)
    wants_traceback = _TRACEBACK in words[:ends]
    if wants_traceback:
        words.remove(_TRACEBACK)
    sys.exit(_exit_code(words, wants_traceback=wants_traceback))


def _exit_code(words: list[str], *, wants_traceback: bool) -> int:
    _register_commands()
    try:
        code = parse_and_run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return _BY_SIGPIPE
    except KeyboardInterrupt:
        return 130
    except (Exception, BaseExceptionGroup) as error:
        if wants_traceback:
            raise
        return _tell(_cause(error))
    except BaseException as error:
        if wants_traceback or type(error).__name__ != "PanicException":
            raise
        return _tell(error)  # of a library that is written in Rust
    return code


def _register_commands() -> None:
    """Importing a module of commands adds them; each imports what it needs only when it runs."""
    for theme in _THEMES:
        import_module(f"shoal.cli.commands.{theme}")


def _cause(error: BaseException) -> BaseException:
    """Out of a group of faults (workers fail together) the one that a person can act on."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    causes = [_cause(each) for each in error.exceptions]
    return next((cause for cause in causes if isinstance(cause, ShoalError)), causes[0])


def _tell(error: BaseException) -> int:
    match error:
        case ShoalError():
            says = " ".join(str(error).split())
        case OSError():
            where = f" ({error.filename})" if error.filename else ""
            says = f"{error.strerror or error}{where}."
        case _:
            says = (
                f"a fault in Shoal itself, {type(error).__name__}: {' '.join(str(error).split())}; "
                f"please report it with what {_TRACEBACK} adds."
            )
    if not _ENDS.search(says):
        says += "."
    says = _COMMAND.sub(lambda _: f"{program()} ", says)
    with suppress(BrokenPipeError):
        print(f"shoal: {harmless(says)}", file=sys.stderr)
    return 2 if isinstance(error, UsageError | CollectionError) else 1


def _forget_output() -> None:
    """Whoever read our output has gone: nothing more is written, not even at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
