"""`shoal add`, `watch`, `sources` and `mail`: one's own documents, read and followed."""

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import (
    Assign,
    Context,
    Dir,
    Json,
    Quiet,
    app,
    argument,
    mail_app,
    option,
    sources_app,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.cli.terminal.progress import StepProgress
    from shoal.control.own_sources import Added, SourceLine
    from shoal.engine.own_documents import Taking

Paths = Annotated[list[str], argument("PATH", "Folders, or single files.")]


@app.command()
def add(
    paths: Paths,
    given_dir: Dir = None,
    assign: Assign = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Read folders of your own, to be found from then on.

    The same again reads what has changed since; `shoal watch` follows every change.
    """
    from shoal.cli.settings_flags import assignments
    from shoal.cli.terminal.progress import StepProgress
    from shoal.fleet.own_sources import add_sources
    from shoal.layout.layout import place_of

    with _kept_when_stopped(), StepProgress() as progress:
        tell = None if quiet or json else _teller(progress)
        found = add_sources(place_of(given_dir), paths, assignments(assign or []), tell)
    return _tell_added(found, given_dir, json=json, quiet=quiet)


@app.command()
def watch(given_dir: Dir = None, assign: Assign = None, quiet: Quiet = False) -> int:
    """Follow the folders that were added, until it is stopped.

    First what has changed since, then every change at once. Ctrl-C or SIGTERM end it well.
    """
    from shoal.cli.settings_flags import assignments
    from shoal.cli.terminal.progress import StepProgress
    from shoal.fleet.own_sources import watch_sources
    from shoal.layout.layout import place_of

    with StepProgress() as progress:
        tell = None if quiet or not sys.stderr.isatty() else _teller(progress)
        signal = watch_sources(place_of(given_dir), assignments(assign or []), tell)
    return 0 if signal is None else 128 + signal


@sources_app.callback(invoke_without_command=True)
def sources(context: Context, given_dir: Dir = None, json: Json = False) -> None:
    """What is read of your own, how far, and what was left out."""
    from shoal.cli.terminal import screen
    from shoal.control.own_sources import sources_of
    from shoal.layout.layout import place_of

    if context.invoked_subcommand is not None:
        return
    found = sources_of(place_of(given_dir))
    if json:
        screen.json(found)
    else:
        _say_all(found, "Nothing of your own is read: shoal add PATH")


@sources_app.command("remove")
def sources_remove(
    path: Annotated[str, argument("PATH", "A folder or file that was added.")],
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Forget a folder, and what was read of it."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.fleet.own_sources import remove_source_at
    from shoal.layout.layout import place_of

    removed = remove_source_at(place_of(given_dir), path)
    if json:
        screen.json(removed)
    else:
        gone = count(removed.documents, "document is", "documents are")
        says = f"{removed.path} is forgotten, and {gone} gone with it."
        screen.say(_HANDED if removed.handed else says)
        if removed.note:
            screen.remark(removed.note)


@mail_app.callback(invoke_without_command=True)
def mail(context: Context, given_dir: Dir = None, json: Json = False) -> None:
    """Which mailboxes are read, and how many mails of each."""
    from shoal.cli.terminal import screen
    from shoal.control.own_mail import mailboxes_of
    from shoal.layout.layout import place_of

    if context.invoked_subcommand is not None:
        return
    found = mailboxes_of(place_of(given_dir))
    if json:
        screen.json(found)
    else:
        _say_all(
            found, "No mailbox is read: shoal mail add PATH, or shoal mail add imaps://user@host"
        )


@mail_app.command("add")
def mail_add(
    mailbox: Annotated[
        str, argument("MAILBOX", "An mbox file, a Maildir, a .pst, or imaps://user@host.")
    ],
    password_file: Annotated[
        str | None,
        option("--password-file", "FILE", "Whose first line is the password; its mode is 0600."),
    ] = None,
    owner: Annotated[
        str, option("--owner", "NAME", "Who may read an account; without it, who adds it.")
    ] = "",
    given_dir: Dir = None,
    assign: Assign = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Read a mailbox, to be found from then on.

    The same again reads what has changed since; `shoal watch` follows every change. Without a file
    the password is taken from systemd's credentials or from $SHOAL_MAIL_PASSWORD. No flag of any
    mail changes.
    """
    from shoal.cli.settings_flags import assignments
    from shoal.cli.terminal.progress import StepProgress
    from shoal.fleet.own_sources import add_mail
    from shoal.layout.layout import place_of

    with _kept_when_stopped(), StepProgress() as progress:
        found = add_mail(
            place_of(given_dir),
            mailbox,
            assignments(assign or []),
            password_file=password_file,
            owner=owner,
            tell=None if quiet or json else _teller(progress),
        )
    return _tell_added(found, given_dir, json=json, quiet=quiet)


_HANDED = "The crawl that runs was told; `shoal sources` says how far it is."


@contextmanager
def _kept_when_stopped() -> "Iterator[None]":
    """Each document is taken in whole or not at all, so Ctrl-C loses nothing."""
    from shoal.cli.terminal import screen

    try:
        yield
    except KeyboardInterrupt:
        screen.remark("Stopped: what was read so far is kept, and the same command goes on.")
        raise


def _tell_added(found: "Added", given_dir: str | None, *, json: bool, quiet: bool) -> int:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import program
    from shoal.layout.layout import in_directory, place_of

    if json:
        screen.json(found)
    elif not quiet:
        where = in_directory(place_of(given_dir))
        for line in found.sources:
            _say(line)
        if found.handed:
            screen.say(_HANDED)
        if any(line.unreadable for line in found.sources):
            screen.say(f"Which can't be read: {program()} urls --reason unconvertible{where}")
        if any(line.skipped for line in found.sources):
            screen.say(f"What was left out, and why: {program()} sources{where}")
        if any(line.documents for line in found.sources):
            screen.say(f"Find them again: {program()} search WORDS{where}")
    if found.problem:
        screen.remark(f"not everything is indexed: {found.problem}")
    return 1 if found.problem else 0


def _teller(progress: "StepProgress") -> "Callable[[Taking], None]":
    return lambda taking: progress.report("read", taking.all)


def _say_all(lines: "list[SourceLine]", nothing: str) -> None:
    from shoal.cli.terminal import screen

    for line in lines:
        _say(line)
        for left in line.skipped:
            screen.say(f"  left out: {left.count:,} {left.reason}, such as {left.example}")
    if not lines:
        screen.remark(nothing)


def _say(line: "SourceLine") -> None:
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count

    says = f"{line.path}: {count(line.documents, 'mail' if line.kind == 'mail' else 'document')}"
    of = f" of the first {line.asked:,}" if line.asked < line.documents else ""
    if line.unreadable:
        says += f", {line.unreadable:,}{of} can't be read"
    if line.empty:
        says += f", {line.empty:,}{of} without text"
    left_out = sum(each.count for each in line.skipped)
    if left_out:
        says += f", {left_out:,} left out"
    if not line.whole:
        says += ", not all of it looked at yet"
    screen.say(says)
    for remark in (line.problem, line.polled):
        if remark:
            screen.remark(f"{line.path}: {remark}")
