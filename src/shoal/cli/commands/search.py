"""`shoal search`: the pages that words are about."""

import shlex
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Dir, Json, app, argument, flag, option

if TYPE_CHECKING:
    from shoal.collection.search.results import Result, Results

_MARK = "bold yellow"
_FACET_VALUES = 6
_USUAL_LIMIT = 10


@app.command()
def search(
    words: Annotated[list[str], argument("WORDS", "What to look for, in quotes if it has any.")],
    limit: Annotated[
        int, option("--limit", "N", "Results on a page; 10 without it.")
    ] = _USUAL_LIMIT,
    page: Annotated[int, option("--page", "N", "Which page of results.")] = 1,
    explain: Annotated[bool, flag("--explain", "Show what each score is made of.")] = False,
    facets: Annotated[bool, flag("--facets", "Count sites, types, years, names and more.")] = False,
    as_name: Annotated[
        str | None, option("--as", "NAME", "Find what this user may read, and nothing else.")
    ] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Find pages by words.

    "in quotes" is a phrase, +must and -not are what they say, so is OR. Before a colon: title,
    url, anchor, site, filetype, lang, before, after, link, related. docs/search.md tells the rest.
    """
    from shoal.cli.places import reading
    from shoal.cli.terminal import screen
    from shoal.errors import UsageError
    from shoal.layout.layout import in_directory, place_of

    if not " ".join(words).strip():
        raise UsageError("say what to look for: shoal search WORDS")
    _bring_up_to_date(place_of(given_dir))
    with reading(given_dir, as_name) as collection:
        found = collection.search(
            " ".join(words), limit=limit, page=page, explain=explain, facets=facets
        )
    if json:
        screen.json(found)
    else:
        again = [f"--page={found.page + 1}"]
        again += [f"--limit={limit}"] if limit != _USUAL_LIMIT else []
        again += [f"--as={as_name}"] if as_name is not None else []
        again += [name for name, is_on in (("--explain", explain), ("--facets", facets)) if is_on]
        where = in_directory(place_of(given_dir))
        _show(found, limit, f"search {shlex.join(again)}{where} {_as_words(words)}")


def _as_words(words: list[str]) -> str:
    """As they can be typed again; a word that begins with a hyphen is no flag."""
    is_flaglike = any(word.startswith("-") for word in words)
    return ("-- " if is_flaglike else "") + shlex.join(words)


def _bring_up_to_date(place: str) -> None:
    """A cluster in an object store is indexed when it is opened, or by its tablets."""
    from shoal.access.indexing import update_index
    from shoal.cli.terminal.progress import StepProgress

    if "://" in place:
        return
    with StepProgress() as progress:
        update_index(place, lambda documents: progress.report("indexing", documents))


def _show(found: "Results", limit: int, again: str) -> None:
    from shoal.cli.terminal.screen import remark, say
    from shoal.cli.terminal.wording import count, one_line, program

    say(found.summary)
    for note in found.notes:
        say(f"  ({one_line(note)})")
    first = (found.page - 1) * limit + 1
    for number, result in enumerate(found.results, first):
        say()
        _show_result(number, result)
    for name, values in found.facets.items():
        counts = ", ".join(f"{one_line(value)} {many:,}" for value, many in values[:_FACET_VALUES])
        if counts:
            say(f"\n{name}: {counts}")
    if found.has_more:
        say(f"\nThe next page: {program()} {again}")
    if found.behind:
        remark(f"{count(found.behind, 'change')} of the collection are not in the index yet.")


def _show_result(number: int, result: "Result") -> None:
    from shoal.cli.terminal.screen import say, styled
    from shoal.cli.terminal.wording import count, one_line

    styled([(f"{number:3}. ", ""), (one_line(result.title or result.url, 200), "bold")])
    styled([(f"     {one_line(result.url)}", "green")])
    if result.snippet:
        marked = [
            (" ".join(piece.split("\n")), _MARK if hit else "") for piece, hit in result.snippet
        ]
        styled([("     ", ""), *marked])
    more = [f"{result.alike:,} more like this"] if result.alike else []
    if result.more_from_site:
        more.append(f"{count(result.more_from_site, 'more result')} from {one_line(result.site)}")
    if more:
        styled([(f"     {'; '.join(more)}", "dim")])
    if result.explanation is not None:
        say(f"     score {result.score:.3f}")
        for part in result.explanation:
            say(f"       {part.value:8.3f}  {one_line(part.name, 30)}: {part.says}")
