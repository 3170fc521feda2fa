"""How does a benchmark say what it found? A table for people, then one line `name ours peer ratio`
for each comparison. The ratio is ours divided by the peer's, whether more or less is better.
"""

from collections.abc import Sequence


def line(name: str, ours: float, peer: float) -> str:
    ratio = f"{ours / peer:.3f}" if peer else "-"
    return f"{name} {_plain(ours)} {_plain(peer)} {ratio}"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns of text; numbers to the right."""
    cells = [list(head), *([_shown(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([first, *rest]).rstrip())
    return "\n".join(lines)


def _shown(value: object) -> str:
    return _plain(value) if isinstance(value, float) else str(value)


def _plain(number: float) -> str:
    """Three digits that mean something, and no exponent."""
    if number == 0 or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.3f}" if abs(number) < 1 else f"{number:.2f}"
