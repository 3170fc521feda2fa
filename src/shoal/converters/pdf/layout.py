"""In which order is a page read? Lines to paragraphs, then columns and bands by the white between.

A recursive cut of the page (Nagy and Seth's X-Y cut), with two changes. Bands that share a gutter
are taken together, so a title over two columns does not make each pair of paragraphs a band. And
where the page could be cut both ways, the order of the stream decides: a table's cells are written
row by row, columns of text one after the other.
"""

import itertools
import re
from collections.abc import Callable, Sequence

from shoal.converters.pdf.lines import MARKER
from shoal.converters.pdf.piece import Line, Piece, code_of, piece_of

_ENDED = re.compile(r"[.!?:;。！？…][\"'”’»)\]]*$")
_DEPTH = 24
_GUTTER_PT = 7.0
_MOST = 3_000
"""Pieces of a page; beyond, the stream's order is kept."""


def paragraphs(lines: Sequence[Line], page: int) -> list[Piece]:
    """Pieces in the stream's order."""
    leading = _leading(lines)
    letters, mono = 1, 0
    for line in lines:
        letters += len(line.words)
        mono += line.mono * len(line.words)
    code = 2 * mono < letters  # else it is all written so
    edges: dict[int, float] = {}
    for line in lines:
        left = round(line.x0 / 3)
        edges[left] = max(line.x1, edges.get(left, line.x1))
    blocks: list[list[Line]] = []
    for line in lines:
        if blocks and _breaks_early(blocks[-1][-1], line, edges):
            blocks.append([line])
        elif blocks and _goes_on(blocks[-1], line, leading, code):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [
        code_of(block, page)
        if code and len(block) > 1 and all(line.mono for line in block)
        else piece_of(block, page)
        for block in blocks
    ]


