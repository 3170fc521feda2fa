"""`shoal slope`: the document slope curve of a page, and the content that it shows."""

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Literal

from shoal.cli.options import Dir, Json, app, argument, option
from shoal.cli.terminal.output_forms import file_or_page, is_utf_8, write_picture

if TYPE_CHECKING:
    from shoal.files.page_source import Curve

Method = Literal["slope", "window"]
_POINTS = 500
_SHOWN_BLOCKS = 20


@app.command()
def slope(
    page: Annotated[str, argument("URL|FILE", "A stored page, or a file of HTML.")],
    method: Annotated[
        Method,
        option("--method", "slope|window", "One best block (slope), or every flat section."),
    ] = "slope",
    svg: Annotated[str | None, option("--svg", "FILE", "Draw it into an SVG file too.")] = None,
    png: Annotated[str | None, option("--png", "FILE", "Draw it into a PNG file too.")] = None,
    given_dir: Dir = None,
    json: Json = False,
) -> None:
    """Draw a page's tags against its tokens: content is flat.

    The textbook's document slope curve. The part of the axis that is drawn thick is what the
    method takes for content.
    """
    from shoal.cli.terminal import screen
    from shoal.files.page_source import slope as curve_of

    curve = curve_of(_source(page, given_dir), method)
    if svg is not None:
        write_picture(svg, "--svg", curve.svg.encode())
    if png is not None:
        write_picture(png, "--png", curve.png)
    if json:
        screen.json(_as_json(page, curve))
        return
    columns = get_terminal_size((100, 24)).columns
    for line in curve.text(columns, ascii_only=not is_utf_8()).splitlines():
        screen.say(line)
    screen.say()
    for line in _facts(curve):
        screen.say(line)


def _source(name: str, given_dir: str | None) -> str:
    from shoal.files.page_source import file_source, stored_source

    with file_or_page(name, given_dir) as found:
        return file_source(found) if isinstance(found, Path) else stored_source(found)


def _facts(curve: "Curve") -> list[str]:
    from shoal.cli.terminal.wording import count, one_line

    tags, words = count(curve.tags, "tag"), count(curve.words, "word")
    formatting = count(curve.tokens - curve.tags - curve.words, "tag")
    inside, blocks = count(curve.words_inside, "word"), count(len(curve.blocks), "block")
    lines = [
        f"page       {curve.tokens:,} tokens: {tags}, {words}, {formatting} that only format text",
        f"content    {inside} ({curve.share:.1%}) in {blocks}, by the method {curve.method}",
    ]
    for block in curve.blocks[:_SHOWN_BLOCKS]:
        lines.append(f"block      i = {block.i:,}, j = {block.j:,}: {count(block.words, 'word')}")
        lines.append(f"  first    {one_line(block.first)}")
        lines.append(f"  last     {one_line(block.last)}")
    if len(curve.blocks) > _SHOWN_BLOCKS:
        lines.append(f"and {count(len(curve.blocks) - _SHOWN_BLOCKS, 'block')} more (see --json)")
    return lines


def _as_json(page: str, curve: "Curve") -> dict[str, object]:
    return {
        "page": page,
        "method": curve.method,
        "tokens": curve.tokens,
        "tags": curve.tags,
        "words": curve.words,
        "share": curve.share,
        "blocks": curve.blocks,
        "points": curve.points(_POINTS),
    }
