"""What do the cells of a table of iWork '09 show? Texts, numbers, dates and results of formulas.

A table keeps only the cells that hold something; each says how far it is from the one before, in a
grid 256 cells wide. Numbers are stored with the errors of binary fractions, shown without.
"""

from datetime import UTC, datetime, timedelta

from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Tag

_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
_MAX_DEPTH = 6


def write_table(model: Element, writer: Writer, source: int) -> None:
    if attribute(model, "name-is-visible") == "true":
        writer.other(Tag.CAPTION, attribute(model, "name"), source=source)
    header_rows = attribute(model, "num-header-rows")
    count = int(header_rows) if header_rows.isdecimal() and len(header_rows) < 4 else 0
    writer.table(_rows(model), header_rows=count, source=source)


def _rows(model: Element) -> list[list[list[Run]]]:
    cells = next(named(model, "datasource"), None)
    if cells is None:
        return []
    grid: dict[int, dict[int, str]] = {}
    place = -1
    for cell in cells:
        step = attribute(cell, "ct")
        place = place + (_number(step) if step else 1) if grid else _number(step)
        grid.setdefault(place >> 8, {})[place & 255] = _shown(cell, 0)
    rows: list[list[list[Run]]] = []
    for number in sorted(grid):
        found = grid[number]
        rows.append([[Run(found.get(each, ""))] for each in range(max(found) + 1)])
    return rows


def _shown(cell: Element, depth: int) -> str:
    """By what is in it: the names of the elements are one or two letters."""
    name = local(cell)
    if depth > _MAX_DEPTH or name in ("fo", "cf", "cell-format", "menu-choices"):
        return ""
    if attribute(cell, "cell-date"):
        return _date(attribute(cell, "cell-date"))
    if name in ("n", "rn") and attribute(cell, "v"):
        return _plain(attribute(cell, "v"))
    if name in ("b", "rb", "cb"):
        return attribute(cell, "v") or attribute(cell, "val")
    if name == "ct" and attribute(cell, "s"):
        return attribute(cell, "s")
    if name == "text-body":
        return all_text(cell)
    if name == "pm":
        return _chosen(cell)
    return " ".join(filter(None, (_shown(child, depth + 1) for child in cell)))


def _chosen(menu: Element) -> str:
    reference = next(named(menu, "proxied-cell-ref"), None)
    if reference is None:
        return ""
    wanted = attribute(reference, "IDREF")
    for choices in named(menu, "menu-choices"):
        for choice in choices:
            if attribute(choice, "ID") == wanted:
                return _shown(choice, 1)
    return ""


def _plain(number: str) -> str:
    try:
        return f"{float(number):.15g}"
    except ValueError:
        return number


def _date(seconds: str) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=float(seconds))
    except (ValueError, OverflowError):
        return ""
    return moment.date().isoformat()


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
