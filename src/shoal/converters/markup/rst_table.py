"""Which cells does a table drawn with characters have? Grid and simple tables of
reStructuredText; Org's and AsciiDoc's rules for them are near enough to the grid's."""

import itertools
import re

_GRID = re.compile(r"\+(?:[-=]+\+)+$")
_SIMPLE = re.compile(r"=+(?: +=+)+$")
_MOST_LINES = 20_000

Table = tuple[list[list[str]], int, int]
"""Rows, how many of them are header rows, and the line after it."""


def is_grid(line: str) -> bool:
    return bool(_GRID.match(line))


def is_simple(lines: list[str], at: int) -> bool:
    return bool(_SIMPLE.match(lines[at])) or bool(
        re.fullmatch("=+", lines[at]) and lines[at] in lines[at + 2 : at + 50] and lines[at + 1]
    )


def grid_rows(lines: list[str], at: int) -> Table:
    """Cells that span columns come out as one; that they span rows is not followed."""
    edges = {place for place, sign in enumerate(lines[at]) if sign == "+"}
    rows: list[list[str]] = []
    cells: dict[int, str] = {}
    header_rows = 0
    end = at
    while end < len(lines) and lines[end][:1] in ("+", "|") and end - at < _MOST_LINES:
        line = lines[end]
        if line.startswith("+"):
            if cells:
                rows.append([cells[key] for key in sorted(cells)])
            cells = {}
            if "=" in line:
                header_rows = len(rows)
        else:
            places = [place for place in sorted(edges) if line[place : place + 1] in ("|", "+")]
            for left, right in itertools.pairwise(places):
                cells[left] = f"{cells.get(left, '')} {line[left + 1 : right].strip()}".strip()
        end += 1
    if cells:
        rows.append([cells[key] for key in sorted(cells)])
    return rows, header_rows, end


def simple_rows(lines: list[str], at: int) -> Table:
    columns = [found.span() for found in re.finditer("=+", lines[at])]
    rows: list[list[str]] = []
    header_rows, rules, end = 0, 0, at + 1
    while end < len(lines) and end - at < _MOST_LINES:
        line = lines[end]
        end += 1
        if line.startswith("=") and not line.strip("= "):
            rules += 1
            if end >= len(lines) or not lines[end]:
                break
            header_rows = len(rows)
        elif line and line.strip("- "):
            _simple_row(line, columns, rows)
    return rows, header_rows if rules > 1 else 0, end


def _simple_row(line: str, columns: list[tuple[int, int]], rows: list[list[str]]) -> None:
    starts = [start for start, _ in columns]
    bounds = [*starts[1:], len(line) + 1]
    cells = [line[start:end].strip() for start, end in zip(starts, bounds, strict=True)]
    if cells[0] or not rows:
        rows.append(cells)
    else:  # an empty first column goes on with the row above
        rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