def _leading(lines: Sequence[Line]) -> float:
    """From line to line, as a multiple of the font size, on most of the page."""
    steps = sorted(
        (above.y - below.y) / above.size
        for above, below in itertools.pairwise(lines)
        if 0.8 * above.size < above.y - below.y < 3 * above.size
        and 0.9 < above.size / below.size < 1.1
        and above.x0 < below.x1
        and below.x0 < above.x1
    )
    return steps[len(steps) // 3] if steps else 1.2


def _goes_on(block: list[Line], line: Line, leading: float, code: bool) -> bool:
    """Whether a line belongs to the paragraph above it."""
    last, first = block[-1], block[0]
    size, right = last.size, max(each.x1 for each in block)
    highest = size * max(1.15 * leading, min(1.3 * leading, leading + 0.35))
    if not (0 < last.y - line.y <= highest and 0.87 < line.size / size < 1.15):
        return False
    if line.x0 >= right or line.x1 <= first.x0:
        return False
    if code and line.mono and last.mono:
        return True
    short = last.x1 < max(line.x1, right) - 3 * size
    ended = _ENDED.search(last.words[-1].text) is not None
    if (short or ended) and _looks_other(last, line, code):
        return False
    if _marked(line) and (short or ended or _marked(first) or line.x0 < last.x0 - 1):
        return False
    return not _starts_anew(block, line, short, ended)


def _breaks_early(last: Line, line: Line, edges: dict[int, float]) -> bool:
    """Whether a line was left with much room, as in a list of names; code is no prose."""
    edge = edges[round(last.x0 / 3)]
    if last.x1 > edge - 0.35 * (edge - last.x0) or abs(line.x0 - last.x0) > last.size:
        return False
    return not (last.mono and line.mono) and not line.words[0].text[:1].islower()


def _looks_other(last: Line, line: Line, code: bool) -> bool:
    return last.bold != line.bold or (code and last.mono != line.mono)


def _starts_anew(block: list[Line], line: Line, short: bool, ended: bool) -> bool:
    """By indents and the line above: whether a line starts a paragraph."""
    last, first, size = block[-1], block[0], block[-1].size
    if abs((last.x0 + last.x1) - (line.x0 + line.x1)) < size and abs(last.x0 - line.x0) > size:
        return False  # both are centred
    if _marked(first) and (line.x0 > first.x0 - 0.5 * size or len(block) == 1):
        return line.x0 <= first.x0 - 0.5 * size and (short or ended)
    if len(block) > 1 and line.x0 > last.x0 + 0.7 * size and block[-2].x0 < line.x0 - 0.5 * size:
        return True
    if len(block) == 1 and line.x0 > first.x0 + 0.7 * size and short:
        return True
    return short and ended and not line.words[0].text[:1].islower()


def _marked(line: Line) -> bool:
    return len(line.words) > 1 and MARKER.match(line.words[0].text) is not None


def arranged(pieces: list[Piece], depth: int = 0) -> list[Piece]:
    """The same pieces in reading order."""
    if not 1 < len(pieces) <= _MOST or depth > _DEPTH:
        return pieces
    gutter = max(_GUTTER_PT, 0.5 * sorted(piece.size for piece in pieces)[len(pieces) // 2])
    columns = _cut(pieces, lambda piece: (piece.x0, piece.x1), gutter)
    bands = _cut(pieces, lambda piece: (-piece.top, -piece.bottom), -1.5)
    if len(columns) > 1 and (len(bands) == 1 or _by_columns(pieces, columns, bands)):
        return [piece for column in columns for piece in arranged(column, depth + 1)]
    if len(bands) == 1:
        return pieces
    if len(columns) == 1:
        order = {id(piece): number for number, piece in enumerate(pieces)}
        bands = [
            sorted(band, key=lambda piece: order[id(piece)])
            for band in _sharing_gutters(bands, gutter)
        ]
        if len(bands) == 1:
            return pieces
    return [piece for band in bands for piece in arranged(band, depth + 1)]


def _cut(
    pieces: Sequence[Piece], extent: Callable[[Piece], tuple[float, float]], gap: float
) -> list[list[Piece]]:
    """Groups along one direction with at least such a gap between them; each keeps the order of
    the stream."""
    ends: list[tuple[float, list[int]]] = []
    reach = float("-inf")
    for number in sorted(range(len(pieces)), key=lambda number: extent(pieces[number])):
        start, end = extent(pieces[number])
        if not ends or start >= reach + gap:
            ends.append((start, []))
            reach = end
        ends[-1][1].append(number)
        reach = max(reach, end)
    return [[pieces[number] for number in sorted(numbers)] for _, numbers in ends]


def _by_columns(pieces: list[Piece], columns: list[list[Piece]], bands: list[list[Piece]]) -> bool:
    """Whether the stream goes column by column rather than band by band."""
    across, _ = _jumps(pieces, columns)
    down, back = _jumps(pieces, bands)
    if across - (len(columns) - 1) > down - (len(bands) - 1) + back:
        return False
    return across == len(columns) - 1 or _look_like_columns(columns)


def _jumps(pieces: list[Piece], groups: list[list[Piece]]) -> tuple[int, int]:
    """How often the stream goes to another group, and how often to an earlier one."""
    group_of = {id(piece): number for number, group in enumerate(groups) for piece in group}
    sequence = [group_of[id(piece)] for piece in pieces]
    pairs = list(itertools.pairwise(sequence))
    return sum(a != b for a, b in pairs), sum(b < a for a, b in pairs)


def _look_like_columns(columns: list[list[Piece]]) -> bool:
    return all(sum(piece.lines for piece in column) > 2 for column in columns) and all(
        max(piece.lines for piece in column) > 1 for column in columns
    )


def _sharing_gutters(bands: list[list[Piece]], gutter: float) -> list[list[Piece]]:
    """Neighbouring bands between whose pieces one gutter goes down are one band."""
    groups: list[list[Piece]] = []
    reach: list[list[Piece]] = []  # the columns of the last group
    for band in bands:
        columns = _cut(band, lambda piece: (piece.x0, piece.x1), gutter)
        if groups and (len(reach) > 1 or len(columns) > 1):
            both = groups[-1] + band
            shared = _cut(both, lambda piece: (piece.x0, piece.x1), gutter)
            if len(shared) >= max(2, min(len(reach), len(columns))) and len(reach) > 1:
                groups[-1], reach = both, shared
                continue
        groups.append(band)
        reach = columns
    return groups
