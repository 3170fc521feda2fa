"""`shoal verify` and `shoal repair`: does the collection hold together, and what can be mended."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, Quiet, app, flag

if TYPE_CHECKING:
    from shoal.maintenance.repair import Repaired
    from shoal.maintenance.salvage import Salvaged


@app.command()
def verify(given_dir: Dir = None, json: Json = False, quiet: Quiet = False) -> int:
    """Check that rows, queue, counts, links, archive, index agree."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.progress import StepProgress
    from shoal.cli.terminal.wording import count, one_line, program
    from shoal.layout.layout import in_directory, place_of
    from shoal.maintenance.verify_place import MOST_FINDINGS, verifying_place

    place = place_of(given_dir)
    tell = (lambda _: None) if quiet else screen.remark
    shown = []
    with StepProgress() as progress:
        opened = verifying_place(place, tell, progress)
    with opened as verifier:
        for finding in verifier.findings():
            shown.append(finding)
            if not json:
                where = f"{finding.where}: " if finding.where else ""
                screen.say(one_line(f"{finding.check}: {where}{finding.says}"))
            if len(shown) == MOST_FINDINGS:
                screen.remark(f"There may be more than {MOST_FINDINGS:,}; the check ends here.")
                break
        checked = verifier.checked
    if json:
        screen.json({"ok": not shown, "findings": shown, "checked": checked})
    elif shown:
        mend = f"{program()} repair{in_directory(Path(place))} mends what can be"
        screen.say(f"{count(len(shown), 'finding')}; {mend}.")
    elif not quiet:
        numbers = ", ".join(f"{number:,} {name}" for name, number in checked.items())
        screen.say(f"All is well: {numbers or 'there is nothing yet'}.")
    return 1 if shown else 0


@app.command()
def repair(
    given_dir: Dir = None,
    from_archive: Annotated[
        bool, flag("--from-archive", "Make the table anew, from what reads and the archive.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Mend what verify finds, as far as it can be."""
    from shoal.cli.terminal import screen
    from shoal.layout.layout import in_directory, place_of
    from shoal.maintenance.repair import repair as mend

    place = place_of(given_dir)
    tell = (lambda _: None) if quiet else screen.remark
    done = mend(place, tell, from_archive=from_archive)
    if json:
        screen.json(done)
    elif not quiet:
        for line in _told(done, in_directory(Path(place))):
            screen.say(line)
    return 0


def _told(done: "Repaired", where: str) -> Iterator[str]:
    from shoal.cli.terminal.wording import count, program, size

    if done.nothing:
        yield "There was nothing to mend."
    yield from _told_of_settings(done)
    for each in done.salvaged:
        yield from _told_of_table(each, where)
    if done.taken_from_archive:
        visits = count(done.taken_from_archive, "visit")
        yield f"{visits}: read again from the archive, because no row knew of it."
    for url in done.records_unread:
        yield f"{url}: lost, because its record in the archive does not read."
    for tail in done.torn_tails:
        yield f"{tail.file}: a torn record of {size(tail.cut_bytes)} was cut off its end."
    for file, aside, lost in done.files_replaced:
        yield (
            f"{file}: {size(lost)} of it do not read and were left out; it is kept in {aside}, and "
            "a copy of the rest stands in its place."
        )
    told = (
        (done.records_disowned, "place in the archive", "places in the archive", "no longer named"),
        (done.texts_dropped, "text that was no page's", "texts that were no page's", "dropped"),
        (done.anchors_added, "missing anchor", "", "written"),
        (done.anchors_dropped, "anchor without a link", "anchors without a link", "dropped"),
        (done.frontier_entries, "entry of the frontier", "entries of the frontier", "put right"),
        (done.queued_again, "URL", "", f"queued, to be fetched again by {program()} crawl{where}"),
    )
    for number, one, many, what in told:
        if number:
            yield f"{count(number, one, many)}: {what}."
    if done.regrouped:
        yield "The groups of near-duplicates were made anew."
    if done.ranked:
        yield "The link graph was dropped, and links were ranked anew."
    if done.index_forgotten:
        yield "The full-text index was dropped, and is made anew."
    if done.sequence_raised:
        yield "The change log: its last number was put right."


def _told_of_settings(done: "Repaired") -> Iterator[str]:
    aside = done.settings_aside and f"; the damaged file is kept in {done.settings_aside}"
    if done.settings_from:
        yield f"The settings were taken from {done.settings_from}{aside}."


def _told_of_table(done: "Salvaged", where: str) -> Iterator[str]:
    from shoal.cli.terminal.wording import count, program

    kept = f"; it is kept in {done.set_aside}" if done.set_aside else ""
    yield f"The table was made anew ({done.why}){kept}."
    yield f"{count(done.cells, 'cell')} of it could still be read."
    for gap in done.gaps:
        yield f"It could not be read behind {gap}."
    if done.files_lost:
        yield (
            "What no archive holds may be lost with its files: marks, and what you said of hosts "
            f"and feeds; look at {program()} hosts{where} and {program()} feed list{where}. "
            f"Folders and mailboxes of your own are read again: {program()} sources{where} lists "
            f"those that are known, {program()} add and {program()} mail add name them anew."
        )
    if done.seeds_guessed:
        yield "Its seeds were lost; the first archived page of each site stands for them now."
