"""What does a JSON file say? Its keys and values as nested items: "name: value".

JSON, JSON lines (NDJSON), GeoJSON, JSON-LD, with comments tolerated nowhere: what json does not
read is shown as it stands. Long rows of numbers (coordinates, vectors) are nobody's words and left
out. A JSON Feed is read as a feed.
"""

import json
from collections.abc import Iterator

from shoal.converters.characters.charset import Text, decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.data import json_feed
from shoal.converters.markup.front_matter import iso_date
from shoal.converters.writer import Writer

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_PARSED_CHARS = 20_000_000
"""A larger one would not fit into memory as objects, and is shown as it stands."""
_NUMBERS = 16
_TITLES = ("title", "name", "headline", "label")


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    values, problem = parse(source)
    if len(values) == 1 and json_feed.is_feed(values[0]):
        return json_feed.convert(values[0], context)
    writer = Writer(context.limits)
    if values:
        for value in values:
            write_value(value, writer)
    else:
        writer.preformatted(source.text)
    first = values[0] if len(values) == 1 else None
    page = writer.page(_string(first, *_TITLES))
    page.author = _string(first, "author", "creator")
    page.description = _string(first, "description", "summary", "abstract")
    page.published = iso_date(_string(first, "datePublished", "published", "created", "date"))
    page.modified = iso_date(_string(first, "dateModified", "updated", "modified"))
    return decoded(page, source, problem or writer.problem)


def parse(source: Text) -> tuple[list[Json], str]:
    """One value, or one for each line. None, and a problem, when it is no JSON."""
    text = source.text.strip("\ufeff \t\r\n\x1e\0")
    if len(text) > _PARSED_CHARS:
        return [], "too large to be read as JSON"
    try:
        return [json.loads(text)], ""
    except RecursionError:
        return [], "damaged: nested too deep"
    except ValueError as error:
        values = list(_lines(text))
        return values, "" if values else f"damaged: {str(error)[:100]}"


def _lines(text: str) -> Iterator[Json]:
    for line in text.splitlines():
        words = line.strip("\x1e \t")
        if not words:
            continue
        try:
            value = json.loads(words)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict | list):
            return
        yield value


def write_value(top: Json, writer: Writer) -> None:
    """In order and without recursion: (name, value, depth) are stacked."""
    stack: list[tuple[str, Json, int]] = [("", top, 0)]
    while stack and not writer.full:
        name, value, depth = stack.pop()
        if isinstance(value, dict):
            if name and value:
                writer.item(name, depth)
            inner = depth + 1 if name or depth == 0 else depth
            stack += [(key, each, inner) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            _write_list(name, value, depth, stack, writer)
        elif value is not None and value != "":
            words = str(value).lower() if isinstance(value, bool) else str(value)
            writer.item(f"{name}: {words}" if name else words, max(1, depth))


def _write_list(
    name: str, values: list[Json], depth: int, stack: list[tuple[str, Json, int]], writer: Writer
) -> None:
    if values and all(isinstance(value, int | float) for value in values):
        if len(values) <= _NUMBERS and name != "coordinates":
            writer.item(f"{name}: {', '.join(map(str, values))}" if name else str(values), depth)
        return
    if name and values and name != "coordinates":
        words = [value for value in values if isinstance(value, str)]
        if len(words) == len(values) and sum(map(len, words)) < 200:
            writer.item(f"{name}: {', '.join(words)}", max(1, depth))
            return
        writer.item(name, max(1, depth))
    if name == "coordinates":
        return
    stack += [("", each, depth + 1) for each in reversed(values)]


def _string(value: Json, *names: str) -> str:
    if isinstance(value, dict):
        for name in names:
            found = value.get(name)
            if isinstance(found, str) and found.strip():
                return found.strip()[:2000]
    return ""
